"""A line that somebody saves: once, in its place, and instead of the line whose value it changes; its owner decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from effects.memory.proposal_store import open_proposals, promote_approved, save_proposals
from effects.memory.remember import remember, take_over_rows
from effects.memory.review_page import render_review
from effects.store.run import Run
from tests.effects.memory_world import World
from tests.effects.recall_world import BLOG, DAY, SHOP, recall_run, write

LINES = (
    "- (2026-02-01) The gateway listens on port 9477",
    "- (2026-02-02) **shop** — Mails go through Brevo",
    "- (2026-02-03) **blog** — The dev server runs on port 8000",
    "- (2026-02-03) Commits are in English",
)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a lake of two projects with a MEMORY.md."""
    run = recall_run(tmp_path)
    run.settings.workspace.mkdir(parents=True)
    (run.settings.workspace / "MEMORY.md").write_text("# Memory\n\n## Patterns\n\n" + "\n".join(LINES) + "\n", encoding="utf-8")
    write(
        run, "sessions", [{"session_id": name, "project": project, "day": DAY} for name, project in (("s1", SHOP), ("s2", BLOG))]
    )
    return run


def save(run: Run, text: str, project: str | None = SHOP, **more: Any) -> dict[str, Any]:
    """Return the counts of a line that an agent saves, unless `more` names another actor."""
    with run.lake.writing("test"):
        return dict(remember(run, text, project=project, **{"actor": "agent", **more}))


def approve(run: Run, proposal_id: str) -> list[str]:
    """Let the owner approve a proposal; return the bullets of MEMORY.md."""
    with run.lake.writing("test"):
        store = open_proposals(run)
        promote_approved(store, [proposal_id])
        save_proposals(store)
    memory = (run.settings.workspace / "MEMORY.md").read_text(encoding="utf-8")
    return [line for line in memory.splitlines() if line.startswith("- ")]


def test_another_value_of_a_line_is_proposed_in_its_place_and_nothing_changes_before_its_owner_decides(run: Run) -> None:
    """Approved as an addition, both values stood in MEMORY.md."""
    saved = save(run, "The gateway listens on port 9500")
    assert saved["replaces"] == LINES[0]
    assert saved["section"] == "Patterns"
    assert saved["project"] is None, "it holds where the line did"
    assert f"Replaces in MEMORY.md: `{LINES[0]}`" in render_review(run)[0]
    assert (run.settings.workspace / "MEMORY.md").read_text(encoding="utf-8").count("9477") == 1
    bullets = approve(run, saved["proposal_id"])
    assert bullets[0].endswith("The gateway listens on port 9500")
    assert bullets[1:] == list(LINES[1:])


def test_a_line_of_the_same_project_is_replaced_and_stays_the_projects(run: Run) -> None:
    saved = save(run, "Mails go through Scaleway instead of Brevo")
    assert (saved["replaces"], saved["project"]) == (LINES[1], SHOP)


@pytest.mark.parametrize("text", [
    "The dev server runs on port 8010",
    "Commits are signed",
    "Commits are in English, the body wrapped at 72",
    "Invoices go out on Mondays",
])  # fmt: skip
def test_what_changes_no_value_or_another_projects_line_is_an_addition(run: Run, text: str) -> None:
    saved = save(run, text)
    assert (saved.get("replaces"), saved["project"]) == (None, SHOP)
    assert len(approve(run, saved["proposal_id"])) == len(LINES) + 1


def test_what_the_owner_writes_at_once_replaces_nothing(run: Run) -> None:
    """Nothing overwrites a person's text unasked."""
    saved = save(run, "The gateway listens on port 9500", is_immediate=True, actor="owner")
    assert saved["promoted"] == 1
    assert LINES[0] in (run.settings.workspace / "MEMORY.md").read_text(encoding="utf-8")


def test_the_same_words_with_other_marks_wait_once(run: Run) -> None:
    first = save(run, "Answers are in plain text, not Markdown")
    again = save(run, "answers are in plain-text not Markdown.")
    assert (again["proposal_id"], again["already"]) == (first["proposal_id"], "review")
    assert "already" not in save(run, "Plugins are written in C")
    assert "already" not in save(run, "Plugins are written in C++"), "a sign that means something"
    replacing = save(run, "The gateway listens on port 9500")
    assert save(run, "the gateway listens on port 9500.") == replacing | {
        "text": "the gateway listens on port 9500.", "already": "review",
    }  # fmt: skip


def test_a_saved_line_names_the_lines_that_say_something_else_and_stay(run: Run) -> None:
    """Those that wait, and, at once, the one of MEMORY.md, too: it takes no line's place then."""
    waiting = save(run, "Deploys happen on Tuesdays")["proposal_id"]
    saved = save(run, "Deploys happen on Fridays", is_immediate=True)
    assert saved["contradicts"] == [f"{waiting}: Deploys happen on Tuesdays"]
    assert save(run, "The gateway listens on port 9500", is_immediate=True)["contradicts"] == ["The gateway listens on port 9477"]
    assert "contradicts" not in save(run, "Invoices go out on Mondays")
    assert "contradicts" not in save(run, "Deploys happen on Mondays", project=BLOG), "in another project"


@pytest.mark.parametrize(
    ("said", "project"),
    [("Keep your answers short, no compliments", None), ("Never drop door events of the north gate", "/code/app")],
)
def test_a_fact_that_its_owner_takes_over_is_of_its_project_unless_its_words_hold_everywhere(
    tmp_path: Path, said: str, project: str | None
) -> None:
    """The words name no noun of software work: by the rules of language alone both were of the project."""
    world = World(tmp_path)
    key = world.observe(f'Joel set a rule: "{said}"', project="/code/app", origin="owner")
    with world.run.lake.writing("test"):
        store = open_proposals(world.run)
        (added,) = take_over_rows(store, [key])
    assert (store.rows[added]["text"], store.rows[added]["project"]) == (said, project)
