"""What an edit took out of a fact is said beside it on every page, with the fact that gives the new number."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from effects.judging.rule_relations import DAYS_BACK, list_doubted_by_rules, mark_by_rules
from effects.judging.told_relations import read_changed_parts
from effects.pages.page_facts import read_marks
from effects.store.content_key import SETTLED_FILE
from effects.store.run import Run
from tests.effects.recall_world import SHOP, START, entry, fact, filled, write
from transforms.tables.enums import OFFLINE

OLDER, NEWER = "The metrics exporter listens on 9107", "The metrics exporter listens on 9145"
WORKED = START + timedelta(days=3)
MARK = f"in part replaced 2026-02-12: 9145 instead of 9107: {NEWER} (o-new)"


def edit(run: Run, session: str, old: str, new: str, days: int = 3) -> None:
    at = START + timedelta(days=days)
    arguments = {"path": "exporter.yml", "edits": [{"oldText": old, "newText": new}]}
    call = {"type": "toolCall", "id": "c1", "name": "edit", "arguments": arguments}
    raw: dict[str, Any] = {"type": "message", "message": {"role": "assistant", "content": [call]}}
    rows = [
        entry(session, 0, "user", "it clashes, take another port", said_at=at, day=at.date()),
        entry(session, 1, "assistant", "Done.", said_at=at, day=at.date()) | {"raw_json": json.dumps(raw)},
    ]
    write(run, "entries", rows)
    times = {"started_at": at, "ended_at": at, "day": at.date()}
    row = {"session_id": session, "project": SHOP, "title": session, "source_path": f"/sessions/{session}.jsonl"}
    write(run, "sessions", [row | times])


def make_run(root: Path, engine: str = OFFLINE) -> Run:
    run = filled(root, is_indexed=False)
    write(run, "observations", [fact("older", OLDER, engine=engine), fact("new", NEWER, said_at=WORKED, session_id="shop-2")])
    edit(run, "shop-2", "listen: 9107", "listen: 9145")
    return run


def test_a_fact_of_which_an_edit_replaced_a_number_is_marked_and_offered_as_no_line(tmp_path: Path) -> None:
    """A second night writes nothing, and a mark that earlier work made stays."""
    run = make_run(tmp_path)
    assert mark_by_rules(run) == {"changed_number": 1}
    assert mark_by_rules(run) == {}
    stored = run.lake.read("relations")
    (run.lake.root / SETTLED_FILE).unlink()  # it looks again, and finds the same
    assert mark_by_rules(run) == {}
    assert run.lake.read("relations").equals(stored)
    assert read_marks(run) == {"o-older": MARK}
    assert list_doubted_by_rules(run) == ["o-older"]
    write(run, "observations", [fact("last", "Orders are sent at 6", said_at=WORKED + timedelta(days=DAYS_BACK + 1))])
    assert mark_by_rules(run) == {}
    assert read_marks(run) == {"o-older": MARK}


def test_a_number_that_came_back_and_a_forgotten_session_leave_no_mark(tmp_path: Path) -> None:
    run = make_run(tmp_path / "back")
    assert mark_by_rules(run) == {"changed_number": 1}
    edit(run, "shop-3", "listen: 9145", "listen: 9107", days=5)
    mark_by_rules(run)
    assert "o-older" not in read_changed_parts(run)

    other = make_run(tmp_path / "gone")
    write(other, "tombstones", [{"target": "shop-2", "reason": "shop-2", "at": WORKED, "is_undone": False}])
    assert mark_by_rules(other) == {}


def test_rules_mark_no_fact_of_a_model(tmp_path: Path) -> None:
    """A model's fact tells how its window ended, and a model is asked what replaces it."""
    run = make_run(tmp_path, "instructor:openai/gpt-5-mini")
    assert mark_by_rules(run) == {}
    assert read_marks(run) == {}
