"""Folders that were deleted before a night saw them, on real git repositories."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from effects.projects.join_step import join_projects
from tests.effects.session_home import Home, header, iso, user, write


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main")
    words = ["git", *identity, "-C", str(folder), *arguments]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def make_repository(folder: Path) -> Path:
    (folder / "src").mkdir(parents=True)
    git(folder, "init")
    (folder / "src" / "a.txt").write_text(folder.name)
    git(folder, "add", ".")
    git(folder, "commit", "-m", f"first of {folder.name}")
    return folder


def add_session(home: Home, name: str, folder: Path, minute: float = 0, output: str = "") -> None:
    message = {"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": [{"type": "text", "text": output}]}
    lines = [user(f"{name}1", None, minute, f"work in {name}")]
    if output:
        entry = {"type": "message", "id": f"{name}2", "parentId": f"{name}1", "timestamp": iso(minute + 1), "message": message}
        lines.append(json.dumps(entry))
    write(home.sessions / f"{name}.jsonl", header(name, cwd=str(folder)), *lines)


def night(home: Home) -> dict[str, str]:
    """Run a night's first steps; return the last part of the project of each session."""
    home.night()
    with home.lake.writing("test"):
        join_projects(home.run)
    return {row["session_id"]: row["project"].rpartition("/")[2] for row in home.rows("sessions")}


def test_a_folder_of_a_worktree_or_repository_that_is_gone_belongs_to_it(home: Home, tmp_path: Path) -> None:
    app = make_repository(tmp_path / "app")
    git(app, "worktree", "add", str(tmp_path / "fix"), "-b", "fix")
    add_session(home, "app", app)
    add_session(home, "fix", tmp_path / "fix", 1)
    assert night(home) == {"app": "app", "fix": "app"}
    git(app, "worktree", "remove", str(tmp_path / "fix"))
    shutil.rmtree(app / "src")
    add_session(home, "fix-src", tmp_path / "fix" / "src", 2)
    add_session(home, "app-src", app / "src", 3)
    add_session(home, "inner", app / ".worktrees" / "inner", 4)
    add_session(home, "other", tmp_path / "other", 5)
    add_session(home, "fixture", tmp_path / "fixture", 5)
    expected = {"app": "app", "fix": "app", "fix-src": "app", "app-src": "app", "inner": "app"}
    assert night(home) == {**expected, "other": "other", "fixture": "fixture"}
    shutil.rmtree(app)
    assert night(home)["inner"] == "app", "what was once known stays"


def test_a_worktree_that_no_night_saw_is_known_by_a_commit_that_git_printed_there(home: Home, tmp_path: Path) -> None:
    app, lib = make_repository(tmp_path / "app"), make_repository(tmp_path / "lib")
    fix = tmp_path / "fix"
    git(app, "worktree", "add", str(fix), "-b", "fix")
    (fix / "b.txt").write_text("b")
    git(fix, "add", ".")
    output = git(fix, "commit", "-m", "second")
    git(app, "worktree", "remove", str(fix))
    add_session(home, "app", app)
    add_session(home, "lib", lib)
    add_session(home, "fix", fix, 1, f"$ git commit -m second\n{output}")
    add_session(home, "none", tmp_path / "none", 1, "[main 0123abc] a commit of nobody")
    assert night(home) == {"app": "app", "lib": "lib", "fix": "app", "none": "none"}
    before = home.files()
    night(home)
    assert home.files() == before


def test_a_folder_that_is_here_without_a_repository_is_joined_to_none(home: Home, tmp_path: Path) -> None:
    app = make_repository(tmp_path / "app")
    commit = git(app, "rev-parse", "--short", "HEAD").strip()
    (tmp_path / "notes").mkdir()
    add_session(home, "app", app)
    add_session(home, "notes", tmp_path / "notes", 1, f"[main {commit}] first of app")
    assert night(home) == {"app": "app", "notes": "notes"}


def test_the_home_folder_is_no_repository_of_what_is_gone_in_it(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = make_repository(tmp_path / "own")
    monkeypatch.setenv("HOME", str(own))
    add_session(home, "own", own)
    add_session(home, "gone", own / "gone", 1)
    assert night(home) == {"own": "own", "gone": "gone"}
