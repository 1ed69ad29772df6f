"""The step `distil`: every due window becomes segments and cited observations, in one commit per batch of windows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import polars as pl

from effects.engines.asking import Answer, Ask, asking, observing, stamp_of
from effects.engines.registry import observer_of
from effects.lake import Lake
from effects.run import Counts, Run
from effects.settings import chain_of
from transforms.checks import Window
from transforms.distilled import Engine
from transforms.distilled_rows import observation_rows, segment_rows
from transforms.entries import Entry, entries_of
from transforms.offline.engine import OfflineEngine
from transforms.schema import TABLES

MAX_ATTEMPTS = 3
BATCH_WINDOWS = 40
EARLIER_FACTS = 60
"""So many of the session's former facts are passed to the engine, newest last: enough not to repeat, small enough to send."""

Row = dict[str, Any]


def distil(run: Run, engine: Engine | None = None, again: Collection[str] = ()) -> Counts:
    """Distils every due window with the engine (by default that of the settings); one that fails is `failed` and costs no other.

    Due are pending windows without a reason, failed ones with attempts left, and offline ones of another version. A window
    that no model could be asked about (no budget left, nobody reachable) stays due and is counted as `waiting`.
    With `again` only these distilled windows are, once more; what they had stays until there is something better.
    """
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    waiting: Counter[str] = Counter()
    counts["orphaned"] = _drop_orphans(run.lake)
    plain = engine or (None if chain_of(run.settings.engine.observer) else OfflineEngine(zone=run.zone))
    stamp = stamp_of(plain, run) if plain and plain.name == "offline" else None
    due = _again(run.lake, again) if again else _due(run.lake, stamp)
    observer = observer_of(run) if due and plain is None else None
    projects = dict(run.lake.scan("sessions").select("session_id", "project").collect().iter_rows()) if due else {}
    for row in due:
        row["project"] = projects.get(row["session_id"], "")
    ask = observing(observer) if observer else asking(plain or OfflineEngine(zone=run.zone), run)
    workers = run.settings.engine.concurrency if observer else 1
    for start in range(0, len(due), BATCH_WINDOWS):
        run.progress(f"distil {start}/{len(due)} windows")
        batch = due[start : start + BATCH_WINDOWS]
        done = _distil_batch(run, ask, batch, workers)
        kept = [one for one in done if one.answer.result or not again]
        _commit(run.lake, [one.row for one in kept if not one.answer.is_waiting], kept)
        _count(done, counts, reasons, waiting)
    told = {"due": len(due), **{key: counts[key] for key in sorted(counts)}, "failures": dict(sorted(reasons.items()))}
    return told | ({"waiting": dict(sorted(waiting.items())), **observer.chain.ledger.close()} if observer else {})


@dataclass(frozen=True, slots=True)
class Done:
    """A window's row after it was asked about, with the rows that came of it."""

    row: Row
    answer: Answer
    segments: list[Row]
    observations: list[Row]


def _due(lake: Lake, offline_stamp: str | None) -> list[Row]:
    """Windows to distil. Without `offline_stamp` (a model is asked) nothing that is distilled is done again."""
    windows = lake.read("windows")
    is_offline = (pl.col("status") == "distilled") & (pl.col("engine") == "offline")
    is_stale = is_offline & (pl.col("template_hash") != (offline_stamp or ""))
    is_due = (
        ((pl.col("status") == "pending") & (pl.col("reason").fill_null("") == ""))
        | ((pl.col("status") == "failed") & (pl.col("attempts").fill_null(0) < MAX_ATTEMPTS))
        | (is_stale if offline_stamp else pl.lit(value=False))
    )
    begun = pl.col("day").min().over("session_id").alias("_begun")
    return (
        windows.with_columns(begun)
        .filter(is_due)
        .sort("_begun", "session_id", "first_ordinal")
        .drop("_begun", "schema_version")
        .to_dicts()
    )


def _again(lake: Lake, windows: Collection[str]) -> list[Row]:
    """These windows as if nobody had been asked about them: requests that were paid for are found again."""
    rows = lake.read("windows").filter((pl.col("status") == "distilled") & pl.col("window_id").is_in(list(windows)))
    begun = rows.with_columns(pl.col("day").min().over("session_id").alias("_begun"), attempts=pl.lit(0))
    return begun.sort("_begun", "session_id", "first_ordinal").drop("_begun", "schema_version").to_dicts()


def _distil_batch(run: Run, ask: Ask, batch: list[Row], workers: int) -> list[Done]:
    """Asks about every window of a batch: sessions side by side, the windows of one session in order, each told of the former."""
    members = _members(run, batch)
    earlier = _earlier(run.lake, batch)
    sessions: dict[str, list[Row]] = {}
    for row in batch:
        sessions.setdefault(row["session_id"], []).append(row)

    def of_session(rows: list[Row]) -> list[Done]:
        known = list(earlier[rows[0]["session_id"]])
        done = []
        for row in rows:
            entries = members.get(row["window_id"], [])
            told = [text for before, text in known if before < row["first_ordinal"]][-EARLIER_FACTS:]
            answer = ask(row, entries, told) if entries else Answer(None, "no entries")
            done.append(_done(run, row, entries, answer))
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


def _done(run: Run, row: Row, entries: list[Entry], answer: Answer) -> Done:
    if answer.is_waiting:
        return Done(row, answer, [], [])
    row["attempts"] = (row["attempts"] or 0) + answer.is_attempt
    row["engine"], row["template_hash"] = answer.engine, answer.stamp
    row["status"], row["reason"] = ("failed", answer.reason) if answer.result is None else ("distilled", "")
    if answer.result is None:
        return Done(row, answer, [], [])
    row["current_task"], row["suggested_response"] = answer.result.current_task, answer.result.suggested_response
    evidence = Window(tuple(entries), run.zone)
    return Done(row, answer, segment_rows(answer.result, row, entries), observation_rows(answer.result, row, evidence))


def _count(done: list[Done], counts: Counter[str], reasons: Counter[str], waiting: Counter[str]) -> None:
    for one in done:
        if one.answer.is_waiting:
            waiting[one.answer.reason] += 1
            continue
        counts[one.row["status"]] += 1
        if one.answer.result is None:
            reasons[one.answer.reason] += 1
        counts["segments"] += len(one.answer.result.segments) if one.answer.result else 0
        counts.update(Counter(row["verdict"] for row in one.observations))


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


def _commit(lake: Lake, batch: list[Row], done: list[Done]) -> None:
    """Replaces what these windows had; rows of other windows stay as they are, and so does what the dedupe step wrote."""
    if not batch:
        return
    segments = [row for one in done for row in one.segments]
    observations = [row for one in done for row in one.observations]
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
