"""Two hits of one subject with other values, in languages that no rule reads: the newer goes first."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.recall.newer_values import Folded, find_newer_elsewhere, put_newer_values_first
from transforms.recall.question import parse_question
from transforms.recall.rank import RankedCandidate

FILLER = "Die Oberfläche zeigt die Rechnung und den Kunden, weil beide oft gebraucht werden und sonst niemand sie findet."


def order(*said: tuple[str, int], question: str = "Wie viele Tage?", coverage: tuple[float, ...] = ()) -> list[int]:
    """Return the places of texts, each said on a day of May, after the newer values went first."""
    rows: list[Any] = [
        {"text": text, "said_at": datetime(2026, 5, day, tzinfo=UTC), "source": "turn", "superseded_by": None}
        for text, day in said
    ]
    hits: Folded = [
        (RankedCandidate(place, 0.5 - place / 100, 1.0, 0.5, coverage[place] if coverage else 0.5), [])
        for place in range(len(rows))
    ]
    result = put_newer_values_first(rows, hits, parse_question(question, date(2026, 6, 1)))
    scores = [candidate.score for candidate, _ in result]
    assert scores == sorted(scores, reverse=True)
    return [candidate.index for candidate, _ in result]


@each_case(
    ("older", "newer"),
    [
        ("Die Mahnung geht 14 Tage nach Fälligkeit raus.", "Mahnung nochmal: 14 Tage sind zu kurz, wir gehen auf 21 Tage."),
        ("ich hab mich für Postgres 15 entschieden, wegen JSONB", "Postgres 15 gibt es nicht mehr, jetzt Postgres 17 mit JSONB"),
        ("貸出期間は14日間、延長は1回まで。", "貸出期間は14日から21日に変更になった。"),
        ("o frete passa a ser grátis acima de R$ 80,00", "volta atrás: o frete passa a ser grátis acima de R$ 120,00"),
    ],
)  # fmt: skip
def test_the_newer_value_goes_first(older: str, newer: str) -> None:
    """It takes up the older value, or says the same words around another one; asked about the past, the order stays."""
    assert order((older, 1), (newer, 9), (FILLER, 2)) == [1, 0, 2]
    assert order((newer, 9), (older, 1), (FILLER, 2)) == [0, 1, 2]
    assert order((older, 1), (newer, 9), (FILLER, 2), question="What was it before?") == [0, 1, 2]


@each_case(
    ("older", "newer"),
    [
        ("mailpit läuft zum Testen auf Port 8025", "der neue Dienst läuft auf Port 9090"),
        ("Die Mahnung geht 14 Tage nach Fälligkeit raus.", "Backups heben wir 90 Tage auf, sagt die Buchhaltung."),
        ("Die Mahnung geht 14 Tage nach Fälligkeit raus.", "Die Mahnung siezt den Kunden."),
    ],
)
def test_another_subject_or_no_value_changes_nothing(older: str, newer: str) -> None:
    """A port of something else is no newer port."""
    assert order((older, 1), (newer, 9), (FILLER, 2), coverage=(0.5, 0.2, 0.1)) == [0, 1, 2]


def test_english_hits_stay_as_they_are() -> None:
    """They have rules of their own."""
    older = "The reminder goes out 14 days after an invoice is due, and not before that day."
    newer = "The 14 days of the reminder are too short for the customers, so it goes out after 21 days."
    assert order((older, 1), (newer, 9)) == [0, 1]


@given(
    st.lists(
        st.tuples(st.sampled_from([FILLER, "14 Tage Frist", "Frist statt 14 Tage nun 21 Tage", ""]), st.integers(1, 28)),
        max_size=6,
    )
)
def test_no_hit_is_lost(said: list[tuple[str, int]]) -> None:
    """Whatever is exchanged."""
    assert sorted(order(*said)) == list(range(len(said)))


def test_a_wish_of_another_project_is_newer_than_the_best_own_hit_or_keeps_its_place() -> None:
    """Of the owner's own words, which hold; with no own hit there is nothing to be newer than."""

    def said(day: int, **columns: Any) -> dict[str, Any]:
        row = {"said_at": datetime(2026, 5, day, tzinfo=UTC), "source": "observation", "origin": "owner", "superseded_by": None}
        return row | {"is_elsewhere": True} | columns

    rows: list[Any] = [
        said(3, is_elsewhere=False),
        said(9, is_elsewhere=False),
        said(4),
        said(2),
        said(5, origin="agent"),
        said(5, superseded_by="o-1"),
        said(5, source="turn"),
        said(5) | {"said_at": None},
    ]
    hits = [RankedCandidate(place, 0.5 - place / 100, 1.0, 0.5, 0.5) for place in range(len(rows))]
    assert find_newer_elsewhere(rows, hits) == {2}
    assert find_newer_elsewhere(rows, hits[2:]) == set()
    assert find_newer_elsewhere([], []) == set()
