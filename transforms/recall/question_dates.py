"""Finds the period that a question names: a date, "last week", "since March", "between the 3rd and the 9th", "before the move".

Periods are whole days in the owner's zone, counted from the day of the question. A name without a year means its last
occurrence. In other languages the spans and periods of `transforms.calendars.other_calendars` are read. dateparser finds single
dates only and takes longer to import than an answer takes to compute.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from transforms.calendars.day_names import DAY_NAMES, DAY_OF, ENGLISH_MONTH_OF
from transforms.calendars.other_calendars import list_days_ago, list_periods, list_spans
from transforms.language.sentences import split_words
from transforms.patterns.late_pattern import compile_late
from transforms.words.number_words import NUMBER_OF

FIRST, LAST = date(1970, 1, 1), date(9999, 12, 31)
"""The ends of a period that is open on one side."""
RECENT_DAYS = 14
"""Days that "recently" and "lately" mean."""
VAGUE_DAYS = 2
"""Days around "a few days ago" that count as well."""

_COUNT = {"a": 1, "an": 1, **NUMBER_OF, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "several": 4}
_DAYS_OF_PAST_UNIT = {"day": 1, "week": 7, "month": 30, "year": 365}
"""Mean lengths: what was some months ago may have been before or after the day that is counted."""
_HOURS_PER_DAY = 24

_MONTH_PATTERN = "|".join(sorted(ENGLISH_MONTH_OF, key=len, reverse=True))
_WEEKDAY_PATTERN = "|".join(DAY_NAMES)
_COUNT_PATTERN = r"\d{1,3}|a couple of|couple of|a few|few|several|" + "|".join(word for word in _COUNT if word.isalpha())
_NTH = r"(?:st|nd|rd|th)"
_ISO_DAY_OR_MONTH = r"(?<![\d-])(\d{4})-(\d{2})(?:-(\d{2}))?(?![\d-])"
_DOTTED_DATE = r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.]\d)"
"""Day, month, year; with slashes two orders are in use, so such a date is none."""
_DAY_MONTH = rf"\b(\d{{1,2}}){_NTH}?(?: of)? ({_MONTH_PATTERN})\b\.?(?:,? (\d{{4}}))?"
_MONTH_DAY = rf"\b({_MONTH_PATTERN})\b\.? (\d{{1,2}}){_NTH}?\b(?!:)(?:,? (\d{{4}}))?"
_PART_OF_PERIOD = (
    rf"\b(early|mid|late|beginning of|start of|middle of|end of)[ -](?:in )?(?:({_MONTH_PATTERN})\b(?: (\d{{4}}))?"
    r"|(last|this) (month|week|year))"
)
_MONTH_YEAR = (
    r"\b(?:in|during|of|since|until|till|before|after|from|to|and|on|last|this|by|throughout)"
    rf" ({_MONTH_PATTERN})\b\.?(?:,? (\d{{4}}))?(?! \w+ing\b)"
)
_YEAR = r"\b(?:in|during|of|since|until|before|after) (20\d{2}|19\d{2})\b(?!-)"
_QUARTER = r"\bq([1-4])(?: (?:of )?(\d{4}))?\b"
_ORDINAL = (
    rf"\b(?:on|since|until|till|before|after|by|from|to|and|between) the (\d{{1,2}}){_NTH}\b"
    r"(?! (?:floor|time|attempt|try|version|line))"
)
_WEEK_NUMBER = r"\bweek (\d{1,2})\b(?: of (\d{4}))?"
_WEEK_OF = rf"\bweek of (?:the )?(?=\d|{_MONTH_PATTERN})"
_AGO = rf"\b({_COUNT_PATTERN}) (hour|day|week|month|year)s? ago\b"
_PAST_SPAN = rf"\b(?:last|past|previous) ({_COUNT_PATTERN}) (hour|day|week|month|year)s?\b"
_WEEKEND = r"\b(?:(last|this|past|over the|at the|on the|before the|since the) weekend)\b"
_LAST_PERIOD = rf"\b(last|this|past|previous) (week|month|quarter|year|{_WEEKDAY_PATTERN})\b"
_ON_DAY = rf"\b(?:on|since|until|till|before|after|by|from|to|and) ({_WEEKDAY_PATTERN})\b"
_EVENT = compile_late(
    r"\b(before|after|since|until) ((?!(?:the|our|my) next\s)(?:the|our|my|we|i|you)\b(?:[^?.,;]|\.(?=\w)){3,})",
    re.I,
)
_WHEN = compile_late(
    r"^\W*(?:and |so )?(?:when (?:did|was|were|have|has|had)|how long ago|on (?:which|what) (?:day|date)|since when)\b", re.I
)
_PRESENT = frozenset({"now", "currently", "still", "today", "nowadays"})
"""Adverbs of the present."""
_FORMER = compile_late(
    r"\b(?:previously|formerly|originally|initially|earlier|at first)\b"
    r"|^(?!.*\b(?:is|are|was|were|be|been|being)\b.*\bused to\b).*\bused to\b|\bdid(?: [\w'’-]+){1,3} use to\b"
    r"|\b(?:the|our|my|your) (?:old|former|previous|original)\b"
    r"|\b(?:did|was|were|had)\b.*\bbefore\b(?! \w+ing\b)"
    r"|^\W*what (?:was|were) (?:the|our|my)\b",
    re.I,
)
"""Adverbs and adjectives of an earlier state, "used to" except in a passive, "before" with a verb in the past, and what was."""
_BETWEEN = compile_late(r"\b(?:between|from)\b(.+?)\b(?:and|to|until|till|through)\b(.+)", re.I)
_OPEN_PERIOD = compile_late(r"\b(since|after|before|until|till|by|up to)\s+(?:the\s+)?(?:end of\s+)?$", re.I)

Days = tuple[date, date]
PeriodReader = Callable[[re.Match[str], date], Days | None]
"""Reads the period of a pattern's match, counted from today."""


@dataclass(frozen=True, slots=True)
class QuestionTime:
    """The time that a question names: a period of whole days (both included), or an event to be looked up first.

    `relation` places the period before, after, since or until the event; `phrase` is the wording in the question.
    """

    days: Days | None
    phrase: str
    event: str = ""
    relation: str = ""


def find_question_time(text: str, today: date) -> QuestionTime | None:
    """Return the time that a question names; None when it names none, or an impossible one."""
    if (match := _BETWEEN.search(text)) and (days := _read_range(match[1], match[2], today)):
        return QuestionTime(days, match[0].strip(" ?.!"))
    if period := _find_period(text, today):
        days, start, end = period
        return QuestionTime(_extend_open_period(days, text[:start], text[start:end], today), text[start:end].strip())
    if days := _read_other_calendar(text, today):
        return QuestionTime(days, "")
    if match := _EVENT.search(text):
        return QuestionTime(None, match[0].strip(), match[2].strip(), match[1].lower())
    return None


def _read_other_calendar(text: str, today: date) -> Days | None:
    """Return the first period that a question names in another language: "la semana pasada", "три дня назад"."""
    words = split_words(text)
    for which, unit in list_periods(words):
        return _find_last_period(which, unit, today)
    for days in list_days_ago(words):
        return _make_single_day(today - timedelta(days=days))
    for span in list_spans(words):
        if span.sign < 0:
            with suppress(OverflowError, ValueError):  # more years than the calendar has
                middle, slack = span.add_to(today), timedelta(days=_DAYS_OF_PAST_UNIT[span.unit] // 2)
                return middle - slack, min(middle + slack, today)
    return None


def asks_for_date(text: str) -> bool:
    """Whether a question asks on which past day something happened ("when did we", "how long ago")."""
    return bool(_WHEN.search(text))


def asks_for_past(text: str) -> bool:
    """Whether a question asks how something was before ("what did we use before Postgres", "what was our old port")."""
    return bool(_FORMER.search(text))


def asks_for_present(text: str) -> bool:
    """Whether a question asks how something is now ("which port do we use now", "is the cache still on")."""
    return not _PRESENT.isdisjoint(split_words(text.casefold()))


def find_days(text: str, today: date) -> Days | None:
    """Return the period that a question names, as days; None when it names none or an impossible one."""
    time = find_question_time(text, today)
    return time.days if time else None


def bound_days_by_event(relation: str, day: date) -> Days:
    """Return the days before, after, since or until an event; its own day counts, since hours decide there."""
    return (FIRST, day) if relation in ("before", "until") else (day, LAST)


_END_REACHES = (6, 30, 364)
"""Days from a start in which a weekday, a day of the month and a month or a date come once."""


def _read_range(first: str, last: str, today: date) -> Days | None:
    """Return the days from one period to another; "the 3rd and the 9th of March" names the month once.

    An end that would come before the start is its first occurrence from the start on: "between October and December".
    """
    start, end = (_find_end_of_range(part, today) for part in (first, last))
    if start:
        end = _find_end(last, start[0][0], today, end)
    if end and not start and (bare := re.fullmatch(rf"\s*(?:the )?(\d{{1,2}}){_NTH}?\s*", first)):
        try:
            start = _make_single_day(end[0][0].replace(day=int(bare[1]))), 0, 0
        except ValueError:
            return None
    return (start[0][0], end[0][1]) if start and end and start[0][0] <= end[0][1] else None


def _find_end(words: str, start: date, today: date, end: tuple[Days, int, int] | None) -> tuple[Days, int, int] | None:
    """Return the period in which a range ends that begins on a day, if `end` comes before it or the words are "now"."""
    if re.match(r"\s*(?:right )?now\b", words, re.I):
        return _make_single_day(today), 0, 0
    for reach in _END_REACHES:
        if end is None or end[0][0] >= start:
            break
        later = _find_end_of_range(words, start + timedelta(days=reach))
        end = later if later and later[0][0] >= start else end
    return end


def _find_end_of_range(words: str, today: date) -> tuple[Days, int, int] | None:
    """Return the period that one end of a range names, as if a preposition stood before it; "on may" is no month."""
    return _find_period(f" on {words.strip()}", today) or _find_period(f" in {words.strip()}", today)


def _find_period(text: str, today: date) -> tuple[Days, int, int] | None:
    """Return the days, start and end of a period in a text, by the first pattern of `_PERIOD_PATTERNS` that matches."""
    for pattern, read in _PERIOD_PATTERNS:
        if match := pattern.search(text):
            try:
                if days := read(match, today):
                    return days, match.start(), match.end()
            except (ValueError, OverflowError):  # "on the 31st" of a month with 30 days names no period
                continue
    return None


def _extend_open_period(days: Days, before: str, phrase: str, today: date) -> Days:
    """Extend a period after a preposition: "since March" ends today, "before March" starts with the first memory."""
    preposition = _OPEN_PERIOD.search(before) or re.match(r"(since|after|before|until|till|by)\b", phrase, re.I)
    relation = preposition[1].lower() if preposition else ""
    if relation == "since":
        return days[0], max(today, days[0])
    if relation == "after":
        return days[1] + timedelta(days=1), max(today, days[1] + timedelta(days=1))
    if relation == "before":
        return FIRST, days[0] - timedelta(days=1)
    return (FIRST, days[1]) if relation else days


def _read_iso_date(match: re.Match[str], today: date) -> Days:
    year, month, day = match.groups()
    return _make_single_day(date(int(year), int(month), int(day))) if day else _list_days_of_month(int(year), int(month))


def _read_dotted_date(match: re.Match[str], today: date) -> Days:
    return _make_single_day(date(int(match[3]), int(match[2]), int(match[1])))


def _read_day_month(match: re.Match[str], today: date) -> Days:
    return _make_single_day(_find_last_occurrence(today, match[3], ENGLISH_MONTH_OF[match[2].lower()], int(match[1])))


def _read_month_day(match: re.Match[str], today: date) -> Days:
    return _make_single_day(_find_last_occurrence(today, match[3], ENGLISH_MONTH_OF[match[1].lower()], int(match[2])))


def _read_week_of(match: re.Match[str], today: date) -> Days | None:
    rest = match.string[match.end() :]
    days = next((read(date_match, today) for pattern, read in _DATE_PATTERNS if (date_match := pattern.match(rest))), None)
    return _find_week_around(days[0]) if days else None


def _read_part_of_period(match: re.Match[str], today: date) -> Days:
    if match[2]:
        first = _find_last_occurrence(today, match[3], ENGLISH_MONTH_OF[match[2].lower()], 1)
        start, end = _list_days_of_month(first.year, first.month)
    else:
        start, end = _find_last_period(match[4], match[5], today)
    third = max((end - start).days // 3, 1)
    which = match[1].lower().split()[0]
    if which in ("early", "beginning", "start"):
        return start, start + timedelta(days=third)
    return (
        (start + timedelta(days=third), end - timedelta(days=third))
        if which in ("mid", "middle")
        else (end - timedelta(days=third), end)
    )


def _read_month(match: re.Match[str], today: date) -> Days | None:
    if match[1] == "may" and match[0].split()[0].lower() in ("and", "on", "this", "to"):  # "and may it be left out"
        return None
    first = _find_last_occurrence(today, match[2], ENGLISH_MONTH_OF[match[1].lower()], 1)
    return _list_days_of_month(first.year, first.month)


def _read_quarter(match: re.Match[str], today: date) -> Days:
    first = _find_last_occurrence(today, match[2], 3 * int(match[1]) - 2, 1)
    return first, _list_days_of_month(first.year, first.month + 2)[1]


def _read_day_of_month(match: re.Match[str], today: date) -> Days:
    first = today.replace(day=1)
    month = first if int(match[1]) <= today.day else (first - timedelta(days=1)).replace(day=1)
    return _make_single_day(month.replace(day=int(match[1])))


def _read_week_number(match: re.Match[str], today: date) -> Days:
    year = int(match[2]) if match[2] else today.year
    monday = date.fromisocalendar(year, int(match[1]), 1)
    return _find_week_around(monday if match[2] or monday <= today else date.fromisocalendar(year - 1, int(match[1]), 1))


def _read_ago(match: re.Match[str], today: date) -> Days:
    if match[2].lower() == "hour":
        return today - timedelta(days=_count_days(match)), today
    size = _DAYS_OF_PAST_UNIT[match[2].lower()]
    vague = VAGUE_DAYS if match[1].lower() in ("a few", "few", "several", "a couple of", "couple of") else 0
    middle, slack = today - timedelta(days=_read_count(match[1]) * size), timedelta(days=max(size // 2, vague))
    return middle - slack, min(middle + slack, today)


def _read_past_days(match: re.Match[str], today: date) -> Days:
    return today - timedelta(days=_count_days(match)), today


def _count_days(match: re.Match[str]) -> int:
    """Return the days of a number of units; hours reach into the day in which they began."""
    count, unit = _read_count(match[1]), match[2].lower()
    return -(-count // _HOURS_PER_DAY) if unit == "hour" else count * _DAYS_OF_PAST_UNIT[unit]


def _read_weekend(match: re.Match[str], today: date) -> Days:
    saturday = today - timedelta(days=(today.weekday() - 5) % 7)
    if match[1].lower() in ("last", "past") and today.weekday() >= 5:  # on a Saturday it is the one before
        saturday -= timedelta(days=7)
    return saturday, saturday + timedelta(days=1)


def _read_last_period(match: re.Match[str], today: date) -> Days:
    return _find_last_period(match[1].lower(), match[2].lower(), today)


def _read_weekday(match: re.Match[str], today: date) -> Days:
    return _make_single_day(today - timedelta(days=(today.weekday() - DAY_OF[match[1].lower()]) % 7))


def _read_days_ago(first: int, last: int) -> PeriodReader:
    return lambda _, today: (today - timedelta(days=first), today - timedelta(days=last))


def _find_last_period(which: str, unit: str, today: date) -> Days:
    if unit in DAY_OF:
        back = (today.weekday() - DAY_OF[unit]) % 7
        return _make_single_day(today - timedelta(days=back if which == "this" else back or 7))
    quarter = date(today.year, 3 * ((today.month - 1) // 3) + 1, 1)
    first = {
        "week": _find_week_around(today)[0],
        "month": today.replace(day=1),
        "quarter": quarter,
        "year": date(today.year, 1, 1),
    }[unit]
    if which == "this":
        return first, today
    if which == "past":
        return today - timedelta(days={"week": 7, "month": 31, "quarter": 92, "year": 366}[unit]), today
    end = first - timedelta(days=1)
    starts = {"week": end - timedelta(days=6), "month": end.replace(day=1), "year": end.replace(month=1, day=1)}
    return starts.get(unit) or date(end.year, end.month - 2, 1), end


def _find_last_occurrence(today: date, year: str | None, month: int, day: int) -> date:
    """Return the day in the named year, or its last occurrence when no year is named."""
    if year:
        return date(int(year), month, day)
    this_year = date(today.year, month, day)
    return this_year if this_year <= today else date(today.year - 1, month, day)


def _read_count(text: str) -> int:
    return _COUNT.get(text.lower()) or int(text)


def _make_single_day(day: date) -> Days:
    return day, day


def _find_week_around(day: date) -> Days:
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def _list_days_of_month(year: int, month: int) -> Days:
    first = date(year, month, 1)
    return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


_PERIOD_PATTERNS: tuple[tuple[re.Pattern[str], PeriodReader], ...] = tuple(
    (compile_late(pattern, re.I), read)
    for pattern, read in (
        (_WEEK_OF, _read_week_of),
        (_ISO_DAY_OR_MONTH, _read_iso_date),
        (_DOTTED_DATE, _read_dotted_date),
        (_DAY_MONTH, _read_day_month),
        (_MONTH_DAY, _read_month_day),
        (_PART_OF_PERIOD, _read_part_of_period),
        (_MONTH_YEAR, _read_month),
        (_QUARTER, _read_quarter),
        (_YEAR, lambda match, today: (date(int(match[1]), 1, 1), date(int(match[1]), 12, 31))),
        (_ORDINAL, _read_day_of_month),
        (_WEEK_NUMBER, _read_week_number),
        (_AGO, _read_ago),
        (_PAST_SPAN, _read_past_days),
        (_WEEKEND, _read_weekend),
        (_LAST_PERIOD, _read_last_period),
        (_ON_DAY, _read_weekday),
        (r"\b(?:the )?day before yesterday\b", _read_days_ago(2, 2)),
        (r"\b(?:yesterday|last night)\b", _read_days_ago(1, 1)),
        (r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", _read_days_ago(0, 0)),
        (r"\bthe other day\b", _read_days_ago(7, 1)),
        (r"\b(?:recently|lately|in recent days)\b", _read_days_ago(RECENT_DAYS, 0)),
    )
)
_DATE_PATTERNS = _PERIOD_PATTERNS[1:5]
"""The patterns of a single date, which may follow "the week of"."""
