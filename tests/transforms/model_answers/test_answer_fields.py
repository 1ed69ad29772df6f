"""The fields of answers, as models write them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from tests.each_case import each_case
from transforms.answers.written_answer import WrittenAnswer, parse_written_answer
from transforms.condensing.period_answer import PeriodAnswer
from transforms.friction.friction_answer import FrictionAnswer
from transforms.memory.proposal_answer import TRAILING_REFS, ProposalAnswer
from transforms.model_answers.answer_fields import choose_priority, parse_kind, parse_numbers, replace_null
from transforms.model_answers.answer_xml import read_fact_lines
from transforms.model_answers.window_answer_schema import WindowAnswer
from transforms.pairing.relations import RelationAnswer
from transforms.rereading.reading_answer import Reading, ReadingAnswer, match_readings


@each_case(
    ("value", "numbers"),
    [
        ("3-5", [3, 4, 5]),
        (["#3–#5", "e12"], [3, 4, 5, 12]),
        ([3.0, "4"], [3, 4]),
        ("[7, 9]", [7, 9]),
        ([{"ref": 3}], [3]),
        ("5-3", [5, 3]),
        ("12-400", [12, 400]),
        (None, []),
    ],
)  # fmt: skip
def test_a_range_of_references_names_every_number_in_it(value: Any, numbers: list[int]) -> None:
    """The owner's message in the middle of "3-5" had been cited by nobody. A range over half a window is a slip."""
    assert parse_numbers(value) == numbers


def test_a_range_behind_a_plain_line_is_read_and_no_part_of_its_text() -> None:
    [fact] = read_fact_lines("* 🔴 [rule] Deploys wait for a review. (#3-5)", with_bullets=False)
    assert (fact.text, fact.refs) == ("Deploys wait for a review.", [3, 4, 5])


@each_case(
    ("value", "kind"),
    [
        ("Decision", "decision"),
        ("decisions", "decision"),
        ("rootCause", "root_cause"),
        ("ROOT CAUSE", "root_cause"),
        ("decision/architecture", "decision"),
        (["decision"], "decision"),
        ("Entscheidung", "status"),
        (None, "status"),
    ],
)  # fmt: skip
def test_a_kind_is_read_in_the_spellings_of_models(value: Any, kind: str) -> None:
    assert parse_kind(value) == kind


@each_case(
    ("value", "kind", "priority"),
    [("HIGH", "task", "high"), ("🔴 high", "task", "high"), ("yellow", "rule", "medium"), (None, "rule", "high"),
     (1, "decision", "high"), (None, "error", "medium"), (None, "question", "low"), (None, None, "low")],
)  # fmt: skip
def test_a_priority_that_cannot_be_read_is_the_usual_one_of_the_kind(value: Any, kind: Any, priority: str) -> None:
    """A rule without one had been as low as a passing remark."""
    assert choose_priority(value, kind) == priority


def test_yes_and_no_are_no_text() -> None:
    assert [replace_null(value) for value in (False, True, None, 4, ["a", None, 2], {"text": "a"})] == [
        "",
        "",
        "",
        "4",
        "a; 2",
        "a",
    ]


FACT = {"text": "Deploys wait for a review.", "kind": "rule", "priority": "high", "refs": [1]}
ITEMS: list[tuple[type[BaseModel], str, dict[str, Any]]] = [
    (WindowAnswer, "segments", {"topic": 1, "narrative": "n", "facts": [FACT]}),
    (ProposalAnswer, "proposals", {"section": "Patterns", "text": "Deploys wait for a review.", "refs": [1]}),
    (PeriodAnswer, "lines", FACT),
    (FrictionAnswer, "items", {"pattern": "tool misuse", "text": "Deploys wait.", "target": "agents", "refs": [1]}),
    (RelationAnswer, "pairs", {"pair": "1a", "relation": "replaces"}),
]


@each_case(("answer", "name", "item"), ITEMS)
def test_one_item_in_another_form_costs_no_other_item_of_an_answer(
    answer: type[BaseModel], name: str, item: dict[str, Any]
) -> None:
    """It had cost a second request, and then the day's lines, the period or the pairs."""
    whole = answer.model_validate({name: [item]})
    assert answer.model_validate({name: [None, item, "words", 7]}) == whole
    assert answer.model_validate({name: item}) == whole
    assert answer.model_validate({name: str([item]).replace("'", '"')}) == whole
    assert getattr(answer.model_validate({name: None}), name) == []
    with pytest.raises(ValidationError):
        answer.model_validate({name: ["words", 7]})


@each_case(("answer", "name", "item"), [case for case in ITEMS if "refs" in case[2]])
def test_an_item_without_citations_is_left_to_the_checks(answer: type[BaseModel], name: str, item: dict[str, Any]) -> None:
    """They hold it, and say why."""
    bare = {key: value for key, value in item.items() if key != "refs"}
    assert [part.refs for part in getattr(answer.model_validate({name: [bare, item]}), name)] == [[], [1]]
    said = WrittenAnswer.model_validate({"is_in_memory": True, "sentences": [{"text": "Deploys wait."}]})
    assert said.sentences[0].refs == []


def test_lines_for_memory_are_read_beside_null_and_texts() -> None:
    answer = ProposalAnswer.model_validate({"proposals": [], "over": None, "summary": None})
    assert (answer.over, answer.summary) == ([], "")
    assert ProposalAnswer.model_validate({"proposals": [], "over": "Until Friday."}).over == ["Until Friday."]


@each_case(
    "given",
    [
        {"verdicts": [{"fact": 1, "verdict": "supported"}, {"fact": 2, "verdict": "wrong", "fault": "value", "why": "3"}]},
        {"verdicts": {"1": "supported", "2": "wrong, value: 3"}},
        {"verdicts": {"1": {"verdict": "supported"}, "2": {"verdict": "wrong", "fault": "value", "why": "3"}}},
        {"verdicts": "1: supported\n2: wrong, value: 3"},
        {"verdicts": ["supported", {"verdict": "wrong", "fault": "value", "why": "3"}]},
        {
            "verdicts": None,
            "facts": [{"fact": 1, "verdict": "supported"}, None, {"fact": "2", "verdict": "wrong", "fault": "value", "why": 3}],
        },
    ],
)
def test_verdicts_are_read_in_every_form_that_says_them(given: dict[str, Any]) -> None:
    """In another form than a list of texts all facts of the window went on unread."""
    read = match_readings(ReadingAnswer.model_validate(given), 2)
    assert read == [Reading("supported"), Reading("wrong", "value: 3")]


def test_a_verdict_that_is_null_keeps_its_place() -> None:
    read = match_readings(ReadingAnswer.model_validate({"verdicts": [None, "supported", "supported"]}), 3)
    assert read == [None, Reading("supported"), Reading("supported")]


@each_case("endless", ["1" * 50_000, ", 1" * 20_000, " (#1" * 20_000])
def test_citations_that_do_not_end_are_read_in_the_time_of_their_length(endless: str) -> None:
    began = time.process_time()
    assert len(read_fact_lines(f"* 🟢 [fact] It holds (#1{endless}x", with_bullets=True)) == 1
    assert not TRAILING_REFS.search(f"It holds (#1{endless}x")
    assert len(parse_written_answer(f"<answer>\n- It holds (#1{endless}x\n</answer>").sentences) == 1
    assert time.process_time() - began < 3
