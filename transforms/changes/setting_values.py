"""Finds the values of named settings that an edit replaced: a word, a single digit, the hour of a schedule.

A file says of itself what is a value: it stands behind a name and a sign that gives it ("strategy='check'", `--pool research`,
`"CostCentre": "CC-4520"`), or it is written like nothing else (`CC-4417`). What is only renamed in code has neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from transforms.language.tokenizer import find_telling_words
from transforms.patterns.late_pattern import compile_late

MOST_LINES, MOST_TOKENS, MOST_CHANGED = 40, 40, 2
"""Lines of an edit that differ, tokens of a line, and those of it that became others: in more, something always resembles."""
MINUTES, HOURS = 60, 24
MIN_LETTERS = 4
"""Letters of a value that is a plain word."""
MIN_SIGNED = 5
"""Characters of a value that is unmistakable without its name: digits and letters, or several parts."""
_TOKEN = compile_late(r"[\w*]+(?:[-./:@]+[\w*]+)*|[^\w\s]")
_GIVING, _QUOTES, _PARTS = frozenset("=:>"), frozenset("\"'`"), frozenset("./:@")
_TIMES, _FIELDS = 2, 5
"""Fields of a schedule that give the minute and the hour, and all of them."""


class SettingChange(NamedTuple):
    """A value that became another one, the words of the setting's name, those beside it, of the path and of the line, and the
    path."""

    removed: str
    added: str
    name: frozenset[str]
    beside: frozenset[str]
    path: str


def list_setting_changes(old: str, new: str, path: str) -> Iterator[SettingChange]:
    """Yield the values that an edit replaced, from lines that are the same but for one or two values."""
    before, after = old.splitlines(), new.splitlines()
    former, present = frozenset(before), frozenset(after)
    gone = [line for line in before if line not in present]
    come = [line for line in after if line not in former]
    if not gone or not come or max(len(gone), len(come)) > MOST_LINES:
        return
    around = " ".join([path, *before]) if len(before) <= MOST_LINES else path
    others = [(_TOKEN.findall(line), _read_time(line)) for line in come]
    for line in gone:
        tokens, time = _TOKEN.findall(line), _read_time(line)
        compared = (_compare_lines(tokens, time, *other) for other in others if 0 < len(tokens) <= MOST_TOKENS)
        same = [values for values in compared if values]
        for removed, added, name in same[0] if len(same) == 1 else ():
            words = find_telling_words(name)
            if words or is_signed(removed):
                yield SettingChange(removed, added, words, find_telling_words(f"{around} {name}"), path)


def is_signed(value: str) -> bool:
    """Whether a value says without its name what it is: letters and digits in one word, or a time of day."""
    has_sign = any(map(str.isalpha, value)) or ":" in value
    return len(value) >= MIN_SIGNED and any(map(str.isdigit, value)) and has_sign


def _read_time(line: str) -> str:
    """Return the time of day of a line with a schedule (`30 23 * * *`), also where only minute and hour were replaced; empty for
    other lines."""
    given = line.replace(": ", "=").rpartition("=")[2]
    words = given.strip().strip("^,").strip("\"'").split()
    times = [int(word) for word in words[:_TIMES] if word.isdecimal()]
    is_whole = len(words) >= _FIELDS and all(set(word) <= set("0123456789*/,-") for word in words[:_FIELDS])
    is_schedule = is_whole or len(words) == _TIMES
    if len(times) != _TIMES or not is_schedule or times[0] >= MINUTES or times[1] >= HOURS:
        return ""
    return f"{times[1]:02}:{times[0]:02}"


def _compare_lines(tokens: list[str], time: str, others: list[str], other_time: str) -> list[tuple[str, str, str]]:
    """Return the removed and the added value of each place where two lines differ, with its name; empty for other lines."""
    if time and other_time:
        return [(time, other_time, "")] if time != other_time else []
    if len(tokens) != len(others):
        return []
    places = [place for place, token in enumerate(tokens) if token != others[place]]
    if not 0 < len(places) <= MOST_CHANGED:
        return []
    if any("(" in line[place + 1 : place + 2] for line in (tokens, others) for place in places):
        return []  # a function is called
    values = [(tokens[place], others[place], _find_name(tokens, place)) for place in places]
    is_value = all(_may_be_value(old) and _may_be_value(new) and (name or is_signed(old)) for old, new, name in values)
    return values if is_value else []


def _may_be_value(token: str) -> bool:
    """Whether a token is a number, or a word that is no part of code (`sts.TokenTypeJWT`)."""
    is_word = not _PARTS & set(token) and sum(map(str.isalpha, token)) >= MIN_LETTERS
    return token[0].isdigit() or is_signed(token) or is_word


def _find_name(tokens: list[str], place: int) -> str:
    """Return the name that gives the token of a place its value; empty where no sign gives it one."""
    before = [token for token in tokens[:place] if token not in _QUOTES]
    is_quoted = bool(place) and tokens[place - 1] in _QUOTES
    giving = before[-1:] and (before[-1] in _GIVING or (before[-1] in ",(" and (is_quoted or tokens[place][0].isdigit())))
    if not giving:
        return ""
    return next((token for token in reversed(before[:-1]) if token[0].isalpha() or token[0] == "_"), "")
