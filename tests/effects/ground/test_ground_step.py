"""Lines of MEMORY.md are looked up in git: gone and renamed things become proposals, everything else stays quiet."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.ground.ground_step import check_ground
from effects.ground.lookups import look_up, read_head
from tests.effects.memory_world import World
from transforms.ground.code_references import CodeReference
from transforms.tables.schema import PROJECTS, build_frame

MEMORY = """# Memory

## System Architecture

- (2026-05-01) Invoices are rendered in src/invoice.py
- Settings are read by `loadSettings` in src/settings.py
- Checks run with make lint, slow ones with make slow
- The exporter is called with --legacy-dates
- Prefers short answers
- Deploy notes are in docs/never-was-here.md
"""


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Mara", "-c", "user.email=mara@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, "-C", str(folder), *arguments], check=True, capture_output=True)


def commit(folder: Path, **files: str | None) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_DOT_", ".")
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "change")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project in git, and a MEMORY.md about it, checked once."""
    shop = tmp_path / "shop"
    shop.mkdir()
    git(shop, "init", "-q", "-b", "main")
    body = "def render():\n    return 'an invoice of several lines'\n\n\ndef total():\n    return 1\n"
    commit(
        shop, src__invoice_DOT_py=body, src__settings_DOT_py="def loadSettings(): ...\n", Makefile="lint:\n\tx\nslow:\n\ty\n",
        cli_DOT_py="flags = ['--legacy-dates']\n",
    )  # fmt: skip
    world = World(tmp_path / "home")
    world.memory_file.parent.mkdir(parents=True)
    world.memory_file.write_text(MEMORY, encoding="utf-8")
    row: dict[str, Any] = {"folder": str(shop), "project": str(shop), "joined_by": "folder", "root": str(shop)}
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("projects", build_frame(PROJECTS, [row]))
    check(world)
    return world


def check(world: World) -> dict[str, Any]:
    with world.run.lake.writing("test"):
        return check_ground(world.run)


def statuses(world: World) -> dict[str, str]:
    return dict(world.run.lake.read("confirmations").select("name", "status").iter_rows())


def shop_of(world: World) -> Path:
    return world.folder.parent / "shop"


def test_what_the_repository_has_is_confirmed_and_nothing_is_proposed(world: World) -> None:
    """A name that no repository ever had is unknown, which is not a finding."""
    assert statuses(world) == {
        "src/invoice.py": "present", "loadSettings": "present", "src/settings.py": "present", "make lint": "present",
        "make slow": "present", "--legacy-dates": "present", "docs/never-was-here.md": "unknown",
    }  # fmt: skip
    assert world.proposals() == {}
    days = world.run.lake.read("confirmations").filter(pl.col("status") == "present")["confirmed_on"].to_list()
    assert set(days) == {world.run.today}


def test_gone_and_renamed_references_become_proposals_that_quote_the_line(world: World) -> None:
    """With the commit as evidence; a rename proposes the new name."""
    shop = shop_of(world)
    (shop / "src" / "billing").mkdir()
    git(shop, "mv", "src/invoice.py", "src/billing/render.py")
    commit(shop, Makefile="lint:\n\tx\n", cli_DOT_py="flags = []\n")
    world.days = 1
    counts = check(world)
    assert counts["proposed"] == 3
    proposals = {row["old_text"]: (row["op"], row["text"]) for row in world.proposals().values()}
    assert proposals == {
        "- (2026-05-01) Invoices are rendered in src/invoice.py": ("replace", "Invoices are rendered in src/billing/render.py"),
        "- Checks run with make lint, slow ones with make slow": (
            "remove",
            "Checks run with make lint, slow ones with make slow",
        ),
        "- The exporter is called with --legacy-dates": ("remove", "The exporter is called with --legacy-dates"),
    }
    world.render()
    page = world.review_file.read_text(encoding="utf-8")
    assert "Ground check: src/invoice.py was renamed to src/billing/render.py since commit" in page
    world.mark(next(key for key, row in world.proposals().items() if row["op"] == "replace"), "x")
    world.night()
    assert "rendered in src/billing/render.py" in world.memory()


def test_a_second_check_and_a_rejection_change_nothing(world: World) -> None:
    """The repository is asked again only when it moved on; a no stays a no."""
    commit(shop_of(world), Makefile="lint:\n\tx\n")
    world.days = 1
    check(world)
    before = {path: path.read_bytes() for path in world.run.lake.root.rglob("*.parquet")}
    assert check(world)["looked_up"] == 0
    assert {path: path.read_bytes() for path in world.run.lake.root.rglob("*.parquet")} == before
    world.render()
    world.mark(next(iter(world.proposals())), "-")
    world.night()
    commit(shop_of(world), Makefile="lint:\n\tz\n")
    world.days = 2
    check(world)
    assert list(world.statuses().values()) == ["rejected"]


def test_a_night_without_a_change_reads_no_history_of_manifests(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which packages a line names costs a reading of all of it; a new line is looked up again."""
    first = check(world)
    with monkeypatch.context() as patched:
        patched.setattr("effects.ground.ground_step.list_references", None)
        assert check(world) | {"proposed": 0} == first | {"looked_up": 0, "proposed": 0}
    memory = world.memory_file.read_text(encoding="utf-8")
    world.memory_file.write_text(memory + "- The API is described in src/nowhere.py\n", encoding="utf-8")
    assert check(world)["looked_up"] > 0


def test_a_commit_of_another_branch_is_told_apart(world: World) -> None:
    """It exists, and the main line does not have it."""
    shop = shop_of(world)
    git(shop, "checkout", "-qb", "try")
    commit(shop, trial_DOT_txt="x")
    side = read_head(str(shop)) or ""
    git(shop, "checkout", "-q", "main")
    head = read_head(str(shop)) or ""
    assert look_up(str(shop), head, CodeReference("commit", side[:10])).status == "unmerged"
    assert look_up(str(shop), head, CodeReference("commit", head[:10])).status == "present"
    assert look_up(str(shop), head, CodeReference("commit", "deadbeef1")).status == "unknown"
