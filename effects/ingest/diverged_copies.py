"""Reads what two files of one session say apart: a copy that went on on another machine, a conflict of a sync tool."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from effects.ingest.commit import LakeState, commit_batch
from effects.ingest.cut_files import load_compared_rows
from effects.ingest.plan import COPY_REASON, UNSEEN_NS, Plan, ReadTask, refuse_for_now
from effects.ingest.read_file import (
    SecretsBefore,
    SessionUpdate,
    make_pending_rows,
    make_quarantine_row,
    read_session_update,
)
from effects.ingest.session_files import PIECE_BYTES, open_session, read_first_header, stat_file
from effects.store.run import Run
from effects.system.errors import LakeError
from transforms.reading.kept_entries import COMPARED, count_missing
from transforms.reading.session_header import SessionHeader
from transforms.reading.session_row import NARROW, find_copied_rows
from transforms.tables.rows import SourceRow

READ_WORDS = "what it alone says is read"
"""End of the reason of a copy that went on by itself."""
NOT_OWN = ("no_id", "replayed")
"""Flags of entries that nothing tells again in another file."""


def mark_unread(row: SourceRow) -> SourceRow:
    """Return the row of a copy as one that the next night looks at again: this night may end before it has read the copy."""
    return {**row, "mtime_ns": UNSEEN_NS}


def read_copies(run: Run, state: LakeState, plan: Plan, secrets: Mapping[str, str]) -> tuple[int, int]:
    """Add to each session the entries that only a refused copy of its file has; return their number, and that of faulty copies.

    They stand behind those of the file that speaks for the session. What has no ids that tell it apart is not read; a row of
    quarantine has its number. A copy that is the beginning of the other file, as most are, is not read either. One that could not
    be read is named in quarantine and stays marked as unread.

    Raises:
        LakeError: when the lake cannot be read or written.
    """
    added, unreadable, beginnings = 0, 0, dict[str, SourceRow]()
    for path, session_id in sorted(plan.copies.items()):
        session, file = state.sessions.get(session_id), stat_file(path)
        row = plan.rows[path]
        if session is None or file is None or not row["reason"].startswith(COPY_REASON):
            continue
        try:
            if _is_beginning(Path(path), Path(session["source_path"])):
                beginnings[path] = row
                continue
            header = read_first_header(Path(path))
            if isinstance(header, SessionHeader) and header.session_id == session_id:
                added += _read_copy(run, state, ReadTask(file, header, plan.latest), row, secrets)
        except LakeError:
            raise
        except Exception as error:  # noqa: BLE001  # one bad file must not stop a night; it is named and tried again
            reason = refuse_for_now(file, row, error)["reason"]
            commit_batch(state, [], {path: mark_unread(row)}, [make_quarantine_row(path, -1, "refused", reason)])
            unreadable += 1
    if beginnings:
        commit_batch(state, [], beginnings, [])
    return added, unreadable


def _is_beginning(path: Path, other: Path) -> bool:
    """Return whether a file is the beginning of the other one; of one that is gone nobody knows."""
    if not other.exists():
        return False
    with open_session(path) as shorter, open_session(other) as longer:
        while piece := shorter.read(PIECE_BYTES):
            if piece != longer.read(len(piece)):
                return False
    return True


def _read_copy(run: Run, state: LakeState, task: ReadTask, refused: SourceRow, secrets: Mapping[str, str]) -> int:
    session_id, path = task.header.session_id, task.file.path
    days = state.find_days(session_id)
    update = read_session_update(task, None, False, run.lake, run.zone, days, SecretsBefore(secrets))
    make_pending_rows([update], secrets)
    if update.must_read_again:
        update = read_session_update(task, None, False, run.lake, run.zone, days, SecretsBefore(secrets, update.given_away))
        make_pending_rows([update], secrets)
    stored = load_compared_rows(run.lake, session_id, days)
    copied = find_copied_rows(update.fresh, [stored])
    is_own = pl.col("entry_id").is_in(stored["entry_id"].to_list()).not_() & pl.col("row").is_in([*copied]).not_()
    for flag in NOT_OWN:
        is_own &= pl.col("flags").list.contains(flag).not_()
    own = update.fresh.with_row_index("row").filter(is_own).drop("row")
    first_ordinal = stored["ordinal"][-1] + 1 if stored.height else 0
    own = own.with_columns(ordinal=pl.Series(range(first_ordinal, first_ordinal + own.height), dtype=pl.Int32))
    unread = count_missing(update.fresh, pl.concat([stored.select(COMPARED), own.select(COMPARED)]))
    row = refused.copy()
    rows = {path: row}
    damage = []
    if own.height or (stored["source_path"] == path).any():
        row["reason"] = f"{row['reason']}; {READ_WORDS}"
    if own.height:
        speaker = state.sources[state.sessions[session_id]["source_path"]].copy()
        speaker["days"] = sorted({*speaker["days"], *own["day"]})
        rows[speaker["path"]] = speaker
        damage = [fault for fault in update.damage if fault["line_no"] in set(own["line_no"])]
    if unread:
        damage.append(make_quarantine_row(path, -1, "refused", f"{unread} of its entries are not in memory: {row['reason']}"))
    changed = SessionUpdate(session_id, stored.select(NARROW), own, old_days=days, damage=damage)
    commit_batch(state, [changed] if own.height else [], rows, damage if not own.height else [])
    return own.height
