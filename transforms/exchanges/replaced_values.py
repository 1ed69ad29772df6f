"""The values that a clause names as replaced, in a slot of its grammar: "moved from 9477 to 9500", "nats instead of rabbit"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from sys import intern

from transforms.language.entities import find_quotations
from transforms.language.lexicon import CHANGE_WORDS, GENERIC
from transforms.language.sentences import has_digit
from transforms.language.statement import freeze_words, parse_statement, profile_words
from transforms.language.tokenizer import stem, tokenize, write_numbers
from transforms.patterns.late_pattern import compile_late

MAX_SLOT_WORDS = 4
"""Words of a slot: a longer stretch is a clause of its own."""
MAX_UNEXPLAINED = 1
"""Words of the older clause, its verb perhaps, that the newer one need not name."""
MAX_COMING = 1
"""Words that take the place of a replaced one, where a clause says nothing else: a second one may be another host."""
MAX_GIVING = 6
"""Content words of a short older clause that gives a value, where the newer one says nothing of what it is for."""
MIN_DIGITS = 3
"""Digits of a number that is taken for the same thing wherever it stands in a project: a port, a frequency."""
QUOTED_WORDS = 3
"""Words of a quotation from which somebody else said it; fewer are a name."""
MIN_COMMON_START = 5
"""Letters that a short name shares with the long one: rabbit, rabbitmq."""

_BREAK = r"(?=\s+(?:for|in|on|at|as|with|by|to|into|onto|because|since|and|but|so)\b|[,;:.!?](?:\s|$)|\s+[-–—]\s|$)"
_SLOT = r"(?P<old>[^,;:!?]+?)"
_BEFORE = rf"(?:^|[,;:]\s+|\band\s+){_SLOT}"
_BE = r"\s+(?:is|are|was|were|has been|have been|gets?|got|goes|went)"
_ENDS = ("out", "gone", "away", "dead", "off", "over", "history", "replaced", "dropped", "removed", "retired", "superseded")
_SLOTS = tuple(
    compile_late(pattern, re.I)
    for pattern in (
        rf"\bfrom\s+{_SLOT}\s+(?:to|into|onto|over to)\s+\S",
        rf"\b(?:instead of|rather than|in place of|no longer|not)\s+{_SLOT}{_BREAK}",
        rf"{_BEFORE}\s*(?:→|[-=]>)\s*\S",
        rf"{_BEFORE}{_BE}\s+(?:{'|'.join(_ENDS)})\b",
        rf"\b(?:drop(?:ped)?|ditch(?:ed)?|remov(?:e|ed)|replac(?:e|ed|es|ing)|retir(?:e|ed|es))\s+{_SLOT}{_BREAK}",
        rf"(?:^|\s)(?P<old>\d[\d.,:]*\s?[^\W\d]*){_BE}\s+(?:\w+\s+)?too\s+[^\W\d]",
        rf"[,;]\s*(?:was|were)\s+{_SLOT}{_BREAK}",
    )
)
_IS_OUT, _DROPS, _STATING = 3, 4, (0, 2, 3, 4, 6)
"""Slots of names that are out ("rabbit is out", "nats replaces rabbit"), and those of which a statement of a change has one."""
_VALUE = r"(?:(?!(?:for|in|on|as|at)\s)[^\s,;:.!?]+\s+){0,2}[^\s,;:!?]+?"
_EXCHANGE = compile_late(
    r"^(?:(?:ok(?:ay)?|no|yes|so|actually|now)[\s,]+)*(?:(?:we|i|let's|lets|let us|please)\s+)?(?:(?:will|now|just)\s+|'ll\s+)?"
    rf"(?:(?:use|take|pick|choose|adopt|go with|switch to|move to|go to)\s+{_VALUE}\s+(?:instead of|rather than)\s+{_VALUE}"
    rf"|(?:replace|swap)\s+{_VALUE}\s+(?:with|by|for)\s+{_VALUE})(?:[,;:.!?]|$)",
    re.I,
)
"""A value that takes the place of another one, and no word about what it is for."""
_PARTS_OF_SLOTS = (
    ("from",), ("instead of", "rather than", "in place of", "no longer", "not"), ("->", "=>"), _ENDS,
    ("drop", "ditch", "remov", "replac", "retir"), ("too",), ("was", "were"),
)  # fmt: skip
"""For each pattern of a slot parts of which a text in ASCII has one, in small letters; most texts have none."""


_END_WORDS = frozenset(map(stem, _ENDS))
_OPENINGS = frozenset({"in", "on", "at", "for", "during", "under", "within"})
_MARKS = "\"'“”„«»‘’"


@lru_cache(maxsize=16_384)
def find_replaced_words(text: str) -> frozenset[str]:
    """Return the words of the values that a clause names as replaced; empty when it names none."""
    replaced_words: set[str] = set()
    text = write_numbers(hide_quotations(text))
    lower, is_ascii = text.lower(), text.isascii()  # another alphabet has letters that only a pattern takes for one of these
    for pattern, parts in zip(_SLOTS, _PARTS_OF_SLOTS, strict=True):
        if is_ascii and not any(part in lower for part in parts):
            continue
        for match in pattern.finditer(text):
            if len(match["old"].split()) <= MAX_SLOT_WORDS:
                replaced_words |= profile_claim_words(match["old"])
    return freeze_words(replaced_words)


def hide_quotations(text: str) -> str:
    """Return a text without what it quotes of somebody else: "the old manual says "sms instead of mails", ignore that"."""
    for quotation in find_quotations(text) if any(mark in text for mark in _MARKS) else ():
        text = text.replace(quotation, " ") if len(quotation.split()) >= QUOTED_WORDS else text
    return text


@lru_cache(maxsize=16_384)
def _find_new_words(text: str) -> frozenset[str]:
    """Return the words of a clause outside of the slots of replaced values."""
    return profile_claim_words(blank_replaced(text))


def blank_replaced(text: str) -> str:
    """Return a clause without the values that it names as replaced: "cdo instead of esmf for the grid" chooses cdo."""
    text = write_numbers(text)
    for pattern in _SLOTS:
        text = pattern.sub(_blank_slot, text)
    return text


@lru_cache(maxsize=16_384)
def list_named_starts(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a clause, in and beside the slots of replaced values: an older clause of which it
    names a value as replaced (`is_value_named`) has at most `MAX_UNEXPLAINED` words with another beginning."""
    return list_starts(_find_new_words(text) | find_replaced_words(text))


def _blank_slot(match: re.Match[str]) -> str:
    is_slot = len(match["old"].split()) <= MAX_SLOT_WORDS
    return match[0].replace(match["old"], " ", 1) if is_slot else match[0]


def is_value_named(older: str, newer: str) -> bool:
    """Whether the newer clause names a value of the older one as replaced, about the same subject, and says something new."""
    if not (replaced := find_replaced_words(newer)):
        return False
    words = profile_claim_words(older)
    starts = list_starts(words)
    if starts.isdisjoint(list_starts(replaced)):
        return False  # nothing of the older clause is among the replaced values: most pairs end here
    if len(starts - list_named_starts(newer)) > MAX_UNEXPLAINED and not names_no_subject(newer):
        return False  # words that begin otherwise than all of the newer clause are not explained: nearly all others end here
    new = _find_new_words(newer)
    gone = list_among(words, replaced) - list_among(words, new) - _list_other_units(older, newer)
    measured = set(filter(has_digit, replaced))
    if measured and measured.isdisjoint(gone):
        return False  # "green #00ff00 → #b5bd68": the name of the value stays, and the older clause gave another value
    subject = (words - gone) & (list_among(words, new) | list_among(words, replaced))
    come = new - list_among(new, words)
    if begins_elsewhere(words, newer):
        return False
    if gone == words and come:  # the older clause is only a value, and the newer one has no other subject
        return bool(_EXCHANGE.match(newer)) or (names_no_subject(newer) and min(map(len, gone)) > 1)
    if gone and come and len(words) - len(gone) <= MAX_UNEXPLAINED and _changes_only_measure(older, newer):
        return True
    if gone and come and not subject and names_no_subject(newer):
        return _gives_alone(older, gone, newer)
    return bool(gone and subject and come) and len(words) - len(gone) - len(subject) <= MAX_UNEXPLAINED


def states_exchange(text: str) -> bool:
    """Whether a sentence states a former value and the present one: two measures, or a name that is out and what comes instead.

    "Alert threshold 2.5 m, was 2.2", "sled is out, redb from now on". What is only denied or taken away has nothing in its place;
    "instead of" also tells of faults ("gave 84 back instead of 42"), and so do several changes in a row ("120 -> 119, 90 -> 89").
    """
    text = write_numbers(hide_quotations(text))
    matches = [(number, match) for number in _STATING for match in _SLOTS[number].finditer(text)]
    replaced = find_replaced_words(text)
    come = _find_new_words(text) - CHANGE_WORDS - GENERIC - _END_WORDS - replaced
    if len(matches) != 1 or not come:
        return False
    ((number, match),) = matches
    if any(map(has_digit, profile_claim_words(match["old"]))):
        return any(map(has_digit, come))
    return number in (_IS_OUT, _DROPS) and len(match["old"].split()) == 1


def _list_other_units(older: str, newer: str) -> set[str]:
    """Return the numbers of the older clause that the newer one names as replaced with another unit: 90 s are not 90 days."""
    given = [number for number in parse_statement(older).numbers if number[1]]
    named = _list_replaced_units(newer) if given else {}
    return {value for value, unit in given if value in named and named[value].isdisjoint({unit, ""})}


@lru_cache(maxsize=16_384)
def _list_replaced_units(text: str) -> dict[str, set[str]]:
    """Return the numbers that a clause names as replaced, each with its units, of which "" is none."""
    named: dict[str, set[str]] = {}
    slots = (match["old"] for pattern in _SLOTS for match in pattern.finditer(hide_quotations(text)))
    for value, unit in (number for slot in slots for number in parse_statement(slot).numbers):
        named.setdefault(value, set()).add(unit)
    return named


@lru_cache(maxsize=16_384)
def names_no_subject(text: str) -> bool:
    """Whether a clause names a replaced value and what takes its place, and not what both are for: "sled is out, redb from now
    on", "move it from 9477 to 9500"."""
    replaced = find_replaced_words(text)
    return bool(replaced) and 1 <= len(_find_new_words(text) - CHANGE_WORDS - GENERIC - replaced - _END_WORDS) <= MAX_COMING


def _gives_alone(older: str, gone: set[str], newer: str) -> bool:
    """Whether a short older clause does nothing but give a thing the value that is gone: it ends with it, or tells its purpose.

    The value must be unmistakable without its subject: a number of `MIN_DIGITS` digits, a name of which another one takes the
    place, or one without an article that is out ("the cache is gone" tells of a thing that the project has).
    """
    head = older.partition(", ")[0]
    words = [word.strip(".,;:!") for word in head.lower().split()]
    if len(gone) != 1 or len(profile_claim_words(head)) > MAX_GIVING or not _affirms(older, gone):
        return False
    ((value),) = gone
    at = max((index for index, word in enumerate(words) if profile_claim_words(word) & gone), default=-1)
    if at < 0 or (at < len(words) - 1 and words[at + 1] not in ("for", "as")):
        return False
    if has_digit(value):
        return sum(map(str.isdigit, value)) >= MIN_DIGITS
    slots = [match for number in (_IS_OUT, _DROPS) for match in _SLOTS[number].finditer(newer)]
    named = [match for match in slots if profile_claim_words(match["old"]) == gone]
    return any(len(match["old"].split()) == 1 or match[0].lower().startswith("replaces") for match in named)


def _affirms(text: str, words: set[str]) -> bool:
    signs = parse_statement(text).signs
    return all(signs.get(word, "+") == "+" for word in words)


def begins_elsewhere(words: frozenset[str], newer: str) -> bool:
    """Whether a clause begins with a place or case that the older one does not name: "in hardcore mode the player starts …"."""
    first, *others = newer.split()[:MAX_SLOT_WORDS] or [""]
    if first.lower() not in _OPENINGS or any(word.endswith(":") for word in others):
        return False  # a file and a colon tell where the change stands
    head = next((word for word in tokenize(" ".join(others)) if word in profile_claim_words(newer)), "")
    return bool(head) and not list_among(frozenset({head}), words)


def names_measure(text: str) -> bool:
    """Whether a clause names a measure as replaced."""
    return any(map(has_digit, find_replaced_words(text)))


def _changes_only_measure(older: str, newer: str) -> bool:
    """ "Every 15 minutes is fine" → "every 15 minutes is too slow, make it every 5 minutes": the same measure, and one more."""
    old, new = parse_statement(older).numbers, parse_statement(newer).numbers
    units = {unit for _, unit in old if unit}
    return len(old) == 1 == len(units) and old < new and all(unit in units for _, unit in new)


@lru_cache(maxsize=16_384)
def list_starts(words: frozenset[str]) -> frozenset[str]:
    """Return the beginnings of words: of one word that is among others (`list_among`), theirs have the beginning."""
    return freeze_words({intern(word[:MIN_COMMON_START]) for word in words})


def names_same_change(older: str, newer: str) -> bool:
    """Whether both clauses name the same value as replaced: the newer one may only tell of the change that the older one made."""
    return bool(find_replaced_words(older) & find_replaced_words(newer))


def list_among(words: frozenset[str], others: frozenset[str]) -> set[str]:
    """Return the words that are among others: equal, or the longer one begins with the shorter, of `MIN_COMMON_START` letters."""
    starts = list_starts(others)
    among, maybe = set(words & others), [word for word in words - others if word[:MIN_COMMON_START] in starts]
    if maybe:
        ordered, sizes = sorted(others), {len(other) for other in others}
        among.update(word for word in maybe if _begins_as_one(word, ordered, others, sizes))
    return among


def _begins_as_one(word: str, ordered: Sequence[str], others: frozenset[str], sizes: Iterable[int]) -> bool:
    """Whether a word begins with one of these, or one of these with it, the shorter with `MIN_COMMON_START` letters.

    The words that begin with this one stand behind it in their order, and of each size it has one beginning: a pasted list of
    thousands of names that begin alike is not compared name by name.
    """
    if len(word) < MIN_COMMON_START:
        return False
    place = bisect_left(ordered, word)
    is_begun = place < len(ordered) and ordered[place].startswith(word)
    return is_begun or any(MIN_COMMON_START <= size < len(word) and word[:size] in others for size in sizes)


@lru_cache(maxsize=16_384)
def profile_claim_words(text: str) -> frozenset[str]:
    """Return the content words and the values of a text."""
    profile = profile_words(text)
    return freeze_words({word.strip(".,;:") for word in profile.content | profile.values})
