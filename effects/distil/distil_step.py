"""The step `distil`: every due window becomes segments and cited observations, in one commit per batch of windows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

import polars as pl

from effects.config.engine_chain import parse_engine_chain
from effects.distil.window_batches import OfflineTask, Row, WindowOutcome, distil_batch, distil_offline, read_earlier_facts
from effects.distil.window_distillers import DistilWindow, compute_version_token, make_engine_distiller, make_model_distiller
from effects.engines.registry import build_observer
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from effects.system.process_pool import helpers_here, noted, side_by_side
from transforms.distil.engine_result import Engine
from transforms.offline.engine import OfflineEngine
from transforms.tables.schema import TABLES, build_frame

MAX_ATTEMPTS = 3
BATCH_WINDOWS = 40
MIN_PARALLEL_WINDOWS = 60
"""From so many on helper processes take part: one takes 0.6 s to start, in which three windows are distilled."""


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
    plain = engine or (None if parse_engine_chain(run.settings.engine.observer) else OfflineEngine(zone=run.zone))
    stamp = compute_version_token(plain, run) if plain and plain.name == "offline" else None
    due = _read_again(run.lake, again) if again else _find_due(run.lake, stamp)
    observer = build_observer(run) if due and plain is None else None
    projects = dict(run.lake.scan("sessions").select("session_id", "project").collect().iter_rows()) if due else {}
    for row in due:
        row["project"] = projects.get(row["session_id"], "")
    helpless: list[str] = []
    if observer:
        batches = _distil_in_order(run, make_model_distiller(observer), due, run.settings.engine.concurrency)
    elif engine:
        batches = _distil_in_order(run, make_engine_distiller(engine, run), due, 1)
    else:
        batches = _distil_in_processes(run, due, helpless)
    count = 0
    run.progress(f"distil 0/{len(due)} windows")
    for done in batches:
        kept = [one for one in done if one.answer.result or not again]
        _commit_batch(run.lake, [one.row for one in kept if not one.answer.is_waiting], kept)
        _count(done, counts, reasons, waiting)
        count += len(done)
        run.progress(f"distil {count}/{len(due)} windows")
    told = {"due": len(due), **{key: counts[key] for key in sorted(counts)}, "failures": dict(sorted(reasons.items()))}
    told |= {"helper_failures": helpless} if helpless else {}
    return told | ({"waiting": dict(sorted(waiting.items())), **observer.chain.ledger.close()} if observer else {})


def _distil_in_order(run: Run, ask: DistilWindow, due: list[Row], workers: int) -> Iterator[list[WindowOutcome]]:
    for start in range(0, len(due), BATCH_WINDOWS):
        batch = due[start : start + BATCH_WINDOWS]
        yield distil_batch(run, ask, batch, workers, read_earlier_facts(run.lake, batch))


def _distil_in_processes(run: Run, due: list[Row], helpless: list[str]) -> Iterator[list[WindowOutcome]]:
    """The offline engine holds Python's lock: many windows are given to several processes, those of a session to one."""
    sessions: dict[str, list[Row]] = defaultdict(list)
    for row in due:
        sessions[row["session_id"]].append(row)
    pieces: list[list[Row]] = [[]]
    for rows in sessions.values():
        if len(pieces[-1]) >= BATCH_WINDOWS:
            pieces.append([])
        pieces[-1] += rows
    quiet, earlier = Run(run.settings, run.lake, run.as_of), read_earlier_facts(run.lake, due)
    tasks = [
        OfflineTask(quiet, rows, {own: earlier[own] for own in {row["session_id"] for row in rows} & earlier.keys()})
        for rows in pieces
        if rows
    ]
    helpers = helpers_here() if len(due) >= MIN_PARALLEL_WINDOWS else 0
    return side_by_side(distil_offline, tasks, helpers, noted(run.progress, helpless))


def _find_due(lake: Lake, offline_stamp: str | None) -> list[Row]:
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


def _read_again(lake: Lake, windows: Collection[str]) -> list[Row]:
    """These windows as if nobody had been asked about them: requests that were paid for are found again."""
    rows = lake.read("windows").filter((pl.col("status") == "distilled") & pl.col("window_id").is_in(list(windows)))
    begun = rows.with_columns(pl.col("day").min().over("session_id").alias("_begun"), attempts=pl.lit(0))
    return begun.sort("_begun", "session_id", "first_ordinal").drop("_begun", "schema_version").to_dicts()


def _count(done: list[WindowOutcome], counts: Counter[str], reasons: Counter[str], waiting: Counter[str]) -> None:
    for one in done:
        if one.answer.is_waiting:
            waiting[one.answer.reason] += 1
            continue
        counts[one.row["status"]] += 1
        if one.answer.result is None:
            reasons[one.answer.reason] += 1
        counts["segments"] += len(one.answer.result.segments) if one.answer.result else 0
        counts.update(Counter(row["verdict"] for row in one.observations))


def _commit_batch(lake: Lake, batch: list[Row], done: list[WindowOutcome]) -> None:
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
            others = lake.read(table, days).drop("schema_version").filter(~pl.col("window_id").is_in(ids))
            change.replace_days(table, pl.concat([others, build_frame(TABLES[table], rows)]), days)


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
