"""Passages: what leans on each other in an agent's message stays together, and form alone judges it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.transforms.conversations import agent, call, conversation, user
from tests.transforms.growth import grows_with_text
from transforms.exchanges.claims import CLAIM_CHARS
from transforms.exchanges.exchange import split_exchanges
from transforms.exchanges.passages import (
    PASSAGE_WEIGHTS,
    describe_passage,
    drop_announcements,
    find_passages,
    judge_passage,
    split_passages,
)


def test_a_list_stands_with_the_sentence_that_introduces_it() -> None:
    text = "The log files hold everything:\n- `say` has the full answer\n- `create` has the path and the content"
    assert split_passages(text) == (
        "The log files hold everything: `say` has the full answer; `create` has the path and the content",
    )


def test_each_piece_of_a_long_list_has_its_head() -> None:
    items = "\n".join(f"- module number {number} reads the folder of the repository and not of the shell" for number in range(9))
    passages = split_passages(f"## What was wrong\n\n{items}")
    assert len(passages) > 1
    assert all(passage.startswith("What was wrong: module number") for passage in passages)


def test_a_row_of_a_table_says_the_heads_of_its_columns() -> None:
    text = "| # | File | Issue | Fix |\n|---|---|---|---|\n| 1 | `store.py` | used the shell's folder | joins the root |"
    assert split_passages(text) == ("File: `store.py`, Issue: used the shell's folder, Fix: joins the root",)


def test_announcements_questions_and_code_are_no_passages() -> None:
    text = "Let me look at the parser first.\n\n```python\nvalue = read_everything_at_once()\n```\n\nShould I go on with it?"
    assert split_passages(text) == ()


@given(st.text(max_size=2_000))
def test_a_passage_of_several_parts_is_no_longer_than_a_claim(text: str) -> None:
    longest = max((len(line) for line in text.splitlines()), default=0)
    assert all(len(passage) <= max(CLAIM_CHARS, 2 * longest + 8) for passage in split_passages(text))


def test_passages_stand_in_messages_between_actions_and_in_plans() -> None:
    found = "The session files hold only a placeholder for each of the answers."
    plan = "Read the execution logs first and the session files after them."
    entries = conversation(
        user("why is it empty"),
        agent(found, call("bash", "c1", command="ls")),
        agent("", call("exit_plan", "c2", plan=plan)),
    )
    assert [passage.text for passage in find_passages(split_exchanges(entries))] == [found, plan]


def test_what_the_person_objected_to_has_no_passages() -> None:
    (exchange,) = split_exchanges(
        conversation(user("go"), agent("The cache of the server is cleared after each request from now on."))
    )
    assert list(find_passages([exchange]))
    assert not list(find_passages([replace(exchange, is_rejected=True)]))
    assert not list(find_passages([replace(exchange, is_undone=True)]))


def test_longer_passages_with_more_names_on_the_subject_are_worth_more() -> None:
    short, long = (
        "The parser works.",
        "The parser in `src/parse.py` reads 40 lines and joins them with `src/join.py`.",
    )
    on_subject = describe_passage(long, {"parser", "lines", "joins", "reads"})
    worth = [
        judge_passage(features, PASSAGE_WEIGHTS)
        for features in (describe_passage(short, ()), describe_passage(long, ()), on_subject)
    ]
    assert worth == sorted(set(worth))


def test_a_passage_grows_by_its_parts() -> None:
    """Each part wrote the whole passage again: thousands of marks between blanks took seconds."""
    assert grows_with_text(split_passages.__wrapped__, "ok. ", 200)


def test_what_an_agent_is_doing_leaves_a_passage_after_it_was_judged() -> None:
    """The finding before it stays; a passage of announcements alone is none."""
    finding = "The Pi unit failure is a stale golden string: `hooks.go` injects a handler, `hooks_test.go` expects none."
    doing = "I’m pulling the error of the other suite separately to see whether it is one of code or of this machine."
    (passage,) = split_passages(f"{finding} {doing}")
    assert drop_announcements(passage) == finding
    assert drop_announcements(doing) == ""
    assert drop_announcements(finding) == finding
