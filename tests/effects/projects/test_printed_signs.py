"""Folders whose repository git cannot name any more, told by what it printed in their sessions."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from effects.projects.decisions import split_by_hand
from effects.projects.join_step import join_projects
from tests.effects.session_home import Home, header, iso, user, write

LOG = "89447d8 Merge\n1009ebb feat: a page\n"
REMOTE = "origin\tgit@example.com:t/shop.git (fetch)\norigin\tgit@example.com:t/shop.git (push)\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def add_session(home: Home, name: str, folder: str | Path, *ran: tuple[str, str], minute: float = 0) -> None:
    lines = [user(f"{name}0", None, minute, f"work in {name}")]
    for number, (command, output) in enumerate(ran):
        call = {"type": "toolCall", "id": f"c{number}", "name": "bash", "arguments": {"command": command}}
        messages = (
            {"role": "assistant", "content": [call]},
            {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "bash", "content": [{"type": "text", "text": output}]},
        )
        for side, message in enumerate(messages):
            lines.append(
                json.dumps({"type": "message", "id": f"{name}{number}{side}", "timestamp": iso(minute + 1), "message": message})
            )
    write(home.sessions / f"{name}.jsonl", header(name, cwd=str(folder)), *lines)


def night(home: Home) -> dict[str, str]:
    home.night()
    with home.lake.writing("test"):
        join_projects(home.run)
    return {row["session_id"]: row["project"] for row in home.rows("sessions")}


def test_worktrees_that_are_gone_are_one_project_by_commits_that_git_listed_in_both(home: Home) -> None:
    add_session(home, "one", "/gone/worktrees/shop/one", ("git log --oneline", LOG))
    add_session(home, "two", "/gone/worktrees/shop/two", ("git log --oneline -9", f"0000aaa x\n{LOG}"), minute=1)
    add_session(home, "name", "/gone/worktrees/shop/three", minute=2)
    add_session(home, "file", "/gone/four", ("cat log.txt", LOG), minute=3)
    add_session(home, "other", "/gone/five", ("cd ../worktrees/shop/one && git log", LOG), minute=4)
    joined = "/gone/worktrees/shop/one"
    expected = {"one": joined, "two": joined, "name": "/gone/worktrees/shop/three", "file": "/gone/four", "other": "/gone/five"}
    assert night(home) == expected
    reasons = {row["folder"]: row["joined_by"] for row in home.rows("projects")}
    assert reasons[joined] == reasons["/gone/worktrees/shop/two"] == "commit"
    before = home.files()
    assert night(home) == expected
    assert home.files() == before, "a second night changes no byte"
    with home.lake.writing("test"):
        split_by_hand(home.run, "/gone/worktrees/shop/two")
    assert night(home)["two"] == "/gone/worktrees/shop/two"


def test_a_folder_in_a_folder_of_the_same_remote_belongs_to_it(home: Home) -> None:
    add_session(home, "inner", "/gone/shop/web", ("git remote -v", REMOTE))
    add_session(home, "outer", "/gone/shop", ("git remote -v", REMOTE), minute=1)
    add_session(home, "clone", "/gone/copy", ("git remote -v", REMOTE), minute=2)
    assert night(home) == {"inner": "/gone/shop", "outer": "/gone/shop", "clone": "/gone/copy"}
    with home.lake.writing("test"):
        split_by_hand(home.run, "/gone/shop")
    assert night(home) == {"inner": "/gone/shop/web", "outer": "/gone/shop", "clone": "/gone/copy"}


def test_a_worktree_that_only_listed_commits_belongs_to_the_repository_that_holds_them(home: Home, tmp_path: Path) -> None:
    app = tmp_path / "app"
    app.mkdir()
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main")
    for words in (("init",), *(("commit", "--allow-empty", "-m", name) for name in ("first", "second"))):
        subprocess.run(["git", *identity, "-C", str(app), *words], check=True, capture_output=True)
    log = subprocess.run(["git", "-C", str(app), "log", "--oneline"], check=True, capture_output=True, text=True).stdout
    add_session(home, "app", app)
    add_session(home, "fix", tmp_path / "fix", ("git log --oneline", log), minute=1)
    add_session(home, "half", tmp_path / "half", ("git log --oneline -1", log.splitlines()[0]), minute=2)
    (tmp_path / "here").mkdir()
    add_session(home, "here", tmp_path / "here", ("git log --oneline", log), minute=3)
    expected = {"app": "app", "fix": "app", "half": "half", "here": "here"}
    assert night(home) == {name: str(tmp_path / folder) for name, folder in expected.items()}
    shutil.rmtree(app)
    assert night(home)["fix"] == str(app), "what was once known stays"
