"""Boosted trees: what they predict, and that storing them changes nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transforms.classify.boosted_trees import BoostedTrees, pack_trees, unpack_trees


def build_trees() -> BoostedTrees:
    """Return two trees over two features: a split at 0.5 of the first, and a lone leaf."""
    return BoostedTrees(
        names=("first", "second"),
        roots=np.array([0, 3], np.int32),
        feature=np.array([0, 0, 0, 0], np.int32),
        threshold=np.array([0.5, 0, 0, 0], np.float32),
        left=np.array([1, 1, 2, 3], np.int32),
        right=np.array([2, 1, 2, 3], np.int32),
        value=np.array([9, -1, 1, 0.25], np.float32),
        bias=-0.25,
    )


def test_a_row_gets_the_log_odds_of_its_leaves() -> None:
    """Bias and the values of the leaves add up; values of inner nodes count for nothing."""
    assert build_trees().predict(np.array([[0.4, 7.0], [0.6, 7.0]])) == [0.26894, 0.73106]


def test_a_value_at_the_threshold_goes_left_whatever_its_last_bits() -> None:
    """Features are rounded first."""
    low, exact = build_trees().predict(np.array([[0.5 + 1e-9, 0.0], [0.5, 0.0]]))
    assert low == exact == 0.26894


def test_no_rows_give_no_probabilities() -> None:
    """A window may have no candidate."""
    assert build_trees().predict(np.zeros((0, 2))) == []


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=1, max_size=20))
def test_stored_trees_predict_the_same_and_no_row_depends_on_another(rows: list[tuple[float, float]]) -> None:
    """Packing keeps every prediction, and a row alone gets what it gets among others."""
    trees, features = build_trees(), np.array(rows)
    stored = unpack_trees(pack_trees(trees))
    assert stored.predict(features) == trees.predict(features) == [trees.predict(row[None])[0] for row in features]
