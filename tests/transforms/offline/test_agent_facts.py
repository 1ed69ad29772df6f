"""What the agent states is a root cause only where it says what failed; what names a check cites its run."""

from __future__ import annotations

import pytest

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, ran, user
from transforms.exchanges.current_values import collect_values
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.agent_facts import find_agent_facts, states_fault


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


@pytest.mark.parametrize(
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


def test_a_statement_that_names_a_check_cites_its_newest_run() -> None:
    entries = conversation(
        user("fix the lint errors in src/load.py"),
        ran("npm run lint 2>&1 | tail", "1 issue", "c1"),
        ran("npm run lint 2>&1 | tail", "0 issues", "c2"),
        agent("Fixed the unused import in `src/load.py`; `npm run lint` passes."),
    )
    exchanges = split_exchanges(entries)
    (candidate,) = find_agent_facts(exchanges[0], collect_values(exchanges))
    assert [entries[ordinal].text or entries[ordinal].tool_calls[0].call_id for ordinal in candidate.ordinals[1:]] == [
        "fix the lint errors in src/load.py",
        "c2",
    ]
