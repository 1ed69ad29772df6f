"""Windows and what an engine makes of them, without writing: sessions side by side, the windows of one session in order."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import polars as pl

from effects.distil.window_distillers import DistilWindow, WindowResult, make_engine_distiller
from effects.store.lake import Lake
from effects.store.run import Run
from transforms.conversation.entries import Entry, entries_of
from transforms.distil.result_rows import build_observation_rows, build_segment_rows
from transforms.distil.window_evidence import WindowEvidence
from transforms.offline.engine import OfflineEngine

MAX_EARLIER_FACTS = 60
"""So many of the session's former facts are passed to the engine, newest last: enough not to repeat, small enough to send."""

Row = dict[str, Any]
Earlier = dict[str, list[tuple[int, str]]]
"""Per session what former windows said, with the window's first position."""


@dataclass(frozen=True, slots=True)
class WindowOutcome:
    """A window's row after it was asked about, with the rows that came of it."""

    row: Row
    answer: WindowResult
    segments: list[Row]
    observations: list[Row]


@dataclass(frozen=True, slots=True)
class OfflineTask:
    """Windows of whole sessions for the offline engine, and what their other windows said, which no process has to look up while
    another writes. The run reports to nobody: it may be another process's.
    """

    run: Run
    windows: list[Row]
    earlier: Earlier


def distil_offline(task: OfflineTask) -> list[WindowOutcome]:
    """What the offline engine makes of the windows, read from the lake."""
    return distil_batch(
        task.run, make_engine_distiller(OfflineEngine(zone=task.run.zone), task.run), task.windows, 1, task.earlier
    )


def distil_batch(run: Run, ask: DistilWindow, batch: list[Row], workers: int, earlier: Earlier) -> list[WindowOutcome]:
    """Asks about every window of a batch: sessions side by side, the windows of one session in order, each told of the former."""
    members = _read_members(run, batch)
    sessions: dict[str, list[Row]] = {}
    for row in batch:
        sessions.setdefault(row["session_id"], []).append(row)

    def of_session(rows: list[Row]) -> list[WindowOutcome]:
        known = list(earlier.get(rows[0]["session_id"], []))
        done = []
        for row in rows:
            entries = members.get(row["window_id"], [])
            told = [text for before, text in known if before < row["first_ordinal"]][-MAX_EARLIER_FACTS:]
            answer = ask(row, entries, told) if entries else WindowResult(None, "no entries")
            done.append(_build_outcome(run, row, entries, answer))
            known += [(row["first_ordinal"], one["text"]) for one in done[-1].observations if one["verdict"] == "allow"]
        return done

    groups = list(sessions.values())
    if workers < 2 or len(groups) < 2:
        return [one for rows in groups for one in of_session(rows)]
    with ThreadPoolExecutor(workers, "distil") as pool:
        futures = [pool.submit(of_session, rows) for rows in groups]
        try:
            return [one for future in futures for one in future.result()]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # answers under way are still stored, no new request leaves
            raise


def _build_outcome(run: Run, row: Row, entries: list[Entry], answer: WindowResult) -> WindowOutcome:
    if answer.is_waiting:
        return WindowOutcome(row, answer, [], [])
    row["attempts"] = (row["attempts"] or 0) + answer.is_attempt
    row["engine"], row["template_hash"] = answer.engine, answer.stamp
    row["status"], row["reason"] = ("failed", answer.reason) if answer.result is None else ("distilled", "")
    if answer.result is None:
        return WindowOutcome(row, answer, [], [])
    row["current_task"], row["suggested_response"] = answer.result.current_task, answer.result.suggested_response
    evidence = WindowEvidence(tuple(entries), run.zone)
    return WindowOutcome(
        row, answer, build_segment_rows(answer.result, row, entries), build_observation_rows(answer.result, row, evidence)
    )


def _read_members(run: Run, batch: list[Row]) -> dict[str, list[Entry]]:
    """The entries of each window by coverage, in order; read from the windows' days, from all days when that is not enough."""
    wanted = sum(row["entry_count"] or 0 for row in batch)
    first = min(row["started_at"] for row in batch).astimezone(run.zone).date()
    last = max(row["ended_at"] for row in batch).astimezone(run.zone).date()
    days = [first + timedelta(days=offset) for offset in range((last - first).days + 1)]
    frame = _scan_members(run.lake, batch, days)
    if frame.height < wanted:
        frame = _scan_members(run.lake, batch, None)
    groups = frame.partition_by("window_id", as_dict=True)
    return {str(key[0]): entries_of(rows.drop("window_id")) for key, rows in groups.items()}


def _scan_members(lake: Lake, batch: list[Row], days: list[date] | None) -> pl.DataFrame:
    windows = [row["window_id"] for row in batch]
    sessions = sorted({row["session_id"] for row in batch})
    coverage = lake.scan("coverage", days).filter(pl.col("window_id").is_in(windows)).select("session_id", "ordinal", "window_id")
    entries = lake.scan("entries", days).filter(pl.col("session_id").is_in(sessions))
    return (
        entries.join(coverage, on=["session_id", "ordinal"])
        .unique(["session_id", "ordinal"], keep="first", maintain_order=True)
        .collect()
    )


def read_earlier_facts(lake: Lake, batch: list[Row]) -> Earlier:
    """What other windows of the batch's sessions said; its own are told anew."""
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
