"""In a question why, the cause that a search came to goes before the report that has the question's words."""

from __future__ import annotations

from datetime import date
from typing import Any, cast

from tests.each_case import each_case
from transforms.answers.cause_hits import add_causes, asks_for_cause, list_causes, put_causes_first
from transforms.recall.question import parse_question
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Hit

TODAY = date(2026, 6, 1)
WHY = parse_question("why did the fan stop at night?", TODAY)


def make_row(source: str, lines: list[int], **changed: Any) -> RankingRecord:
    """Return a candidate that cites these lines of session s."""
    row = {"id": str(lines), "source": source, "kind": None, "session_id": "s", "superseded_by": None, "lines": lines}
    return cast(RankingRecord, row | changed)


def rank(*scores: float) -> list[RankedCandidate]:
    """Return the rows with these scores, in order."""
    return [RankedCandidate(place, score, 1.0, 0.5, 0.5) for place, score in enumerate(scores)]


def make_hit(source: str, *lines: int, **changed: Any) -> Hit:
    """Return a hit that cites these lines of session s."""
    fields = {"kind": None, "priority": None, "project": None, "session_id": "s", "entry_ids": (), "said_at": None, "score": 0.5}
    return Hit(**{"id": f"{source}{lines}", "source": source, "text": "", "lines": lines} | fields | changed)


@each_case(
    "text, is_why",
    [
        ("why did the fan stop?", True),
        ("what was the cause of the stops?", True),
        ("what broke the night run?", True),
        ("which port failed?", False),
        ("what is the fan's port?", False),
    ],
)
def test_a_question_why_asks_for_no_value(text: str, is_why: bool) -> None:
    assert asks_for_cause(parse_question(text, TODAY)) == is_why


def test_a_cause_goes_before_the_report_and_before_what_was_guessed_on_the_way() -> None:
    """It may stand far behind: what it cites tells that the report is that of its search."""
    for source, said in (("turn", 3), ("turn", 8), ("observation", 3), ("segment", 4)):
        rows = [make_row(source, [said]), make_row("turn", [40]), make_row("observation", [15, 3], kind="root_cause")]
        ranked = rank(0.8, 0.7, 0.5)
        hits = add_causes(rows, [(candidate, []) for candidate in ranked[:2]], list_causes(rows, ranked, WHY))
        assert [candidate.index for candidate, _ in hits] == [2, 0, 1]


@each_case(
    "row, cause",
    [
        (make_row("turn", [20]), make_row("observation", [15, 3], kind="root_cause")),
        (make_row("turn", [3], session_id="t"), make_row("observation", [15, 3], kind="root_cause")),
        (make_row("memory", [3]), make_row("observation", [15, 3], kind="root_cause")),
        (make_row("turn", [3]), make_row("observation", [15, 3], kind="root_cause", superseded_by="o-1")),
        (make_row("turn", [3]), make_row("observation", [15, 3], kind="fix")),
    ],
)
def test_what_was_said_elsewhere_keeps_its_place_and_so_does_what_is_over(row: RankingRecord, cause: RankingRecord) -> None:
    rows, ranked = [row, cause], rank(0.8, 0.5)
    assert add_causes(rows, [(ranked[0], [])], list_causes(rows, ranked, WHY)) == [(ranked[0], [])]


@each_case("is_beside", [True, False])
def test_a_cause_stands_once_wherever_it_stood(is_beside: bool) -> None:
    """It stood far behind, or beside a later hit that says the same."""
    rows = [make_row("turn", [3]), *(make_row("turn", [place]) for place in range(100, 112))]
    rows.append(make_row("observation", [15, 3], kind="root_cause"))
    ranked = rank(*(0.8 - place / 1000 for place in range(13)), 0.7)
    hits = [(candidate, [13] if is_beside and candidate.index == 12 else []) for candidate in ranked[: 13 if is_beside else 14]]
    places = [[candidate.index, *others] for candidate, others in add_causes(rows, hits, list_causes(rows, ranked, WHY))]
    assert places == [[13], *([place] for place in range(13))]


def test_a_cause_that_the_report_leads_by_far_is_not_added_and_other_questions_have_none() -> None:
    rows = [make_row("turn", [3]), make_row("observation", [15, 3], kind="root_cause")]
    assert len(add_causes(rows, [(rank(0.8)[0], [])], list_causes(rows, rank(0.8, 0.1), WHY))) == 1
    assert not list_causes(rows, rank(0.8, 0.5), parse_question("which fan runs at night?", TODAY))


def test_the_order_by_close_sentences_does_not_take_the_place_from_it() -> None:
    report, other, cause = make_hit("turn", 3), make_hit("turn", 40), make_hit("observation", 15, 3, kind="root_cause")
    assert put_causes_first([other, report, cause]) == [other, cause, report]
    assert put_causes_first([other, cause, report]) == [other, cause, report]
