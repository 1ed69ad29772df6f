"""Finds the value of a member, a block or a list whose name stands in another place: `{"name": "DB_PASS", …, "value": "…"}`."""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

from collections.abc import Iterable, Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.apart.value_kinds import is_key, is_password
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.numbers.access_codes import is_phrase
from transforms.redaction.secret_rules import SECRET_NAME, WORD_STARTS

BLOCK_CHARS = 400
"""Characters behind a name in which its value stands."""
_NAME = compile_late(r"[A-Za-z0-9_.:/-]*[A-Za-z0-9]")
_NAME_CHAR = compile_late(r"[A-Za-z0-9_.-]{1,60}\Z")
_QUOTE = r"\\{0,3}[\"'`]"
_PASSWORD = compile_late(r"(?i)pass(?:word|wd|phrase|code)?s?\d?$|pwd$|password|passwort|psk$|pin$")
_CREDENTIALS = compile_late(r"(?i)(?<![a-z])(?:cred(?:ential)?s|pw)\Z")
_NAMED = compile_late(
    rf"(?:{_QUOTE})?[ \t]*(?:\)?[ \t]*\{{|,|:[ \t]*(?:\\?\n|\{{|$)|\r?\n|\\n|[ \t]*=[ \t]*\{{|</\w+>|[ \t]*/?>|[ \t]+(?=\w+[=:]))"
)
"""What follows a name that is a value itself, or the head of a block."""
_VALUE = compile_late(
    rf"(?i:(?<![\w$/-])(?:{_QUOTE})?(?P<label>(?:parameter|property|default|secret|string|env|current|initial|plain)?_?(?:value|text)|val|default"
    rf"|plain|data|content|current|example|secret|string|literal|raw)(?:{_QUOTE})?[ \t]*(?::|=>|=|>|\()[ \t]*)"
    rf"(?:(?P<quote>{_QUOTE})(?P<quoted>[^\n\"'`\\]{{4,200}})(?={_QUOTE})|(?P<bare>[^\s\"'`\\,;<>(){{}}\[\]]{{4,200}})(?=[\s,<}}\\]|$))"
)
"""A member with the value of a name that stands in another member."""
_END = compile_late(
    r"\n[ \t]*\r?\n|\\n[ \t]*\\n|\}[ \t]*,[ \t]*(?:\n[ \t]*|\\n[ \t]*)?\{|</(?:property|entry|param|setting|env-entry|add)\b|\n[ \t]*- \w"
)
"""The end of what belongs to a name: an empty line, the next object, element or item."""
_LIST = compile_late(
    rf"(?:{_QUOTE})?[ \t]*(?:=>|:=|[:=])[ \t]*(?:new\b[^\n\[\](){{}}]{{0,20}})?[\[({{](?P<items>(?:[^\[\](){{}}:]|(?<!\{{):(?!\s)){{4,400}})[\])}}]"
)
_ITEM = compile_late(
    rf"(?:{_QUOTE})(?P<quoted>[^\n\"'`\\]{{4,200}})(?:{_QUOTE})|(?<![^\s,(\[])(?P<bare>[^\s\"'`\\,;:=<>(){{}}\[\]$]{{4,200}})(?![^\s,)\]])"
)
_DASHES = compile_late(r"(?:\"|')?[ \t]*:[ \t]*\n(?P<items>(?:[ \t]*- [^\n:]{4,200}(?:\n|\Z)){1,40})")
_FOLDED = compile_late(r"(?:\"|')?[ \t]*:[ \t]*[|>][+-]?[ \t]*\n(?P<items>(?:[ \t]+[^\s:]{4,200}[ \t]*(?:\n|\Z)){1,12})")
_FOLDED_LINE = compile_late(r"\S+")
"""A scalar of YAML in lines, and its lines: the value is all of them."""
_DASHED = compile_late(r"- [\"']?(?P<bare>[^\s\"']{4,200})[\"']?[ \t]*(?:\n|\Z)")


def find_member_values(text: str, places: Iterable[int] | None = None) -> Iterator[SecretSpan]:
    """Yield the secrets of a text whose name is the value of another member, the head of a block, or the name of a list.

    `places`: where the names are looked at; everywhere by default.
    """
    if places is None:
        places = sorted(set(find_places(lower_keeping_length(text), *WORD_STARTS, "creds", "pw")))
    done = -1
    for place in places:
        if place < done:
            continue
        start = before.start() if (before := _NAME_CHAR.search(text, max(0, place - 60), place)) else place
        match = _NAME.match(text, start)
        if match is None:
            continue
        done, name = match.end(), match[0]
        singular = name[:-1] if name[-1] in "sS" and not name.lower().endswith("pass") else name
        if not (SECRET_NAME.search(name) or SECRET_NAME.search(singular) or _CREDENTIALS.search(name)):
            continue
        family = "password" if _PASSWORD.search(singular) or _CREDENTIALS.search(name) else "secret"
        yield from _find_below(text, done, family, singular != name)


def _find_below(text: str, end: int, family: str, is_plural: bool) -> Iterator[SecretSpan]:
    """Yield the secrets of the block or list that begins behind a name."""
    if is_plural or family == "secret":
        for pattern, item in ((_LIST, _ITEM), (_DASHES, _DASHED)):
            if items := pattern.match(text, end):
                spans = [piece.span(piece.lastgroup or 0) for piece in item.finditer(text, *items.span("items"))]
                yield from ((*span, family) for span in spans if _is_secret(text[slice(*span)], family))
    if folded := _FOLDED.match(text, end):
        lines = [piece.span() for piece in _FOLDED_LINE.finditer(text, *folded.span("items"))]
        if _is_secret("".join(text[slice(*span)] for span in lines), family):
            yield from ((*span, family) for span in lines)
        return
    if _NAMED.match(text, end) is None:
        return
    stop = min(len(text), end + BLOCK_CHARS)
    if closed := _END.search(text, end, stop):
        stop = closed.start()
    stop = _find_close(text, end, stop)
    if value := _VALUE.search(text, end, stop):
        span = value.span("quoted" if value["quote"] else "bare")
        if _is_secret(text[slice(*span)], "password" if value["label"].lower().startswith("plain") else family):
            yield *span, family


def _find_close(text: str, start: int, stop: int) -> int:
    """Return where the object ends in which a name stands, at `stop` at the latest."""
    depth = 0
    for place in range(start, stop):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth < 0:
            return place
    return stop


def _is_secret(value: str, family: str) -> bool:
    value = value.strip()
    if family == "password":
        return is_password(value) or (" " not in value and is_phrase(value))
    return is_key(value)
