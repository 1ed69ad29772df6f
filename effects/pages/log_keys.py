"""Keys of the daily logs: of all that the log of a day is made from, and of the page that it gives.

A key is noted when a log that is rendered once more over itself stays as it is; until something in it changes, the log is not
rendered again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date

import polars as pl

from transforms.memory.proposal_outcomes import DayOutcomes
from transforms.pages.page_names import label_projects
from transforms.tables.ids import hash_fields
from transforms.tables.schema import hash_groups

_SESSION_COLUMNS = ("session_id", "title", "project", "source_path", "is_closed", "is_subagent", "entry_count")
_SEGMENT_COLUMNS = (
    "segment_id",
    "window_id",
    "title",
    "narrative",
    "first_line",
    "last_line",
    "first_ordinal",
    "started_at",
    "day",
)
_FACT_COLUMNS = ("observation_id", "window_id", "segment_id", "superseded_by", "said_at", "priority", "text")


def compute_log_key(windows: str, outcomes: DayOutcomes | None, text: str | None, base: str) -> str:
    """Return the key of a log: the hash of its windows, the proposals of its day, the page on disk, our part of it as stored."""
    return hash_fields(windows, repr(outcomes), repr(text is None), text or "", base, size=16)


def hash_log_windows(
    windows: pl.DataFrame,
    sessions: pl.DataFrame,
    segments: pl.DataFrame,
    observations: pl.DataFrame,
    marks: Mapping[str, str],
    outdated: Collection[str],
) -> dict[date, str]:
    """Return for each day a hash of all that `build_log_windows` and `build_skipped_windows` make its windows from."""
    labels = label_projects(sessions["project"].drop_nulls().unique().to_list())
    named = sessions.select(_SESSION_COLUMNS).with_columns(
        label=pl.col("project").replace_strict(labels, default="", return_dtype=pl.String)
    )
    topics = segments.select(_SEGMENT_COLUMNS).join(windows.select("window_id", log_day="day"), on="window_id")
    facts = observations.filter(pl.col("verdict") == "allow").select(_FACT_COLUMNS)
    facts = facts.join(topics.select("segment_id", "log_day"), on="segment_id")
    heirs = observations.select("observation_id", heir_at="said_at", heir_window="window_id")
    facts = facts.join(heirs, left_on="superseded_by", right_on="observation_id", how="left").with_columns(
        mark=pl.col("observation_id").replace_strict(marks, default="", return_dtype=pl.String),
        is_outdated=pl.col("observation_id").is_in(sorted(outdated)),
    )
    parts = [
        hash_groups(windows.join(named, on="session_id", how="left"), ["day"]),
        hash_groups(topics, ["log_day"]),
        hash_groups(facts, ["log_day"]),
    ]
    days = sorted({day for part in parts for (day,) in part})
    return {day: hash_fields(*(part.get((day,), "") for part in parts), size=16) for day in days}
