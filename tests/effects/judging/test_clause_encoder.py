"""The stored encoder of clauses: a small file, words by meaning, and a machine without the bundled model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from effects.judging import clause_encoder
from effects.judging.clause_encoder import UPDATES_FILE, load_clause_encoder, weigh_clause
from effects.judging.kind_models import load_kind_models
from effects.judging.standing_words import weigh_standing
from effects.system.errors import ModelMissing
from tests.each_case import each_case


@pytest.fixture(params=[ModelMissing("the bundled embedding model is not installed", "make setup"), RuntimeError("header")])
def no_model(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Exception]:
    """A machine on which the bundled model is not installed, or its file is damaged."""

    def refuse(updates: object) -> None:
        """Raise as there."""
        raise request.param

    monkeypatch.setattr(clause_encoder, "open_tuned_encoder", refuse)
    for cached in (load_clause_encoder, weigh_clause):
        cached.cache_clear()
    yield request.param
    for cached in (load_clause_encoder, weigh_clause):
        cached.cache_clear()


def test_the_updates_are_a_small_file() -> None:
    assert UPDATES_FILE.stat().st_size < 1_500_000


@each_case(
    ("clause", "message", "lasts"),
    [
        (
            "no plastic lids on anything that leaves the shop",
            "count them. no plastic lids on anything that leaves the shop",
            True,
        ),
        ("jars go on the shelf by colour in this shop", "count them, and jars go on the shelf by colour in this shop", True),
        ("put this jar on the shelf", "put this jar on the shelf", False),
        ("every upload fails with a timeout since this morning", "every upload fails with a timeout since this morning", False),
    ],
)
def test_a_clause_is_weighed_by_its_meaning(clause: str, message: str, lasts: bool) -> None:
    weight = weigh_clause(clause, message, "")
    assert weight is not None
    assert (weight > 0.5) is lasts


def test_the_same_clause_is_weighed_once() -> None:
    first = weigh_clause("lids are screwed on by hand", "lids are screwed on by hand", "")
    assert weigh_clause("lids are screwed on by hand", "lids are screwed on by hand", "") is first


def test_without_the_bundled_model_words_alone_judge(no_model: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """`doctor` tells of a model that is not installed; whatever else is wrong with it a warning says, once."""
    line = "no plastic lids on anything that leaves the shop"
    assert weigh_clause(line, "", "") is None
    assert weigh_standing(line, line) > 0
    assert load_kind_models().weigh_clause is weigh_clause
    assert caplog.text.count("the clause encoder cannot be loaded (header)") == isinstance(no_model, RuntimeError)
