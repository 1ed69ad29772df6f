"""Ranking: fusion by rank, neighbours, mild factors, superseded facts below, near duplicates folded."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transforms.query import question_of
from transforms.rank import Corpus, folded, neighbours, rank, reciprocal_rank_fusion
from transforms.words import words

AS_OF = datetime(2026, 2, 20, tzinfo=UTC)
RANKINGS = st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.sampled_from("uvwxyz"), st.integers(1, 50)), max_size=3)


def row(key: str, text: str, **more: Any) -> dict[str, Any]:
    """A document as search gives it."""
    found = words(text)
    base = {"key": key, "id": key, "part": "entries/2026-02-09", "source": "observation", "text": text, "found": found}
    base |= {"word_count": len(found), "priority": "medium", "session_id": "one", "position": None, "speaker": None}
    return base | {"said_at": AS_OF - timedelta(days=5), "superseded_by": None, "kind": None, "project": None} | more


def ranked(rows: list[dict[str, Any]], text: str, vectors: Any = None) -> list[str]:
    """Keys, best first."""
    question = question_of(text, AS_OF.date())
    frequency = {word: sum(word in one["found"] for one in rows) for word in question.words}
    corpus = Corpus(len(rows) + 50, 10.0, frequency)
    return [rows[hit.index]["key"] for hit in rank(rows, question, corpus, vectors, AS_OF)]


@given(RANKINGS, st.randoms())
def test_fusion_does_not_depend_on_order(rankings: dict[str, dict[str, int]], shuffled: random.Random) -> None:
    """Neither on the order of the lists nor on that of their members."""
    weights = {"a": 1.0, "b": 0.6, "c": 0.3}
    names = list(rankings)
    shuffled.shuffle(names)
    mixed = {name: dict(shuffled.sample(sorted(rankings[name].items()), len(rankings[name]))) for name in names}
    assert reciprocal_rank_fusion(mixed, weights) == reciprocal_rank_fusion(rankings, weights)


def test_fusion_adds_up() -> None:
    """Σ weight / (k + rank)."""
    fused = reciprocal_rank_fusion({"a": {"x": 1, "y": 2}, "b": {"y": 1}}, {"a": 1.0, "b": 0.5}, k=10)
    assert fused == {"x": 1 / 11, "y": 1 / 12 + 0.5 / 11}


@given(st.randoms())
def test_the_order_does_not_depend_on_that_of_the_candidates(shuffled: random.Random) -> None:
    """Ties are broken by key."""
    rows = [row(f"o-{number}", text) for number, text in enumerate(["cache in redis", "cache in redis", "invoices", "redis"])]
    mixed = list(rows)
    shuffled.shuffle(mixed)
    assert ranked(mixed, "redis cache") == ranked(rows, "redis cache") == ["o-0", "o-1", "o-3"]


def test_a_turn_is_found_by_what_was_said_next_to_it() -> None:
    """The question's words are in its neighbours; a lone turn with none of them is not found."""
    talk = ["Which port does the proxy use?", "8443.", "Thanks.", "Bye.", "And the mail?", "None."]
    rows = [row(f"t:{n}", text, source="turn", position=n) for n, text in enumerate(talk)]
    found = ranked(rows, "proxy port")
    assert found[0] == "t:0"
    assert "t:1" in found
    assert "t:5" not in found
    assert neighbours(rows)[0] == [(1, 1), (2, 2)]


def test_neighbours_stay_within_their_session() -> None:
    """Same position, other session."""
    rows = [row("t:0", "one", position=0, session_id="one"), row("t:1", "two", position=1, session_id="two")]
    assert neighbours(rows) == [[], []]


def test_superseded_facts_come_below_what_replaced_them() -> None:
    """Even when they fit the question better."""
    rows = [row("o-old", "cache ttl is sixty minutes", superseded_by="o-new"), row("o-new", "cache: fifteen now")]
    assert ranked(rows, "cache ttl minutes") == ["o-new", "o-old"]


def test_mild_factors_decide_between_equals() -> None:
    """Memory before observation, high before low, newer before older, the day that was asked for."""
    text = "cache ttl is short"
    day = AS_OF - timedelta(days=200)
    pairs = [
        (row("z", text, source="memory", session_id=None), row("a", text)),
        (row("z", text, priority="high"), row("a", text, priority="low")),
        (row("z", text), row("a", text, said_at=day)),
        (row("z", text, speaker="user"), row("a", text, speaker="assistant")),
    ]
    for better, worse in pairs:
        assert ranked([worse, better], "what cache ttl did I want?")[0] == "z"
    asked = f"cache ttl on {day.date().isoformat()}"
    assert ranked([row("a", text), row("z", text, said_at=day)], asked)[0] == "z"


def test_vectors_find_what_words_do_not() -> None:
    """A row without one of the words, close in meaning; rows without a vector are judged by their words."""
    rows = [row("a", "typefaces"), row("b", "other things"), row("c", "fonts")]
    vectors = (np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], dtype=np.float32), np.array([1.0, 0.0], dtype=np.float32))
    assert ranked(rows, "fonts", vectors) == ["c", "a"]


def test_near_duplicates_are_folded_but_other_numbers_are_other_facts() -> None:
    """The better one stays and knows the rows that it stands for."""
    texts = ["sessions are cached in redis for 15 minutes", "sessions are cached in Redis for 15 minutes!"]
    rows = [row("a", texts[0]), row("b", texts[1], session_id="two"), row("c", texts[0].replace("15", "60"))]
    question = question_of("sessions cached redis", date(2026, 2, 20))
    corpus = Corpus(100, 6.0, dict.fromkeys(question.words, 3))
    kept = folded(rows, rank(rows, question, corpus, None, AS_OF), 10)
    assert [(rows[hit.index]["key"], [rows[other]["key"] for other in others]) for hit, others in kept] == [
        ("a", ["b"]),
        ("c", []),
    ]


def test_a_fact_of_the_kind_that_is_asked_for_leads() -> None:
    """Before what merely happened with the same words, and before the raw turn."""
    said = "double deliveries: two workers claim one job"
    rows = [
        row("o-change", said, kind="file_change"),
        row("o-cause", said, kind="root_cause"),
        row("t-raw", said, source="turn"),
    ]
    assert ranked(rows, "What caused the double deliveries?") == ["o-cause", "t-raw", "o-change"]
