"""While some candidates wait for their vectors, the order lies between that of words and that of all features."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.transforms.recall.test_rank import ranked, row
from transforms.recall.rank import blend_scores

QUESTION = "which harbour keeps the lantern ship"
SAID = "the lantern ship lies in the northern harbour"


def make_turns(count: int) -> list[dict[str, Any]]:
    """Return a turn that answers the question and newer ones that share a word with it."""
    others = [f"number {place} of the ships went out to sea past the islands of the coast" for place in range(count)]
    texts = [SAID, *others]
    return [
        row(f"t:{place}", text, source="turn", speaker="user", session_id=f"s{place}", position=0)
        for place, text in enumerate(texts)
    ]


def make_vectors(cosines: list[float]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return unit vectors with these cosines to the question; zeros for 0, a row that waits."""
    rows = [[cosine, (1 - cosine * cosine) ** 0.5] if cosine else [0.0, 0.0] for cosine in cosines]
    return np.array(rows, dtype=np.float32), np.array([1.0, 0.0], dtype=np.float32)


def test_a_turn_that_waits_is_not_crowded_out_by_the_few_with_a_vector() -> None:
    """The first night embeds the newest turns; the answer stands in an older one that has the words of the question."""
    rows = make_turns(12)
    assert ranked(rows, QUESTION, make_vectors([0.0] * 13))[0] == "t:0"
    assert ranked(rows, QUESTION, make_vectors([*[0.0] * 9, 0.1, 0.1, 0.1, 0.8]))[0] == "t:0"


def test_by_words_alone_the_words_of_the_question_go_before_length() -> None:
    """In long chats agents' pieces at full length have many words; before, they made a lake without vectors worse than BM25."""
    padding = " ".join(f"{word}{number}" for number in range(20) for word in ("tide", "rope"))
    long = f"which harbour keeps the lantern ship, which harbour keeps the lantern ship {padding}"
    rows = [
        row("t:short", SAID, source="turn", speaker="user", session_id="s0", position=0),
        row("t:long", long, source="turn", speaker="assistant", session_id="s1", position=0),
    ]
    assert ranked(rows, QUESTION)[0] == "t:short"


def test_a_fact_leads_the_turn_of_the_same_words_as_long_as_turns_have_no_vectors() -> None:
    """A turn is longer for what stands around its fact, and length is a sign that it may answer: the fact needs a lead."""
    around = "we talked about it in the morning, and the weather was fine all day long, so that nobody had to wait at the pier"
    fact = row("o:1", SAID, source="observation")
    turn = row("t:1", f"{SAID}; {around}", source="turn", speaker="user", session_id="s1", position=0)
    others = make_turns(4)[1:]
    assert ranked([turn, fact, *others], QUESTION)[0] == "o:1"
    cosines = [0.0, 0.5, *[0.0] * 4]
    assert ranked([turn, fact, *others], QUESTION, make_vectors(cosines))[0] == "o:1"


def test_vectors_count_fully_when_no_turn_waits() -> None:
    """A command never gets a vector; it is no turn that waits, and changes no other row."""
    rows, cosines = [turn | {"position": place} for place, turn in enumerate(make_turns(3))], [0.05, 0.1, 0.1, 0.95]
    complete = ranked(rows, QUESTION, make_vectors(cosines))
    assert complete[0] == "t:3"
    with_command = ranked([*rows, row("c", "sea", source="turn")], QUESTION, make_vectors([*cosines, 0]))
    assert [key for key in with_command if key != "c"] == complete


SCORES = st.lists(st.tuples(st.floats(-9, 30), st.floats(-9, 30), st.booleans(), st.booleans()), min_size=1, max_size=20)


@given(SCORES)
def test_the_order_of_turns_begins_as_that_of_words_and_ends_as_that_of_all_features(rows: list[Any]) -> None:
    """Without vectors, with all of them, and between them: turns that wait stand among each other as their words have them."""
    scores, by_words = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    has_vector, has_words = np.array([row[2] for row in rows]), np.array([row[3] for row in rows])
    all_turns, none = np.ones(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    assert np.allclose(blend_scores(scores, by_words, all_turns, none, has_words), by_words)
    assert (blend_scores(scores, by_words, none, has_vector, has_words) == scores).all(), "facts keep their scores"
    if has_words.any():
        assert np.allclose(blend_scores(scores, by_words, all_turns, all_turns, has_words), scores)
    blended = blend_scores(scores, by_words, all_turns, has_vector, has_words)[~has_vector]
    assert (np.diff(blended[np.argsort(by_words[~has_vector])]) >= -1e-9).all()
