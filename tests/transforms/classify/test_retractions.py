"""Whether an agent's words fall with the message behind them is judged by that message and by the agent's answer."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from effects.distil.stored_weights import OPENINGS_FILE, load_turn_classifier
from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, edited, user
from transforms.classify.linear_model import LinearModel
from transforms.classify.retractions import (
    ANSWER_CHARS,
    FALLS,
    MIN_RETRACTION,
    OPENING_BITS,
    STANDS,
    TYPED_CHARS,
    hash_openings,
    judge_openings,
    judge_retraction,
)
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.engine import OfflineEngine
from transforms.offline.replies.doubted_words import describe_later_words, mark_doubted


def load_openings() -> LinearModel:
    """Return the stored model of openings."""
    openings = load_turn_classifier().openings
    assert openings is not None
    return openings


def judge(before: str, typed: str, answer: str) -> float:
    """Return the probability that the agent's words before a message fall with it."""
    return judge_retraction(describe_later_words(before, typed), judge_openings(typed, answer, load_openings()))


CLAIM = "The ferry timetable is complete: all 14 harbours are in `harbours.csv` and every import test passes."


@each_case(
    "typed, answer",
    [
        (
            "no, two harbours are missing. you only read the first sheet of the timetable",
            "You're right, the second sheet was not read. I'll import it, too.",
        ),
        (
            "no!! the import test fails here, 12 harbours and 2 of them twice. why do you say every test passes",
            "You're right, I ran only one file. I apologise.",
        ),
    ],
)
def test_a_message_that_the_agent_answers_by_taking_its_words_back_refutes_them(typed: str, answer: str) -> None:
    assert judge(CLAIM, typed, answer) >= MIN_RETRACTION > judge(CLAIM, "great, now the winter timetable", "Done.")


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
def test_any_words_have_one_probability(before: str, typed: str, answer: str) -> None:
    assert 0 <= judge(before, typed, answer) == judge(before, typed, answer) <= 1


WORDS = st.text("abc ,.", max_size=80)


@given(WORDS, WORDS)
def test_only_the_beginnings_of_message_and_answer_count(typed: str, answer: str) -> None:
    typed, answer = f"x{typed:.<60}"[:TYPED_CHARS], f"x{answer:.<60}"[:ANSWER_CHARS]
    assert hash_openings(f"{typed} and more", f"{answer} and more")[0].tolist() == hash_openings(typed, answer)[0].tolist()


def test_the_openings_are_a_small_file() -> None:
    """They are part of every installation."""
    assert OPENINGS_FILE.stat().st_size < 20_000


def make_certain(bias: float) -> LinearModel:
    """Return openings that doubt all or nothing."""
    return LinearModel((STANDS, FALLS), np.zeros((1 << OPENING_BITS, 2), np.float32), np.array([0, bias], np.float32))


def test_words_are_doubted_with_the_message_behind_them_and_that_message_disputes_them() -> None:
    exchanges = split_exchanges(conversation(user("look at the log"), agent("All is fine."), user("it is not"), agent("True.")))
    doubted = mark_doubted(exchanges, make_certain(50.0))
    assert [(exchange.is_doubted, exchange.disputes) for exchange in doubted] == [(True, False), (False, True)]
    assert not any(exchange.is_doubted or exchange.disputes for exchange in mark_doubted(exchanges, make_certain(-50.0)))
    assert not any(exchange.is_doubted for exchange in mark_doubted(exchanges))


def test_what_the_agent_takes_back_is_neither_an_outcome_nor_what_a_message_is_about() -> None:
    """The request, the objection and what is so now are kept."""
    entries = conversation(
        user("import the ferry timetable of the northern harbours into harbours.csv"),
        edited("harbours.csv", "a", "b", "c1"), agent(CLAIM),
        user("the timetable has 16 harbours in two sheets, 14 is only the first sheet!!"),
        edited("harbours.csv", "b", "c", "c2"),
        agent("You're right, the second sheet was not read. All 16 harbours are in `harbours.csv` now."),
        user("the winter timetable starts on 2 November, keep both"), agent("Both timetables are kept."),
    )  # fmt: skip
    result = OfflineEngine(classifier=load_turn_classifier()).distil(entries, [(0, len(entries) - 1)], [], 2000)
    told = " ".join([*(segment.narrative for segment in result.segments), *(f.text for s in result.segments for f in s.facts)])
    assert "all 14 harbours" not in told
    assert "14 is only the first sheet" in told
    assert "16 harbours" in told
