"""The fixtures that several files share: these files run on one worker, one after the other."""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ("prefect_server", "sample_night")
"""Fixtures that several files share and that take many seconds: a server, and a night over all samples."""


@cache
def find_shared(file: Path) -> str | None:
    """Return the fixture of `SHARED` that the tests of a file ask for: the files with the same one stay on one worker."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return next((name for name in SHARED if f"{name}:" in text), None)
