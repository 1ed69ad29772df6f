"""Notes that name lines by their ids: the words are put in when somebody reads the note, so that forgotten ones stand nowhere."""

from __future__ import annotations

from collections.abc import Mapping

_BEFORE, _AFTER = "“[", "]”"
FORGOTTEN_LINE = "a line that was forgotten"


def name_line(proposal_id: str) -> str:
    """Return how a note names a line."""
    return f"{_BEFORE}{proposal_id}{_AFTER}"


def list_named_lines(note: str) -> list[str]:
    """Return the ids of the lines that a note names, in their order."""
    return [part.partition(_AFTER)[0] for part in note.split(_BEFORE)[1:] if _AFTER in part]


def fill_note(note: str, words: Mapping[str, str]) -> str:
    """Return a note with the words of the lines that it names, by id; one that has none was forgotten."""
    filled, *parts = note.split(_BEFORE)
    for part in parts:
        key, end, rest = part.partition(_AFTER)
        line = f"“{words[key]}”" if key in words else FORGOTTEN_LINE
        filled += line + rest if end else _BEFORE + part
    return filled
