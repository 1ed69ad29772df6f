"""An answer with a number that an edit replaced says which one holds, also when nobody named the former one."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from effects.recall.ask import ask, open_recall
from effects.store.run import Run
from tests.effects.recall_world import SHOP, START, entry, filled, settle, write
from transforms.recall.types import Filters

QUESTION = "Which port does the metrics exporter listen on?"
REMARK = "since 2026-02-12: 9145 instead of 9107"


def talk(run: Run, session: str, days: int, *said: tuple[str, str, dict[str, Any]]) -> None:
    at = START + timedelta(days=days)
    rows = [
        entry(session, number, role, text, said_at=at + timedelta(minutes=number), day=at.date()) | {"raw_json": json.dumps(raw)}
        for number, (role, text, raw) in enumerate(said)
    ]
    write(run, "entries", rows)
    times = {"started_at": at, "ended_at": at + timedelta(minutes=9), "day": at.date()}
    row = {"session_id": session, "project": SHOP, "title": session, "source_path": f"/sessions/{session}.jsonl"}
    write(run, "sessions", [row | times])


def call(old: str, new: str) -> dict[str, Any]:
    arguments = {"path": "exporter.yml", "edits": [{"oldText": old, "newText": new}]}
    content = [{"type": "toolCall", "id": "c1", "name": "edit", "arguments": arguments}]
    return {"type": "message", "message": {"role": "assistant", "content": content}}


def test_the_answer_tells_the_number_that_an_edit_wrote(tmp_path: Path) -> None:
    run = filled(tmp_path, is_indexed=False)
    talk(
        run, "shop-2", 1,
        ("user", "which port does the metrics exporter listen on?", {}), ("assistant", "The metrics exporter is on 9107.", {}),
    )  # fmt: skip
    talk(
        run, "shop-3", 3,
        ("user", "the metrics exporter clashes with the printer, take another port", {}),
        ("assistant", "I change the port of the metrics exporter.", call("listen: 9107", "listen: 9145")),
    )  # fmt: skip
    settle(run)
    answer = ask(open_recall(run), QUESTION, Filters(project="all"))
    marked = [hit for hit in answer.hits if hit.changed]
    assert marked
    assert all(hit.changed == REMARK and hit.session_id == "shop-2" for hit in marked)
    assert REMARK in (answer.answer or "")

    gone = {"target": "shop-3", "reason": "shop-3", "at": START + timedelta(days=4), "is_undone": False}
    write(run, "tombstones", [gone])
    settle(run)  # what is forgotten replaces nothing
    assert not any(hit.changed for hit in ask(open_recall(run), QUESTION, Filters(project="all")).hits)


def test_one_hit_is_the_first_of_ten_also_where_newer_words_of_the_owner_stand_further_back(tmp_path: Path) -> None:
    run = filled(tmp_path, is_indexed=False)
    talk(run, "shop-2", 1, ("user", "set up the metrics exporter, port 9107 please", {}), ("assistant", "Done.", {}))
    later = "moved the metrics exporter from port 9107 to 9145, fix the docs"
    talk(run, "shop-3", 3, ("user", later, {}), ("assistant", "The docs say so.", {}))
    settle(run)
    recall = open_recall(run)
    (ten, one, two) = (ask(recall, QUESTION, Filters(project="all", k=k)).hits for k in (10, 1, 2))
    assert "9145" in ten[0].text
    assert [hit.id for hit in one] == [hit.id for hit in ten[:1]]
    assert [hit.id for hit in two] == [hit.id for hit in ten[:2]]


def test_the_same_number_of_something_else_that_no_word_of_the_question_reaches_marks_no_hit(tmp_path: Path) -> None:
    """A version of another package, changed in a talk about another subject."""
    run = filled(tmp_path, is_indexed=False, model=str(tmp_path / "no-model"))
    pinned = "The invoice renderer is pinned at 1.4.2."
    talk(run, "shop-2", 1, ("user", "pin the invoice renderer, newer ones break the fonts", {}), ("assistant", pinned, {}))
    more = [(role, f"about the paper jam, part {n}", {}) for n in range(10) for role in ("user", "assistant")]
    change = call('"left-pad": "1.4.2"', '"left-pad": "1.5.0"')
    talk(run, "shop-4", 5, *more, ("user", "again", {}), ("assistant", "I take the next.", change))
    settle(run)
    hits = ask(open_recall(run), "Which version of the invoice renderer do we ship?", Filters(project="all")).hits
    assert [hit.changed for hit in hits if pinned in hit.text] == [""]
