"""Resolve the date in a sentence, and the day until which it says that it holds, from the day on which it was written.

The words of an end ("until Friday", "bis Ende März", "for the next 3 weeks") are the closed classes of a calendar: markers, names
of days and months, units. Spans and the days before today are read in 32 languages (`other_calendars`).
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import pairwise

from transforms.calendars.calendar_words import CALENDAR_WORDS
from transforms.calendars.day_names import DAY_NAMES, DAY_OF, MONTH_OF
from transforms.calendars.end_words import DAY_WITH_END_WORD, ends_at
from transforms.calendars.other_calendars import CalendarSpan, list_days_ago, list_spans
from transforms.language.assertion_patterns import BINDING, LASTING
from transforms.language.cue_phrases import IMPERATIVE
from transforms.language.lexicon import parse_set
from transforms.language.sentences import split_words
from transforms.language.statement import split_claim
from transforms.patterns.late_pattern import compile_late
from transforms.words.number_words import NUMBER_OF, SPELLED
from transforms.words.word_classes import NEGATIONS, OBJECTS

_ISO_DAY = compile_late(r"(?<![\d-])(20\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])")
_NEAR = compile_late(r"\b(day before yesterday|yesterday|day after tomorrow|tomorrow|today|tonight)\b", re.I)
_WEEKDAY_REFERENCE = compile_late(rf"\b(last|on|by|until|till|next|this|from|since|before)\s+({'|'.join(DAY_NAMES)})\b", re.I)
_SPAN_AGO = compile_late(r"\b(\d{1,2}|a|one|two|three)\s+(day|week)s?\s+(ago|from now)\b", re.I)
_OFFSETS = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1, "day after tomorrow": 2}
_FINITE = frozenset({"is", "are", "be", "been", "get", "gets", "will", "must", "should", "to", "needs"})
"""Verbs behind which a participle ("is released on Friday") is of no past."""
_SMALL = {"a": 1, **{word: NUMBER_OF[word] for word in ("one", "two", "three")}}

MAY_END = (
    r"(?i)\b(?:until|till?|through|bis|jusqu|hasta|next|coming|nächsten|kommenden|today|tonight|heute|this (?:time|once))\b"
    r"|20\d\d-\d\d-\d\d"
)
"""Pattern without which a text states no end; cheap, for whole columns."""
_NEAR_DAYS = {"today": 0, "tonight": 0, "heute": 0, "tomorrow": 1, "morgen": 1}
_TODAY = frozenset(name for name, days in _NEAR_DAYS.items() if not days)
_FOR, _ONLY = frozenset({"for", "für", "nur"}), "only"
"""Words that bound a text to the present day: "for today", "today only"."""
_NOT, _DENIALS = frozenset({"not", "nicht"}), NEGATIONS | {"nor"}
_ONCE = ("just this once", "only this once")
_THIS_TIME = ("just this time", "only this time", "this time")
"""Words that bound an order to the occasion on which it is said; a noun may follow "this time" ("only this time zone")."""
_JOINS = parse_set("and but or then otherwise else unless except without if when whenever while before after as every each")
"""Words behind which another clause, or a case that comes back, stands; it may hold for good."""
_CLAUSE_SIGNS = frozenset('.,;:!?()"-–—')
"""Signs at an edge of a word that part what stands beside it."""
_DAYS_OF_UNIT = {"day": 1, "tag": 1, "week": 7, "woche": 7, "month": 31, "monat": 31}
"""Greatest lengths: what is to hold for a month does not end before it."""
RHYTHMS = frozenset({"daily", "nightly", "hourly", "weekly", "monthly", "yearly", "quarterly", "annually"})
"""Adverbs of how often by the calendar something runs."""
_LENGTH_OF = {name + ending: length for name, length in _DAYS_OF_UNIT.items() for ending in ("", "s", "e", "en", "n")}
_COUNTS = {
    name: number
    for names in (SPELLED, CALENDAR_WORDS["de"][0].split("|")[1:])  # one of them is also the article
    for number, name in enumerate(names, 2)
}
_NEXT_WORDS = frozenset({"next", "coming", "nächste", "nächsten", "nächster", "kommenden"})
_END_WORDS = frozenset({"end", "ende", "fin", "finales"})
_FILLERS = frozenset("the of on this and including zum zu dem den der des die dieser au à de el le st nd rd th".split())  # noqa: SIM905
_ORDINAL_ENDINGS, _ARTICLES = frozenset({"st", "nd", "rd", "th"}), frozenset({"zum", "dem", "au", "le", "el"})
_MARKERS = frozenset({"until", "till", "til", "through", "bis", "jusqu", "hasta"})
_DATE_TOKEN = compile_late(r"20\d\d-\d\d-\d\d|\d{1,2}\.\d{1,2}\.(?:20\d\d)?(?!\d)|\d+(?:[:.]\d+)*|[^\W\d]+|[.;!?]")
_ASIDE = compile_late(rf"\((?!\s*(?:(?:{'|'.join(sorted(_MARKERS))})\b|{DAY_WITH_END_WORD}))[^()]*\)")
"""Parentheses that do not begin with the end of what they stand in."""
_FULL_DAY = compile_late(r"20\d\d-\d\d-\d\d")
_CLAUSE_WORDS = 3
"""Words behind a mark that make another clause."""
_SUNDAY = 6
_MONTHS_A_YEAR = 12
_MAX_TOKENS = 8
"""Words behind a marker in which the day stands."""
_COUNT_DIGITS = 2
"""Digits of a count of days, weeks or months."""
_LAST_SPAN = 0
"""Stands for the last day of a month."""

MOST_ENDING_CHARS = 240
"""Longest text that ends as a whole with an end that it states."""


def resolve_date(text: str, said_on: date) -> date | None:
    """Return the one date that a text names or implies relative to `said_on`; None for none, several or vague ones."""
    dates = {*_find_iso_dates(text), *_resolve_relative_dates(text, said_on)}
    return dates.pop() if len(dates) == 1 else None


def _find_iso_dates(text: str) -> list[date]:
    dates = []
    for match in _ISO_DAY.finditer(text):
        try:
            dates.append(date(int(match[1]), int(match[2]), int(match[3])))
        except ValueError:  # 2026-02-30 is not a date
            continue
    return dates


def _resolve_relative_dates(text: str, said_on: date) -> list[date]:
    dates = [said_on + timedelta(days=_OFFSETS[match[1].lower()]) for match in _NEAR.finditer(text)]
    for match in _WEEKDAY_REFERENCE.finditer(text):
        ahead = (DAY_NAMES.index(match[2].lower()) - said_on.weekday()) % 7 or 7
        is_past = match[1].lower() in ("last", "since") or (match[1].lower() == "on" and _tells_past(text, match.start()))
        if match[1].lower() == "on" and not is_past and _tells_state(text, match.start()):
            continue
        dates.append(said_on + timedelta(days=ahead - 7 if is_past and ahead < 7 else -7 if is_past else ahead))
    for match in _SPAN_AGO.finditer(text):
        count = _SMALL.get(match[1].lower()) or int(match[1])
        days = count * (7 if match[2].lower() == "week" else 1)
        dates.append(said_on + timedelta(days=-days if match[3].lower() == "ago" else days))
    words = split_words(text)
    dates += [said_on - timedelta(days=days) for days in list_days_ago(words)]
    return [*dates, *_add_spans([span for span in list_spans(words) if span.sign], said_on)]


def _add_spans(spans: Iterable[CalendarSpan], said_on: date) -> set[date]:
    try:
        return {span.add_to(said_on) for span in spans}
    except (OverflowError, ValueError):  # beyond the calendar, which a session's clock may be
        return set()


_CLAUSE_MARKS = '.!?;:"'
_PAST_VERBS = frozenset(
    {"was", "were", "did", "had", "broke", "came", "went", "ran", "fell", "began", "didn't", "wasn't", "weren't"}
)


def _tells_past(text: str, place: int) -> bool:
    """Whether the clause before a place has a verb of the past: "it failed on Sunday"."""
    start = max(text.rfind(mark, 0, place) for mark in _CLAUSE_MARKS) + 1
    words = text[start:place].lower().split()
    participles = {second for first, second in pairwise(words) if first in _FINITE}
    return any(word in _PAST_VERBS or (word.endswith("ed") and word not in participles) for word in words)


def _tells_state(text: str, place: int) -> bool:
    """Whether a day stands behind "have": what there is on Sunday may be past or to come, and nothing tells which."""
    start = max(text.rfind(mark, 0, place) for mark in _CLAUSE_MARKS) + 1
    return not {"have", "has"}.isdisjoint(text[start:place].lower().split())


# ---- stated ends


def find_stated_end(text: str, said_on: date) -> date | None:
    """Return the last day on which a text says that it holds, counted from the day it was said; None when it names no end.

    Of several ends the latest counts; one that was over when it was said tells what was ("slow until May, then …"). A year that
    is not named is the one in which the day comes next. Days on both sides of a marker ("from Monday until Friday") come
    back every week and end nothing. An aside ends only what it stands in ("Postgres (SQLite until May)").
    """
    end = said_on if _is_for_once(text) else _find_latest_end(text, said_on)
    return end if end is not None and end >= said_on else None


def list_span_ends(text: str, said_on: date) -> set[date]:
    """Return the days on which the spans of a text end, counted from the day it was said: "two weeks", "tres semanas"."""
    tokens = _DATE_TOKEN.findall(text.lower())
    spans = [(count, _LENGTH_OF[unit]) for word, unit in pairwise(tokens) if unit in _LENGTH_OF and (count := _read_count(word))]
    ends = _add_spans([span for span in list_spans(split_words(text)) if span.sign >= 0], said_on)
    try:
        return ends | {_add_span(said_on, count, length) for count, length in spans}
    except (OverflowError, ValueError):  # after the year 9999, which a session's clock may claim
        return ends


def _add_span(day: date, count: int, length: int) -> date:
    if length != _DAYS_OF_UNIT["month"]:
        return day + timedelta(days=count * length)
    year, month = divmod(day.year * _MONTHS_A_YEAR + day.month - 1 + count, _MONTHS_A_YEAR)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def find_end_of_undated(text: str, today: date) -> date | None:
    """Return the end of a text of which nobody knows when it was said: only one with its year, in its last clause, is over."""
    clause = text.rstrip(" .;,")
    for mark in (", ", "; ", ". "):
        before, _, behind = clause.rpartition(mark)
        clause = behind if before and len(behind.split()) >= _CLAUSE_WORDS else clause
    return _find_latest_end(clause, today)


def _is_for_once(text: str) -> bool:
    """Whether a text is nothing but an order for the present occasion: "just this once push to main", "this time, write …".

    A rule that is taken for one would be lost. So the words open the text, or "just this once" closes it, what is left is one
    order, and no further clause, case or word of what is for good stands beside it.
    """
    claim = _ASIDE.sub(" ", split_claim(text).claim.lower()).strip(" .!")
    lead = next((words for words in (*_ONCE, *_THIS_TIME) if claim.startswith(words)), "")
    if not lead and not claim.endswith(_ONCE):
        return False
    behind = claim.removeprefix(lead)
    order = behind.lstrip(" ,:") if lead else next(claim.removesuffix(words) for words in _ONCE if claim.endswith(words))
    words = order.split()
    is_verb = lead in _ONCE or not OBJECTS.isdisjoint(words[1:2])
    is_apart = behind[:1] in (",", ":") or (behind[:1] == " " and is_verb)
    is_one = _JOINS.isdisjoint(words) and not any({word[0], word[-1]} & _CLAUSE_SIGNS for word in words)
    if not is_one or not (is_apart or not lead) or not IMPERATIVE.match(order):
        return False
    is_denied = not lead and any(word in _DENIALS or word.endswith(("n't", "n’t")) for word in words)
    return not is_denied and not LASTING.search(claim) and not BINDING.search(claim)


def _find_latest_end(text: str, said_on: date) -> date | None:
    tokens = _DATE_TOKEN.findall(_ASIDE.sub(" ", text.lower()))
    try:
        return max((end for end in _read_ends(tokens, said_on) if end is not None), default=None)
    except OverflowError:  # after the year 9999, which a session's clock may claim
        return None


def has_ended(text: str, said_on: date, today: date) -> bool:
    """Whether a text that was said on a day names an end, and that day is over."""
    end = find_stated_end(text, said_on)
    return end is not None and end < today


def _read_ends(tokens: list[str], said_on: date) -> Iterator[date | None]:
    """Yield the end of a span, and the day behind each marker."""
    yield _read_span(tokens, said_on)
    for place, token in enumerate(tokens):
        behind = tokens[place + 1 : place + 2]
        limit, before = (["", "", *tokens[:place]])[-2:]
        is_bound = before in _FOR and limit not in _NOT
        if token in _TODAY and behind != ["s"] and (behind == [_ONLY] or is_bound):
            yield said_on
        if token in _MARKERS and not (place and tokens[place - 1].rstrip("s") in DAY_OF):
            yield _read_day(tokens[place + 1 : place + 1 + _MAX_TOKENS], said_on)
        if _FULL_DAY.fullmatch(token) and ends_at(tokens, place):
            yield _read_figures(token, said_on)


def _read_day(tokens: list[str], said_on: date) -> date | None:
    """Return the day that the tokens begin with, fillers left out: a date, a weekday, the end of a month or week."""
    words = [token for token in tokens if token not in _FILLERS]
    is_next = bool(words and words[0] in _NEXT_WORDS)
    words = [word for word in words if word not in _NEXT_WORDS]
    first, second, third = (*words, "", "", "")[:3]
    if is_end := first in _END_WORDS:
        first, second = second, third
        is_next = is_next or bool(set(tokens[:5]) & _NEXT_WORDS)
    if first in _LENGTH_OF and (is_next or is_end):
        return _find_end_of_unit(_LENGTH_OF[first], said_on, is_next=is_next)
    if first in MONTH_OF and is_end:
        return _find_next(MONTH_OF[first], _LAST_SPAN, second, said_on)
    if first in MONTH_OF and second.isdecimal():
        return _find_next(MONTH_OF[first], int(second), third, said_on)
    if first.isdecimal() and second in MONTH_OF:
        return _find_next(MONTH_OF[second], int(first), third, said_on)
    if first in DAY_OF:
        return said_on + timedelta(days=(DAY_OF[first] - said_on.weekday()) % 7 or 7)
    if first.isdecimal() and _is_ordinal(tokens, first):
        return _find_next_of_month(int(first), said_on)
    return said_on + timedelta(days=_NEAR_DAYS[first]) if first in _NEAR_DAYS else _read_figures(first, said_on)


def _is_ordinal(tokens: list[str], number: str) -> bool:
    """Whether a number alone is a day of the month: it counts nothing behind it, and has an ending ("the 23rd") or an article
    ("bis zum 23.")."""
    place = tokens.index(number)
    before, behind = tokens[max(place - 1, 0) : place], tokens[place + 1 :]
    has_ending = not _ORDINAL_ENDINGS.isdisjoint(behind[:1])
    is_last = not behind[has_ending:] or not behind[has_ending][0].isalnum()
    return is_last and (has_ending or not _ARTICLES.isdisjoint(before))


def _find_next_of_month(day: int, said_on: date) -> date | None:
    """Return the next day with this number, that of the words included; None for a number that no month has."""
    year, month = said_on.year, said_on.month
    for _ in range(_MONTHS_A_YEAR if 0 < day <= _DAYS_OF_UNIT["month"] else 0):
        if day <= monthrange(year, month)[1] and date(year, month, day) >= said_on:
            return date(year, month, day)
        year, month = (year, month + 1) if month < _MONTHS_A_YEAR else (year + 1, 1)
    return None


def _read_figures(token: str, said_on: date) -> date | None:
    """Return the day of 2026-03-14, 14.3. or 14.3.2026."""
    parts = token.split("-") if "-" in token else token.split(".")[::-1]
    year, month, day = (*parts, "", "")[:3]
    if not (month.isdecimal() and day.isdecimal()) or len(year) not in (0, len("2026")):  # 1.2.3 is a version
        return None
    return _find_next(int(month), int(day), year, said_on)


def _read_span(tokens: list[str], said_on: date) -> date | None:
    """Return the end of "the next two weeks", "die nächsten 3 Tage"."""
    for opening, word, unit in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening in _NEXT_WORDS and unit in _LENGTH_OF and (count := _read_count(word)):
            return said_on + timedelta(days=count * _LENGTH_OF[unit])
    return None


def _read_count(word: str) -> int:
    """Return the number that a numeral or some digits stand for; 0 for other words, and for figures that count no days."""
    return _COUNTS.get(word) or (int(word) if word.isdecimal() and len(word) <= _COUNT_DIGITS else 0)


def _find_end_of_unit(length: int, said_on: date, *, is_next: bool) -> date:
    """Return the last day of this week or month, or of the next; of a day (length 1) the day itself."""
    if length == _DAYS_OF_UNIT["month"]:
        first = said_on.replace(day=1) + timedelta(days=_DAYS_OF_UNIT["month"] * is_next)
        return first.replace(day=monthrange(first.year, first.month)[1])
    day = said_on + timedelta(days=length * is_next)
    return day + timedelta(days=_SUNDAY - day.weekday()) if length == _DAYS_OF_UNIT["week"] else day


def _find_next(month: int, day: int, year: str, said_on: date) -> date | None:
    """Return the day in its year when one is named, else the next one from the day of the words on; None for 30 February."""
    is_named = len(year) == len("2026") and year.isdecimal()
    try:
        in_year = int(year) if is_named else said_on.year
        chosen = date(in_year, month, day or monthrange(in_year, month)[1])
        return chosen if is_named or chosen >= said_on else chosen.replace(year=chosen.year + 1)
    except (ValueError, IndexError):  # IllegalMonthError is a ValueError, and an IndexError from Python 3.12 on
        return None
