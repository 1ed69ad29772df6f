"""The rule by which a fact of the opening counts as needed."""

from __future__ import annotations

from benchmarks.recall.opening_facts import is_needed, summarise
from transforms.language.sentences import find_content_words

FACT = "The gateway listens on port 9500 behind nginx"
REQUEST = "move the gateway"


def test_a_fact_is_needed_when_the_session_states_it_again() -> None:
    """Words of the request prove nothing, nor do words scattered over several entries."""
    needed = [find_content_words("nginx forwards to port 9500 where it listens")]
    scattered = [find_content_words(text) for text in ("nginx is here", "the gateway moves", "it listens")]
    assert is_needed(FACT, REQUEST, needed)
    assert not is_needed(FACT, REQUEST, scattered)
    assert not is_needed("The gateway moves", REQUEST, needed)


def test_shares_are_over_facts_and_over_sessions() -> None:
    figures = summarise([{"recall": [True, False]}, {"recall": []}])
    assert figures == {"recall": {"shown": 1, "needed": 0.5, "any": 0.5}}
