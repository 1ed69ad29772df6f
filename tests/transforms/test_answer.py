"""Answers: the telling sentences of the hits, each cited, within the budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.answer import EXCERPT, answer_budget, excerpt
from transforms.recall import Hit, within_budget


def test_an_excerpt_is_the_stretch_that_the_question_is_about() -> None:
    """Not the beginning of a long text."""
    text = "I looked around first. " * 20 + "The TTL is 15 minutes. " + "Then I went on. " * 20
    found = excerpt(text, {"ttl": 3.0, "minut": 1.0})
    assert "The TTL is 15 minutes." in found
    assert len(found) <= EXCERPT


@given(st.text(max_size=600), st.integers(10, 300))
def test_an_excerpt_keeps_to_its_limit(text: str, limit: int) -> None:
    """Whatever the text."""
    assert len(excerpt(text, {"a": 1.0}, limit)) <= limit


def test_the_answer_takes_at_most_a_third_of_the_budget() -> None:
    """And its usual length when there is none."""
    assert [answer_budget(bound) for bound in (None, 30, 90, 9_000)] == [160, 10, 30, 160]


def test_hits_beyond_the_budget_are_cut_or_left_out() -> None:
    """The first that does not fit is cut when 20 tokens are left."""
    hits = [Hit(str(n), "turn", "x" * 160, None, None, None, None, (), (), None, 1.0) for n in range(3)]
    assert [len(hit.text) for hit in within_budget(hits, 65)] == [160, 100]
    assert [len(hit.text) for hit in within_budget(hits, 45)] == [160]
    assert len(list(within_budget(hits, None))) == 3
