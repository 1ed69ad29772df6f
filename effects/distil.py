"""The step `distil`: every due window becomes segments and cited observations, in one commit per batch of windows."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date, timedelta
from typing import Any

import polars as pl

from effects.lake import Lake
from effects.run import Counts, Run
from transforms.budget import budget_of, serialized_tokens
from transforms.checks import Window, failure_of
from transforms.distilled import Distilled, Engine
from transforms.distilled_rows import observation_rows, segment_rows
from transforms.entries import Entry, entries_of
from transforms.offline.engine import OfflineEngine
from transforms.schema import TABLES
from transforms.segments import segment

MAX_ATTEMPTS = 3
BATCH_WINDOWS = 40
EARLIER_FACTS = 60
"""So many of the session's former facts are passed to the engine, newest last: enough not to repeat, small enough to send."""

Row = dict[str, Any]


def distil(run: Run, engine: Engine | None = None) -> Counts:
    """Distils every due window with the engine (the offline one by default); a failing window is `failed` and costs no other.

    Due are pending windows without a reason, failed ones with attempts left, and offline ones of another version.
    """
    chosen = engine or OfflineEngine(zone=run.zone)
    stamp = _stamp(chosen, run)
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    counts["orphaned"] = _drop_orphans(run.lake)
    due = _due(run.lake, chosen, stamp)
    projects = dict(run.lake.scan("sessions").select("session_id", "project").collect().iter_rows()) if due else {}
    for row in due:
        row["project"] = projects.get(row["session_id"], "")
    for start in range(0, len(due), BATCH_WINDOWS):
        batch = due[start : start + BATCH_WINDOWS]
        run.progress(f"distil {start}/{len(due)} windows")
        _distil_batch(run, chosen, stamp, batch, counts, reasons)
    return {"due": len(due), **{key: counts[key] for key in sorted(counts)}, "failures": dict(sorted(reasons.items()))}


def _stamp(engine: Engine, run: Run) -> str:
    """What the rows are stamped with: for the offline engine its version and the budget, which decide what it keeps."""
    return f"{engine.template_hash}@{run.settings.distil.budget:g}" if engine.name == "offline" else engine.template_hash


def _due(lake: Lake, engine: Engine, stamp: str) -> list[Row]:
    windows = lake.read("windows")
    is_stale = (pl.col("status") == "distilled") & (pl.col("engine") == "offline") & (pl.col("template_hash") != stamp)
    is_due = (
        ((pl.col("status") == "pending") & (pl.col("reason").fill_null("") == ""))
        | ((pl.col("status") == "failed") & (pl.col("attempts").fill_null(0) < MAX_ATTEMPTS))
        | (is_stale if engine.name == "offline" else pl.lit(value=False))
    )
    begun = pl.col("day").min().over("session_id").alias("_begun")
    return (
        windows.with_columns(begun)
        .filter(is_due)
        .sort("_begun", "session_id", "first_ordinal")
        .drop("_begun", "schema_version")
        .to_dicts()
    )


def _distil_batch(run: Run, engine: Engine, stamp: str, batch: list[Row], counts: Counter[str], reasons: Counter[str]) -> None:
    members = _members(run, batch)
    earlier = _earlier(run.lake, batch)
    segments: list[Row] = []
    observations: list[Row] = []
    for row in batch:
        entries = members.get(row["window_id"], [])
        told = [text for before, text in earlier[row["session_id"]] if before < row["first_ordinal"]]
        result, reason = _ask(engine, entries, told[-EARLIER_FACTS:], run.settings.distil.budget)
        row["attempts"] = (row["attempts"] or 0) + 1
        row["engine"], row["template_hash"] = engine.name, stamp
        row["status"], row["reason"] = ("failed", reason) if result is None else ("distilled", "")
        counts[row["status"]] += 1
        if result is None:
            reasons[reason] += 1
            continue
        row["current_task"], row["suggested_response"] = result.current_task, result.suggested_response
        segments += segment_rows(result, row, entries)
        found = observation_rows(result, row, Window(tuple(entries), run.zone))
        observations += found
        earlier[row["session_id"]] += [(row["first_ordinal"], one["text"]) for one in found if one["verdict"] == "allow"]
        counts["segments"] += len(result.segments)
        counts.update(Counter(one["verdict"] for one in found))
    _commit(run.lake, batch, segments, observations)


def _ask(engine: Engine, entries: list[Entry], earlier: list[str], share: float) -> tuple[Distilled | None, str]:
    """The engine's result, or null with the reason why there is none."""
    if not entries:
        return None, "no entries"
    try:
        result = engine.distil(entries, segment(entries), earlier, budget_of(serialized_tokens(entries), share))
    except Exception as error:  # noqa: BLE001  one window that breaks an engine must not stop the run; it is failed and visible
        return None, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"[:200]
    reason = failure_of(result, entries)
    return (None, reason) if reason else (result, "")


def _members(run: Run, batch: list[Row]) -> dict[str, list[Entry]]:
    """The entries of each window by coverage, in order; read from the windows' days, from all days when that is not enough."""
    wanted = sum(row["entry_count"] or 0 for row in batch)
    first = min(row["started_at"] for row in batch).astimezone(run.zone).date()
    last = max(row["ended_at"] for row in batch).astimezone(run.zone).date()
    days = [first + timedelta(days=offset) for offset in range((last - first).days + 1)]
    frame = _covered(run.lake, batch, days)
    if frame.height < wanted:
        frame = _covered(run.lake, batch, None)
    groups = frame.partition_by("window_id", as_dict=True)
    return {str(key[0]): entries_of(rows.drop("window_id")) for key, rows in groups.items()}


def _covered(lake: Lake, batch: list[Row], days: list[date] | None) -> pl.DataFrame:
    windows = [row["window_id"] for row in batch]
    sessions = sorted({row["session_id"] for row in batch})
    coverage = lake.scan("coverage", days).filter(pl.col("window_id").is_in(windows)).select("session_id", "ordinal", "window_id")
    entries = lake.scan("entries", days).filter(pl.col("session_id").is_in(sessions))
    return (
        entries.join(coverage, on=["session_id", "ordinal"])
        .unique(["session_id", "ordinal"], keep="first", maintain_order=True)
        .collect()
    )


def _earlier(lake: Lake, batch: list[Row]) -> defaultdict[str, list[tuple[int, str]]]:
    """Per session what former windows said, with the window's first position; windows of this batch are told anew."""
    ids = [row["window_id"] for row in batch]
    is_other = pl.col("session_id").is_in(sorted({row["session_id"] for row in batch})) & ~pl.col("window_id").is_in(ids)
    windows = lake.scan("windows").filter(is_other & (pl.col("status") == "distilled")).collect()
    found: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    if windows.is_empty():
        return found
    rows = (
        lake.scan("observations", sorted(set(windows["day"])))
        .filter(pl.col("verdict") == "allow")
        .join(windows.lazy().select("window_id", "first_ordinal"), on="window_id")
        .sort("session_id", "first_ordinal", "observation_id")
        .select("session_id", "first_ordinal", "text")
        .collect()
    )
    for session, ordinal, text in rows.iter_rows():
        found[session].append((ordinal, text))
    return found


def _commit(lake: Lake, batch: list[Row], segments: list[Row], observations: list[Row]) -> None:
    """Replaces what these windows had; rows of other windows stay as they are, and so does what the dedupe step wrote."""
    ids = [row["window_id"] for row in batch]
    days = sorted({row["day"] for row in batch})
    kept = lake.read("observations", days).drop("schema_version")
    owned = {row["observation_id"]: row for row in kept.filter(pl.col("window_id").is_in(ids)).to_dicts()}
    for row in observations:
        if before := owned.get(row["observation_id"]):
            row |= {name: before[name] for name in ("superseded_by", "merged_count", "also")}
    windows = [{name: value for name, value in row.items() if name != "project"} for row in batch]
    with lake.commit() as change:
        for table, rows in (("segments", segments), ("observations", observations), ("windows", windows)):
            schema = {name: kind for name, kind in TABLES[table].schema.items() if name != "schema_version"}
            others = lake.read(table, days).drop("schema_version").filter(~pl.col("window_id").is_in(ids))
            change.replace_days(table, pl.concat([others, pl.DataFrame(rows, schema=schema)]), days)


def _drop_orphans(lake: Lake) -> int:
    """Removes rows of windows that are no more (a rewritten file is windowed anew); how many."""
    known = lake.scan("windows").select("window_id").collect()["window_id"]
    dropped = 0
    for table in ("segments", "observations"):
        is_orphan = ~pl.col("window_id").is_in(known.implode())
        lost = lake.scan(table).filter(is_orphan).select("day").collect()["day"]
        if days := sorted(set(lost)):
            dropped += len(lost)
            with lake.commit() as change:
                change.replace_days(table, lake.read(table, days).drop("schema_version").filter(~is_orphan), days)
    return dropped
