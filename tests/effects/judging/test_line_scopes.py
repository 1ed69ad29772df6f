"""The stored head that weighs where a line holds: which candidates it is asked of, other languages, and no bundled model."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

import numpy as np
import pytest

from effects.judging import clause_encoder, line_scopes
from effects.judging.clause_encoder import UPDATES_FILE, load_clause_encoder
from effects.judging.line_scopes import SCOPES_FILE, choose_scope_weigher, load_scope_encoder, weigh_line_scope
from effects.system.errors import ModelMissing
from tests.each_case import each_case
from transforms.memory.eligibility import LineCandidate
from transforms.memory.lasting.line_scope import MIN_EVERYWHERE
from transforms.tables.rows import ObservationRow

LINE = "Keep your answers short, no compliments"


@pytest.fixture
def fresh() -> Iterator[None]:
    """No head and no weight of another test."""
    caches = (load_clause_encoder, load_scope_encoder, weigh_line_scope)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def make_candidate(*, message: str = "", is_worded: bool = False, key: str = "o-1") -> LineCandidate:
    """Return a line that rests on an observation."""
    return LineCandidate(
        LINE, "Joel", "rule", 4.0, (key,), frozenset({"s"}), datetime(2026, 5, 1, tzinfo=UTC), frozenset({"/code/app"}),
        message=message, is_worded=is_worded,
    )  # fmt: skip


def test_the_head_was_fitted_on_the_stored_encoder() -> None:
    """With other updates its weights mean nothing: `python -m benchmarks.learning.scopes.fit_scopes --write`."""
    with np.load(SCOPES_FILE, allow_pickle=False) as arrays:
        assert int(arrays["updates"]) == zlib.crc32(UPDATES_FILE.read_bytes())
    assert SCOPES_FILE.stat().st_size < 10_000


@each_case(
    ("line", "holds"),
    [
        (LINE, True),
        ("You never push, pushing is mine", True),
        ("keep ur answers short", True),
        ("The jars of this shop are sealed with wax from the north barn", False),
        ("Never drop door events of the north gate", False),
    ],
)
def test_how_to_work_holds_everywhere_and_a_thing_of_the_project_does_not(line: str, holds: bool) -> None:
    """Terse English without its small words is English."""
    weight = weigh_line_scope(line)
    assert weight is not None
    assert (weight >= MIN_EVERYWHERE) is holds


def test_a_line_of_another_language_is_not_weighed() -> None:
    german = "keine Deckel aus Plastik auf irgendetwas, das aus dem Laden geht, auch nicht wenn es regnet oder jemand fragt"
    assert weigh_line_scope(german) is None


def test_only_typed_words_are_weighed() -> None:
    """A model says itself what holds everywhere, and a summary or an older row has words of its own."""
    quoted, told = (
        cast("ObservationRow", {"observation_id": key, "text": text})
        for key, text in (("o-1", f'Joel set a rule: "{LINE}"'), ("o-2", LINE))
    )
    weigh = choose_scope_weigher([quoted, told])
    assert weigh(make_candidate()) == weigh_line_scope(LINE)
    whole = f"{LINE}, and wait for me"
    assert weigh(replace(make_candidate(), whole=whole)) == weigh_line_scope(whole) != weigh_line_scope(LINE)
    assert weigh(make_candidate(is_worded=True)) is None
    assert weigh(make_candidate(message="s:e1")) is None
    assert weigh(make_candidate(key="o-2")) is None


@pytest.mark.usefixtures("fresh")
def test_without_the_bundled_model_nothing_is_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(updates: object) -> None:
        """Raise as a machine without the model does."""
        raise ModelMissing("the bundled embedding model is not installed", "make setup")

    monkeypatch.setattr(clause_encoder, "open_tuned_encoder", refuse)
    assert weigh_line_scope(LINE) is None


@pytest.mark.usefixtures("fresh")
def test_a_damaged_head_stops_no_night(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, caplog: pytest.LogCaptureFixture
) -> None:
    damaged = tmp_path_factory.mktemp("head") / "scope_weights.npz"
    damaged.write_bytes(b"PK")
    monkeypatch.setattr(line_scopes, "SCOPES_FILE", damaged)
    assert weigh_line_scope(LINE) is None
    assert "the head cannot be loaded" in caplog.text
