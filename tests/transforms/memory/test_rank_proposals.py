"""Which observations may take the place of the line that they retired, and in which words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from transforms.memory.normalise_claim import is_standalone
from transforms.memory.rank_proposals import build_successor, is_successor, rank_proposals
from transforms.pages.memory_md import parse_memory
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
    ],
)
def test_what_holds_no_more_or_may_not_speak_for_the_owner_replaces_nothing(changed: dict[str, Any]) -> None:
    assert is_successor(row())
    assert not is_successor(row(**changed))


@pytest.mark.parametrize(("text", "op"), [(TEXT, "replace"), ("It is 450 lines from now on.", "remove")])
def test_a_fact_that_cannot_stand_alone_only_takes_away_the_line_that_it_retired(text: str, op: str) -> None:
    page = parse_memory("## Patterns\n\n- Reviews are capped at 300 lines\n")
    candidate = build_successor(row(text), "Joel", "Reflected")
    (proposal,) = rank_proposals([candidate], page, [], {page.bullets[0].line: "o-1"}, 5).chosen
    assert (proposal.op, proposal.old_text) == (op, "- Reviews are capped at 300 lines")
    assert proposal.text == (candidate.text if op == "replace" else "Reviews are capped at 300 lines")


def test_a_told_replacement_that_differs_in_one_name_is_no_repetition_of_its_line() -> None:
    """Words alone take the two for one claim; what was told to replace the other takes its place all the same."""
    page = parse_memory("## Patterns\n\n- Card payments go through Adyen\n")
    old = page.bullets[0].line
    told, repeated = (
        build_successor(row(f"Card payments go through {name}"), "Joel", "Reflected") for name in ("Mollie", "Adyen")
    )
    (proposal,) = rank_proposals([told], page, [], {old: "o-1"}, 5).chosen
    assert (proposal.op, proposal.old_text, proposal.text) == ("replace", old, "Card payments go through Mollie")
    assert rank_proposals([repeated], page, [], {old: "o-1"}, 5).chosen == ()
    assert rank_proposals([told], page, [], {}, 5).chosen == ()


def test_a_pronoun_means_what_its_line_has_named() -> None:
    """In typed words it may mean what was said before."""
    line = "A migration that has already run is not edited, because the server would never see it"
    assert is_standalone(line, is_worded=True)
    assert not is_standalone(line)
    assert not is_standalone("Revert it, before the server sees the migration", is_worded=True)
