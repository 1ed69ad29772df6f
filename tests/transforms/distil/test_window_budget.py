"""The budget of a window."""

from __future__ import annotations

import pytest

from tests.transforms.conversations import agent, conversation, ran, user
from transforms.distil.window_budget import DENSE_BUDGET, SMALLEST_BUDGET, compute_budget, count_serialized_tokens, grow_budget
from transforms.offline.engine import OfflineEngine


def test_a_large_window_keeps_its_share_and_a_tiny_one_may_keep_all() -> None:
    """Nothing of a talk of a few messages is too much, and a short talk without tools keeps more than a twentieth."""
    assert compute_budget(30_000, 0.05) == 1500
    assert compute_budget(1_000, 0.05) == 240
    assert compute_budget(100, 0.05) == 160
    assert compute_budget(7, 0.05) == 67


@pytest.mark.parametrize(
    "words", ["Never deploy on Fridays.", "Decision: tokens expire after 45 minutes.", "no new dependency in the api"]
)
def test_one_sentence_and_a_short_reply_leave_a_fact(words: str) -> None:
    """The row that tells a sentence is longer than the sentence."""
    entries = conversation(user(words), agent("Ok."))
    budget = compute_budget(count_serialized_tokens(entries), 0.05)
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
    assert grow_budget(SMALLEST_BUDGET, 9000) == DENSE_BUDGET == 480
    assert grow_budget(67, 9000) == 134
    assert grow_budget(1500, 9000) == 1500
