"""An observation that retired a line of MEMORY.md as the line that takes its place, in its own words."""

from __future__ import annotations

import re

from transforms.memory.eligibility import LineCandidate, choose_section, may_speak, score_observation
from transforms.memory.normalise_claim import MAX_LINE_CHARS, is_standalone
from transforms.tables.rows import ObservationRow

_APPENDED = re.compile(r"\s+\((?:rejected|wrong|cure): .*\)$", re.S)
"""What a decision rejected stands behind it, and may be the line that goes."""


def is_successor(row: ObservationRow) -> bool:
    """Whether an observation may be the line itself: it holds, it may speak for the owner, and it stands alone."""
    is_current = row["verdict"] == "allow" and row["superseded_by"] is None and row["said_at"] is not None
    text = word_successor(row)
    return is_current and may_speak(row) and len(text) <= MAX_LINE_CHARS and is_standalone(text, is_worded=True)


def word_successor(row: ObservationRow) -> str:
    """Return the text of an observation as a line."""
    return _APPENDED.sub("", " ".join(row["text"].split()).rstrip(" .")).rstrip(" .")


def build_successor(row: ObservationRow, owner_section: str, reflected: str) -> LineCandidate:
    """Return the candidate; alone it is no line, because nobody found it worth one."""
    text = word_successor(row)
    return LineCandidate(
        text=text,
        section=choose_section(row["kind"], row["category"], text, owner_section, reflected),
        kind=row["kind"],
        worth=score_observation(row),
        evidence=(row["observation_id"],),
        sessions=frozenset({row["session_id"]}),
        said_at=row["said_at"],
        projects=frozenset({row["project"]} if row["project"] else ()),
        is_change=True,
    )
