"""Checks the dates and clock times of a fact against what its window says and when it was said."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import UTC, date, timedelta
from functools import lru_cache

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import Fact
from transforms.distil.window_evidence import WindowEvidence
from transforms.language.entities import find_dates
from transforms.language.relative_dates import find_stated_end, list_span_ends, resolve_date
from transforms.patterns.folding import fold_writing
from transforms.patterns.late_pattern import compile_late

TIME_OF_DAY = compile_late(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")


def find_ungrounded_date(fact: Fact, cited: Sequence[Entry], window: WindowEvidence) -> str:
    """Return the first date that nobody wrote, that is not a day of the window, and that no cited words imply."""
    dates = find_dates(fact.text)
    if not dates:
        return ""
    days = {entry.said_at.astimezone(zone).date() for entry in window.entries for zone in (window.zone, UTC)}
    # Only cited words imply a date; a date that only the fact has is not grounded.
    for entry in cited:
        said_on = entry.said_at.astimezone(window.zone).date()
        said = fold_writing(entry.text)
        days |= _list_implied_days(said, said_on)
    known = {(day.month, day.day) for day in days} | window.written_dates
    for written, when in dates:
        if written.lower().rstrip(".") not in window.haystack and when not in known:
            return written
        is_dated = written[:4].isdigit() and written not in window.haystack
        if is_dated and (int(written[:4]), *when) not in {(day.year, day.month, day.day) for day in days}:
            return written
    return ""


@lru_cache(maxsize=256)
def _list_implied_days(said: str, said_on: date) -> frozenset[date]:
    """Return the days that words imply: those that they name or count to, ends of spans, and those that they write."""
    days = {day for read in (resolve_date, find_stated_end) if (day := read(said, said_on))}
    days |= list_span_ends(said, said_on)  # observers are asked to compute the day on which a span ends
    return frozenset(days | _list_written_days(said, said_on))


def _list_written_days(text: str, said_on: date) -> set[date]:
    """Return the days that a text writes: one without a year is the last of that name before the words, or the next."""
    days: set[date] = set()
    for written, (month, day) in dict.fromkeys(find_dates(text)):
        end = text.find(written) + len(written)
        stated = re.search(r"(?:19|20)\d\d", written + text[end : end + len(", de 2026")])
        years = [int(stated[0])] if stated else range(said_on.year - 1, said_on.year + 2)
        known = [date(year, month, day) for year in years if day <= monthrange(year, month)[1]]
        days |= {day for day in known if stated or abs(day - said_on) <= timedelta(days=366)}
    return days


def find_ungrounded_time(fact: Fact, cited: list[Entry], window: WindowEvidence) -> str:
    """Return the first clock time that is neither the time of a cited entry nor written in the window."""
    known = {entry.said_at.astimezone(window.zone).strftime("%H:%M") for entry in cited} | {
        entry.said_at.strftime("%H:%M") for entry in cited
    }
    for match in TIME_OF_DAY.finditer(fact.text):
        is_written = re.search(rf"(?<![\d:]){match[0]}(?!\d)", window.haystack)
        if f"{int(match[1]):02d}:{match[2]}" not in known and not is_written:
            return match[0]
    return ""
