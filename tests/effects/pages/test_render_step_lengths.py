"""A night renders a long briefing twice: whole, and short beside facts about a request."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from effects.pages import project_briefing
from effects.pages.briefing_index import INDEX_FILE
from effects.pages.render_step import render
from tests.effects.recall_world import SHOP, fact, filled, write
from transforms.briefing.build_briefing import group_facts


def test_the_facts_of_a_briefing_are_gathered_once_for_both_of_its_lengths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gathering them is a quarter of a small night, and fitting them into a length is little."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"), is_indexed=False)
    texts = [
        f"User decided: the {subject} number {number} is painted in colour {number * 7} before it is shipped, after a long talk"
        f" with the painters of hall {number}, who had wished for another one, and with the foreman of the {subject}"
        for number in range(14)
        for subject in ("lathe", "anvil", "ferry")
    ]
    write(run, "observations", [fact(f"x{number}", text) for number, text in enumerate(texts)])
    gathered: Counter[str] = Counter()

    def count_and_group(observations: Any, project: str, *arguments: Any, has_task: bool) -> Any:
        gathered[project] += 1
        return group_facts(observations, project, *arguments, has_task=has_task)

    monkeypatch.setattr(project_briefing, "group_facts", count_and_group)
    with run.lake.writing("test"):
        render(run)
    assert SHOP in json.loads((run.lake.root / INDEX_FILE).read_text(encoding="utf-8"))["short"]
    assert set(gathered.values()) == {1}
