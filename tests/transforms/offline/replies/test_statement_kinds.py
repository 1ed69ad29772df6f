"""What the agent states is a root cause only where it says what failed."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.offline.replies.statement_kinds import states_fault


@each_case(
    "text",
    [
        "The build stops because the lock file is missing.",
        "Found the reader: it can't open `orders.csv`.",
        "The reason is simple: `resize` strips the header first.",
        "The issue: the pool is opened twice; the second one waits.",
        "It turns out that `flush` writes to the replica.",
    ],
)
def test_a_statement_that_names_what_failed_or_calls_itself_a_cause_is_one(text: str) -> None:
    assert states_fault(text, in_debugging=False)


@each_case(
    "text",
    [
        "There are two because they serve different scopes.",
        "Takeaways: forms are the standard, because reports are complete; five fields are enough; each names a command",
        "What changed: the guide is shorter; the check fails because of no licence; the menu is sorted",
    ],
)
def test_a_reason_and_a_list_whose_head_states_no_cause_are_none(text: str) -> None:
    assert not states_fault(text, in_debugging=False)


def test_while_debugging_a_sentence_need_not_say_that_something_failed_but_a_list_must() -> None:
    assert states_fault("Because the worker reads the queue twice.", in_debugging=True)
    assert not states_fault("Notes: the queue is read twice, because it is small; the cache is warm", in_debugging=True)
