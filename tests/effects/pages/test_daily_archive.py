"""Old daily logs move to the archive and back; their words and links stay."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from effects.config.settings import PageSettings
from effects.pages.daily_archive import archive
from effects.pages.render_step import render
from effects.store.run import Counts
from tests.effects.memory_world import World
from transforms.tables.schema import PROPOSAL_EVENTS, SESSIONS, WINDOWS, build_frame

FOREIGN = "My note: see [the rules](../MEMORY.md) and [the day before](2026-05-16.md).\r\nLast line without an end"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a workspace of two reflected days; the first page holds words of its owner."""
    world = World(tmp_path, settings={"pages": PageSettings(archive_days=30)})
    for days in (0, 1):
        world.days = days
        key = world.observe(f"Joel decided to use port 920{days}", "decision")
        time = world.run.as_of - timedelta(hours=6)
        session = {"session_id": f"session-{key}", "title": "Ports", "project": "/w/app", "day": time.date(),
                   "source_path": "/s/x.jsonl"}  # fmt: skip
        window = {"window_id": f"w-{key}", "session_id": f"session-{key}", "status": "distilled", "reason": "", "kind": "closing",
                  "day": time.date(), "started_at": time, "ended_at": time}  # fmt: skip
        with world.run.lake.writing("test"), world.run.lake.commit() as change:
            change.replace("sessions", build_frame(SESSIONS, [session]), time.date())
            change.replace("windows", build_frame(WINDOWS, [window]), time.date())
        world.night()
    run_step(world, render)
    page = page_of(world, "2026-05-17")
    page.write_bytes(page.read_bytes() + f"\n{FOREIGN}".encode())
    world.days = 60
    return world


def run_step(world: World, *steps: Callable[..., Counts]) -> list[Counts]:
    with world.run.lake.writing("test"):
        return [step(world.run) for step in steps]


def page_of(world: World, day: str) -> Path:
    return world.folder / "work" / "memory" / f"{day}.md"


def archived_of(world: World, day: str) -> Path:
    return world.folder / "work" / "memory" / "archive" / f"{day}.md"


def test_old_pages_move_with_every_byte_but_their_links(world: World) -> None:
    before = page_of(world, "2026-05-17").read_bytes()
    counts, _ = run_step(world, archive, render)
    assert counts == {"archived": 2, "returned": 0}
    after = archived_of(world, "2026-05-17").read_bytes()
    assert after == before.replace(b"../MEMORY.md", b"../../MEMORY.md")
    assert not page_of(world, "2026-05-17").exists()


def test_a_second_run_changes_nothing(world: World) -> None:
    run_step(world, archive, render)
    pages = {path: path.stat().st_mtime_ns for path in (world.folder / "work").rglob("*.md")}
    counts, rendered = run_step(world, archive, render)
    assert counts == {"archived": 0, "returned": 0}
    assert rendered["written"] == 0
    assert pages == {path: path.stat().st_mtime_ns for path in (world.folder / "work").rglob("*.md")}


def test_without_the_setting_they_come_back_as_they_were(world: World) -> None:
    before = page_of(world, "2026-05-17").read_bytes()
    run_step(world, archive, render)
    world.settings = {}
    counts, rendered = run_step(world, archive, render)
    assert counts == {"archived": 0, "returned": 2}
    assert page_of(world, "2026-05-17").read_bytes() == before
    assert rendered["written"] == 0
    assert not list((world.folder / "work" / "memory" / "archive").iterdir())


def test_a_page_that_memory_links_to_stays(world: World) -> None:
    world.memory_file.write_text("# Memory\n\n## Patterns\n\n- see [that day](memory/2026-05-17.md)\n", encoding="utf-8")
    assert run_step(world, archive)[0]["archived"] == 0  # and that page links to the day before
    assert page_of(world, "2026-05-17").exists()


def test_a_day_that_no_reflection_has_seen_stays(world: World) -> None:
    events = world.run.lake.read("proposal_events").drop("schema_version").to_dicts()
    for row in events:
        if row["event"] == "reflected":
            row["text"] = orjson.dumps(orjson.loads(row["text"]) | {"windows": []}).decode()
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("proposal_events", build_frame(PROPOSAL_EVENTS, events))
    assert run_step(world, archive)[0]["archived"] == 0


def test_a_block_deleted_by_its_owner_does_not_come_back_in_the_archive(world: World) -> None:
    page = page_of(world, "2026-05-16")
    page.write_text("# 2026-05-16\n\nmine\n", encoding="utf-8")
    run_step(world, render)
    run_step(world, archive, render)
    assert archived_of(world, "2026-05-16").read_text(encoding="utf-8") == "# 2026-05-16\n\nmine\n"


def test_a_run_that_stopped_in_between_is_finished(world: World) -> None:
    """The page stands in both places; the next run removes the old one. A page that somebody changed meanwhile stays."""
    run_step(world, archive)
    copy = archived_of(world, "2026-05-17").read_bytes()
    page_of(world, "2026-05-17").write_bytes(copy.replace(b"../../MEMORY.md", b"../MEMORY.md"))
    page_of(world, "2026-05-16").write_bytes(b"a page of somebody else")
    assert run_step(world, archive)[0]["archived"] == 1
    assert not page_of(world, "2026-05-17").exists()
    assert page_of(world, "2026-05-16").exists()
