"""Open work: the next step of a project stands beside an answer to a question that asks what is left."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from effects.recall.ask import Recall, ask, open_recall
from effects.store.run import Run
from tests.each_case import each_case
from tests.effects.recall_world import BLOG, DAY, SHOP, START, filled, write
from transforms.recall.question_type import asks_for_open_work
from transforms.recall.types import Filters

STEP = "Go on with: the fonts of the invoices"


@each_case(
    "text",
    [
        "what is left to do?", "what's still open after the review?", "any open issues?", "what's next?", "todo?",
        "what work is still unfinished", "which tasks are outstanding?", "is anything left?", "what are the next steps?",
        "which issues are still open?", "what should we do next?", "what comes next?", "what do we have left?",
        "what do I still have to do?", "what is still to do?", "any open PRs?", "are there open pull requests?",
        "where did we stop?", "where did I leave off?", "what is there left to do?", "open issues?",
    ],
)  # fmt: skip
def test_a_question_for_what_is_left_asks_for_open_work(text: str) -> None:
    assert asks_for_open_work(text)


@each_case(
    "text",
    [
        "which port is open?", "who left the team?", "what did we decide?", "is the left sidebar gone?",
        "which button stands next to save?", "which parser is next in the pipeline?", "???", "how do I open it?",
        "what did I open?", "who left?", "who is left?", "is it left or right?", "what did he say next?", "did we open it?",
        "what did he do next?", "where did it stop?", "where is the port open?", "what did we have to do?", "when did he stop?",
    ],
)  # fmt: skip
def test_a_question_about_something_open_does_not(text: str) -> None:
    """It names what it asks about."""
    assert not asks_for_open_work(text)


def leave(run: Run, step: str) -> Recall:
    """Return the memory of a run whose last session of the shop left this next step."""
    window = {
        "window_id": "w-2",
        "session_id": "shop-1",
        "kind": "closing",
        "status": "distilled",
        "reason": "",
        "entry_count": 1,
    }
    lasted = {"started_at": START, "ended_at": START + timedelta(days=1), "files_read": [], "files_modified": []}
    write(run, "windows", [window | lasted | {"first_ordinal": 8, "last_ordinal": 8, "day": DAY, "suggested_response": step}])
    return open_recall(run)


def test_the_next_step_of_the_named_project_is_told(tmp_path: Path) -> None:
    """Of its last window; other questions, and questions that name no project, have no such note. Nothing of others is a hit."""
    recall = leave(filled(tmp_path), STEP)
    answer = ask(recall, "what is left to do in shop?", Filters(k=50))
    assert f"to continue in shop: {STEP}" in answer.note
    assert {hit.project for hit in answer.hits} <= {SHOP, None}
    assert f"to continue in shop: {STEP}" in ask(recall, "what is left to do?", Filters(project=SHOP)).note
    for question, project in (("what is left to do?", None), ("which fonts are used in shop?", None), ("what is left?", BLOG)):
        assert "to continue" not in ask(recall, question, Filters(project=project)).note


@pytest.mark.parametrize("step", ["Last completed: the fonts of the invoices", "Last said by User: “the fonts are fine”"])
def test_a_session_that_left_nothing_to_do_has_no_next_step(tmp_path: Path, step: str) -> None:
    """Its window tells what was done, or said, last."""
    assert "to continue" not in ask(leave(filled(tmp_path), step), "what is left to do in shop?", Filters(k=5)).note


def test_a_task_closed_since_ends_the_next_step(tmp_path: Path) -> None:
    """As on the briefing; a task of other words, of another project, or closed before, ends nothing."""
    recall, title = leave(filled(tmp_path), STEP), "The fonts of the invoices"
    after = START + timedelta(days=2)
    closings = (("Import the old orders", SHOP, after), (title, BLOG, after), (title, SHOP, START), (title, SHOP, after))
    told = []
    for number, (name, project, closed_at) in enumerate(closings):
        task = {"task_id": f"t-{number}", "title": name, "project": project, "status": "completed", "closed_at": closed_at}
        lists: dict[str, list[str]] = {"labels": [], "dependencies": [], "messages": []}
        write(recall.run, "tasks", [task | lists | {"priority": 2, "created_at": START, "updated_at": closed_at}])
        told.append("to continue in shop" in ask(recall, "what is left to do in shop?", Filters(k=5)).note)
    assert told == [True, True, True, False]
