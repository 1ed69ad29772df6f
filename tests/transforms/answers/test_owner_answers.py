"""What the owner decided about an agent's proposal goes before the proposal."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, cast

from tests.each_case import each_case
from transforms.answers.owner_answers import add_owner_answers, list_answering_facts, put_answers_first
from transforms.recall.question import parse_question
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Hit

ASKED = parse_question("should the setup build the program?", date(2026, 6, 1))
PROPOSAL = {"source": "turn", "speaker": "assistant", "position": 4, "entry_ids": ["e4"], "lines": [4], "text": "Yes, port 80."}
REFUSAL = {"source": "observation", "kind": "decision", "entry_ids": ["e5", "e4"], "lines": [5, 4], "origin": "owner"}


def make_row(columns: dict[str, Any], **changed: Any) -> RankingRecord:
    """Return a candidate of session s."""
    row = {"id": "x", "kind": None, "session_id": "s", "superseded_by": None, "speaker": None, "position": None, "text": "no"}
    return cast(RankingRecord, row | columns | changed)


def order(rows: list[RankingRecord], scores: list[float], question: str = ASKED.text) -> list[int]:
    """Return the rows in the order that they get when the first ones, all but the last, are hits."""
    ranked = [RankedCandidate(place, score, 1.0, 0.5, 0.5) for place, score in enumerate(scores)]
    hits = [(candidate, list[int]()) for candidate in ranked[:-1]]
    asked = parse_question(question, date(2026, 6, 1))
    return [hit.index for hit, _ in add_owner_answers(rows, hits, list_answering_facts(rows, ranked, hits, asked), asked)]


def make_hit(columns: dict[str, Any], **changed: Any) -> Hit:
    """Return a hit of session s."""
    fields = {"id": "x", "kind": None, "priority": None, "project": None, "session_id": "s", "said_at": None, "score": 0.5}
    given = columns | {"entry_ids": tuple(columns["entry_ids"]), "lines": tuple(columns["lines"])}
    given.pop("position", None)
    return Hit(**{"text": "no"} | fields | given | changed)


def test_the_owners_answer_goes_before_the_proposal_that_it_cites() -> None:
    """It need not be among the hits: the proposal has the words of the question."""
    rows = [make_row(PROPOSAL), make_row(PROPOSAL, entry_ids=["e9"]), make_row(REFUSAL)]
    assert order(rows, [0.9, 0.8, 0.7]) == [2, 0, 1]


@each_case(
    "fact, score, question",
    [
        (make_row(REFUSAL, lines=[5, 7]), 0.8, ASKED.text),  # what the agent did upon it
        (make_row(REFUSAL, entry_ids=["e5", "e2"]), 0.8, ASKED.text),
        (make_row(REFUSAL, session_id="t"), 0.8, ASKED.text),
        (make_row(REFUSAL, origin="summary"), 0.8, ASKED.text),
        (make_row(REFUSAL, kind="request"), 0.8, ASKED.text),
        (make_row(REFUSAL, superseded_by="o-2"), 0.8, ASKED.text),
        (make_row(REFUSAL), 0.3, ASKED.text),  # the question is about something else in the proposal
        (make_row(REFUSAL), 0.8, "which setup did we use before the program?"),
        (make_row(REFUSAL), 0.8, "which port has the program?"),  # which only the proposal names
    ],
)
def test_what_answers_something_else_does_not_lead(fact: RankingRecord, score: float, question: str) -> None:
    assert order([make_row(PROPOSAL), fact], [0.9, score], question) == [0]


def test_hits_that_are_ordered_anew_keep_the_answer_before_the_proposal() -> None:
    """Unless the proposal alone has a value of the type that is asked for."""
    proposal, refusal = make_hit(PROPOSAL), make_hit(REFUSAL)
    assert put_answers_first([proposal, refusal], {}) == [refusal, proposal]
    assert put_answers_first([refusal, proposal], {}) == [refusal, proposal]
    port = re.compile(r"\d")
    assert put_answers_first([proposal, refusal], {}, value=port) == [proposal, refusal]
