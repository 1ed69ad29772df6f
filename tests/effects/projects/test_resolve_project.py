"""A project by the name of its repository, for a briefing and for tasks as for a question."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from effects.projects.resolve_project import resolve_project
from effects.recall.ask import open_recall
from effects.recall.project_filter import resolve_projects
from effects.store.run import Run
from effects.system.errors import NotFoundError, UsageError
from tests.effects.recall_world import recall_run, write
from transforms.projects.project_names import PROJECTS_NAMED
from transforms.recall.types import Filters

DAY = date(2026, 2, 9)
TREES = "/home/joel/worktrees/storefront"


def fill(root: Path, projects: list[str]) -> Run:
    """Return a run over a lake with a session in each of these projects."""
    run = recall_run(root)
    write(run, "sessions", [{"session_id": f"s-{n}", "project": path, "day": DAY} for n, path in enumerate(projects)])
    return run


def test_a_repository_of_one_project_is_found_by_its_name(tmp_path: Path) -> None:
    """Of its remote, and of the folder of its worktrees."""
    run = fill(tmp_path, ["/work/a1", f"{TREES}/fix-login"])
    write(run, "projects", [{"folder": "/work/a1", "project": "/work/a1", "joined_by": "folder", "remote": "example.com/j/shop"}])
    assert resolve_project(run, "Shop") == "/work/a1"
    assert resolve_project(run, "storefront") == f"{TREES}/fix-login"


def test_a_repository_of_several_projects_is_refused_with_them(tmp_path: Path) -> None:
    """A briefing is of one."""
    with pytest.raises(UsageError, match="the repository `storefront` has several projects") as raised:
        resolve_project(fill(tmp_path, [f"{TREES}/one", f"{TREES}/two"]), "storefront")
    assert raised.value.hint == f"{TREES}/one or {TREES}/two"
    with pytest.raises(UsageError) as raised:
        resolve_project(fill(tmp_path / "again", ["/w/a b/app", "/w/c/app"]), "app", command="recollect briefing --project")
    assert raised.value.hint == "recollect briefing --project '/w/a b/app' or recollect briefing --project /w/c/app"


def test_an_unknown_name_is_told_beside_the_same_projects_as_a_question_is(tmp_path: Path) -> None:
    run = fill(tmp_path, [f"/work/p{number:02}" for number in range(PROJECTS_NAMED + 2)])
    with pytest.raises(NotFoundError) as raised:
        resolve_project(run, "nowhere")
    with pytest.raises(NotFoundError) as asked:
        resolve_projects(open_recall(run), Filters(project="nowhere"))
    assert (raised.value.message, raised.value.hint) == (asked.value.message, asked.value.hint)
    assert raised.value.hint.endswith("p19 and 2 more (recollect projects)")


def test_where_no_session_was_read_the_next_command_reads_them(tmp_path: Path) -> None:
    """`--project P, with one of: none yet` was the advice to somebody who had just installed it."""
    with pytest.raises(NotFoundError) as raised:
        resolve_project(recall_run(tmp_path), None, folder=tmp_path)
    assert raised.value.hint.startswith("recollect nightly")
