"""Asking for a value: the answer begins with a hit that has one, and the hits keep their order."""

from __future__ import annotations

from pathlib import Path

from effects.recall.ask import ask, open_recall
from tests.effects.recall_world import entry, filled, settle, write
from transforms.recall.types import Filters


def test_an_answer_begins_with_a_hit_that_has_the_type_of_value_asked_for(tmp_path: Path) -> None:
    """Both turns are about the gate; only the second, whose rank is lower, names a port."""
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
    assert texts.index(said[0]["text"]) < texts.index(said[1]["text"])
    assert answer.answer is not None
    assert "8443" in answer.answer.splitlines()[0]
