"""Step 1 of a run: session files → sources, sessions, entries, quarantine. Incremental, atomic in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import polars as pl

from effects.ingest.batches import RelatedTasks, group_families, list_parents, measure_family, split_into_batches
from effects.ingest.commit import SHRUNK_RULE, LakeState, commit_batch, commit_parts, join_day_files, write_session_row
from effects.ingest.cut_files import is_restored, keep_lost_entries, word_loss, word_rewritten
from effects.ingest.diverged_copies import READ_WORDS, mark_unread, read_copies
from effects.ingest.part_files import FILL_BYTES, PartTask, SessionPart, complete_updates, write_part
from effects.ingest.plan import COPY_REASON, ReadTask, make_plan, refuse_for_now
from effects.ingest.read_file import SecretsBefore, SessionUpdate, make_quarantine_row, read_session_update, word_unread_times
from effects.ingest.resumed_copies import name_origins
from effects.ingest.session_files import (
    SessionFile,
    describe_empty_scan,
    read_first_header,
    scan_session_folders,
    stat_file,
)
from effects.ingest.session_paths import name_as_known, name_session_path
from effects.ingest.stored_secret_files import load_stored_secrets
from effects.ingest.wrong_times import find_trusted_latest, list_due, list_mistimed
from effects.store.content_key import compute_search_key, find_settled, settle
from effects.store.run import Counts, Run, find_latest_time
from effects.system.errors import LakeError, SourceError
from effects.system.process_pool import count_workers, keep_warnings, map_in_processes
from effects.system.work_tally import tell_watcher, watching_work
from transforms.redaction.redact import NO_SECRETS, redact
from transforms.tables.rows import QuarantineRow, SourceRow
from transforms.tables.surrogates import replace_surrogates

COMMIT_BYTES = 128_000_000
"""Minimum bytes of new sessions per commit. After a crash they are read again."""

MB = 1_000_000
MIN_PARALLEL_BYTES = 16_000_000
"""Bytes of new sessions from which worker processes pay off."""


def ingest(run: Run) -> Counts:
    """Read the new entries of every session file below the configured folders.

    Counts: files file_counts, unchanged, read, refused, excluded, gone; entries added; secrets redacted; lines quarantined; and
    when worker processes failed, `worker_failures`: the reasons (their work was then done in this process); `problems`: folders
    that are missing or may not be read, and files that lost entries, times that cannot be read.

    Folders without a single file change nothing, as on an unmounted disk or before the first session; a problem says so, and
    the work of later steps is done.

    Raises:
        SourceError: when there is no sessions folder.
    """
    known = run.lake.collect(run.lake.scan("sources").select("path"), "sources")["path"].to_list()
    scan = scan_session_folders(run.settings, is_first=not known)
    files, problems = name_as_known(scan.files, known), scan.problems
    if not files:
        advice = (
            "what was read before stays" if known else "run your agent once, or correct RECOLLECT_SESSIONS (`recollect config`)"
        )
        return {"files": 0, "read": 0, "problems": [f"{describe_empty_scan(run.settings, scan)}; {advice}"]}
    key = _compute_key(run, known, files, problems)
    if (settled := find_settled(run, "ingest", key)) is not None:
        return settled
    state = LakeState(run.lake, run.zone)
    before = state.sources.copy()
    counts: Counts = {"files": len(files), **_ingest_files(run, state, files)}
    is_sure = "problems" not in counts  # these may depend on the clock
    if problems:
        counts["problems"] = problems + cast("list[str]", counts.get("problems", []))
    is_quiet = counts["unchanged"] == len(files) and state.sources == before
    if join_day_files(run.lake) == 0 and is_quiet and is_sure:
        settle(run, "ingest", key, counts)
    return counts


def _compute_key(run: Run, known: Sequence[str], files: Sequence[SessionFile], problems: Sequence[str]) -> str:
    """Return the key of a plan and its counts: session files, problems, files outside that were read once, the tables, and which
    times of the future have come."""
    present = {file.path for file in files}
    outside = [(path, stat_file(Path(path)) is None) for path in known if path not in present]
    due = list_due(run.lake.read("quarantine"), find_latest_time(run))
    tables = ("sources", "sessions", "entries", "quarantine")
    return compute_search_key(run, tables, repr(files), repr(problems), repr(outside), repr(due))


def ingest_files(run: Run, paths: Sequence[Path]) -> Counts:
    """Read some session files, as a backfill does month by month; files that vanished meanwhile are left out.

    In any order of the parts the lake has the turns that `ingest` over all of them reads, each once. Of sessions that share turns
    without naming each other, the one that was read first has them.
    """
    state = LakeState(run.lake, run.zone)
    names = {name_session_path(path.absolute(), run.settings.sessions) for path in paths}
    files = name_as_known([file for path in names if (file := stat_file(path))], state.sources)
    counts = _ingest_files(run, state, files)
    join_day_files(run.lake)
    return {"files": len(files), **counts}


def ingest_file(run: Run, path: Path, is_closed: bool = False) -> Counts:
    """Read one session file, also one outside the configured folders; `is_closed` records that pi shut it down.

    Raises:
        SourceError: when the file does not exist or is not a session that can be read. One outside
            the configured folders leaves no trace then: it was named by mistake.
    """
    place = name_session_path(path.absolute(), run.settings.sessions)
    if (file := stat_file(place)) is None:
        raise SourceError(f"no session file at {path}", "recollect session FILE, with a session file of pi, Claude Code or Codex")
    state = LakeState(run.lake, run.zone)
    file = name_as_known([file], state.sources)[0]
    if file.path not in state.sources:
        check_session_elsewhere(path, run.settings.sessions)
    counts = _ingest_files(run, state, [file])
    join_day_files(run.lake)
    row = state.sources[file.path]
    if row["status"] == "refused" and not row["reason"].endswith(READ_WORDS):
        raise SourceError(f"{path} was not read: {row['reason']}", "recollect doctor")
    if is_closed and row["status"] == "read" and (session := state.sessions.get(row["session_id"] or "")):
        session["is_closed"] = True
        write_session_row(state, session["session_id"])
    if row["status"] == "excluded":
        return {"files": 1, **counts, "problems": [f"{path} was not read: {row['reason']} (RECOLLECT_EXCLUDE)"]}
    if row["session_id"] is None:
        return {"files": 1, **counts, "problems": [f"{path} has no complete line yet: nothing was read"]}
    return {"files": 1, **counts}


def check_named_file(run: Run, path: Path) -> None:
    """Refuse what `ingest_file` would refuse by the first lines of a file, before anything slow starts; only reads.

    Raises:
        SourceError: when no run has read the file, it lies outside of the folders of sessions, and it is not a session.
    """
    known = run.lake.collect(run.lake.scan("sources").select("path"), "sources")["path"].to_list() if run.lake.exists() else []
    place = name_session_path(path.absolute(), run.settings.sessions)
    if (file := stat_file(place)) and name_as_known([file], known)[0].path not in known:
        check_session_elsewhere(path, run.settings.sessions)


def check_session_elsewhere(path: Path, roots: Sequence[Path]) -> None:
    """Check a file outside of the folders of sessions; one without a complete line yet may become a session.

    Raises:
        SourceError: when it is not a session, or cannot be read.
    """
    if any(name_session_path(path.absolute(), roots).is_relative_to(root) for root in roots):
        return
    try:
        head = read_first_header(path)
    except OSError as error:
        head = error.strerror or str(error)
    if isinstance(head, str):
        raise SourceError(
            f"{path} was not read: {redact(replace_surrogates(head))}",
            "recollect session FILE, with a session file of pi, Claude Code or Codex",
        )


def _ingest_files(run: Run, state: LakeState, files: list[SessionFile]) -> Counts:
    cwds = {own: row["cwd"] or row["project"] for own, row in state.sessions.items()}
    written = {path: row["mtime_ns"] for path, row in state.sources.items()} | {file.path: file.mtime_ns for file in files}
    latest, clock = find_trusted_latest(written.values(), find_latest_time(run))
    mistimed = list_mistimed(state.sources, run.lake.read("quarantine"), latest)
    plan = make_plan(files, state.sources, state.list_speakers(), cwds, run.settings.exclude, latest, mistimed)
    refused = [
        make_quarantine_row(path, -1, "refused", row["reason"])
        for path, row in sorted(plan.rows.items())
        if row["status"] == "refused" and not row["reason"].startswith(COPY_REASON)
    ]
    totals = {"read": 0, "entries": 0, "redacted": 0, "quarantined": len(refused)}
    shrunk = _note_emptied_files(state, plan.rows)
    if plan.rows:
        rows = plan.rows | {path: mark_unread(plan.rows[path]) for path in plan.copies}
        commit_batch(state, [], rows, [*refused, *(_make_shrunk_row(*named) for named in shrunk.items())])
    tasks = name_origins(plan.tasks, state)
    parents = list_parents(tasks, state)
    secrets = load_stored_secrets(run.settings, (task.header.cwd for task in tasks))
    new, others = group_families(tasks, state, parents)
    failures: list[str] = []
    damage: list[QuarantineRow] = []
    with watching_work(_make_report(run, tasks)):
        tell_watcher()
        for parts in _group_parts(_read_new_sessions(run, new, parents, secrets, failures)):
            failed = {path: row for part in parts for path, row in part.failed.items()}
            commit_parts(state, parts, _make_refusal_rows(failed))
            file_counts = [(gain.entry_count, gain.secrets, len(gain.damage)) for part in parts for gain in part.gains]
            damage += (row for part in parts for gain in part.gains for row in gain.damage)
            totals = _add_counts(totals, file_counts, failed)
        for batch in split_into_batches([[task] for task in others], run.zone):
            updates, failed = _read_batch(run, state, batch, secrets)
            shrunk |= _note_lost_entries(state, updates)
            file_counts = [(update.fresh.height, update.secrets, len(update.damage)) for update in updates]
            damage += (row for update in updates for row in update.damage)
            commit_batch(state, updates, failed, _make_refusal_rows(failed))
            totals = _add_counts(totals, file_counts, failed)
    added, unreadable = read_copies(run, state, plan, secrets)
    totals |= {"entries": totals["entries"] + added, "quarantined": totals["quarantined"] + unreadable}
    problems = clock + [f"{path}: {loss}" for path, loss in shrunk.items()] + word_unread_times(damage)
    return {
        "unchanged": plan.unchanged,
        **totals,
        **_count_statuses(state),
        **({"worker_failures": failures} if failures else {}),
        **({"problems": problems} if problems else {}),
    }


def _make_report(run: Run, tasks: Sequence[ReadTask]) -> Callable[[int], None]:
    """Return a function that reports the bytes read: a single file may be all there is to read, and take minutes."""
    total = sum(task.file.size for task in tasks)
    unit, size = ("MB", MB) if total >= MB else ("kB", 1000)

    def report(done: int) -> None:
        """Report the bytes that are done, in whole units; a piece that a worker failed at was counted twice."""
        run.progress(unit, min(done, total) // size, total // size)

    return report if total else lambda done: None


def _note_emptied_files(state: LakeState, rows: Mapping[str, SourceRow]) -> dict[str, str]:
    """Name the loss in each row of a file of which nothing is left, and return these losses by path."""
    losses = {}
    for path, row in sorted(rows.items()):
        if row["status"] == "read" and row["consumed_bytes"] > row["size"] and row["session_id"] in state.sessions:
            losses[path] = row["reason"] = word_loss(state.sessions[row["session_id"]]["entry_count"])
    return losses


def _note_lost_entries(state: LakeState, updates: Sequence[SessionUpdate]) -> dict[str, str]:
    """Add a row of quarantine to each update whose file no longer has what the lake has, and return the new losses by path.

    The entries of a file that was cut stay. The lake follows one that was written anew, but says what went, until the file is the
    one again that was read before. To be called before the commit.
    """
    losses = {}
    noted = state.lake.read("quarantine").filter(pl.col("rule") == SHRUNK_RULE)
    for update in updates:
        if update.source is None:
            continue
        path, detail = update.source["path"], update.source["reason"]
        details = noted.filter(pl.col("path") == path)["detail"].to_list()
        update.is_restored = is_restored(path, details)
        if update.is_whole and update.lost > 0 and not update.is_restored:
            row = state.sessions[update.session_id]
            detail = word_rewritten(update.lost, row["entry_count"], state.sources.get(row["source_path"]))
            advice = "it was written anew, so they are not in memory; a backup of the file in its place brings them back"
            losses[path] = f"{detail.partition(';')[0]}: {advice}"
        elif detail and (path not in state.sources or state.sources[path]["reason"] != detail):
            losses[path] = detail
        if path in losses:
            update.damage.append(_make_shrunk_row(path, detail))
    return losses


def _make_shrunk_row(path: str, detail: str) -> QuarantineRow:
    return {"path": path, "line_no": -1, "rule": SHRUNK_RULE, "detail": detail}


def _read_new_sessions(
    run: Run,
    new: list[RelatedTasks],
    parents: dict[str, str | None],
    secrets: Mapping[str, str],
    failures: list[str],
) -> Iterator[SessionPart]:
    """Yield the new sessions, many of them read by workers; reasons of failed workers are reported and added to `failures`."""
    workers = count_workers() if sum(map(measure_family, new)) >= MIN_PARALLEL_BYTES else 1
    part_tasks = [
        PartTask(
            batch,
            {task.header.session_id: parents[task.header.session_id] for task in batch},
            run.zone,
            run.lake.root,
            run.lake.scratch(f"part-{number}"),
            secrets,
        )
        for number, batch in enumerate(split_into_batches(new, run.zone, workers))
    ]
    return map_in_processes(write_part, part_tasks, workers, keep_warnings(run.progress, failures))


def _group_parts(parts: Iterator[SessionPart]) -> Iterator[list[SessionPart]]:
    """Yield the parts of each commit: during a commit only the workers are busy, so there are few commits."""
    waiting: list[SessionPart] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += sum(gain.source["size"] for gain in part.gains)
        if size >= COMMIT_BYTES:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting


def _make_refusal_rows(failed: dict[str, SourceRow]) -> list[QuarantineRow]:
    return [make_quarantine_row(path, -1, "refused", row["reason"]) for path, row in failed.items()]


def _read_batch(
    run: Run, state: LakeState, batch: list[ReadTask], secrets: Mapping[str, str]
) -> tuple[list[SessionUpdate], dict[str, SourceRow]]:
    speakers = state.list_speakers()
    updates: list[SessionUpdate] = []
    failed: dict[str, SourceRow] = {}
    waiting: list[tuple[ReadTask, SessionUpdate]] = []

    def read(task: ReadTask, given_away: Mapping[str, str] = NO_SECRETS) -> SessionUpdate:
        path, session_id = task.file.path, task.header.session_id
        is_speaker, days = speakers.get(session_id) == path, state.find_days(session_id)
        before = SecretsBefore(secrets, given_away)
        return read_session_update(task, state.sources.get(path), is_speaker, run.lake, run.zone, days, before)

    for task in batch:
        try:
            waiting.append((task, read(task)))
        except LakeError:  # the lake is damaged or the disk is full: the fault is not this session's
            raise
        except Exception as error:  # noqa: BLE001  # one bad file must not stop a night; it is named, quarantined and tried again
            failed[task.file.path] = refuse_for_now(task.file, state.sources.get(task.file.path), error)
        if sum(update.pending_bytes for _, update in waiting) >= FILL_BYTES:
            updates += complete_updates(waiting, state.sources, failed, secrets, read)
            waiting = []
    updates += complete_updates(waiting, state.sources, failed, secrets, read)
    for update in updates:
        keep_lost_entries(run.lake, update, state.sources, speakers.get(update.session_id))
    return updates, failed


def _add_counts(totals: dict[str, int], file_counts: list[tuple[int, int, int]], failed: dict[str, SourceRow]) -> dict[str, int]:
    """Return the totals with (entries, secrets, damaged lines) of each file that was read, and the files that failed."""
    return {
        "read": totals["read"] + len(file_counts),
        "entries": totals["entries"] + sum(entries for entries, _, _ in file_counts),
        "redacted": totals["redacted"] + sum(secrets for _, secrets, _ in file_counts),
        "quarantined": totals["quarantined"] + sum(damaged for _, _, damaged in file_counts) + len(failed),
    }


def _count_statuses(state: LakeState) -> dict[str, int]:
    statuses = [row["status"] for row in state.sources.values()]
    return {status: statuses.count(status) for status in ("refused", "excluded", "gone")}
