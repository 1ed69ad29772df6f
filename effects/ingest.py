"""Step 1 of a run: session files → sources, sessions, entries, quarantine. Incremental, atomic in batches."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from effects.errors import SourceError
from effects.ingest_plan import ReadTask, SourceRow, make_plan, refused_later
from effects.ingest_read import Update, fill, quarantine_row, read_update
from effects.ingest_write import LakeState, commit_batch, settle, write_session
from effects.run import Counts, Run
from effects.sessions import SessionFile, discover, stat_file

BATCH_BYTES = 64_000_000
BATCH_FILES = 1000
"""What is read, then committed; the next batch is read meanwhile, so two of them are in memory."""

SWITCH_SECONDS = 0.0005
FILL_BYTES = 8_000_000
"""Files are parsed until this much waits, then become rows together."""


def ingest(run: Run) -> Counts:
    """Reads what is new in every session file below the configured folders.

    Counts: files found, unchanged, read, refused, excluded, gone; entries added; secrets redacted; lines quarantined.

    Raises:
        SourceError: when there is no sessions folder, or no session file in it.
    """
    files = discover(run.settings)
    state = LakeState(run.lake, run.zone)
    counts = _ingest_files(run, state, files)
    settle(run.lake)
    return {"files": len(files), **counts}


def ingest_files(run: Run, paths: Sequence[Path]) -> Counts:
    """Reads some session files, as a backfill does month by month; files that vanished meanwhile are left out.

    Whatever the order of the parts, they end in the lake that `ingest` over all of them makes.
    """
    files = [file for path in sorted(set(paths)) if (file := stat_file(path.absolute()))]
    counts = _ingest_files(run, LakeState(run.lake, run.zone), files)
    settle(run.lake)
    return {"files": len(files), **counts}


def ingest_file(run: Run, path: Path, closed: bool = False) -> Counts:
    """Reads one session file, also one outside the configured folders; `closed` records that pi shut it down.

    Raises:
        SourceError: when the file does not exist or is not a session that can be read.
    """
    file = stat_file(path.absolute())
    if file is None:
        raise SourceError(f"no session file at {path}", "recollect session FILE, with the path of a *.jsonl file of pi")
    state = LakeState(run.lake, run.zone)
    counts = _ingest_files(run, state, [file])
    settle(run.lake)
    row = state.sources[file.path]
    if row["status"] == "refused":
        raise SourceError(f"{path} was not read: {row['reason']}", "recollect doctor")
    if closed and row["status"] == "read" and (session := state.sessions.get(row["session_id"])):
        session["is_closed"] = True
        write_session(state, row["session_id"])
    return {"files": 1, **counts}


def _ingest_files(run: Run, state: LakeState, files: list[SessionFile]) -> Counts:
    cwds = {own: row["project"] for own, row in state.sessions.items()}
    plan = make_plan(files, state.sources, state.holders(), cwds, run.settings.exclude)
    refused = [
        quarantine_row(path, -1, "refused", row["reason"])
        for path, row in sorted(plan.rows.items())
        if row["status"] == "refused" and not row["reason"].startswith("same session id")
    ]
    totals = {"read": 0, "entries": 0, "redacted": 0, "quarantined": len(refused)}
    if plan.rows:
        commit_batch(state, [], plan.rows, refused)
    holders = state.holders()
    with _undisturbed(), ThreadPoolExecutor(1, "ingest-commit") as pool, ThreadPoolExecutor(2, "ingest-rows") as makers:
        running: Future[None] | None = None
        for done, batch in _batches(plan.tasks):
            updates, failed = _read_batch(run, state, batch, holders, makers)
            totals = _added_up(totals, updates, failed)
            if running:
                running.result()
            quarantined = [quarantine_row(path, -1, "refused", row["reason"]) for path, row in failed.items()]
            running = pool.submit(commit_batch, state, updates, failed, quarantined)
            del updates
            run.progress(f"ingest {done}/{len(plan.tasks)} files")
        if running:
            running.result()
    return {"unchanged": plan.unchanged, **totals, **_statuses(state)}


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Parsed JSON has no cycles; looking for some in every batch took a third of the time.

    Threads that come back from Rust wait for the one that runs Python: 5 ms each time, unless it is asked more often.
    """
    was_on, interval = gc.isenabled(), sys.getswitchinterval()
    gc.disable()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        if was_on:
            gc.enable()


def _batches(tasks: list[ReadTask]) -> Iterator[tuple[int, list[ReadTask]]]:
    """(files up to and with this batch, the batch)."""
    batch: list[ReadTask] = []
    size = 0
    for done, task in enumerate(tasks):
        if batch and (size + task.file.size > BATCH_BYTES or len(batch) >= BATCH_FILES):
            yield done, batch
            batch, size = [], 0
        batch.append(task)
        size += task.file.size
    if batch:
        yield len(tasks), batch


def _read_batch(
    run: Run, state: LakeState, batch: list[ReadTask], holders: dict[str, str], makers: ThreadPoolExecutor
) -> tuple[list[Update], dict[str, SourceRow]]:
    running: list[Future[list[Update]]] = []
    failed: dict[str, SourceRow] = {}
    waiting: list[tuple[ReadTask, Update]] = []
    size = 0
    for task in batch:
        path, session_id = task.file.path, task.header.session_id
        old = state.sources.get(path)
        is_speaker = holders.get(session_id) == path
        try:
            update = read_update(task, old, is_speaker, run.lake, run.zone, state.days_of(session_id))
            waiting.append((task, update))
            size += update.pending_bytes
        except Exception as error:  # noqa: BLE001  # one bad file must not stop a night; it is named, quarantined and tried again
            failed[path] = refused_later(task.file, old, error)
        if size >= FILL_BYTES:
            running.append(makers.submit(_filled, state, waiting, failed))
            waiting, size = [], 0
    running.append(makers.submit(_filled, state, waiting, failed))
    return [update for made in running for update in made.result()], failed


def _filled(state: LakeState, waiting: list[tuple[ReadTask, Update]], failed: dict[str, SourceRow]) -> list[Update]:
    """The updates with their rows, made together; when that fails each file is tried alone, to find the bad one."""
    try:
        fill([update for _, update in waiting])
    except Exception as error:  # noqa: BLE001  # as above
        if len(waiting) > 1:
            return [update for one in waiting for update in _filled(state, [one], failed)]
        file = waiting[0][0].file
        failed[file.path] = refused_later(file, state.sources.get(file.path), error)
        return []
    return [update for _, update in waiting]


def _added_up(totals: dict[str, int], updates: list[Update], failed: dict[str, SourceRow]) -> dict[str, int]:
    return {
        "read": totals["read"] + len(updates),
        "entries": totals["entries"] + sum(update.fresh.height for update in updates),
        "redacted": totals["redacted"] + sum(update.secrets for update in updates),
        "quarantined": totals["quarantined"] + sum(len(update.damage) for update in updates) + len(failed),
    }


def _statuses(state: LakeState) -> dict[str, int]:
    found = [row["status"] for row in state.sources.values()]
    return {status: found.count(status) for status in ("refused", "excluded", "gone")}
