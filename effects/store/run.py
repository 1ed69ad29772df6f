"""A run: the settings, the lake, the logical time and the progress function that every step gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias
from zoneinfo import ZoneInfo

from effects.store.lake import Lake
from effects.store.old_paths import check_old_paths
from effects.store.progress_meter import Advance, ShowProgress, ignore_advance, ignore_report

if TYPE_CHECKING:
    from effects.config.settings import Settings

CountValue: TypeAlias = "int | float | str | Sequence[CountValue] | Mapping[str, CountValue] | None"
Counts: TypeAlias = dict[str, CountValue]
"""Counts of a step, ready for JSON: numbers, reasons and nested counts, never words of a session."""

AHEAD = timedelta(days=1)
"""A logical time may be so far ahead of the clock: a date is a midnight, and the owner's zone may be a day ahead."""


def read_count(counts: Mapping[str, CountValue], name: str) -> int:
    """Return the number of this name among counts.

    Raises:
        KeyError: when there is none.
        TypeError: when it is no whole number.
    """
    value = counts[name]
    if not isinstance(value, int):
        raise TypeError(f"the count `{name}` is {type(value).__name__}")
    return value


def read_nested_counts(counts: Mapping[str, CountValue], name: str) -> Mapping[str, CountValue]:
    """Return the counts below this name; empty when there are none."""
    value = counts.get(name)
    return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Run:
    """One run over one lake. `as_of` is the logical time: steps never read the clock."""

    settings: Settings
    lake: Lake
    as_of: datetime
    progress: Advance = field(default=ignore_advance, compare=False)
    """How a step reports its progress; the runner sets it."""
    report: ShowProgress = field(default=ignore_report, compare=False)
    """Who watches the whole run."""

    @property
    def zone(self) -> ZoneInfo:
        """The owner's zone. Every `day` is a day in it."""
        return ZoneInfo(self.settings.timezone)

    @property
    def today(self) -> date:
        """The local day of the run."""
        return self.as_of.astimezone(self.zone).date()


def open_run(settings: Settings, as_of: datetime | None = None, report: ShowProgress = ignore_report) -> Run:
    """Return a run at `as_of`, or now; a naive time is in the owner's zone. No other place reads the clock for steps.

    Raises:
        ConfigError: when memory still lies inside the installed package, where an older version kept it.
    """
    check_old_paths(settings)
    lake = Lake(settings.lake)
    lake.refresh()
    return Run(settings, lake, resolve_time(as_of, settings.timezone), report=report)


def resolve_time(as_of: datetime | None, zone: str = "UTC") -> datetime:
    """Return the logical time of a run in UTC: `as_of`, or now; a naive time is in `zone`."""
    moment = as_of or datetime.now(UTC)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(zone))
    return moment.astimezone(UTC)


def find_latest_time(run: Run) -> datetime:
    """Return before which a session was written, unless its clock is set wrong: `AHEAD` of now, or of a later logical time."""
    return max(run.as_of, datetime.now(UTC)) + AHEAD


def is_ahead_of_clock(moment: datetime) -> bool:
    """Return whether a moment is later than now by more than `AHEAD`: a mistyped year, not a clock that is a little late."""
    return moment > datetime.now(UTC) + AHEAD
