"""Open work: the next step of a project stands beside an answer to a question that asks what is left."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from effects.recall.ask import ask, open_recall
from tests.each_case import each_case
from tests.effects.recall_world import BLOG, DAY, SHOP, START, filled, write
from transforms.recall.question_type import asks_for_open_work
from transforms.recall.types import Filters

STEP = "Go on with: the fonts of the invoices"


@each_case(
    "text",
    [
        "what is left to do?", "what's still open after the review?", "any open issues?", "what's next?", "todo?",
        "what work is still unfinished", "which tasks are outstanding?",
    ],
)  # fmt: skip
def test_a_question_for_what_is_left_asks_for_open_work(text: str) -> None:
    assert asks_for_open_work(text)


@each_case(
    "text",
    [
        "which port is open?", "who left the team?", "what did we decide?", "is the left sidebar gone?",
        "which button stands next to save?", "which parser is next in the pipeline?", "???",
    ],
)  # fmt: skip
def test_a_question_about_something_open_does_not(text: str) -> None:
    """It names what it asks about."""
    assert not asks_for_open_work(text)


def test_the_next_step_of_the_named_project_is_told(tmp_path: Path) -> None:
    """Of its last window; other questions, and questions that name no project, have no such note. Nothing of others is a hit."""
    run = filled(tmp_path)
    window = {
        "window_id": "w-2",
        "session_id": "shop-1",
        "kind": "closing",
        "status": "distilled",
        "reason": "",
        "entry_count": 1,
    }
    lasted = {"started_at": START, "ended_at": START + timedelta(days=1), "files_read": [], "files_modified": []}
    write(run, "windows", [window | lasted | {"first_ordinal": 8, "last_ordinal": 8, "day": DAY, "suggested_response": STEP}])
    recall = open_recall(run)
    answer = ask(recall, "what is left to do in shop?", Filters(k=50))
    assert f"to continue in shop: {STEP}" in answer.note
    assert {hit.project for hit in answer.hits} <= {SHOP, None}
    assert f"to continue in shop: {STEP}" in ask(recall, "what is left to do?", Filters(project=SHOP)).note
    for question, project in (("what is left to do?", None), ("which fonts are used in shop?", None), ("what is left?", BLOG)):
        assert "to continue" not in ask(recall, question, Filters(project=project)).note
