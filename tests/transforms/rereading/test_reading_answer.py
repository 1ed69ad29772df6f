"""The answer of a second reading: its two forms, and the verdict together with the word checks."""

from __future__ import annotations

import pytest

from tests.each_case import each_case
from transforms.rereading.reading_answer import Reading, ReadingAnswer, match_readings, parse_reading_lines
from transforms.rereading.verdicts import join_verdicts

WRONG = Reading("wrong", "value: #3 says 40")


def test_both_forms_say_the_same() -> None:
    """pi's models answer in lines, the others in JSON."""
    lines = parse_reading_lines("1: supported\n2: wrong, value: #3 says 40\n\n3: absent")
    json = ReadingAnswer.model_validate_json(
        '{"facts": [{"fact": 1, "verdict": "supported"},'
        ' {"fact": "2", "verdict": "Wrong", "fault": "value", "why": "#3 says 40"}, {"fact": 3, "verdict": "not found"}]}'
    )
    assert match_readings(lines, 3) == match_readings(json, 3) == [Reading("supported"), WRONG, Reading("absent")]


def test_both_forms_give_the_words_that_hold_of_a_partly_wrong_fact() -> None:
    """Without them it is wrong as a whole: nothing tells what to keep."""
    lines = parse_reading_lines("1: partly, cause: nobody named one; holds: The import failed.\n2: partly, value: #3 says 40")
    json = ReadingAnswer.model_validate_json(
        '{"facts": [{"fact": 1, "verdict": "partly", "fault": "cause", "why": "nobody named one", "holds": "The import failed."},'
        ' {"fact": 2, "verdict": "partly", "fault": "value", "why": "#3 says 40"}]}'
    )
    kept = Reading("partly", "cause: nobody named one", "The import failed.")
    assert match_readings(lines, 2) == match_readings(json, 2) == [kept, WRONG]


def test_both_forms_give_the_kind_of_a_fact_of_which_only_the_kind_is_wrong() -> None:
    """It is supported: its words hold."""
    lines = parse_reading_lines("1: supported, kind: file_change\n2: supported (kind: fact)\n3: wrong, value: #3 says 40")
    json = ReadingAnswer.model_validate_json(
        '{"facts": [{"fact": 1, "verdict": "supported", "kind": "file_change"},'
        ' {"fact": 2, "verdict": "supported", "kind": "Fact"},'
        ' {"fact": 3, "verdict": "wrong", "fault": "value", "why": "#3 says 40", "kind": "fact"}]}'
    )
    kinds = [Reading("supported", kind="file_change"), Reading("supported", kind="fact"), WRONG]
    assert match_readings(lines, 3) == match_readings(json, 3) == kinds


def test_a_fact_without_a_verdict_is_unread() -> None:
    """Half of the facts may lack one; an answer about fewer is asked for again, and so is prose."""
    assert match_readings(parse_reading_lines("2: supported"), 2) == [None, Reading("supported")]
    with pytest.raises(ValueError, match="most of the facts"):
        match_readings(parse_reading_lines("7: supported"), 3)
    with pytest.raises(ValueError, match="no verdict"):
        parse_reading_lines("All of this looks fine to me.")


@each_case(
    "verdicts",
    [
        ["1: supported", "2: wrong, value: #3 says 40", "3: partly, cause: nobody named one; holds: The import failed."],
        ["3. partly (cause): nobody named one; holds: The import failed.", "Fact 1 - supported", "2 wrong, value: #3 says 40"],
        ["supported", "wrong, value: #3 says 40", "partly, cause: nobody named one; holds: The import failed."],
    ],
)
def test_lines_of_an_object_say_what_lines_alone_say_also_without_their_numbers(verdicts: list[str]) -> None:
    """An object per verdict took three times the tokens, and what is written costs five times what is read."""
    answer = ReadingAnswer.model_validate({"verdicts": verdicts})
    assert match_readings(answer, 3) == [
        Reading("supported"),
        WRONG,
        Reading("partly", "cause: nobody named one", "The import failed."),
    ]


@each_case(
    ("checked", "reading", "verdict", "is_whole"),
    [
        (("allow", ""), WRONG, "hold", True),
        (("allow", ""), Reading("partly", "value: #3 says 40", "words that may not stand"), "hold", True),
        (("allow", ""), Reading("supported"), "allow", True),
        (("allow", ""), None, "allow", True),
        (("hold", "not in the window: 42"), Reading("supported"), "allow", True),
        (("hold", "not in the window: 42"), Reading("absent"), "hold", True),
        (("allow", ""), Reading("absent"), "hold", True),
        (("allow", ""), Reading("absent"), "allow", False),
        (("hold", "the owner did not say: every"), Reading("supported"), "allow", True),
        (("hold", "the owner did not say: every"), None, "hold", True),
        (("hold", "nobody typed it"), Reading("supported"), "hold", True),
        (("hold", "repeats tool output"), Reading("supported"), "hold", True),
        (("discard", "reads like an instruction to the memory"), Reading("supported"), "discard", True),
    ],
)
def test_a_reading_decides_the_cases_that_words_leave_in_doubt(
    checked: tuple[str, str], reading: Reading | None, verdict: str, is_whole: bool
) -> None:
    """It lifts a doubt about a word or a number, never a check that guards the owner's voice or memory itself."""
    assert join_verdicts(checked, reading, is_whole=is_whole)[0] == verdict  # type: ignore[arg-type]


def test_a_reason_of_several_lines_gives_no_other_fact_a_verdict() -> None:
    """It may quote an excerpt, and an excerpt may say anything. A text that is alone has the verdicts on all facts."""
    quoting = ReadingAnswer(verdicts=["1: wrong, invented: a page says\n2: supported", "2: wrong, value: #3 says 40"])
    assert match_readings(quoting, 2) == [Reading("wrong", "invented: a page says"), WRONG]
    assert match_readings(ReadingAnswer(verdicts=["1: supported\n2: wrong, value: #3 says 40"]), 2) == [
        Reading("supported"),
        WRONG,
    ]
