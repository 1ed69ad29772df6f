"""The days that a question speaks of: a date, "last week", "since March", "between the 3rd and the 9th", "before the move".

Periods are whole days in the owner's zone, counted from the day of the question; a name without a year is its last occurrence.
What dateparser (the library of choice for single dates) does not know are periods, and its import takes longer than an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

FIRST, LAST = date(1970, 1, 1), date(9999, 12, 31)
"""The ends of a period that is open on that side."""
RECENT_DAYS = 14

MONTH_NAMES = "january february march april may june july august september october november december".split()  # noqa: SIM905
DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_MONTH = {name: number for number, full in enumerate(MONTH_NAMES, 1) for name in (full, full[:3])} | {"sept": 9}
_WEEKDAY = {name: number for number, name in enumerate(DAY_NAMES)}
_COUNT = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_COUNT |= {"a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "several": 4}
_SIZE = {"day": 1, "week": 7, "month": 30, "year": 365}

_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_WEEKDAYS = "|".join(DAY_NAMES)
_NUMBER = r"\d{1,3}|a couple of|couple of|a few|few|several|" + "|".join(word for word in _COUNT if word.isalpha())
_NTH = r"(?:st|nd|rd|th)"
_ISO = r"(?<![\d-])(\d{4})-(\d{2})(?:-(\d{2}))?(?![\d-])"
_DAY_MONTH = rf"\b(\d{{1,2}}){_NTH}?(?: of)? ({_NAMES})\b\.?(?:,? (\d{{4}}))?"
_MONTH_DAY = rf"\b({_NAMES})\b\.? (\d{{1,2}}){_NTH}?\b(?!:)(?:,? (\d{{4}}))?"
_PART = (
    rf"\b(early|mid|late|beginning of|start of|middle of|end of)[ -](?:in )?(?:({_NAMES})\b(?: (\d{{4}}))?"
    r"|(last|this) (month|week|year))"
)
_MONTH_YEAR = (
    r"\b(?:in|during|of|since|until|till|before|after|from|to|and|on|last|this|by|throughout)"
    rf" ({_NAMES})\b\.?(?:,? (\d{{4}}))?(?! \w+ing\b)"
)
_YEAR = r"\b(?:in|during|of|since|until|before|after) (20\d{2}|19\d{2})\b(?!-)"
_QUARTER = r"\bq([1-4])(?: (?:of )?(\d{4}))?\b"
_ORDINAL = (
    rf"\b(?:on|since|until|till|before|after|by|from|to|and|between) the (\d{{1,2}}){_NTH}\b"
    r"(?! (?:floor|time|attempt|try|version|line))"
)
_WEEK_NUMBER = r"\bweek (\d{1,2})\b(?: of (\d{4}))?"
_WEEK_OF = rf"\bweek of (?:the )?(?=\d|{_NAMES})"
_AGO = rf"\b({_NUMBER}) (day|week|month|year)s? ago\b"
_PAST = rf"\b(?:last|past|previous) ({_NUMBER}) (day|week|month|year)s?\b"
_WEEKEND = r"\b(?:(last|this|past|over the|at the|on the|before the|since the) weekend)\b"
_LAST = rf"\b(last|this|past|previous) (week|month|quarter|year|{_WEEKDAYS})\b"
_ON_DAY = rf"\b(?:on|since|until|till|before|after|by|from|to|and) ({_WEEKDAYS})\b"
_EVENT = re.compile(
    r"\b(before|after|since|until) ((?:the|our|my|we|i|you)\b(?:[^?.,;]|\.(?=\w)){3,})",
    re.I,
)
_WHEN = re.compile(
    r"^\W*(?:and |so )?(?:when (?:did|was|were|have|has|had)|how long ago|on (?:which|what) (?:day|date)|since when)\b", re.I
)
_BETWEEN = re.compile(r"\b(?:between|from)\b(.+?)\b(?:and|to|until|till|through)\b(.+)", re.I)
_OPEN = re.compile(r"\b(since|after|before|until|till|by|up to)\s+(?:the\s+)?(?:end of\s+)?$", re.I)

Days = tuple[date, date]


@dataclass(frozen=True, slots=True)
class Asked:
    """A period of whole days (both included), or an event that must be found first, with its relation to it
    (before, after, since, until); `phrase` is what the question says for it."""

    days: Days | None
    phrase: str
    event: str = ""
    relation: str = ""


def time_asked(text: str, today: date) -> Asked | None:
    """What a question says of time; None when it names no period, or an impossible one."""
    if (match := _BETWEEN.search(text)) and (days := _between(match[1], match[2], today)):
        return Asked(days, match[0].strip(" ?.!"))
    if found := _named(text, today):
        days, start, end = found
        return Asked(_opened(days, text[:start], text[start:end], today), text[start:end].strip())
    if match := _EVENT.search(text):
        return Asked(None, match[0].strip(), match[2].strip(), match[1].lower())
    return None


def _between(first: str, last: str, today: date) -> Days | None:
    """From the start of one period to the end of another; "the 3rd and the 9th of March" name the month once."""
    start, end = (_named(f" on {part.strip()}", today) for part in (first, last))
    if end and not start and (bare := re.fullmatch(rf"\s*(?:the )?(\d{{1,2}}){_NTH}?\s*", first)):
        try:
            start = _one(end[0][0].replace(day=int(bare[1]))), 0, 0
        except ValueError:
            return None
    return (start[0][0], end[0][1]) if start and end and start[0][0] <= end[0][1] else None


def asks_when(text: str) -> bool:
    """Whether a question wants to hear the day on which something was ("when did we", "how long ago"), of the past."""
    return bool(_WHEN.search(text))


def days_of(text: str, today: date) -> Days | None:
    """The period that a question names, as days; None when it names none or an impossible one."""
    asked = time_asked(text, today)
    return asked.days if asked else None


def around_event(relation: str, day: date) -> Days:
    """The days that lie before, after, since or until what happened on a day; that day counts, since hours decide on it."""
    return (FIRST, day) if relation in ("before", "until") else (day, LAST)


def _named(text: str, today: date) -> tuple[Days, int, int] | None:
    """The first period named in a text, with its place, by the first of the forms that fits."""
    for pattern, read in _FORMS:
        if match := pattern.search(text):
            try:
                if days := read(match, today):
                    return days, match.start(), match.end()
            except (ValueError, OverflowError):  # "on the 31st" of a month with 30 days: no period, and the words still count
                continue
    return None


def _opened(days: Days, before: str, phrase: str, today: date) -> Days:
    """ "since March" ends today, "before March" starts with the memory; the preposition may be part of the phrase."""
    words = _OPEN.search(before) or re.match(r"(since|after|before|until|till|by)\b", phrase, re.I)
    relation = words[1].lower() if words else ""
    if relation == "since":
        return days[0], max(today, days[0])
    if relation == "after":
        return days[1] + timedelta(days=1), max(today, days[1] + timedelta(days=1))
    if relation == "before":
        return FIRST, days[0] - timedelta(days=1)
    return (FIRST, days[1]) if relation else days


def _iso(match: re.Match[str], today: date) -> Days:
    year, month, day = match.groups()
    return _one(date(int(year), int(month), int(day))) if day else _month(int(year), int(month))


def _day_month(match: re.Match[str], today: date) -> Days:
    return _one(_past(today, match[3], _MONTH[match[2].lower()], int(match[1])))


def _month_day(match: re.Match[str], today: date) -> Days:
    return _one(_past(today, match[3], _MONTH[match[1].lower()], int(match[2])))


def _week_of(match: re.Match[str], today: date) -> Days | None:
    rest = match.string[match.end() :]
    found = next((read(one, today) for pattern, read in _FORMS[1:4] if (one := pattern.match(rest))), None)
    return _week(found[0]) if found else None


def _part_of(match: re.Match[str], today: date) -> Days:
    if match[2]:
        first = _past(today, match[3], _MONTH[match[2].lower()], 1)
        start, end = _month(first.year, first.month)
    else:
        start, end = _last(match[4], match[5], today)
    third = max((end - start).days // 3, 1)
    which = match[1].lower().split()[0]
    if which in ("early", "beginning", "start"):
        return start, start + timedelta(days=third)
    return (
        (start + timedelta(days=third), end - timedelta(days=third))
        if which in ("mid", "middle")
        else (end - timedelta(days=third), end)
    )


def _written_month(match: re.Match[str], today: date) -> Days | None:
    if match[1] == "may" and match[0].split()[0].lower() in ("and", "on", "this", "to"):  # "and may it be left out"
        return None
    found = _past(today, match[2], _MONTH[match[1].lower()], 1)
    return _month(found.year, found.month)


def _quarter(match: re.Match[str], today: date) -> Days:
    first = _past(today, match[2], 3 * int(match[1]) - 2, 1)
    return first, _month(first.year, first.month + 2)[1]


def _ordinal(match: re.Match[str], today: date) -> Days:
    first = today.replace(day=1)
    month = first if int(match[1]) <= today.day else (first - timedelta(days=1)).replace(day=1)
    return _one(month.replace(day=int(match[1])))


def _week_number(match: re.Match[str], today: date) -> Days:
    year = int(match[2]) if match[2] else today.year
    monday = date.fromisocalendar(year, int(match[1]), 1)
    return _week(monday if match[2] or monday <= today else date.fromisocalendar(year - 1, int(match[1]), 1))


def _ago(match: re.Match[str], today: date) -> Days:
    size = _SIZE[match[2].lower()]
    vague = 2 if match[1].lower() in ("a few", "few", "several", "a couple of", "couple of") else 0
    middle, slack = today - timedelta(days=_counted(match[1]) * size), timedelta(days=max(size // 2, vague))
    return middle - slack, min(middle + slack, today)


def _past_days(match: re.Match[str], today: date) -> Days:
    return today - timedelta(days=_counted(match[1]) * _SIZE[match[2].lower()]), today


def _weekend(match: re.Match[str], today: date) -> Days:
    saturday = today - timedelta(days=(today.weekday() - 5) % 7)
    if match[1].lower() in ("last", "past") and today.weekday() >= 5:  # on a Saturday it is the one before
        saturday -= timedelta(days=7)
    return saturday, saturday + timedelta(days=1)


def _last_period(match: re.Match[str], today: date) -> Days:
    return _last(match[1].lower(), match[2].lower(), today)


def _on_day(match: re.Match[str], today: date) -> Days:
    return _one(today - timedelta(days=(today.weekday() - _WEEKDAY[match[1].lower()]) % 7))


def _fixed(first: int, last: int) -> Callable[[re.Match[str], date], Days]:
    return lambda _, today: (today - timedelta(days=first), today - timedelta(days=last))


def _last(which: str, what: str, today: date) -> Days:
    if what in _WEEKDAY:
        back = (today.weekday() - _WEEKDAY[what]) % 7
        return _one(today - timedelta(days=back if which == "this" else back or 7))
    quarter = date(today.year, 3 * ((today.month - 1) // 3) + 1, 1)
    first = {"week": _week(today)[0], "month": today.replace(day=1), "quarter": quarter, "year": date(today.year, 1, 1)}[what]
    if which == "this":
        return first, today
    if which == "past":
        return today - timedelta(days={"week": 7, "month": 31, "quarter": 92, "year": 366}[what]), today
    end = first - timedelta(days=1)
    starts = {"week": end - timedelta(days=6), "month": end.replace(day=1), "year": end.replace(month=1, day=1)}
    return starts.get(what) or date(end.year, end.month - 2, 1), end


def _past(today: date, year: str | None, month: int, day: int) -> date:
    """The day in the year that was named, else its last occurrence."""
    if year:
        return date(int(year), month, day)
    this_year = date(today.year, month, day)
    return this_year if this_year <= today else date(today.year - 1, month, day)


def _counted(text: str) -> int:
    return _COUNT.get(text.lower()) or int(text)


def _one(day: date) -> Days:
    return day, day


def _week(day: date) -> Days:
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def _month(year: int, month: int) -> Days:
    first = date(year, month, 1)
    return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], Days | None]], ...] = tuple(
    (re.compile(pattern, re.I), read)
    for pattern, read in (
        (_WEEK_OF, _week_of),
        (_ISO, _iso),
        (_DAY_MONTH, _day_month),
        (_MONTH_DAY, _month_day),
        (_PART, _part_of),
        (_MONTH_YEAR, _written_month),
        (_QUARTER, _quarter),
        (_YEAR, lambda match, today: (date(int(match[1]), 1, 1), date(int(match[1]), 12, 31))),
        (_ORDINAL, _ordinal),
        (_WEEK_NUMBER, _week_number),
        (_AGO, _ago),
        (_PAST, _past_days),
        (_WEEKEND, _weekend),
        (_LAST, _last_period),
        (_ON_DAY, _on_day),
        (r"\b(?:the )?day before yesterday\b", _fixed(2, 2)),
        (r"\b(?:yesterday|last night)\b", _fixed(1, 1)),
        (r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", _fixed(0, 0)),
        (r"\bthe other day\b", _fixed(7, 1)),
        (r"\b(?:recently|lately|in recent days)\b", _fixed(RECENT_DAYS, 0)),
    )
)
