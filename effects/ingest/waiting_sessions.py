"""Sessions that wait for the lake: `recollect session` leaves them here when another run holds the lock."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from effects.ingest.ingest_step import ingest_file
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from effects.system.errors import LakeError, SourceError
from effects.system.files import replace_file
from transforms.tables.ids import digest

FOLDER = "_queue"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A session file to read as soon as the lake is free; `is_closed` when pi said that it shut down."""

    path: Path
    is_closed: bool


def enqueue(lake: Lake, item: Waiting) -> None:
    """Leaves a note for the next writer; the same file twice is one note, closed if either was.

    Raises:
        LakeError: when the note cannot be written.
    """
    note = lake.root / FOLDER / f"{digest(str(item.path))}{'-closed' if item.is_closed else ''}.json"
    try:
        replace_file(note, json.dumps({"path": str(item.path), "is_closed": item.is_closed}).encode())
    except OSError as error:
        raise LakeError(
            f"{note} cannot be written: {error.strerror or error}", "check the permissions of RECOLLECT_LAKE"
        ) from error


def waiting(lake: Lake) -> list[Waiting]:
    """What waits, one item per file, by path; notes that cannot be read are `damaged_notes`."""
    found: dict[Path, bool] = {}
    for note in sorted((lake.root / FOLDER).glob("*.json")):
        if item := _read_note(note):
            found[item.path] = found.get(item.path, False) or item.is_closed
    return [Waiting(path, is_closed) for path, is_closed in sorted(found.items())]


def damaged_notes(lake: Lake) -> list[str]:
    """Notes that cannot be read, for `problems`: nothing is lost, because nightly reads every session below the roots anyway."""
    notes = sorted((lake.root / FOLDER).glob("*.json"))
    return [f"{note} cannot be read; delete it, `recollect nightly` reads the session" for note in notes if not _read_note(note)]


def _read_note(note: Path) -> Waiting | None:
    try:
        told = json.loads(note.read_bytes())
        return Waiting(Path(told["path"]), bool(told["is_closed"]))
    except (OSError, ValueError, KeyError, TypeError):  # told by `damaged_notes`
        return None


def read_waiting(run: Run) -> Counts:
    """Reads the sessions that wait; one that cannot be read is told in `problems` and does not wait again."""
    items = waiting(run.lake)
    problems: list[str] = []
    for item in items:
        try:
            ingest_file(run, item.path, item.is_closed)
        except SourceError as error:
            problems.append(error.message)
    forget(run.lake, items)
    return {"read": len(items) - len(problems), "problems": problems + damaged_notes(run.lake)}


def forget(lake: Lake, items: list[Waiting]) -> None:
    """Takes the notes of these items away, once they were read; a note that came meanwhile and says more stays."""
    for item in items:
        stem = digest(str(item.path))
        for name in (f"{stem}.json", f"{stem}-closed.json") if item.is_closed else (f"{stem}.json",):
            (lake.root / FOLDER / name).unlink(missing_ok=True)
