"""Finds the passwords of wireless networks that a person calls a key: "the Wi-Fi key is …", in the languages that name keys."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from functools import cache

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.apart.value_kinds import is_password
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.context_rules import STATING_SIGN
from transforms.redaction.named_values import SECRET_NAMES
from transforms.redaction.names.introductions import introduces
from transforms.redaction.names.name_words import NAME_WORDS
from transforms.redaction.names.translated_names import KEY

NETWORK_WORDS = ("wi-fi", "wifi", "wlan", "w-lan", "ssid", "hotspot")
_NETWORK = compile_late(rf"(?<![^\W_])(?:{'|'.join(NETWORK_WORDS)})(?![^\W_])")
MOST_FAR, LEAST_KEY, MOST_BETWEEN = 90, 8, 7
"""Characters between a word for a network or a key and the value; characters of a key of WPA; words before it."""
_ASIDE = compile_late(r"\([^()\n]{0,60}\)")
_VALUE = compile_late(r"[\"“„«'`](?P<quoted>[^\"“”„«»'`\n]{8,63})[\"”“»'`]|(?P<bare>[^\s\"'`“”„‘’«»<>,;()\[\]{}|]{8,63})")
_NETWORK_NAME = compile_late(rf"(?i)ssid\s{{0,2}}(?:{STATING_SIGN})?\s{{0,2}}[\"'`]?\Z")
"""What stands before the name of a network, which is no key."""
_REST = compile_late(r"[^\W\d_]{0,3}(?![^\W_])")
_SENTENCE_END = compile_late(r"[.!?](?:\s|\Z)|\n")
_TRAILING = compile_late(r"[.,:;!?]+\Z")
_DIGIT = compile_late(r"\d")


@cache
def _list_names() -> tuple[str, ...]:
    """Return the words for a key in all languages, in lower case."""
    translated = {word for parts in NAME_WORDS.values() for word in parts.split("|")[KEY + 1].split("/") if len(word) > 2}
    return tuple(sorted({*SECRET_NAMES["key"], *translated}))


def find_network_keys(text: str) -> Iterator[SecretSpan]:
    """Yield the values with a digit behind a word for a key in a sentence that speaks of a wireless network."""
    lower = lower_keeping_length(text)
    networks = [match.start() for match in _NETWORK.finditer(lower)]
    if not networks or not _DIGIT.search(text):
        return
    for place in sorted(find_places(lower, *_list_names())):
        if lower[place - 1 : place].isalpha():
            continue
        if any(_are_together(text, network, place) for network in _list_near(networks, place)):
            yield from _find_value(text, place)


def _list_near(networks: list[int], place: int) -> list[int]:
    """Return the last place before another one and the first behind it."""
    at = bisect(networks, place)
    return networks[max(0, at - 1) : at + 1]


def _are_together(text: str, network: int, place: int) -> bool:
    first, last = sorted((network, place))
    return last - first <= MOST_FAR and not _SENTENCE_END.search(text, first, last)


def _find_value(text: str, place: int) -> Iterator[SecretSpan]:
    word = max((word for word in _list_names() if text[place : place + len(word)].lower() == word), key=len, default="")
    if (rest := _REST.match(text, place + len(word))) is None:
        return
    begin = rest.end()
    behind = _ASIDE.sub(lambda match: " " * len(match[0]), text[begin : begin + MOST_FAR + 64])
    for words, match in enumerate(_VALUE.finditer(behind)):
        group = "quoted" if match["quoted"] is not None else "bare"
        start, end = match.span(group)
        if group == "bare" and (trailing := _TRAILING.search(behind, start, end)):
            end = trailing.start()
        before, value = behind[:start], behind[start:end]
        if words > MOST_BETWEEN or _SENTENCE_END.search(before):
            return
        if not _DIGIT.search(value) or _NETWORK_NAME.search(before):
            continue
        if len(value) >= LEAST_KEY and is_password(value) and introduces(before, "password"):
            yield begin + start, begin + end, "password"
        return
