"""What each clause of a message is by itself, and which of them last."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from effects.judging.kind_models import load_kind_models
from tests.each_case import each_case
from transforms.classify.clause_kinds import MIN_LASTING, MOST_CLAUSES, hash_clause, judge_lasting, list_clauses, list_sentences
from transforms.classify.features import BITS


@given(st.text(max_size=400))
def test_any_text_has_clauses_and_they_have_features(text: str) -> None:
    clauses = list_clauses(text)
    assert 1 <= len(clauses) <= MOST_CLAUSES
    for clause in clauses:
        slots, values = hash_clause(clause, text, "")
        assert len(slots) == len(values) > 0
        assert slots.max() < 1 << BITS


def test_a_sentence_of_several_parts_is_judged_whole_and_in_parts() -> None:
    assert list_clauses("Paint the shed, and every door stays green. Thanks") == [
        "Paint the shed, and every door stays green.", "Paint the shed", "and every door stays green.", "Thanks",
    ]  # fmt: skip


def test_lines_are_sentences_and_nothing_is_one() -> None:
    assert list_sentences("Paint the shed.  Every door\nstays green, always") == [
        "Paint the shed.",
        "Every door",
        "stays green, always",
    ]
    assert list_sentences(" ") == [" "]


@each_case(
    ("words", "lasts"),
    [
        ("no plastic lids on anything that leaves the shop", True),
        ("print the labels again and put them on the table", False),
        ("the second shelf came down last night", False),
    ],
)
def test_words_for_good_are_told_from_orders_and_reports(words: str, lasts: bool) -> None:
    assert (judge_lasting(words, load_kind_models().lasting) >= MIN_LASTING) is lasts
