"""The facts about a session's first request: of this project, sharing words with it, and with their amendments."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from effects.opening.request_recall import FACTS, RecalledFact, recall_for_request, render_recalled_facts
from effects.opening.session_opening import render_request_recall, render_session_opening
from effects.store.run import Run
from tests.effects.recall_world import BLOG, SHOP, START, fact, filled, write
from transforms.tables.tokens import count_tokens


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return an indexed lake without vectors."""
    root: Path = tmp_path_factory.mktemp("world")
    return filled(root, model=str(root / "no-model"))


def recall(run: Run, request: str, project: str = SHOP) -> list[RecalledFact]:
    """Return the facts about a request."""
    return recall_for_request(run, project, request, run.lake.read("observations"))


def test_an_amended_fact_comes_once_with_the_fact_that_it_replaced(tmp_path: Path) -> None:
    """The request uses the words of the old fact; the agent must not follow it."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"), is_indexed=False)
    earlier = fact("p1", "The gateway listens on port 9477", superseded_by="o-p2", said_at=START - timedelta(days=3))
    write(run, "observations", [earlier, fact("p2", "The gateway listens on port 9500")])
    facts = recall(run, "why does the gateway still listen on port 9477?")
    assert [found.observation_id for found in facts] == ["o-p2"]
    page = render_recalled_facts(facts, run.zone, 600)
    assert "The gateway listens on port 9500 (decision, 2026-02-09, `o-p2`); before, since 2026-02-06: " in page
    assert "port 9477" in page


def test_a_fact_of_an_unmerged_branch_says_so_in_the_opening(tmp_path: Path) -> None:
    """An agent must not take for granted what was never merged."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"), is_indexed=False)
    write(run, "observations", [fact("p2", "The gateway listens on port 9500")])
    looked_up = {"target": "o-p2", "name": "new-port", "kind": "branch", "status": "unmerged", "repository": SHOP}
    write(run, "confirmations", [looked_up | {"commit": "abc1234", "new_name": None, "confirmed_on": None, "state": "1"}])
    opening = render_session_opening(run, SHOP, 2000, [], "why does the gateway listen on port 9500?")
    facts = opening.partition("about this request")[2]
    assert "⚠️ from branch new-port, never merged" in facts


@pytest.mark.parametrize("request_text", ["hi", "go on", "", "clear", "session", "paint the fence green tomorrow"])
def test_a_request_without_two_words_of_a_fact_recalls_nothing(request_text: str, run: Run) -> None:
    assert recall(run, request_text) == []
    assert render_request_recall(run, SHOP, request_text, 600) == ""


def test_facts_of_other_projects_and_held_facts_stay_away(run: Run) -> None:
    assert recall(run, "session cache TTL in Redis", BLOG) == []
    assert recall(run, "session cache TTL in Redis", "/somewhere/new") == []
    assert recall(run, "the database password in vault seven") == []


def test_the_opening_with_facts_stays_within_its_budget(run: Run) -> None:
    """The briefing gives way, not the other way round."""
    alone = render_session_opening(run, SHOP, 300, [])
    both = render_session_opening(run, SHOP, 300, [], "raise the session cache TTL in Redis")
    assert "about this request" not in alone
    assert "about this request" in both
    assert count_tokens(both) <= 330


def test_a_small_budget_keeps_the_best_facts(run: Run) -> None:
    facts = recall(run, "session cache TTL in Redis") * FACTS
    short = render_recalled_facts(facts, run.zone, 150)
    assert 0 < count_tokens(short) <= 150
    assert render_recalled_facts(facts, run.zone, 5) == ""


def test_a_restated_fact_is_not_shown_as_an_amendment(tmp_path: Path) -> None:
    """A duplicate that was merged says nothing that the fact itself does not say."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"), is_indexed=False)
    again = fact("g1", "The gateway listens at port 9500", superseded_by="o-g2", said_at=START - timedelta(days=3))
    write(run, "observations", [again, fact("g2", "The gateway listens on port 9500, as ever")])
    (found,) = recall(run, "the gateway port")
    assert (found.observation_id, found.earlier_text) == ("o-g2", "")
