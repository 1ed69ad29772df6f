"""Finds the day until which a sentence says that it holds: "until Friday", "bis Ende März", "for the next 3 weeks".

The words are the closed classes of a calendar: markers of an end, names of days and months, units. dateparser knows more
languages, but its import alone costs more than all the sentences of a night.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

MAY_END = r"(?i)\b(?:until|till?|through|bis|jusqu|hasta|next|coming|nächsten|kommenden)\b"
"""Pattern without which a text states no end; cheap, for whole columns."""
_DAYS = (
    "monday montag lundi lunes", "tuesday dienstag mardi martes", "wednesday mittwoch mercredi miércoles",
    "thursday donnerstag jeudi jueves", "friday freitag vendredi viernes", "saturday samstag samedi sábado",
    "sunday sonntag dimanche domingo",
)  # fmt: skip
_MONTHS = (
    "january jan januar jänner janvier enero", "february feb februar février febrero", "march mar märz mars marzo",
    "april apr avril abril", "may mai mayo", "june jun juni juin junio", "july jul juli juillet julio", "august aug août agosto",
    "september sep sept septembre septiembre", "october oct oktober okt octobre octubre", "november nov novembre noviembre",
    "december dec dezember dez décembre diciembre",
)  # fmt: skip
_DAY_OF = {name: number for number, names in enumerate(_DAYS) for name in names.split()}
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_LENGTH_OF = {"day": 1, "tag": 1, "week": 7, "woche": 7, "month": 31, "monat": 31}
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6}

_MONTH = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_DAY = "|".join(_DAY_OF)
_UNTIL = r"\b(?:until|till?|through|bis|jusqu['’]?(?:au|à)|hasta)\s+(?:and including\s+|einschließlich\s+)?"
_LEAD = r"(?:(?:the|on|zum|zu|dem|den|el|le|this|next|coming|nächsten|kommenden|diesen)\s+)*"
_ISO = re.compile(_UNTIL + r"(20\d\d)-(\d\d)-(\d\d)\b", re.I)
_NUMERIC = re.compile(_UNTIL + _LEAD + r"(\d{1,2})\.(\d{1,2})\.(20\d\d)?(?!\d)", re.I)
_DAY_MONTH = re.compile(
    _UNTIL + _LEAD + rf"(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?({_MONTH})\b\.?(?:,?\s+(20\d\d))?", re.I
)
_MONTH_DAY = re.compile(_UNTIL + rf"({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)(?:,?\s+(20\d\d))?", re.I)
_END_OF_MONTH = re.compile(
    _UNTIL + rf"(?:the\s+end\s+of\s+|end\s+of\s+|ende\s+|fin(?:ales)?\s+(?:de\s+)?)({_MONTH})\b(?:\s+(20\d\d))?", re.I
)
_END_OF_UNIT = re.compile(
    _UNTIL + r"(?:the\s+|zum\s+)?(?:end\s+of|ende)\s+(?:(?:the|this|der|des|dieser|dieses)\s+)?"
    r"(next\s+|nächste[nr]?\s+)?(week|month|woche|monats?)\b", re.I
)  # fmt: skip
_WEEKDAY = re.compile(_UNTIL + _LEAD + rf"({_DAY})\b", re.I)
_NEAR = re.compile(_UNTIL + r"(today|tonight|tomorrow|heute|morgen)\b", re.I)
_NEXT_WEEK = re.compile(_UNTIL + r"(?:next\s+week|nächste[rn]?\s+woche)\b", re.I)
_SPAN = re.compile(
    rf"\b(?:for\s+)?(?:the\s+next|the\s+coming|(?:die|der|den)\s+nächsten|die\s+kommenden)\s+(\d{{1,2}}|{'|'.join(_COUNTS)})\s+"
    r"(day|week|month|tag|woche|monat)(?:s|e|en|n)?\b", re.I
)  # fmt: skip
_RANGE = re.compile(rf"\b(?:from|von|every|each|jeden?|always)\s+[^,.;]{{0,20}}\b(?:{_DAY})s?\s+$|\b(?:{_DAY})s?\s+$", re.I)
"""Days in front of the end: "from Monday until Friday" comes back every week."""
_SUNDAY = 6


def find_stated_end(text: str, said_on: date) -> date | None:
    """Return the last day on which a text says that it holds, counted from the day it was said; None when it names no end.

    Of several ends the latest counts. A year that is not named is the one in which the day comes next.
    """
    ends = [*_find_calendar_ends(text, said_on), *_find_near_ends(text, said_on)]
    return max((end for end in ends if end is not None), default=None)


def _find_calendar_ends(text: str, said_on: date) -> list[date | None]:
    """Return the ends that name a day of the calendar, or a month whose last day is meant."""
    ends: list[date | None] = []
    ends += [_make_date(int(m[1]), int(m[2]), int(m[3])) for m in _ISO.finditer(text)]
    ends += [_find_next(int(m[2]), int(m[1]), m[3], said_on) for m in _NUMERIC.finditer(text)]
    ends += [_find_next(_MONTH_OF[m[2].lower()], int(m[1]), m[3], said_on) for m in _DAY_MONTH.finditer(text)]
    ends += [_find_next(_MONTH_OF[m[1].lower()], int(m[2]), m[3], said_on) for m in _MONTH_DAY.finditer(text)]
    ends += [_find_next(_MONTH_OF[m[1].lower()], 0, m[2], said_on) for m in _END_OF_MONTH.finditer(text)]
    return ends


def _find_near_ends(text: str, said_on: date) -> list[date | None]:
    """Return the ends that are counted from the day of the words."""
    ends: list[date | None] = []
    weekdays = [_DAY_OF[m[1].lower()] for m in _WEEKDAY.finditer(text) if not _RANGE.search(text[: m.start()])]
    ends += [said_on + timedelta(days=(weekday - said_on.weekday()) % 7 or 7) for weekday in weekdays]
    ends += [said_on + timedelta(days=m[1].lower() in ("tomorrow", "morgen")) for m in _NEAR.finditer(text)]
    ends += [_find_end_of_week(said_on + timedelta(days=7)) for _ in _NEXT_WEEK.finditer(text)]
    for match in _END_OF_UNIT.finditer(text):
        is_week, is_next = match[2].lower().startswith("w"), bool(match[1])
        if is_week:
            ends.append(_find_end_of_week(said_on + timedelta(days=7 * is_next)))
        else:
            first = said_on.replace(day=1) + timedelta(days=32 * is_next)
            ends.append(_make_date(first.year, first.month, 0))
    for match in _SPAN.finditer(text):
        count = _COUNTS.get(match[1].lower()) or int(match[1])
        ends.append(said_on + timedelta(days=count * _LENGTH_OF[match[2].lower()]))
    return ends


def _find_end_of_week(day: date) -> date:
    return day + timedelta(days=_SUNDAY - day.weekday())


def _find_next(month: int, day: int, year: str | None, said_on: date) -> date | None:
    """Return the day (0: the last of the month) in its year, or the next one from the day of the words on."""
    if year:
        return _make_date(int(year), month, day)
    found = _make_date(said_on.year, month, day)
    return found if found is None or found >= said_on else _make_date(said_on.year + 1, month, day)


def _make_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day or monthrange(year, month)[1])
    except ValueError:  # 30 February is no day
        return None
