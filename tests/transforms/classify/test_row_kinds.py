"""When a saying is a decision, whatever the rules call it."""

from __future__ import annotations

from typing import get_args

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transforms.classify.features import BITS, hash_features
from transforms.classify.linear_model import LinearModel
from transforms.classify.row_kinds import DOUBTFUL, FAMILIES, MIN_LEAD, QuotedRow, choose_row_kind, find_family, list_row_features
from transforms.tables.enums import FactKind

KINDS: tuple[FactKind, ...] = get_args(FactKind)
ROW = QuotedRow("30 s, not 20", "The timeout is 20 s.", "correction", {"correction": 0.6}, {}, {}, frozenset({"direct"}), 1, 1)


def make_model(bias: dict[str, float]) -> LinearModel:
    """Return a model that answers the same for every row."""
    weights = np.zeros((1 << BITS, len(FAMILIES)), np.float32)
    return LinearModel(FAMILIES, weights, np.array([bias.get(family, 0.0) for family in FAMILIES], np.float32))


def read_as(kind: FactKind) -> QuotedRow:
    """Return the row as the rules would read it if they called it so."""
    return QuotedRow(ROW.quote, ROW.before, kind, ROW.acts, {}, {}, ROW.signs, 1, 1)


@given(st.sampled_from(KINDS), st.lists(st.floats(-6, 6), min_size=len(FAMILIES), max_size=len(FAMILIES)))
def test_only_an_objection_or_a_remark_becomes_a_decision_and_only_by_a_lead(kind: FactKind, biases: list[float]) -> None:
    model = make_model(dict(zip(FAMILIES, biases, strict=True)))
    chosen, row = choose_row_kind(read_as(kind), model), read_as(kind)
    shares = model.predict(hash_features(list_row_features(row)))
    assert chosen in (kind, "decision")
    if chosen != kind:
        assert kind in DOUBTFUL
        assert shares["decision"] - shares[find_family(kind)] >= MIN_LEAD


def test_a_clear_decision_is_told_and_a_close_one_is_left_to_the_rules() -> None:
    assert choose_row_kind(ROW, make_model({"decision": 3.0})) == "decision"
    assert choose_row_kind(ROW, make_model({"decision": 0.5, "correction": 0.4})) == "correction"


def test_every_kind_has_a_family_that_the_model_knows() -> None:
    assert {find_family(kind) for kind in KINDS} <= set(FAMILIES)


def test_what_stands_around_a_quotation_is_among_its_features() -> None:
    features = list_row_features(ROW)
    assert {"kind:correction", "act:correction", "sign:direct", "files:1", "sentences:1"} <= features.keys()
    assert list_row_features(read_as("status")) != features
