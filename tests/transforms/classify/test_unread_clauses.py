"""Clauses in languages that no rule reads: how quotations are cut, and what is made of the judgements of their sentences."""

from __future__ import annotations

import numpy as np

from tests.each_case import each_case
from transforms.classify.unread_clauses import (
    BEFORE_CHARS,
    CLAUSE_CHARS,
    JudgedClause,
    UnreadClauses,
    Vector,
    are_english_words,
    describe_clause,
    judge_quotation,
    knows_words,
    list_unread_sentences,
)


def embed(text: str) -> Vector:
    """Return a vector that tells the length of a text and whether it denies something."""
    return np.array([len(text), float("nie" in text)], np.float32)


@each_case(
    ("quote", "sentences"),
    [
        ("先跑测试。红了就别合！行吗？", ["先跑测试。", "红了就别合！", "行吗？"]),
        ("Nie selber pushen. Das mache ich.", ["Nie selber pushen.", "Das mache ich."]),
        ("eins\nzwei", ["eins", "zwei"]),
        ("ok", ["ok"]),
    ],
)
def test_a_quotation_is_cut_by_the_marks_of_any_script(quote: str, sentences: list[str]) -> None:
    assert list_unread_sentences(quote) == sentences


def test_a_clause_is_described_by_its_vector_and_that_of_the_words_before_it() -> None:
    assert describe_clause(embed, "nie  pushen", "Soll ich?").tolist() == [10, 1, 9, 0]
    assert describe_clause(embed, "nie pushen", "").tolist() == [10, 1, 0, 0]
    assert describe_clause(embed, "a" * 9999, "b" * 9999).tolist() == [CLAUSE_CHARS, 0, BEFORE_CHARS, 0]


def test_the_network_scores_families_and_what_lasts_apart() -> None:
    hidden = np.zeros((4, 2), np.float32)
    hidden[1, 0], hidden[3, 1] = 1.0, 1.0
    scores = np.array([[4, 0, 0, 3], [0, 4, 0, 0]], np.float32)
    none = np.zeros(4, np.float32)
    network = UnreadClauses(embed, ("rule", "status"), (hidden, none[:2]), (scores, none))
    rule, status = network.judge_clause("nie pushen", ""), network.judge_clause("pushen", "nie")
    assert (rule.families["rule"], rule.lasts) == (0.98201, 0.95257)
    assert (status.families["status"], status.lasts) == (0.98201, 0.5)


def test_a_rule_beside_an_order_lasts_and_takes_half_of_the_shares() -> None:
    def judge(clause: str, before: str) -> JudgedClause:
        """Return what a clause is by its first word."""
        is_rule = clause.startswith("Nie")
        return JudgedClause({"rule": float(is_rule), "request": float(not is_rule)}, 0.9 if is_rule else 0.1)

    both = judge_quotation("Fix den Test. Nie selber pushen.", "", judge)
    assert both == JudgedClause({"rule": 0.25, "request": 0.75}, 0.9)
    assert judge_quotation("Nie selber pushen.", "", judge) == judge("Nie", "")
    assert judge_quotation("Nie selber pushen.", "", lambda *_: None) is None


@each_case(
    ("words", "pieces", "is_known"),
    [
        (["deckel"] * 8, 18, True),  # 55 characters
        (["deckel"] * 8, 19, False),
        (["deckel"] * 4, 9, True),  # few words: 27 characters, a lower bar
        (["deckel"] * 3, 99, True),  # too few to tell
        (["лог"] * 8, 11, True),  # 31 characters in Cyrillic
        (["лог"] * 8, 12, False),
        (["δοχείο"], 1, False),  # a script of none of the sixteen
        (["先", "跑", "测", "试"], 99, True),
        ([], 0, True),
    ],
)
def test_a_language_is_known_by_few_pieces_of_its_words(words: list[str], pieces: int, is_known: bool) -> None:
    assert knows_words(words, lambda _: pieces) is is_known


def test_english_words_are_few_pieces_for_an_encoder_that_knows_nothing_else() -> None:
    words = ["button"] * 100  # 699 characters, which are read in two parts
    assert are_english_words(words, lambda text: len(text) // 4)
    assert not are_english_words(words, lambda text: len(text) // 3)
    assert not are_english_words(words[:3], lambda _: 1)
    assert not are_english_words([*words[:9], "étiquette"], lambda _: 1)
