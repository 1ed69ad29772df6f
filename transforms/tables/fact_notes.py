"""Notes behind the text of a fact: ` (rejected: …)`. Written where a fact is built, cut where the fact alone counts."""

from __future__ import annotations

from typing import Literal

NoteLabel = Literal["wrong", "rejected", "cured by"]
LABELS: tuple[NoteLabel, ...] = ("wrong", "rejected", "cured by")
"""Of a correction what was wrong, of a decision what was rejected, of an error the cure."""


def add_note(text: str, label: NoteLabel, note: str) -> str:
    """Return the text with a note behind it."""
    return f"{text.rstrip('.')} ({label}: {note})"


def cut_notes(text: str) -> str:
    """Return the text without its notes, which may be the very thing that a line must not say."""
    for label in LABELS if text.endswith(")") else ():
        text = text.partition(f" ({label}: ")[0]
    return text


def name_note(text: str, place: int) -> str:
    """Return the label of the note in which a place of a text stands; empty when it stands before all notes."""
    starts = {text.find(f" ({label}: "): label for label in LABELS if text.endswith(")")}
    before = [start for start in starts if 0 <= start < place]
    return starts[max(before)] if before else ""
