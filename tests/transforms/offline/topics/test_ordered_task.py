"""What a person asks for is worded as an imperative."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.language.dialogue_acts import classify_sentence
from transforms.offline.topics.ordered_task import describe_task, find_imperative


@each_case(
    ("text", "task"),
    [
        ("could you please port the importer to pathlib?", "Port the importer to pathlib"),
        ("ok, now rename the column in the export", "Rename the column in the export"),
        ("i would like to have a dark theme", "Provide a dark theme"),
        ("never push without asking me", ""),
        ("the importer is slow today", ""),
    ],
)
def test_a_request_is_a_task_in_any_polite_form_and_a_rule_is_none(text: str, task: str) -> None:
    assert describe_task(classify_sentence(text, "")) == task


def test_a_prohibition_asks_for_nothing_to_be_done() -> None:
    assert find_imperative("please fix the header") == "fix the header"
    assert find_imperative("don't touch the header") == ""
