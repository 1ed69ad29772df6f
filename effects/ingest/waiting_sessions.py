"""Sessions that wait for the lake: `recollect session` leaves a note here when another run holds the lock."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from effects.store.lake import Lake
from effects.store.run import Counts, Run
from effects.system.errors import LakeError, SourceError
from effects.system.files import replace_file
from transforms.tables.ids import hash_fields

QUEUE_FOLDER = "_queue"


@dataclass(frozen=True, slots=True)
class WaitingSession:
    """A session file to read as soon as the lake is free; `is_closed` when pi said that it shut down.

    `notes` are its files in the queue.
    """

    path: Path
    is_closed: bool
    notes: tuple[Path, ...] = field(default=(), compare=False)


def enqueue_session(lake: Lake, session: WaitingSession) -> None:
    """Leave a note for the next writer. The same file twice is one note; closed if either was.

    Raises:
        LakeError: when the note cannot be written.
    """
    note = lake.root / QUEUE_FOLDER / f"{hash_fields(str(session.path))}{'-closed' if session.is_closed else ''}.json"
    try:
        replace_file(note, json.dumps({"path": str(session.path), "is_closed": session.is_closed}).encode())
    except OSError as error:
        raise LakeError(
            f"{note} cannot be written: {error.strerror or error}", "check the permissions of RECOLLECT_LAKE"
        ) from error


def list_waiting_sessions(lake: Lake) -> list[WaitingSession]:
    """Return one session per file, by path; `list_damaged_notes` has the notes that cannot be read."""
    by_path: dict[Path, list[WaitingSession]] = defaultdict(list)
    for note in _list_notes(lake):
        if session := _read_note(note):
            by_path[session.path].append(session)
    return [
        WaitingSession(
            path, any(session.is_closed for session in sessions), tuple(note for session in sessions for note in session.notes)
        )
        for path, sessions in sorted(by_path.items())
    ]


def list_damaged_notes(lake: Lake) -> list[Path]:
    """Return the notes that cannot be read. Nothing is lost: nightly reads every session below the session folders anyway."""
    return [note for note in _list_notes(lake) if not _read_note(note)]


def read_waiting(run: Run) -> Counts:
    """Read the sessions that wait; one that cannot be read is named in `problems` and does not wait again."""
    sessions = list_waiting_sessions(run.lake)
    problems: list[str] = []
    from effects.ingest.ingest_step import ingest_file  # each run looks for notes, and reading sessions takes long to import

    for session in sessions:
        try:
            ingest_file(run, session.path, session.is_closed)
        except SourceError as error:
            problems.append(error.message)
    remove_notes(sessions)
    damaged = [f"{note} cannot be read: `recollect rebuild lake` sets it aside" for note in list_damaged_notes(run.lake)]
    return {"read": len(sessions) - len(problems), "problems": problems + damaged}


def remove_notes(sessions: Sequence[WaitingSession]) -> None:
    """Remove the notes of sessions that were read; a newer note that closes the session stays."""
    for session in sessions:
        for note in session.notes:
            note.unlink(missing_ok=True)


def _list_notes(lake: Lake) -> list[Path]:
    return sorted((lake.root / QUEUE_FOLDER).glob("*.json"))


def _read_note(note: Path) -> WaitingSession | None:
    try:
        fields = json.loads(note.read_bytes())
        return WaitingSession(Path(fields["path"]), bool(fields["is_closed"]), (note,))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # `list_damaged_notes` names it
        return None
