"""What is said in chat is taken at its word only when it surely settles something, and what the agent gives up is doubted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from effects.distil.stored_weights import load_turn_classifier
from tests.transforms.conversations import agent, call, conversation, result, user
from transforms.exchanges.current_values import collect_values
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.find_candidates import find_candidates
from transforms.offline.replies.doubted_words import mark_chat, mark_doubted

JOKE = "we never deploy before the second coffee, says the mug, and my father in law agrees with it"
DOUBT = {"guidance": 0.2, "report": 0.8}


def read_chat(*, work: int) -> list[str]:
    """Kinds of the rows of the joke, in a window of eight exchanges in whose first ones the agent worked."""
    parts: list[Any] = []
    for number in range(7):
        parts.append(user(f"look at the gate number {number}"))
        parts += [agent("", call("bash", f"c{number}", command="make gate")), result(f"c{number}", "ok")] if number < work else []
        parts.append(agent("It is fine."))
    exchanges = split_exchanges(conversation(*parts, user(JOKE), agent("With a matching coaster.")))
    doubted = [replace(exchange, acts=DOUBT) for exchange in mark_chat(exchanges)]
    rows = find_candidates(doubted, "User", collect_values(doubted))
    return [row.candidate.kind for row in rows if row.source == "words" and "the mug" in row.candidate.text]


def test_what_is_said_in_chat_is_no_rule_unless_it_surely_settles_something() -> None:
    """Where an agent hardly works people joke; behind work the same words are taken at their word."""
    assert set(read_chat(work=6)) == {"rule"}
    assert set(read_chat(work=1)) == {"status"}


def test_a_talk_of_few_exchanges_and_an_exchange_with_work_are_no_chat() -> None:
    parts = [
        user("hello"),
        agent("Hello."),
        user("run it"),
        agent("", call("bash", "c1", command="make")),
        result("c1", "ok"),
        agent("It ran."),
    ]
    assert not any(exchange.is_chat for exchange in mark_chat(split_exchanges(conversation(*parts))))
    long = [part for number in range(6) for part in (user(f"and what is {number}"), agent("A number."))]
    assert [exchange.is_chat for exchange in mark_chat(split_exchanges(conversation(*long, *parts[2:])))] == [True] * 6 + [False]


def test_words_are_doubted_that_the_agent_gives_up() -> None:
    """Before a question whose answer gives way, and before words that agree to nothing, to which the agent concedes."""
    openings = load_turn_classifier().openings

    def is_doubted(typed: str, answer: str) -> bool:
        """Whether the agent's words before a message fall."""
        talk = [
            user("make the report"),
            agent("Made. All names in it are right, on each of its nine pages, and in its heads."),
        ]
        return mark_doubted(split_exchanges(conversation(*talk, user(typed), agent(answer))), openings)[0].is_doubted

    assert is_doubted("did you open it, or did you only see that it was made?", "I had only seen that it was made.")
    assert is_doubted("the head of page three has the old one", "Fair, heads come from another file.")
    assert not is_doubted("did you open it, and which page is the map on?", "Page four.")
    assert not is_doubted("good, commit it", "Right. Committed as 1a2b3c4.")
