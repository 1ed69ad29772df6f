"""Working memory: a page of a project that changes only on purpose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from effects.config.settings import EmbeddingSettings, Settings
from effects.opening.session_opening import render_session_opening
from effects.store.run import Run, open_run
from effects.tasks.working_memory import read_working_memory
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline
from recollect.task_tools import mutate_tasks, query_tasks
from tests.effects.recall_world import AS_OF
from tests.effects.session_home import answer, header, user, write

PROJECT = "/w/app"
FIRST, SECOND = "# Project\n\n- Tests: Vitest", "# Project\n\n- Tests: Vitest\n- Database: SQLite"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A lake with a short session of the project."""
    write(tmp_path / "sessions" / "one.jsonl", header("s-1"), user("u1", None, 0, "Hello."), answer("a1", "u1", 1, "Hello."))
    settings = Settings(
        sessions=(tmp_path / "sessions",), lake=tmp_path / "lake", workspace=tmp_path / "ws", timezone="UTC", owner="mara",
        embedding=EmbeddingSettings(model=str(tmp_path / "no-model")),
    )  # fmt: skip
    return open_run(settings, AS_OF)


def update(run: Run, content: str, **more: Any) -> dict[str, Any]:
    """Send a new text; return the answer."""
    return dict(mutate_tasks(run, {"action": "update_context", "content": content, **more}, PROJECT, "s-1"))


def read(run: Run) -> dict[str, Any]:
    """Return the working memory as an agent gets it."""
    page: Any = query_tasks(run, {"action": "context"}, PROJECT)["workingMemory"]
    return dict(page)


def test_an_agent_changes_what_it_has_read_and_nothing_else(run: Run) -> None:
    """The first text needs no base; later ones name the hash of what they replace, also after the owner's edit."""
    assert read(run)["content"] == ""
    assert update(run, FIRST)["workingMemory"]["content"] == f"{FIRST}\n"
    assert "not what you have read" in update(run, SECOND)["error"]
    seen = read(run)["hash"]
    path = read_working_memory(run, PROJECT).path
    path.write_text(f"{FIRST}\n- Ask me before you deploy\n", encoding="utf-8")
    assert "not what you have read" in update(run, SECOND, base=seen)["error"]
    assert "Ask me" in read(run)["content"]
    assert update(run, f"{SECOND}\n- Ask me before you deploy", base=read(run)["hash"])["success"] is True
    assert "Ask me" in path.read_text(encoding="utf-8")
    assert "at most" in update(run, "x" * 5000, base=read(run)["hash"])["error"]
    assert "resource" in update(run, FIRST, scope="thread")["error"]


def test_nights_leave_it_alone_and_sessions_begin_with_it(run: Run) -> None:
    """No step renders it; the opening shows it in full, to its own project only."""
    update(run, FIRST)
    path = read_working_memory(run, PROJECT).path
    before = path.read_bytes()
    run_pipeline(run, nightly_pipeline(None))
    assert path.read_bytes() == before
    opening = render_session_opening(run, PROJECT, 2000, [])
    assert f"# Working memory\n\n{FIRST}" in opening
    assert "Working memory" not in render_session_opening(run, "/w/other", 2000, [])


def test_a_secret_never_reaches_the_page(run: Run) -> None:
    """It is redacted before it is written."""
    secret = "ghp_" + "".join("aB3dE6gH9jK2mN5pQ8rS"[number % 20] for number in range(36))
    update(run, f"- The token is {secret}")
    assert secret not in read(run)["content"]
