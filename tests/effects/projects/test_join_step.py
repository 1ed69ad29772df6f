"""The projects step on real git repositories."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from effects.config.settings import ProjectSettings
from effects.projects.decisions import join_by_hand, split_by_hand
from effects.projects.join_step import join_projects
from effects.projects.resolve_project import resolve_project
from effects.store.run import Run
from effects.system.errors import NotFoundError, UsageError
from tests.agent_lines import codex_meta, codex_prompt
from tests.effects.session_home import START, Home, header, user, write


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.fixture
def app(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    (folder / "docs").mkdir(parents=True)
    git(folder, "init")
    (folder / "docs" / "a.md").write_text("a")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "first")
    return folder


def add_session(home: Home, name: str, folder: Path | str, minute: float = 0) -> None:
    write(home.sessions / f"{name}.jsonl", header(name, cwd=str(folder)), user(f"{name}1", None, minute, f"work in {name}"))


def night(home: Home) -> dict[str, str]:
    """Run a night's first steps; return the last part of the project of each session."""
    home.night()
    with home.lake.writing("test"):
        join_projects(home.run)
    return {row["session_id"]: row["project"].rpartition("/")[2] for row in home.rows("sessions")}


def test_a_worktree_a_subfolder_a_clone_and_a_moved_copy_are_one_project_for_good(home: Home, app: Path, tmp_path: Path) -> None:
    git(app, "worktree", "add", str(tmp_path / "fix"), "-b", "fix")
    git(tmp_path, "clone", str(app), str(tmp_path / "clone"))
    for minute, name in enumerate(("app", "fix", "clone", "app/docs")):
        add_session(home, name.replace("/", "-"), tmp_path / name, minute)
    add_session(home, "elsewhere", tmp_path, 9)
    expected = {"app": "app", "fix": "app", "clone": "app", "app-docs": "app", "elsewhere": tmp_path.name}
    assert night(home) == expected
    before = home.files()
    assert night(home) == expected
    assert home.files() == before, "a second night changes no byte"
    shutil.rmtree(tmp_path / "fix")
    app.rename(tmp_path / "renamed")
    add_session(home, "later", tmp_path / "renamed", 20)
    assert night(home) == expected | {"later": "app"}
    reasons = {row["folder"].rpartition("/")[2]: row["joined_by"] for row in home.rows("projects")}
    assert reasons["renamed"] == "first_commit"


def codex_session(home: Home, number: int, cwd: Path | str, address: str, commit: str = "") -> None:
    """Write a session of Codex, which notes remote and commit of its folder."""
    own = f"019b0000-0000-7000-8000-00000000000{number}"
    noted = {"repository_url": address} | ({"commit_hash": commit} if commit else {})
    write(home.sessions / f"{own}.jsonl", codex_meta(own=own, cwd=str(cwd), git=noted), *codex_prompt(number, "go"))


def test_a_remote_and_a_commit_that_a_session_recorded_join_a_folder_of_another_machine(home: Home, app: Path) -> None:
    head = subprocess.run(["git", "-C", str(app), "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    git(app, "remote", "add", "origin", "git@example.com:t/app.git")
    add_session(home, "app", app)
    codex_session(home, 1, "/Users/a/work", "https://example.com/t/app", head)
    codex_session(home, 2, "/tmp/theirs", "https://example.com/t/app", "0" * 40)
    codex_session(home, 3, "/tmp/others", "https://example.com/t/app")
    expected = {"app": "app", "work": "app", "theirs": "theirs", "others": "others"}
    assert set(night(home).values()) == set(expected.values())
    assert {row["folder"].rpartition("/")[2]: row["project"].rpartition("/")[2] for row in home.rows("projects")} == expected


def test_a_shallow_clone_belongs_to_the_repository_that_has_its_first_commit(home: Home, app: Path, tmp_path: Path) -> None:
    git(app, "commit", "--allow-empty", "-m", "second")
    git(tmp_path, "clone", "--depth=1", f"file://{app}", str(tmp_path / "shallow"))
    for minute, name in enumerate(("app", "shallow")):
        git(tmp_path / name, "config", "remote.origin.url", "git@example.com:t/app.git")
        add_session(home, name, tmp_path / name, minute)
    assert night(home) == {"app": "app", "shallow": "app"}
    assert night(home) == {"app": "app", "shallow": "app"}


CLAIMS = (
    "remote",
    "gitfile",
    "module",
    "worktree",
    "symlink",
    "commondir",
    "alternates",
    "objects",
    "tree",
    "embedded",
    "renamed",
)


@pytest.mark.parametrize("claim", CLAIMS)
def test_no_folder_joins_another_by_what_it_says_about_itself(claim: str, home: Home, app: Path, tmp_path: Path) -> None:
    """An unzipped folder brings any `.git`, and may guess what lies beside it; the hook there would tell its memory."""
    git(app, "remote", "add", "origin", "git@example.com:t/app.git")
    git(app, "worktree", "add", str(tmp_path / "fix"), "-b", "fix")
    git(app, "-c", "protocol.file.allow=always", "submodule", "add", str(app), "library")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    inside = theirs / ".git"
    if claim in ("gitfile", "module", "worktree"):
        places = {"gitfile": "../app/.git", "module": "../app/.git/modules/library", "worktree": "../app/.git/worktrees/fix"}
        inside.write_text(f"gitdir: {places[claim]}\n")
    elif claim == "symlink":
        inside.symlink_to("../app/.git")
    elif claim in ("embedded", "renamed"):
        git(theirs, "init", "--bare", "pkg")
        for name, value in (("remote.origin.url", "git@example.com:t/app.git"), ("core.bare", "false")):
            git(theirs / "pkg", "config", "-f", str(theirs / "pkg" / "config"), name, value)
        git(theirs / "pkg", "config", "-f", str(theirs / "pkg" / "config"), "core.worktree", str(app))
        if claim == "renamed":
            inside.write_text("gitdir: pkg\n")
        theirs = theirs / "pkg" if claim == "embedded" else theirs
    else:
        git(theirs, "init")
        git(theirs, "commit", "--allow-empty", "-m", "theirs")
        if claim == "remote":
            git(theirs, "remote", "add", "origin", "git@example.com:t/app.git")
        if claim == "commondir":
            (inside / "commondir").write_text("../../app/.git\n")
        if claim == "tree":
            git(theirs, "config", "core.worktree", str(app))
        if claim in ("alternates", "objects"):
            (inside / "refs" / "heads" / "main").unlink()
            (inside / "refs" / "heads" / "main").symlink_to(app / ".git" / "refs" / "heads" / "main")
        if claim == "alternates":
            (inside / "objects" / "info" / "alternates").write_text("../../../app/.git/objects\n")
        if claim == "objects":
            shutil.rmtree(inside / "objects")
            (inside / "objects").symlink_to("../../app/.git/objects")
    add_session(home, "app", app)
    add_session(home, "fix", tmp_path / "fix", 1)
    add_session(home, "library", app / "library", 2)
    add_session(home, "theirs", theirs, 3)
    assert night(home) == {"app": "app", "fix": "app", "library": "app", "theirs": theirs.name}


def test_a_repository_that_is_made_later_joins_folders_of_a_history_that_did_not_change(home: Home, tmp_path: Path) -> None:
    """Git is asked each night about folders of which it has not told everything, also when nothing else is looked at."""
    (tmp_path / "shop" / "web").mkdir(parents=True)
    for minute, name in enumerate(("shop", "shop/web")):
        add_session(home, name.replace("/", "-"), tmp_path / name, minute)
    apart = {"shop": "shop", "shop-web": "web"}
    assert [night(home) for _ in range(3)] == [apart] * 3
    git(tmp_path / "shop", "init")
    git(tmp_path / "shop", "commit", "--allow-empty", "-m", "first")
    assert night(home) == {"shop": "shop", "shop-web": "shop"}


def test_a_setting_leaves_every_folder_a_project_and_joins_nothing_twice(home: Home, app: Path) -> None:
    add_session(home, "app", app)
    add_session(home, "docs", app / "docs", 1)
    assert night(home) == {"app": "app", "docs": "app"}
    home.run = Run(replace(home.run.settings, projects=ProjectSettings(join="folder")), home.lake, START)
    assert night(home) == {"app": "app", "docs": "docs"}


def test_folders_without_a_repository_keep_their_own_project(home: Home) -> None:
    add_session(home, "s-1", "/w/app")
    home.night()
    before = home.rows("sessions")
    night(home)
    assert home.rows("sessions") == before
    assert [(row["folder"], row["project"], row["joined_by"]) for row in home.rows("projects")] == [
        ("/w/app", "/w/app", "folder")
    ]


def test_the_owner_joins_and_splits_and_the_lake_is_as_before(home: Home) -> None:
    for minute, name in enumerate(("shop", "shop-old", "blog")):
        add_session(home, name, f"/w/{name}", minute)
    apart = night(home)
    before = home.files()
    with home.lake.writing("test"):
        assert join_by_hand(home.run, "shop-old", "shop") == {"folder": "/w/shop-old", "project": "/w/shop"}
    assert night(home) == apart | {"shop-old": "shop"}
    with home.lake.writing("test"):
        split_by_hand(home.run, "shop-old")
    assert night(home) == apart
    assert home.files() == before


def test_a_folder_of_a_repository_can_stand_alone(home: Home, app: Path) -> None:
    add_session(home, "app", app)
    add_session(home, "docs", app / "docs", 1)
    night(home)
    with home.lake.writing("test"):
        split_by_hand(home.run, str(app / "docs"))
    assert night(home) == {"app": "app", "docs": "docs"}


def test_names_that_mean_nothing_or_too_much_are_errors_with_a_next_command(home: Home) -> None:
    for name in ("a/app", "b/app", "c/web"):
        add_session(home, name.replace("/", "-"), f"/w/{name}")
    night(home)
    with home.lake.writing("test"):
        for call, error in (
            (lambda: join_by_hand(home.run, "nothing", "web"), NotFoundError),
            (lambda: join_by_hand(home.run, "app", "web"), UsageError),
            (lambda: join_by_hand(home.run, "web", "web"), UsageError),
            (lambda: split_by_hand(home.run, "web"), UsageError),
        ):
            with pytest.raises(error) as raised:
                call()
            assert raised.value.hint


def test_a_project_is_named_in_either_form_of_its_letters(home: Home, tmp_path: Path) -> None:
    """By `--project`, by the folder of a session, and where two projects are joined."""
    composed, marked = tmp_path / "\u304c", tmp_path / "\u304b\u3099"
    add_session(home, "a", composed)
    add_session(home, "b", tmp_path / "other", 1)
    night(home)
    for name in (str(composed), str(marked), marked.name):
        assert resolve_project(home.run, name) == str(composed)
    assert resolve_project(home.run, None, folder=marked / "src") == str(composed)
    with home.lake.writing("test"):
        assert join_by_hand(home.run, "other", marked.name) == {"folder": str(tmp_path / "other"), "project": str(composed)}
