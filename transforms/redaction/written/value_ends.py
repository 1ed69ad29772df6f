"""Tells where a value ends in the syntax in which it stands, and what it says without its escapes.

A quotation mark inside of a value is escaped by a backslash (in PowerShell by a backtick), doubled, joined (`'\\''` of a
shell), or an entity; what opens a value tells what ends it, whatever the language. A value without marks ends at a blank that
no backslash escapes.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from transforms.patterns.late_pattern import compile_late

MOST_VALUE = 400
"""Characters of a written value."""
MOST_REST = 1000
"""Characters before and behind a value that tell whether the marks of its line have partners."""


class WrittenValue(NamedTuple):
    """Where a value begins and ends in a text, without its quotation marks, and what it says."""

    start: int
    end: int
    plain: str


_OPEN = compile_late(
    r"(?P<slashes>\\{0,15})(?P<mark>\"\"\"(?=[^\n]*?\"\"\")|'''(?=[^\n]*?''')|[\"'`])|(?P<entity>&(?:quot|apos|#0?3[49]|#x2[27]);)"
    r"|(?P<paired>[«„“「『]|%[qQ][{(\[|!])"
)
_CLOSERS = {"«": "»", "„": "“”", "“": "”", "「": "」", "『": "』", "{": "}", "(": ")", "[": "]", "|": "|", "!": "!"}
"""What ends a value behind a mark of print, or behind one of a programmer's choice (`%q{…}`)."""
_AFTER = compile_late(r"[\s,;:)\]}>|&.+/<\\\"'`?!@%*=-]|\Z")
"""What follows a closing mark; behind an apostrophe the word goes on."""
_JOINTS = {"'": compile_late(r"'(?:\\''|\"'\"')"), '"': compile_late(r"\"'\"'\"")}
"""How a shell writes a quotation mark inside of a value in such marks."""
_ESCAPE = compile_late(
    r"\\+(?:u(?P<code>[0-9a-fA-F]{4})|(?P<mark>[^\w\s]| (?=\S)))|(?P<entity>&(?:[a-z]{2,6}|#\d{1,6}|#x[0-9a-fA-F]{1,6});)"
)
_BARE = compile_late(
    r"(?:(?!&(?:amp;)?[\w.%-]{1,40}=)(?:&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[0-9a-fA-F]{1,6});|[^\s\"'`\\,;|<>(){}\[\]\x1b，。；、）】」│])"
    r"|\\+u(?!00[01])[0-9a-fA-F]{4}|\\[ ](?=\S)|\\+(?=[^\w\s\\\"'`])|\\\\(?=[^\W_nrtu]))+"
)
_SHELL_BARE = compile_late(rf"(?:{_BARE.pattern}|,(?![\w.-]{{1,40}}=)(?=[^\s,\"'`]))+")
_IN_SINGLE, _IN_DOUBLE = r"(?:[^'\n]|''|'\\''|'\"'\"')", r"(?:[^\"\\\n]|\\.|\"'\"'\")"


def write_argument(bare: str) -> str:
    """Return the pattern of a value that is an argument of a command: all between the marks that open right before it, or `bare`
    and marks and blanks behind a backslash."""
    quoted = rf"(?<=(?<!\\)'){_IN_SINGLE}{{4,200}}(?='(?!\w))|(?<=(?<!\\)\"){_IN_DOUBLE}{{4,200}}(?=\"(?!\w))"
    return rf"(?:{quoted}|{bare}(?:\\(?:[ ](?=\S)|[^\w\s\"'`\\])[^\s\"'`\\;|<>()]{{0,80}}){{0,20}})"


_DOUBLED = compile_late(r"(\"|')\1")
_BETWEEN_MARKS = compile_late(r"(?<!\w)'(?:[^'\\]|\\.)*'(?!\w)|\"(?:[^\"\\]|\\.)*\"|(?<=\w)'(?=\w)")
"""What stands between marks, and apostrophes."""


def read_quoted(text: str, at: int) -> WrittenValue | None:
    """Return the value whose opening mark stands at a place of a text; None where none opens there or none closes it."""
    opening = _OPEN.match(text, at)
    if opening is None:
        return None
    start = opening.end()
    if entity := opening["entity"]:
        end = text.find(entity, start, start + MOST_VALUE)
        return _make_value(text, start, end) if end >= 0 and "\n" not in text[start:end] else None
    if paired := opening["paired"]:
        line_end = text.find("\n", start, start + MOST_VALUE)
        stop = line_end if line_end >= 0 else start + MOST_VALUE
        ends = [end for closer in _CLOSERS[paired[-1]] if (end := text.find(closer, start, stop)) >= 0]
        first, last = _strip_blanks(text, start, min(ends)) if ends else (start, start)
        return WrittenValue(first, last, text[first:last]) if last > first else None
    slashes, mark = len(opening["slashes"]), opening["mark"]
    if len(mark) == 3:
        return _make_value(text, start, text.find(mark, start))
    closing = _find_closing(text, start, slashes, mark)
    return None if closing is None else _make_value(text, start, closing, mark)


def _find_closing(text: str, start: int, slashes: int, mark: str) -> int | None:
    """Return where the closing mark of a value, with its backslashes, begins.

    A backslash before a mark escapes it in some languages and is a part of the value in others (`'a\\''b'` of SQL).
    It escapes, unless the value ends later when it does not, and only then the rest of the line is whole: what stands around
    a value is often cut or has a lone mark (`5"`), so that may hide more, and never less.
    """
    line_end = text.find("\n", start, start + MOST_VALUE)
    stop = line_end if line_end >= 0 else min(len(text), start + MOST_VALUE)
    escaping = _scan_marks(text, (start, stop), slashes, mark, "\\")
    if slashes or mark not in _JOINTS:
        return escaping.place
    closing = _choose_reading(text, (start, stop), mark, escaping) if f"\\{mark}" in text[start:stop] else escaping.place
    if mark != '"' or '`"' not in text[start:stop]:
        return closing
    ticked = _scan_marks(text, (start, stop), 0, mark, "`")  # the escape of PowerShell
    is_later = ticked.is_certain and (ticked.place or 0) > (closing or 0)
    is_needed = is_later and (not _is_whole(text, start, closing) or text.startswith('`"`"', (closing or 0) - 1))
    return ticked.place if is_needed and _is_whole(text, start, ticked.place) else closing


def _choose_reading(text: str, span: tuple[int, int], mark: str, escaping: _Closing) -> int | None:
    """Return where a value with a backslash before a mark ends, which escapes it or not."""
    start, _ = span
    plain = _scan_marks(text, span, 0, mark, "")
    is_later = plain.is_certain and (plain.place or 0) > (escaping.place or 0)
    if not is_later or not _is_whole(text, start, plain.place):
        return escaping.place
    return escaping.place if escaping.is_certain and _is_whole(text, start, escaping.place) else plain.place


class _Closing(NamedTuple):
    """Where a value may be closed, and whether what follows the mark says so."""

    place: int | None
    is_certain: bool


def _scan_marks(text: str, span: tuple[int, int], slashes: int, mark: str, escape: str) -> _Closing:
    """Return the closing mark of a value where a sign escapes a mark behind it, or none does."""
    (start, stop), step = span, 2 * slashes + 2
    place, last = start, None
    while (place := text.find(mark, place, stop)) >= 0:
        before = place
        while before > start and text[before - 1] == escape:
            before -= 1
        count = place - before
        if count % step != slashes:
            last = place - min(count, slashes)
            place += 1
        elif joint := _JOINTS[mark].match(text, place, stop) if mark in _JOINTS and not slashes else None:
            place = joint.end()
        elif text.startswith(mark, place + 1) and not slashes and mark != "`":
            last, place = last or (place + 1 if place > start else None), place + 2
        elif _AFTER.match(text, place + 1):
            return _Closing(place - slashes, True)
        else:
            place += 1
    return _Closing(last, False)


def _is_whole(text: str, start: int, closing: int | None) -> bool:
    """Whether each quotation mark of a line has its partner when a value from `start` to a closing mark is left out."""
    if closing is None:
        return False
    before = text[max(0, start - 1 - MOST_REST) : start - 1].rpartition("\n")[2]
    behind = text[closing + 1 : closing + 1 + MOST_REST].partition("\n")[0]
    rest = _BETWEEN_MARKS.sub("", f"{before} {behind}")
    return '"' not in rest and "'" not in rest


def read_bare(text: str, at: int, is_shell: bool = False) -> WrittenValue | None:
    """Return the value without quotation marks that begins at a place of a text: to a blank or mark that ends it there.

    A comma ends none in a shell, where another assignment does not follow it.
    """
    match = (_SHELL_BARE if is_shell else _BARE).match(text, at, at + MOST_VALUE)
    return _make_value(text, *match.span()) if match else None


def _strip_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the words between two places begin and end: print sets blanks inside of its marks."""
    inner = text[start:end]
    return start + len(inner) - len(inner.lstrip()), end - (len(inner) - len(inner.rstrip()))


def _make_value(text: str, start: int, end: int, mark: str = "") -> WrittenValue:
    written = text[start:end]
    if mark in _JOINTS:
        written = _DOUBLED.sub(r"\1", _JOINTS[mark].sub(mark, written)) if mark in written else written
    return WrittenValue(start, end, read_escapes(written))


def read_escapes(written: str) -> str:
    """Return what a text says without the escapes and entities in which it is written."""
    return _ESCAPE.sub(_read_escape, written)


def _read_escape(match: re.Match[str]) -> str:
    if match["code"]:
        return chr(int(match["code"], 16))
    return match["mark"] or html.unescape(match["entity"])
