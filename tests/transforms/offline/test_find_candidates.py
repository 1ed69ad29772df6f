"""What a person states in a talk of a few messages is kept, whatever its kind; what they curse or ask twice settles nothing."""

from __future__ import annotations

import pytest

from tests.transforms.conversations import agent, conversation, ran, user
from tests.transforms.offline.test_engine import distilled, facts, of_kind
from transforms.distil.window_budget import SMALLEST_BUDGET

TALK = [
    user("choose a broker for the tile cache"), agent("Should we go with RabbitMQ or Kafka?"),
    user("rabbitmq"), agent("Added RabbitMQ."),
]  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "the tile page listens on port 9191",
        "Ich bevorzuge kurze Antworten ohne Aufzählungen, bitte merk dir das.",
        "we replace rabbitmq with kafka, the throughput is not enough",
        "Edda Brandt from the harbour office owns the tide interface",
    ],
)
def test_a_plain_statement_of_a_small_talk_is_kept(words: str) -> None:
    assert any(words[:40] in fact.text for fact in facts(*TALK, user(words), agent("Noted."), budget=SMALLEST_BUDGET))


def test_a_name_in_small_letters_picks_the_option() -> None:
    assert of_kind(facts(*TALK), "decision") == ['User decided: "rabbitmq" (asked: Should we go with RabbitMQ or Kafka?)']


def test_a_note_for_later_is_a_task() -> None:
    kept = facts(*TALK, user("todo for later: retry when the tile api answers 429"), agent("I put a note."))
    assert of_kind(kept, "task")[0].startswith('User noted for later: "todo for later: retry')


def test_an_acknowledgement_is_no_finding() -> None:
    """The agent did nothing and repeats what it was told."""
    kept = facts(
        *TALK, user("no, wrong. i said latin-1."), agent("You're right."),
        user("Ich bevorzuge kurze Antworten ohne Aufzählungen, bitte merk dir das."),
        agent("Mache ich: kurze Antworten, keine Aufzählungen."),
    )  # fmt: skip
    assert not of_kind(kept, "root_cause")


@pytest.mark.parametrize(
    "words",
    [
        "wait i must not read 4 to 13, never again such lists, fuck you, i'm lost",
        "so this is the command? i thought it is `tile enable`? we use `tile build` instead of that, right?",
    ],
)
def test_a_curse_or_a_chain_of_questions_is_no_rule_and_no_decision(words: str) -> None:
    kept = facts(*TALK, user(words), agent("Sorry, I changed `src/tile.py`."))
    assert not [fact.text for fact in kept if words[5:25] in fact.text and fact.kind in ("rule", "decision", "state_change")]


def test_words_that_a_quotation_leaves_out_are_marked() -> None:
    """What stands between two quoted sentences and says nothing is an ellipsis, not nothing."""
    words = "the tile page listens on port 9191. thanks! the tide page of the harbour listens on port 9292."
    quoted = next(fact.text for fact in facts(*TALK, user(words), agent("Noted.")) if "9191" in fact.text)
    assert "9292" not in quoted or "9191. …" in quoted


def test_what_the_agent_calls_open_is_still_to_do() -> None:
    reply = "Committed as c77e0aa. The 429 retry is still open."
    window = distilled(conversation(*TALK, user("commit it"), ran("git commit -am x", "[main c77e0aa] x"), agent(reply)))
    assert window.suggested_response == "Still to do: The 429 retry is still open."
