"""High facts are checked in their own repository: gone names and branches that were never merged become marks."""

from __future__ import annotations

import os
import subprocess
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from effects.ground.ground_step import check_ground
from effects.pages.page_facts import read_marks
from effects.pages.project_briefing import render_briefing
from effects.store.forgotten import read_remembered
from tests.effects.memory_world import START, World
from transforms.tables.schema import ENTRIES, PROJECTS, build_frame

TABLES = ("windows", "sessions", "segments", "observations", "proposals", "proposal_events")
EARLIER = START - timedelta(days=30)


class Repository:
    """A repository whose commits have the dates that a test gives them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.at = EARLIER
        self.git("init", "-q", "-b", "main")
        self.commit(src_a="one\ntwo\nthree\n", src_b="four\n")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=Mara", "-c", "user.email=mara@example.org", "-c", "commit.gpgsign=false")
        dates = {name: self.at.isoformat() for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")}
        command = ["git", *identity, "-C", str(self.folder), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | dates)
        return done.stdout.strip()

    def commit(self, **files: str | None) -> str:
        self.at += timedelta(minutes=1)
        for name, text in files.items():
            path = self.folder / f"{name}.py"
            path.unlink() if text is None else path.write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", "change")
        return self.git("rev-parse", "--short=9", "HEAD")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a workspace whose one project is a repository."""
    world, shop = World(tmp_path / "home"), tmp_path / "shop"
    row: dict[str, Any] = {"folder": str(shop), "project": str(shop), "joined_by": "folder", "root": str(shop)}
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("projects", build_frame(PROJECTS, [row]))
    return world


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "shop")


def say(world: World, shop: Repository, text: str, *printed: str, kind: str = "decision") -> str:
    """Store a high fact of a session in which git printed something; return its id."""
    key = world.observe(text, kind, project=str(shop.folder))
    said_at: datetime = world.run.as_of - timedelta(hours=6)
    entries = [
        {
            "session_id": f"session-{key}",
            "ordinal": number,
            "entry_id": f"e{number}",
            "role": role,
            "text": words,
            "day": said_at.date(),
        }
        for number, (role, words) in enumerate([("user", text), *(("toolResult", words) for words in printed)])
    ]
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.add_days("entries", build_frame(ENTRIES, entries))
    return key


def marks(world: World) -> dict[str, str]:
    with world.run.lake.writing("test"):
        check_ground(world.run)
    return dict(read_marks(world.run))


def test_a_path_that_was_removed_after_the_fact_is_a_mark(world: World, shop: Repository) -> None:
    """A fact that was said after the removal knew about it."""
    before = say(world, shop, "Prices are read in src_a.py")
    assert marks(world) == {}
    shop.at = world.run.as_of + timedelta(hours=1)
    gone = shop.commit(src_a=None)
    world.days = 1
    after = say(world, shop, "src_a.py was thrown away", kind="state_change")
    shown_marks = marks(world)
    assert list(shown_marks) == [before]
    assert shown_marks[before].startswith("src_a.py is gone since commit")
    assert shown_marks[before][-7:] == gone[:7]
    assert after not in shown_marks
    page = render_briefing(
        world.run, {name: read_remembered(world.run.lake, name) for name in TABLES}, str(shop.folder), budget=2000
    )
    assert f"`{before}`) ⚠️ src_a.py is gone since commit" in page


@pytest.mark.parametrize("merge", ["--no-ff", "--ff-only", "--squash", "deleted"])
def test_a_fact_of_a_branch_is_marked_until_the_branch_is_merged(world: World, shop: Repository, merge: str) -> None:
    shop.git("checkout", "-qb", "try")
    shop.at = world.run.as_of - timedelta(hours=5)
    commit = shop.commit(src_c="x\n")
    key = say(world, shop, "The cache is a dictionary", "On branch try", f"[try {commit}] change\n 1 file changed")
    shop.git("checkout", "-q", "main")
    assert marks(world) == {key: "from branch try, never merged"}
    shop.git("merge", *(["--ff-only"] if merge == "deleted" else [merge]), "try")
    if merge == "--squash":
        shop.git("commit", "-qm", "all of it")
    if merge == "deleted":
        shop.git("branch", "-D", "try")
    assert marks(world) == {}


def test_a_branch_on_which_nothing_was_committed_is_marked(world: World, shop: Repository) -> None:
    shop.git("branch", "idea")
    key = say(world, shop, "The cache is a file", "On branch idea\nnothing to commit")
    assert marks(world) == {key: "from branch idea, never merged"}


def test_facts_of_the_default_branch_and_of_unknown_ones_have_no_mark(world: World, shop: Repository) -> None:
    say(world, shop, "The cache is empty", "On branch main")
    say(world, shop, "The cache is full", "On branch was-deleted")
    say(world, shop, "The cache is warm")
    assert marks(world) == {}


def test_a_second_check_asks_nothing_and_writes_nothing(world: World, shop: Repository) -> None:
    say(world, shop, "Prices are read in src_a.py", "On branch main")
    marks(world)
    before = {path: path.read_bytes() for path in world.run.lake.root.rglob("*.parquet")}
    with world.run.lake.writing("test"):
        assert check_ground(world.run)["looked_up"] == 0
    assert {path: path.read_bytes() for path in world.run.lake.root.rglob("*.parquet")} == before
