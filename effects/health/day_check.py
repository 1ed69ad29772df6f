"""Check of the days of the lake against the present time zone."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from effects.health.check import Check
from effects.store.run import Run


def check_days(run: Run) -> Iterator[Check]:
    """Yield a note when stored lines have the day of another zone: a day is that of the zone in which its line was read."""
    zone = run.settings.timezone
    entries = run.lake.scan("entries").select("day", local_day=pl.col("said_at").dt.convert_time_zone(zone).dt.date())
    moved = entries.filter(pl.col("day") != pl.col("local_day")).select(pl.len(), pl.col("day").max().alias("last")).collect()
    count, last = moved.row(0)
    if count:
        were = "line was" if count == 1 else "lines were"
        detail = (
            f"{count} {were} read in another time zone and keep its day, the last on {last}; in {zone} they are of the day before"
            " or after: pages give the date beside such a time"
        )
        command = f"nothing, or for days of {zone} alone: move {run.lake.root} away, then recollect backfill --all"
        yield Check("days", "note", detail, command)
