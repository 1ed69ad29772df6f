"""Resolve the date in a sentence from the day on which it was written."""

from __future__ import annotations

import re
from datetime import date, timedelta

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ISO = re.compile(r"(?<![\d-])(20\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])")
_NEAR = re.compile(r"\b(day before yesterday|yesterday|day after tomorrow|tomorrow|today|tonight)\b", re.I)
_WEEKDAY = re.compile(rf"\b(last|on|by|until|till|next|this|from|since|before)\s+({'|'.join(_WEEKDAYS)})\b", re.I)
_AGO = re.compile(r"\b(\d{1,2}|a|one|two|three)\s+(day|week)s?\s+(ago|from now)\b", re.I)
_OFFSETS = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1, "day after tomorrow": 2}
_SMALL = {"a": 1, "one": 1, "two": 2, "three": 3}


def resolve_date(text: str, said_on: date) -> date | None:
    """Return the one date that a text names or implies relative to `said_on`; None for none, several or vague ones."""
    dates = {*_find_iso_dates(text), *_resolve_relative_dates(text, said_on)}
    return dates.pop() if len(dates) == 1 else None


def _find_iso_dates(text: str) -> list[date]:
    dates = []
    for match in _ISO.finditer(text):
        try:
            dates.append(date(int(match[1]), int(match[2]), int(match[3])))
        except ValueError:  # 2026-02-30 is no date
            continue
    return dates


def _resolve_relative_dates(text: str, said_on: date) -> list[date]:
    dates = [said_on + timedelta(days=_OFFSETS[match[1].lower()]) for match in _NEAR.finditer(text)]
    for match in _WEEKDAY.finditer(text):
        ahead = (_WEEKDAYS.index(match[2].lower()) - said_on.weekday()) % 7 or 7
        is_past = match[1].lower() in ("last", "since")
        dates.append(said_on + timedelta(days=ahead - 7 if is_past and ahead < 7 else -7 if is_past else ahead))
    for match in _AGO.finditer(text):
        count = _SMALL.get(match[1].lower()) or int(match[1])
        days = count * (7 if match[2].lower() == "week" else 1)
        dates.append(said_on + timedelta(days=-days if match[3].lower() == "ago" else days))
    return dates
