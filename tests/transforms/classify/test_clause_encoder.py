"""How a clause is laid out for the encoder, and what is read of its states."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transforms.classify.clause_encoder import (
    BREAK,
    FIRST,
    GAP,
    MOST_BEFORE,
    MOST_BESIDE,
    MOST_OWN,
    ClauseEncoder,
    lay_out_clause,
)

MARKERS = 6


def tokenize(text: str) -> list[int]:
    """Return a token for each word."""
    return [1000 + len(word) for word in text.split()]


@given(st.text(max_size=300), st.text(max_size=600), st.text(max_size=600))
def test_any_clause_becomes_a_bounded_row_of_tokens(clause: str, message: str, before: str) -> None:
    ids, types = lay_out_clause(tokenize, clause, message, before)
    assert len(ids) == len(types) <= MOST_OWN + 2 * MOST_BESIDE + MOST_BEFORE + MARKERS
    assert sorted(types.tolist()) == types.tolist()
    assert ids[0] == FIRST
    assert ids[-1] == BREAK


def test_the_message_stands_around_a_gap_where_the_clause_was() -> None:
    ids, types = lay_out_clause(tokenize, "every  door stays", "paint a shed, every\ndoor stays green", "I see")
    own, around = ids[types == 0].tolist(), ids[types == 1].tolist()
    assert own == [FIRST, 1005, 1004, 1005, BREAK]
    assert around == [1005, 1001, 1005, GAP, 1005, BREAK, 1001, 1003, BREAK]


def test_a_clause_that_its_message_words_otherwise_has_the_message_behind_it() -> None:
    ids, types = lay_out_clause(tokenize, "doors", "paint it", "")
    assert ids[types == 1].tolist() == [GAP, 1005, 1002, BREAK, BREAK]


def test_the_clause_is_read_from_its_own_states() -> None:
    """What stands around it reaches the heads through attention alone: here there is none, so nothing changes."""

    def compute(ids: np.ndarray, types: np.ndarray) -> np.ndarray:
        """Return two dimensions of each token: itself, and one."""
        return np.stack([ids / 1000, np.ones(len(ids))], axis=1).astype(np.float32)

    encoder = ClauseEncoder(tokenize, compute, (np.eye(4, 2, dtype=np.float32), np.zeros(2, np.float32)))
    alone, beside = encoder.weigh_clause("a door", "", ""), encoder.weigh_clause("a door", "paint a door red", "done")
    assert alone == beside
    assert 0 < alone < 1
    assert encoder.summarise("a door", "", "").shape == (4,)
