"""The recall benchmarks share one search per question and order its candidates by any weights."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.effects.recall_world import AS_OF, filled
from transforms.recall import rank as ranking

QUESTIONS = [
    {"id": "1", "question": "What TTL does the session cache have?", "project": "shop", "category": 4,
     "evidence": [["shop-1", "00000003"]]},
    {"id": "2", "question": "Which fonts does the invoice embed?", "project": "shop", "category": 1,
     "evidence": [["shop-1", "00000007"]]},
]  # fmt: skip


def test_candidates_are_ordered_by_the_weights_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all features the order is that of `ask` before the closest sentence orders the first ten; other weights apply only
    for a while; a low rank comes with a reason."""
    monkeypatch.setattr("effects.recall.ask.put_near_hits_first", lambda hits, *_, **__: hits)
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3]))
    from benchmarks.recall.locomo import list_worst
    from benchmarks.recall.retrieval import changed_weights, format_table, list_variants, rank_by_weights, search_questions
    from effects.recall.ask import ask, open_recall
    from transforms.recall.types import Filters

    run = filled(tmp_path)
    kept = search_questions(run, QUESTIONS)
    before = dict(ranking.RANKING_WEIGHTS)
    for asked, row in zip(kept, QUESTIONS, strict=True):
        hits = ask(open_recall(run), str(row["question"]), Filters(project="shop")).hits
        assert [record["id"] for record in rank_by_weights(asked, run.as_of, 10)] == [hit.id for hit in hits]
    with changed_weights(list_variants()["lexical alone"][0], 0.0):
        assert rank_by_weights(kept[1], AS_OF, 1) != []
        assert before != ranking.RANKING_WEIGHTS
    assert before == ranking.RANKING_WEIGHTS
    lines = list_worst(kept, 2)
    assert len(lines) == 2
    assert "Which fonts" in "".join(lines)
    assert format_table({"all": {"r@5": 0.5}}).splitlines()[1].split() == ["all", "50.0"]


def test_every_sign_has_a_variant_without_it() -> None:
    """The ablation covers every feature."""
    from benchmarks.recall.retrieval import list_variants

    assert {f"without {name}" for name in ranking.RANKING_WEIGHTS} <= list_variants().keys()
