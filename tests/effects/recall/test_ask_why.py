"""Asking why: the answer and the hits begin with the cause that was found, not with the report of the fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.recall import search
from effects.recall.ask import ask, open_recall
from tests.effects.recall_world import entry, fact, filled, settle, write
from transforms.recall.types import Filters

REPORT = "The newsletter counter shows twice as many readers as the newsletter has since Sunday."
CAUSE = "Cause: `night.py` counts a reader once for every day of the subscription."


def test_the_cause_of_a_search_goes_before_the_report_that_has_the_words_of_the_question(tmp_path: Path) -> None:
    """Nothing but its place tells that they belong together; a question that asks for no cause has the old order."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    said = [
        entry("shop-1", 20, "user", REPORT),
        entry("shop-1", 24, "user", "Did you count the readers or did you guess?"),
        *(entry("shop-1", number, "assistant", f"The footer of page {number} is done.") for number in range(26, 40)),
    ]
    write(run, "entries", said)
    cause = {"kind": "root_cause", "entry_ids": ["00000019", "00000014"], "lines": [26, 21], "ordinals": [25, 20]}
    write(run, "observations", [fact("cause", CAUSE, **cause)])
    settle(run)
    recall = open_recall(run)
    why = ask(recall, "Why did the newsletter counter show twice as many readers?", Filters(project="shop"))
    assert [hit.text for hit in why.hits[:2]] == [CAUSE, REPORT]
    assert (why.answer or "").startswith(CAUSE[:20])
    assert (
        ask(recall, "Who saw the newsletter counter show twice as many readers?", Filters(project="shop")).hits[0].text == REPORT
    )


def test_a_cause_that_comes_in_from_behind_tells_that_it_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The leading hits are marked before it comes."""
    monkeypatch.setattr(search, "LEAST_COMPARED", 1)
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    write(run, "entries", [entry("shop-1", 20, "user", REPORT)])
    cause = {"kind": "root_cause", "entry_ids": ["00000019", "00000014"], "lines": [26, 21], "ordinals": [25, 20]}
    write(run, "observations", [fact("cause", "Cause: `night.py` counts readers until 2026-02-12.", **cause)])
    settle(run)
    why = ask(open_recall(run), "Why did the newsletter counter show twice as many readers?", Filters(project="shop", k=1))
    assert why.hits[0].text.startswith("Cause: ")
    assert "ended 2026-02-12" in (why.hits[0].changed or "")
