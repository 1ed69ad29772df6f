"""The step `distil`: every due window becomes segments and cited observations, in one commit per batch of windows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import date

import polars as pl

from effects.batches.prefetch import BatchWaitError, prefetch
from effects.distil.second_reading import WindowReading, summarise_readings
from effects.distil.typed_words import read_typed_language
from effects.distil.window_batches import OfflineTask, WindowOutcome, distil_batch, distil_offline, read_earlier_facts
from effects.distil.window_distillers import (
    DistilWindow,
    WindowResult,
    build_offline_engine,
    compute_version_token,
    make_collector,
    make_engine_distiller,
    make_model_distiller,
)
from effects.embedding.embedder import BUNDLED
from effects.engines.model_chain import PreparedCall
from effects.engines.observer import MAX_ATTEMPTS, Observer
from effects.engines.registry import build_observer, describe_observer, list_observer_models
from effects.judging.second_reader import SecondReader, build_second_reader
from effects.judging.unread_clauses import describe_judged_language, is_foreign_language
from effects.store.content_key import compute_search_key, find_settled, settle
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from effects.system.process_pool import count_workers, end_idle_workers, keep_warnings, map_in_processes
from effects.system.work_tally import tell_watcher, watching_work
from transforms.attribution.typed_language import describe_model_language
from transforms.distil.engine_result import Engine
from transforms.distil.result_rows import DueWindowRow
from transforms.tables.enums import OFFLINE
from transforms.tables.rows import ObservationRow
from transforms.tables.schema import OBSERVATIONS, TABLES, WINDOWS, build_frame, read_rows

BATCH_WINDOWS, PIECE_WINDOWS = 40, 8
"""Windows of a commit, and those that a process takes at once: with pieces of 40 one of two processes waited for the other."""
_FIRST_DAY = pl.col("day").min().over("session_id").alias("_first_day")
MIN_PARALLEL_WINDOWS = 60
"""Windows from which worker processes pay off: a worker needs as long to start as a few windows take."""


def distil(
    run: Run,
    engine: Engine | None = None,
    again: Collection[str] = (),
    *,
    in_batches: bool = False,
    sessions: Collection[str] | None = None,
    unit: str = "windows",
) -> Counts:
    """Distil every due window with `engine` (by default that of the settings) and return counts.

    A window is due when it is pending without a reason, failed with attempts left, or distilled by another version of the
    offline engine. A window that breaks the engine becomes `failed` and costs no other; one that another version distilled keeps
    its rows until the next version. When no model can be asked (no budget
    left, no connection), the window stays due and counts as `waiting`. With `again` only these distilled windows are distilled
    once more; their former rows stay until a new result replaces them. With `in_batches` the observer's requests go out in the
    provider's batches where the settings say so. With `sessions` only the due windows of these sessions are distilled, which
    changes no row of them. `unit` is the word of the progress line.
    """
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    waiting: Counter[str] = Counter()
    given_up: Counter[str] = Counter()
    stopped: Counter[str] = Counter()
    engine_here = engine or _build_engine_here(run)
    key = "" if again else _compute_key(run, engine_here)
    if find_settled(run, "distil", key) is None:
        counts["orphaned"] = _drop_orphans(run.lake)
        due = _read_again(run.lake, again) if again else _find_due(run, engine_here, sessions)
        if sessions is None and not due and not counts["orphaned"]:
            settle(run, "distil", key, {})
    else:
        counts["orphaned"], due = 0, []
    observer = build_observer(run) if due and engine_here is None else None
    reader, reader_note = build_second_reader(run, observer) if observer else (None, "")
    typed = read_typed_language(run) if engine_here else None
    readings: list[WindowReading] = []
    failures: list[str] = []
    if observer:
        is_batch = in_batches and run.settings.engine.batch != "off" and observer.chain.models[0].backend == "instructor"
        distil_part = _distil_waves if is_batch else _distil_parts
        batches = distil_part(run, observer, due, reader)
    elif engine:
        batches = _distil_in_order(run, make_engine_distiller(engine, run), due, 1)
    else:
        batches = _distil_in_processes(run, due, failures, is_foreign=bool(typed and typed.is_other))
    with watching_work(lambda done: run.progress(unit, min(done, len(due)), len(due))):
        tell_watcher()
        for outcomes in batches:
            committed = [outcome for outcome in outcomes if outcome.result.distilled or not again]
            _commit_batch(run.lake, [outcome.row for outcome in committed if not outcome.result.is_waiting], committed)
            _count(outcomes, counts, reasons, waiting)
            stopped.update(_name_stop(row) for outcome in committed for row in outcome.observations if row["verdict"] != "allow")
            given_up.update(outcome.result.given_up for outcome in outcomes if outcome.result.given_up)
            readings += [outcome.reading for outcome in outcomes if outcome.reading]
    end_idle_workers()  # vectors and the comparison of facts follow, which take memory and one process
    summary: Counts = {"due": len(due), **{key: counts[key] for key in sorted(counts)}, "failures": dict(sorted(reasons.items()))}
    summary |= {"offline_instead": dict(sorted(given_up.items()))} if given_up else {}
    summary |= {"stopped": dict(stopped.most_common())} if stopped else {}
    summary |= {"worker_failures": failures} if failures else {}
    summary["engine"], reason = describe_observer(run) if engine is None else (engine.name, "")
    summary |= {"engine_reason": reason} if reason else {}
    language = describe_judged_language(typed or read_typed_language(run)) if summary["engine"] == OFFLINE else ""
    summary |= {"language_note": language} if language else {}
    summary |= {"note": model} if (model := _describe_first_model(run)) else {}
    summary |= {"second_reading": {"engine": reader_note, **summarise_readings(readings)}} if reader_note else {}
    return summary | ({"waiting": dict(sorted(waiting.items())), **observer.chain.call_store.close()} if observer else {})


def _describe_first_model(run: Run) -> str:
    """Return, before the first vectors are computed, that the model of the vectors does not read the owner's language."""
    has_vectors = not run.lake.scan("embeddings").select("text_hash").head(1).collect().is_empty()
    if has_vectors or run.settings.embedding.model != BUNDLED:
        return ""
    typed = read_typed_language(run)
    return describe_model_language(typed, is_foreign=is_foreign_language(typed))


def list_due_sessions(run: Run) -> list[tuple[str, date, int]]:
    """Return (session, first due day, number of due windows) of every session that `distil` would distil, newest first."""
    engine = _build_engine_here(run)
    if find_settled(run, "distil", _compute_key(run, engine)) is not None:
        return []
    due = _scan_due(run, engine, None).group_by("session_id").agg(pl.col("day").min(), pl.len()).collect()
    return sorted(due.iter_rows(), key=lambda session: (session[1], session[0]), reverse=True)


def _build_engine_here(run: Run) -> Engine | None:
    """Return the offline engine; None when the settings name models."""
    return None if list_observer_models(run) else build_offline_engine(run)


def _compute_key(run: Run, engine: Engine | None) -> str:
    version = compute_version_token(engine, run) if engine else ""
    return compute_search_key(run, ("windows", "segments", "observations"), version)


def _distil_parts(
    run: Run, observer: Observer, due: list[DueWindowRow], reader: SecondReader | None
) -> Iterator[list[WindowOutcome]]:
    return _distil_in_order(run, make_model_distiller(observer, run), due, run.settings.engine.concurrency, reader)


def _distil_waves(
    run: Run, observer: Observer, due: list[DueWindowRow], reader: SecondReader | None
) -> Iterator[list[WindowOutcome]]:
    """Distil the first window of every session, then the second, and so on: a request shows the facts of those before it."""
    sessions: dict[str, list[DueWindowRow]] = defaultdict(list)
    for row in due:
        sessions[row["session_id"]].append(row)
    for number in range(max(map(len, sessions.values()), default=0)):
        wave = [rows[number] for rows in sessions.values() if number < len(rows)]
        prepared: list[PreparedCall] = []
        collector, earlier = make_collector(observer, run, prepared), read_earlier_facts(run.lake, wave)
        distil_batch(run, collector, wave, 1, earlier, count=lambda _: None)
        try:
            prefetch(run, observer.chain.call_store, prepared)
        except BatchWaitError as error:
            waiting = WindowResult(None, str(error), is_waiting=True)
            yield [WindowOutcome(row, waiting, [], [], {}) for rows in sessions.values() for row in rows[number:]]
            return
        yield from _distil_parts(run, observer, wave, reader)


def _distil_in_order(
    run: Run, distil_window: DistilWindow, due: list[DueWindowRow], workers: int, reader: SecondReader | None = None
) -> Iterator[list[WindowOutcome]]:
    for start in range(0, len(due), BATCH_WINDOWS):
        batch = due[start : start + BATCH_WINDOWS]
        yield distil_batch(run, distil_window, batch, workers, read_earlier_facts(run.lake, batch), reader)


def _distil_in_processes(
    run: Run, due: list[DueWindowRow], failures: list[str], *, is_foreign: bool
) -> Iterator[list[WindowOutcome]]:
    """Distil in several processes, because the offline engine holds Python's lock; the windows of a session stay together."""
    sessions: dict[str, list[DueWindowRow]] = defaultdict(list)
    for row in due:
        sessions[row["session_id"]].append(row)
    groups: list[list[DueWindowRow]] = [[]]
    for rows in sessions.values():
        if len(groups[-1]) >= PIECE_WINDOWS:
            groups.append([])
        groups[-1] += rows
    silent_run, earlier = Run(run.settings, run.lake, run.as_of), read_earlier_facts(run.lake, due)
    tasks = [
        OfflineTask(
            silent_run,
            rows,
            {session_id: earlier[session_id] for session_id in {row["session_id"] for row in rows} & earlier.keys()},
            is_foreign,
        )
        for rows in groups
        if rows
    ]
    # No process ends with a long one, while the others wait.
    tasks.sort(key=lambda task: sum(row["token_count"] or 0 for row in task.windows), reverse=True)
    workers = count_workers() if len(due) >= MIN_PARALLEL_WINDOWS else 1
    return _join_pieces(map_in_processes(distil_offline, tasks, workers, keep_warnings(run.progress, failures)))


def _join_pieces(pieces: Iterator[list[WindowOutcome]]) -> Iterator[list[WindowOutcome]]:
    """Yield the windows of several pieces for each commit, which rewrites the days that they are of."""
    waiting: list[WindowOutcome] = []
    for outcomes in pieces:
        waiting += outcomes
        if len(waiting) >= BATCH_WINDOWS:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _scan_due(run: Run, engine: Engine | None, sessions: Collection[str] | None) -> pl.LazyFrame:
    """Return the windows to distil, of these sessions or of all. Distilled ones are due for another version of `offline` only,
    and so are those that broke it too often."""
    offline_version = compute_version_token(engine, run) if engine and engine.name == OFFLINE else None
    is_other_version = (pl.col("engine") == OFFLINE) & (pl.col("template_hash") != (offline_version or ""))
    is_stale = (pl.col("status") == "distilled") & is_other_version
    is_hopeful = (pl.col("attempts").fill_null(0) < MAX_ATTEMPTS) | is_other_version.fill_null(value=False)
    if engine is None or offline_version:  # the offline engine reads what models gave up
        is_hopeful |= (pl.col("attempts") == MAX_ATTEMPTS) & (pl.col("engine") != OFFLINE)
    is_due = (
        ((pl.col("status") == "pending") & (pl.col("reason").fill_null("") == ""))
        | ((pl.col("status") == "failed") & is_hopeful)
        | (is_stale if offline_version else pl.lit(value=False))
    )
    return run.lake.scan("windows").filter(is_due if sessions is None else is_due & pl.col("session_id").is_in(list(sessions)))


def _find_due(run: Run, engine: Engine | None, sessions: Collection[str] | None) -> list[DueWindowRow]:
    """Return the windows to distil in their order; sessions are ordered by the day of their first window, due or not."""
    due = _scan_due(run, engine, sessions).collect()
    if due.is_empty():
        return []
    first_days = run.lake.scan("windows").select("session_id", _FIRST_DAY).unique("session_id")
    return _order_windows(run.lake, due.join(first_days.collect(), on="session_id", how="left"))


def _read_again(lake: Lake, windows: Collection[str]) -> list[DueWindowRow]:
    """Return these windows as if no engine had been asked; paid requests are found again in the call store."""
    rows = lake.read("windows").filter((pl.col("status") == "distilled") & pl.col("window_id").is_in(list(windows)))
    return _order_windows(lake, rows.with_columns(_FIRST_DAY, attempts=pl.lit(0)))


def _order_windows(lake: Lake, windows: pl.DataFrame) -> list[DueWindowRow]:
    """Return windows with the project of their session: oldest session first, the windows of a session in order."""
    if windows.is_empty():
        return []
    projects = dict(lake.scan("sessions").select("session_id", "project").collect().iter_rows())
    ordered = windows.sort("_first_day", "session_id", "first_ordinal")
    return [{**row, "project": projects.get(row["session_id"], "")} for row in read_rows(WINDOWS, ordered)]


def _count(outcomes: list[WindowOutcome], counts: Counter[str], reasons: Counter[str], waiting: Counter[str]) -> None:
    for outcome in outcomes:
        if outcome.result.is_waiting:
            waiting[outcome.result.reason] += 1
            continue
        counts["failed" if outcome.keeps_rows else outcome.row["status"]] += 1
        if outcome.result.distilled is None:
            reasons[outcome.result.reason] += 1
        counts["segments"] += len(outcome.result.distilled.segments) if outcome.result.distilled else 0
        counts.update(Counter(row["verdict"] for row in outcome.observations))


def _name_stop(row: ObservationRow) -> str:
    """Return the verdict on a fact that goes no further and its reason, without the words of the fact."""
    return f"{row['verdict']}: {(row['verdict_reason'] or '').partition(':')[0]}"


def _commit_batch(lake: Lake, batch: list[DueWindowRow], outcomes: list[WindowOutcome]) -> None:
    """Replace the rows of these windows; rows of other windows, those of an outcome that keeps its rows, and the columns of the
    dedupe step stay."""
    if not batch:
        return
    segments = [row for outcome in outcomes for row in outcome.segments]
    observations = [row for outcome in outcomes for row in outcome.observations]
    ids = [row["window_id"] for row in batch]
    kept = {outcome.row["window_id"] for outcome in outcomes if outcome.keeps_rows}
    days = sorted({row["day"] for row in batch})
    stored = lake.read("observations", days).drop("schema_version")
    former = {row["observation_id"]: row for row in read_rows(OBSERVATIONS, stored.filter(pl.col("window_id").is_in(ids)))}
    for row in observations:
        if before := former.get(row["observation_id"]):
            row["superseded_by"], row["merged_count"], row["also"] = (
                before["superseded_by"],
                before["merged_count"],
                before["also"],
            )
    retired = {key: successor for outcome in outcomes for key, successor in outcome.retired.items()}
    for row in observations:
        row["superseded_by"] = row["superseded_by"] or retired.get(row["observation_id"])
    windows = [{name: value for name, value in row.items() if name != "project"} for row in batch]
    with lake.commit() as change:
        for table, rows in (("segments", segments), ("observations", observations), ("windows", windows)):
            replaced = ids if table == "windows" else [name for name in ids if name not in kept]
            others = lake.read(table, days).drop("schema_version").filter(~pl.col("window_id").is_in(replaced))
            change.replace_days(table, pl.concat([others, build_frame(TABLES[table], rows)]), days)
    written = {row["observation_id"] for row in observations}
    _retire_earlier(lake, {key: successor for key, successor in retired.items() if key not in written})


def _retire_earlier(lake: Lake, retired: Mapping[str, str]) -> None:
    """Mark observations of former batches as superseded, each by its successor; one that is superseded already stays so."""
    is_retired = pl.col("observation_id").is_in(list(retired)) & pl.col("superseded_by").is_null()
    days = sorted(set(lake.scan("observations").filter(is_retired).select("day").collect()["day"])) if retired else []
    if not days:
        return
    rows = lake.read("observations", days).drop("schema_version")
    successor = pl.col("observation_id").replace_strict(dict(retired), default=None, return_dtype=pl.String)
    with lake.commit() as change:
        superseded = pl.when(is_retired).then(successor).otherwise(pl.col("superseded_by"))
        change.replace_days("observations", rows.with_columns(superseded_by=superseded), days)


NO_WINDOW = ""
"""Window of an observation that no window yielded: the outcome of a closed task."""


def _drop_orphans(lake: Lake) -> int:
    """Remove rows of windows that do not exist any more (a rewritten file is windowed anew) and return their number."""
    known = lake.scan("windows").select("window_id").collect()["window_id"]
    dropped = 0
    for table in ("segments", "observations"):
        is_orphan = ~pl.col("window_id").is_in(known.implode()) & (pl.col("window_id") != NO_WINDOW)
        orphan_days = lake.scan(table).filter(is_orphan).select("day").collect()["day"]
        if days := sorted(set(orphan_days)):
            dropped += len(orphan_days)
            with lake.commit() as change:
                change.replace_days(table, lake.read(table, days).drop("schema_version").filter(~is_orphan), days)
    return dropped
