"""Which observations may take the place of the line that they retired, and in which words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from transforms.memory.normalise_claim import is_standalone
from transforms.memory.rank_proposals import build_successor, is_successor
from transforms.tables.rows import ObservationRow

TEXT = "The size cap for reviews is 450 lines, because the smaller pieces did not compile alone (rejected: 300 lines)."


def row(text: str = TEXT, **changed: Any) -> ObservationRow:
    fields: dict[str, Any] = {
        "observation_id": "o-1", "session_id": "s-1", "project": "/code/app", "said_at": datetime(2026, 5, 1, tzinfo=UTC),
        "kind": "decision", "priority": "high", "category": "projects", "text": text, "verdict": "allow", "superseded_by": None,
        "confidence": 0.9, "merged_count": 1, "origin": "owner",
    }  # fmt: skip
    return cast(ObservationRow, fields | changed)


def test_an_observation_is_worded_without_what_it_rejected() -> None:
    """The rejected value may be the one of the line that goes."""
    candidate = build_successor(row(), "Joel", "Reflected")
    assert candidate.text == "The size cap for reviews is 450 lines, because the smaller pieces did not compile alone"
    assert (candidate.evidence, candidate.is_change) == (("o-1",), True)


@pytest.mark.parametrize(
    "changed",
    [
        {"superseded_by": "o-2"},
        {"verdict": "hold"},
        {"kind": "rule", "origin": "agent"},
        {"text": "It is 450 lines from now on."},
    ],
)
def test_what_holds_no_more_or_cannot_stand_alone_replaces_nothing(changed: dict[str, Any]) -> None:
    assert is_successor(row())
    assert not is_successor(row(**changed))


def test_a_pronoun_means_what_its_line_has_named() -> None:
    """In typed words it may mean what was said before."""
    line = "A migration that has already run is not edited, because the server would never see it"
    assert is_standalone(line, is_worded=True)
    assert not is_standalone(line)
    assert not is_standalone("Revert it, before the server sees the migration", is_worded=True)
