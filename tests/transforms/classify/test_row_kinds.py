"""What a saying is, whatever the rules call it."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transforms.classify.clause_kinds import LASTS, ONCE
from transforms.classify.features import BITS
from transforms.classify.linear_model import LinearModel
from transforms.classify.row_kinds import (
    FAMILIES,
    FORM,
    MIN_CHOICE,
    MIN_RULE,
    MIN_SURE,
    STRUCTURE,
    KindModels,
    NamedKind,
    QuotedRow,
    choose_row_kind,
    find_family,
    list_row_features,
    measure_structure,
    predict_families,
)
from transforms.classify.unread_clauses import JudgedClause
from transforms.tables.enums import FactKind

CLAUSES = [dict.fromkeys(FAMILIES, 0.1) | {"decision": 0.4}]
KINDS: tuple[FactKind, ...] = get_args(FactKind)
ROW = QuotedRow(
    "30 s, not 20", "30 s, not 20", "The timeout is 20 s.", "correction", {"correction": 0.6}, {}, {}, frozenset({"direct"}), 1,
    1, dict.fromkeys(FORM, 1.0),
)  # fmt: skip


def make_models(words: dict[str, float], structure: dict[str, float] | None = None) -> KindModels:
    """Return models that answer the same for every row."""

    def make(slots: int, bias: dict[str, float]) -> LinearModel:
        biases = np.array([bias.get(family, 0.0) for family in FAMILIES], np.float32)
        return LinearModel(FAMILIES, np.zeros((slots, len(FAMILIES)), np.float32), biases)

    lasting = LinearModel((LASTS, ONCE), np.zeros((1 << BITS, 2), np.float32), np.zeros(2, np.float32))
    around = make(len(STRUCTURE), words if structure is None else structure)
    return KindModels(make(1 << BITS, words), around, make(1 << BITS, {}), lasting)


def read_as(kind: FactKind, *signs: str) -> QuotedRow:
    """Return the row as the rules would read it if they called it so."""
    return replace(ROW, kind=kind, signs=ROW.signs | {*signs})


BIASES = st.lists(st.floats(-6, 6), min_size=len(FAMILIES), max_size=len(FAMILIES))


@given(st.sampled_from(KINDS), BIASES, BIASES)
def test_the_likeliest_family_names_a_kind_and_a_rule_gives_way_to_none(
    kind: FactKind, words: list[float], around: list[float]
) -> None:
    models = make_models(dict(zip(FAMILIES, words, strict=True)), dict(zip(FAMILIES, around, strict=True)))
    chosen, shares = choose_row_kind(read_as(kind), models), predict_families(read_as(kind), models)
    assert abs(sum(shares.values()) - 1) < 1e-9
    family = find_family(chosen.kind)
    if find_family(kind) == "rule":
        assert chosen.kind == kind
    elif family == "rule":
        assert shares["rule"] >= MIN_RULE
    else:
        likeliest = max((name for name in shares if name != "rule"), key=lambda name: shares[name])
        is_ordered = likeliest == "request" and shares["decision"] >= MIN_CHOICE
        assert family == ("decision" if is_ordered else likeliest) or shares[family] == shares[likeliest]
    assert chosen.is_sure or shares[family] < MIN_SURE


@given(st.sampled_from(KINDS), BIASES)
def test_what_no_rule_can_read_becomes_a_decision_or_nothing_else(kind: FactKind, biases: list[float]) -> None:
    models = make_models(dict(zip(FAMILIES, biases, strict=True)))
    assert choose_row_kind(read_as(kind, "unread"), models).kind in (kind, "decision")


def test_the_network_names_what_no_rule_can_read_and_the_line_claims_nothing() -> None:
    """An answer is what its form tells, a rule that ends soon none, and a choice with an order a decision."""

    def judge(lasts: float = 0.1, **shares: float) -> KindModels:
        """Return models whose network says the same of each clause."""
        families = dict.fromkeys(FAMILIES, 0.0) | shares
        return replace(make_models({"question": 5.0}), judge_unread=lambda *_: JudgedClause(families, lasts))

    row = read_as("status", "unread")
    assert choose_row_kind(row, judge(correction=0.8)) == NamedKind("correction", False)
    assert choose_row_kind(row, judge(request=0.5, decision=0.4)).kind == "decision"
    assert choose_row_kind(row, judge(status=0.7, decision=0.25)).kind == "decision"
    assert choose_row_kind(row, judge(status=0.7, decision=0.1)).kind == "status"
    settled = replace(make_models({"decision": 5.0}), judge_unread=judge(status=0.7).judge_unread)
    assert choose_row_kind(row, settled).kind == "decision"
    assert choose_row_kind(row, judge(request=0.9, lasts=0.9)).kind == "rule"
    assert choose_row_kind(row, judge(rule=0.6, request=0.4), may_last=False).kind == "request"
    assert choose_row_kind(read_as("decision", "unread", "answers"), judge(correction=0.8)).kind == "decision"


def test_a_clear_decision_is_told_and_a_close_one_is_only_said() -> None:
    assert choose_row_kind(ROW, make_models({"decision": 5.0})) == NamedKind("decision", True)
    assert choose_row_kind(ROW, make_models({"decision": 0.5, "correction": 0.4})) == NamedKind("decision", False)


def test_a_choice_with_an_order_is_a_decision_and_an_order_alone_a_request() -> None:
    ordered = choose_row_kind(ROW, make_models({"request": 3.0, "decision": 2.6}))
    assert ordered == NamedKind("decision", False)
    assert choose_row_kind(ROW, make_models({"request": 3.0, "decision": 1.0})) == NamedKind("request", True)


def test_what_ends_soon_is_the_next_likely_kind_and_no_rule() -> None:
    models = make_models({"rule": 5.0, "request": 3.0})
    assert choose_row_kind(ROW, models).kind == "rule"
    assert choose_row_kind(ROW, models, may_last=False) == NamedKind("request", False)
    assert choose_row_kind(read_as("rule"), models, may_last=False).kind == "rule"


def test_one_model_alone_does_not_make_sure_what_the_other_denies() -> None:
    assert not choose_row_kind(ROW, make_models({"decision": 3.0}, {"correction": 3.0})).is_sure


def test_a_question_with_its_mark_and_an_order_put_as_a_question_are_both_asked() -> None:
    assert choose_row_kind(ROW, make_models({"question": 2.0, "request": 1.9})).is_sure
    assert choose_row_kind(read_as("question", "asked"), make_models({"question": 0.5, "decision": 0.4})).is_sure


def test_a_row_of_which_a_sentence_is_meant_for_good_is_a_rule_unless_it_ends_soon() -> None:
    """An order beside it does not hide it; how sure the line tells it stays with the shares of the whole row."""
    models = replace(make_models({"request": 3.0}), weigh_clause=lambda clause, *_: 0.9 if "not" in clause else 0.2)
    assert choose_row_kind(ROW, models) == NamedKind("rule", False)
    assert choose_row_kind(ROW, models, may_last=False) == NamedKind("request", True)
    assert choose_row_kind(replace(ROW, quote="30 s"), models).kind == "request"
    assert choose_row_kind(ROW, replace(models, weigh_clause=lambda *_: None)).kind == "request"
    assert choose_row_kind(read_as("correction", "unread"), models).kind == "correction"
    assert choose_row_kind(read_as("correction", "answers"), models).kind == "request"


def test_every_kind_has_a_family_that_the_models_know() -> None:
    assert {find_family(kind) for kind in KINDS} <= set(FAMILIES)


def test_what_stands_around_a_quotation_is_among_the_features_of_both() -> None:
    features = list_row_features(ROW)
    assert {"kind:correction", "act:correction", "sign:direct", "files:1", "sentences:1"} <= features.keys()
    assert list_row_features(read_as("status")) != features
    columns = dict(zip(STRUCTURE, measure_structure(ROW, CLAUSES), strict=True))
    assert columns["kind:correction"] == columns["sign:direct"] == columns["files"] == 1
    assert columns["act:correction"] > columns["act:decision"]
    assert columns["clause-most:decision"] > columns["clause-most:rule"]
    assert columns["sign:undone"] == columns["kind:decision"] == 0
