"""How a clause is laid out for the encoder, and how its shares join those of hashed words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.classify.clause_encoder import (
    BREAK,
    FAMILIES,
    FIRST,
    GAP,
    MOST_BEFORE,
    MOST_BESIDE,
    MOST_OWN,
    ClauseEncoder,
    lay_out_clause,
    mix_shares,
)

MARKERS = 6
Shares = st.fixed_dictionaries({family: st.floats(0, 1) for family in FAMILIES})


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

    weights = (np.eye(4, len(FAMILIES), dtype=np.float32), np.zeros(len(FAMILIES), np.float32))
    encoder = ClauseEncoder(tokenize, compute, weights, (np.eye(4, 2, dtype=np.float32), np.zeros(2, np.float32)))
    alone, beside = encoder.read_clause("a door", "", ""), encoder.read_clause("a door", "paint a door red", "done")
    assert alone == beside
    assert sum(alone.shares.values()) == pytest.approx(1, abs=1e-4)
    assert 0 < alone.lasting < 1


@given(Shares, Shares)
def test_joined_shares_are_shares_and_agree_with_what_both_say(words: dict[str, float], encoded: dict[str, float]) -> None:
    joined = mix_shares(words, encoded)
    assert all(0 <= share <= 1 for share in joined.values())
    assert sum(joined.values()) == pytest.approx(1, abs=1e-3) or not any(encoded.values())
    assert mix_shares(words, encoded) == joined


def test_hashed_words_rule_nothing_out_by_themselves() -> None:
    words = dict.fromkeys(FAMILIES, 0.0) | {"request": 0.6, "status": 0.4}
    encoded = dict.fromkeys(FAMILIES, 0.0) | {"rule": 1.0}
    assert mix_shares(words, encoded)["rule"] == 1.0
