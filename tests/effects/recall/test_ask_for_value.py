"""Asking for a value: the answer and the hits begin with one that has it."""

from __future__ import annotations

from pathlib import Path

from effects.recall.ask import ask, open_recall
from tests.effects.recall_world import entry, filled, settle, write
from transforms.recall.types import Filters


def test_answer_and_hits_begin_with_a_hit_that_has_the_type_of_value_asked_for(tmp_path: Path) -> None:
    """Both turns are about the gate; only the second, whose rank is lower, names a port; scores stay in order."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    said = [
        entry("blog-1", 20, "user", "The newsletter gate was slow, a gate as slow as the newsletter."),
        entry("blog-1", 40, "user", "The newsletter gate is on 8443 from Monday on."),
    ]
    between = [entry("blog-1", number, "assistant", f"The footer of page {number} is done.") for number in (25, 30, 35)]
    write(run, "entries", said + between)
    settle(run)
    answer = ask(open_recall(run), "Which port has the newsletter gate?", Filters(project="blog"))
    texts = [hit.text for hit in answer.hits]
    assert texts.index(said[1]["text"]) < texts.index(said[0]["text"])
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert answer.answer is not None
    assert "8443" in answer.answer.splitlines()[0]
