"""The note for pi's extension: lake and workspace of this user, so that it finds the page of the last night without a process."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from effects.system.files import replace_file


def note_memory(lake: Path, workspace: Path) -> None:
    """Keep the note current. Where it cannot be written, only pi's late openings are missing."""
    path, data = locate_note(), format_note(lake, workspace)
    with suppress(OSError):
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(path, data)


def format_note(lake: Path, workspace: Path) -> bytes:
    """Return the note: lake and workspace as one JSON object."""
    places = {"lake": str(lake), "workspace": str(workspace)}
    return json.dumps(places, ensure_ascii=False).encode() + b"\n"


def locate_note() -> Path:
    """Return the place where `extensions/pi/recollect.ts` looks for the note: beside its log, the same on every system."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "recollect" / "memory.json"
