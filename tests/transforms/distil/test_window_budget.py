"""The budget of a window."""

from __future__ import annotations

import pytest

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, ran, user
from transforms.conversation.entries import Entry
from transforms.distil.window_budget import (
    MOST_GROWN_TOKENS,
    MOST_TALK_TOKENS,
    SMALLEST_BUDGET,
    TALK_SHARES,
    compute_budget,
    count_serialized_tokens,
    grow_budget,
)
from transforms.offline.engine import OfflineEngine
from transforms.tables.tokens import count_tokens


def test_a_large_window_keeps_its_share_and_a_tiny_one_may_keep_all() -> None:
    """Nothing of a talk of a few messages is too much, and a short talk without tools keeps more than a twentieth."""
    assert compute_budget(talk(100, 1, 110), 0.05).tokens == pytest.approx(
        0.05 * count_serialized_tokens(talk(100, 1, 110)), abs=1
    )
    assert compute_budget(talk(60, 1, 3), 0.05) == (240, 240)
    tiny = conversation(user("hi"), agent("Hello."))
    assert compute_budget(tiny, 0.05).tokens == count_serialized_tokens(tiny) + 60


def test_a_dense_talk_may_keep_what_tells_the_sayings_of_its_owner_within_bounds() -> None:
    """Eleven decisions in 5,000 tokens had the room of four: what tools print is long, what an owner says is not. Of one whose
    stories are half of a session seven shares kept less of what matters than all that they typed."""
    dense = talk(40, 5, 8)
    sayings = sum(count_tokens(entry.owner_words) + 45 for entry in dense if entry.owner_words.strip())
    assert compute_budget(dense, 0.2).tokens == sayings
    budget = compute_budget(dense, 0.01)
    assert budget.tokens == pytest.approx(TALK_SHARES * 0.01 * count_serialized_tokens(dense), abs=1)
    assert budget.passage_tokens < budget.tokens, "what a talk has more is for its owner's words"
    assert compute_budget(talk(60, 150, 24), 0.05).tokens == MOST_TALK_TOKENS
    stories = talk(30, 55, 18)
    assert 18 * 55 < compute_budget(stories, 0.05).tokens <= 0.7 * count_serialized_tokens(stories) + 1


def talk(printed: int, said: int, turns: int) -> list[Entry]:
    """Return a talk of so many turns, each of so many lines that a tool prints and words that the owner says."""
    parts = [(user("word " * said), ran("ls", "a line of the tool\n" * printed), agent("Done.")) for _ in range(turns)]
    return conversation(*(part for turn in parts for part in turn))


@each_case("words", ["Never deploy on Fridays.", "Decision: tokens expire after 45 minutes.", "no new dependency in the api"])
def test_one_sentence_and_a_short_reply_leave_a_fact(words: str) -> None:
    """The row that tells a sentence is longer than the sentence."""
    entries = conversation(user(words), agent("Ok."))
    budget = compute_budget(entries, 0.05).tokens
    (segment,) = OfflineEngine().distil(entries, [(0, 1)], [], budget).segments
    assert [words in fact.text for fact in segment.facts] == [True]


def test_the_length_is_that_of_pi_s_serialization() -> None:
    """Words, calls and cut results count; a result of any size counts at most 2,000 characters."""
    short = conversation(user("list it"), ran("ls", "a" * 2000), agent("Two files."))
    long = conversation(user("list it"), ran("ls", "a" * 90_000), agent("Two files."))
    assert 500 < count_serialized_tokens(short) < count_serialized_tokens(long) < 600


def test_only_a_small_budget_grows() -> None:
    """To twice its size for what no rule may drop, and never beyond the floor of such windows; a share that is larger holds."""
    assert grow_budget(SMALLEST_BUDGET, 50) == SMALLEST_BUDGET + 50
    assert grow_budget(SMALLEST_BUDGET, 9000) == 480
    assert grow_budget(600, 9000) == 1200 == MOST_GROWN_TOKENS
    assert grow_budget(67, 9000) == 134
    assert grow_budget(1500, 9000) == 1500
