"""Prunes: empties raw entries that are old, summarised, and cited by nothing; a tombstone says so for each window."""

from __future__ import annotations

from datetime import date

import polars as pl

from effects.store.run import Counts, Run
from transforms.forgetting.blank_entries import blank_rows
from transforms.forgetting.row_filter import RAW
from transforms.tables.schema import TOMBSTONES, build_frame, read_rows
from transforms.tables.session_tables import ENTRY_TEXTS

PRUNED = "pruned"


def prune(run: Run, before: date, is_dry_run: bool = False) -> Counts:
    """Empty the prunable entries of days before `before`; return how many, their characters, and how many stay for which reason.

    An entry can be pruned when its window was distilled, a condensed period covers its day, and no fact, narrative or condensed
    period cites it. Its row stays, so that every entry keeps its window.
    """
    lake = run.lake
    days = [day for day in lake.list_days("entries") if day < before]
    entries = (
        lake.scan("entries", days).select("session_id", "ordinal", "entry_id", "day", "flags", *ENTRY_TEXTS).collect()
        if days
        else None
    )
    counts: Counts = {"entries": 0, "characters": 0, "kept": {"not_summarised": 0, "cited": 0}}
    if entries is None or entries.is_empty():
        return counts | {"dry_run": is_dry_run}
    entries = entries.with_columns(pl.format("{}:{}", "session_id", "entry_id").alias("reference"))
    has_text = pl.any_horizontal((pl.col(name).fill_null("") != "") for name in ("text", "thinking"))
    due = entries.filter(has_text & pl.col("flags").list.contains(PRUNED).fill_null(False).not_())
    summarised = due.join(_read_summarised(run, days), on=["session_id", "ordinal"], how="inner")
    uncited = summarised.filter(~pl.col("reference").is_in(sorted(_read_cited(run))))
    counts["kept"] = {"not_summarised": due.height - summarised.height, "cited": summarised.height - uncited.height}
    counts["entries"] = uncited.height
    counts["characters"] = int(
        uncited.select(pl.sum_horizontal(pl.col(name).str.len_chars().fill_null(0) for name in ENTRY_TEXTS)).sum().item() or 0
    )
    if not is_dry_run and uncited.height:
        _empty_entries(run, uncited, before)
    return counts | {"dry_run": is_dry_run}


def _read_summarised(run: Run, days: list[date]) -> pl.DataFrame:
    """Return the entries whose window was distilled and whose day a condensed period of the project covers."""
    lake = run.lake
    windows = lake.scan("windows").filter(pl.col("status") == "distilled").select("window_id", "day", "session_id")
    projects = lake.scan("sessions").select("session_id", "project")
    periods = lake.scan("distillates").select("project", "period_start", "period_end").unique()
    covered = (
        windows.join(projects, on="session_id")
        .join(periods, on="project")
        .filter(pl.col("day").is_between("period_start", "period_end"))
        .select("window_id")
        .unique()
    )
    coverage = lake.scan("coverage", days).select("session_id", "ordinal", "window_id")
    return coverage.join(covered, on="window_id").collect()


def _read_cited(run: Run) -> set[str]:
    lake = run.lake
    cited: set[str] = set()
    for table in ("observations", "segments"):
        rows = lake.scan(table).select("session_id", "entry_ids").explode("entry_ids").drop_nulls().collect()
        cited |= set(rows.select(pl.format("{}:{}", "session_id", "entry_ids")).to_series())
    also = lake.scan("observations").select("also").explode("also").drop_nulls().collect()["also"]
    return (
        cited
        | set(also)
        | set(lake.scan("distillates").select("entry_refs").explode("entry_refs").drop_nulls().collect()["entry_refs"])
    )


def _empty_entries(run: Run, uncited: pl.DataFrame, before: date) -> None:
    lake, reason = run.lake, f"prune {before.isoformat()}"
    stored = {(row["target"], row["reason"]): row for row in read_rows(TOMBSTONES, lake.read("tombstones"))}
    for window in sorted(set(uncited["window_id"])):
        target = f"{RAW}{window}"
        stored[target, reason] = {
            "target": target, "reason": reason, "text": None, "is_purged": True, "actor": "owner", "at": run.as_of,
            "is_undone": False,
        }  # fmt: skip
    with lake.commit() as change:
        for day in sorted(set(uncited["day"])):
            rows = lake.read("entries", [day]).drop("schema_version")
            named = uncited.filter(pl.col("day") == day).select("session_id", "ordinal", is_due=pl.lit(True))
            marked = rows.join(named, on=["session_id", "ordinal"], how="left", maintain_order="left")
            change.replace("entries", blank_rows(marked, pl.col("is_due").fill_null(False), PRUNED).drop("is_due"), day)
        change.replace("tombstones", build_frame(TOMBSTONES, stored.values()))
