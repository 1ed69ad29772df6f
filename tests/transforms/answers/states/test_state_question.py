"""A question for a state asks whether a deed was done to a thing; one about a rule, a value or a thing of that name does not."""

from __future__ import annotations

from datetime import date

from tests.each_case import each_case
from transforms.answers.states.state_question import asks_which_are_open, find_thing, list_numbers, read_state_question
from transforms.recall.question import Question, parse_question


def ask(text: str) -> Question:
    return parse_question(text, date(2026, 6, 1))


@each_case(
    ("text", "deed"),
    [
        ("Is PR #47 merged?", "merged"), ("was the migration to ultracite merged into dev?", "merged"),
        ("has the nginx change been deployed", "deployed"), ("did we push the dark theme?", "pushed"),
        ("Have you committed the Makefile yet?", "committed"), ("did the push of the outbox to main go through?", "pushed"),
        ("nookd pr merged?", "closed"), ("Is issue 48 still open?", "closed"), ("is v2.4.0 tagged", "tagged"),
        ("what is the status of PR 24?", "closed"), ("PR #52 병합됐어?", "merged"), ("is PR 7 of the shop closed?", "merged"),
    ],
)  # fmt: skip
def test_a_question_whether_something_was_done_asks_for_a_state(text: str, deed: str) -> None:
    asked = read_state_question(ask(text))
    assert asked is not None
    assert deed in asked.deciding


@each_case(
    "text",
    [
        "is the commit hook slow?", "do we push to main?", "may I merge it with squash?", "is the deployed version 1.2?",
        "did the commit hook run?", "is the coupon sidebar open by default?", "is port 80 open?", "is it merged?",
        "which PRs were merged?", "why was PR 5 merged?", "when was v2 released?", "does the tag cloud render?",
        "is the release script in Python?", "should we tag releases?", "what was PR 5 before it was merged?",
        "how do I close PR 5?", "is the open issue about fonts urgent?",
    ],
)  # fmt: skip
def test_other_questions_with_these_words_ask_for_no_state(text: str) -> None:
    assert read_state_question(ask(text)) is None


def test_what_is_asked_about_is_a_number_or_words() -> None:
    numbered = read_state_question(ask("is PR #47 merged?"))
    worded = read_state_question(ask("was the dark theme pushed?"))
    assert numbered is not None
    assert (numbered.numbers, numbered.thing) == ({"47"}, "pull request")
    assert worded is not None
    assert (worded.numbers, worded.thing, worded.subject) == (frozenset(), "", ("dark", "them"))


def test_a_name_of_several_parts_is_one_word() -> None:
    hyphened = read_state_question(ask("are the hints of minimal-header pushed?"))
    branch = read_state_question(ask("was fix/penny-stock merged?"))
    assert hyphened is not None
    assert branch is not None
    assert (hyphened.subject, branch.subject) == (("hint", "minimal-header"), ("fix/penny-stock",))


def test_numbers_that_are_none_of_a_request_name_nothing() -> None:
    assert list_numbers("is #12 of 30 done in issue 4?") == {"12", "4"}


def test_a_thing_is_a_request_or_an_issue() -> None:
    named = {text: find_thing(ask(text)) for text in ("is the pull request in?", "which issues are open?", "what is left?")}
    assert list(named.values()) == ["pull request", "issue", ""]


def test_what_is_left_is_no_state_of_one_thing() -> None:
    assert asks_which_are_open(ask("which issues are open?"))
    assert not asks_which_are_open(ask("is issue 4 open?"))
