"""The stored encoder of clauses: a small file, words by meaning, and a machine without the bundled model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from effects.judging import clause_encoder
from effects.judging.clause_encoder import UPDATES_FILE, load_clause_encoder, read_clause
from effects.judging.kind_models import load_kind_models
from effects.judging.standing_words import weigh_standing
from effects.system.errors import ModelMissing
from tests.each_case import each_case


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine on which the bundled model is not installed."""

    def refuse(updates: object) -> None:
        """Raise as where it is missing."""
        raise ModelMissing("the bundled embedding model is not installed", "make setup")

    monkeypatch.setattr(clause_encoder, "open_tuned_encoder", refuse)
    for cached in (load_clause_encoder, read_clause):
        cached.cache_clear()
    yield
    for cached in (load_clause_encoder, read_clause):
        cached.cache_clear()


def test_the_updates_are_a_small_file() -> None:
    assert UPDATES_FILE.stat().st_size < 1_500_000


@each_case(
    ("clause", "before", "family"),
    [
        ("every upload fails with a timeout since this morning", "", "error"),
        ("what does the blue jar hold", "", "question"),
        ("we take the tall jars then", "Tall jars or flat ones?", "decision"),
    ],
)
def test_a_clause_is_told_by_its_meaning(clause: str, before: str, family: str) -> None:
    reading = read_clause(clause, clause, before)
    assert reading is not None
    assert max(reading.shares, key=lambda name: reading.shares[name]) == family


def test_the_same_clause_is_read_once() -> None:
    first = read_clause("lids are screwed on by hand", "lids are screwed on by hand", "")
    assert read_clause("lids are screwed on by hand", "lids are screwed on by hand", "") is first


def test_without_the_bundled_model_words_alone_judge(no_model: None) -> None:
    line = "no plastic lids on anything that leaves the shop"
    assert read_clause(line, "", "") is None
    assert weigh_standing(line, line) > 0
    assert load_kind_models().read_clause is read_clause
