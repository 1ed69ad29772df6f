"""Schedules of kills and errors of the disk leave what the calm history leaves; the checks themselves can fail."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from benchmarks.safety.chaos import make_world, run_schedules
from benchmarks.safety.disturbing.invariants import check_after_kill, check_at_end, check_quiet, read_pages
from benchmarks.safety.disturbing.worlds import START, World
from effects.store.lake import Lake
from effects.store.layout import EMPTY_FILE
from tests.effects.engines.model_server import good, serving


@pytest.mark.parametrize(
    ("kind", "first", "count"), [("reading", 0, 20), ("reading", 500, 10), ("pages", 1000, 10), ("model", 2000, 2)]
)
def test_kills_and_errors_of_the_disk_leave_the_lake_of_a_calm_history(kind: str, first: int, count: int) -> None:
    """The benchmark runs thousands; these are enough to see that a change of the commits breaks one."""
    counts: Counter[str] = Counter()
    broken = {
        number: schedule for number, schedule in run_schedules(3, range(first, first + count), counts, kinds=(kind,)) if schedule
    }
    assert broken == {}
    assert counts["kill"] >= count // 5


def test_a_process_that_is_killed_for_real_leaves_the_lake_of_a_calm_history() -> None:
    """No `finally` and no handler runs after SIGKILL."""
    counts: Counter[str] = Counter()
    for number, broken in run_schedules(3, range(3000, 3060), counts, real_kills=1, kinds=("reading",)):
        assert broken == [], number
        if counts["real kill"]:
            return
    pytest.fail("no process was killed")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return a world of a whole night that just became calm."""
    with serving(good) as server:
        yield make_world(tmp_path_factory.mktemp("chaos") / "world", "3/0", "pages", server)


@pytest.mark.parametrize(
    ("deed", "noticed"),
    [
        ("cover twice", "an entry is not covered once"),
        ("change a row", "entries differs from the calm one"),
        ("change a source", "a source was touched"),
        ("remove the owner's line", "a line of the owner is gone"),
        ("change the owner's note", "a note of the owner changed"),
        ("leave a file", "something half-written is left: .REVIEW.md.1.tmp"),
        ("leave a commit", "a commit is left"),
    ],
)
def test_what_a_kill_could_break_is_noticed(world: World, deed: str, noticed: str) -> None:
    """A check that cannot fail would prove nothing."""
    last = len(world.nights) - 1
    world.restore(last)
    assert list(check_at_end(world, last, world.list_texts(last), is_early=False)) == []
    lake, workspace = Lake(world.place / "lake"), world.place / "workspace"
    if deed == "cover twice":
        row = lake.read("coverage").head(1).drop("schema_version").with_columns(window_id=pl.lit("w"))
        with lake.writing("test"), lake.commit() as change:
            change.append("coverage", row, row["day"][0])
    if deed == "change a row":
        rows = lake.read("entries")
        day = rows["day"][0]
        with lake.writing("test"), lake.commit() as change:
            change.replace_days("entries", rows.filter(pl.col("day") == day).with_columns(text=pl.lit("other")), [day])
    if deed == "change a source":
        next((world.place / "sessions").iterdir()).write_text("", encoding="utf-8")
    if deed == "remove the owner's line":
        (workspace / "MEMORY.md").write_text("# Memory\n", encoding="utf-8")
    if deed == "change the owner's note":
        (workspace / "memory" / f"{START:%Y-%m-%d}.md").write_text("# Friday\n", encoding="utf-8")
    if deed == "leave a file":
        (workspace / ".REVIEW.md.1.tmp").write_text("", encoding="utf-8")
    if deed == "leave a commit":
        (lake.root / "_tx" / "1-a").mkdir()
    assert noticed in list(check_at_end(world, last, world.list_texts(last), is_early=False))


def test_half_of_a_page_is_noticed(world: World) -> None:
    """A page may be the old or the new one, and nothing between."""
    world.restore(0)
    page = world.place / "workspace" / "REVIEW.md"
    whole = page.read_bytes()
    page.write_bytes(whole[: len(whole) // 2])
    assert list(check_after_kill(world, {}, {"REVIEW.md": whole})) == ["a page is half-written: REVIEW.md"]
    page.write_bytes(b"")
    assert list(check_after_kill(world, {"REVIEW.md": whole}, {})) == ["a page is half-written: REVIEW.md"]


def test_a_page_without_the_block_of_an_unread_session_is_whole(world: World) -> None:
    """Of 10,000 schedules one left the beginning of the later page: its last block was of a session that could not be read."""
    world.restore(0)
    page = world.place / "workspace" / "REVIEW.md"
    whole = page.read_bytes() + b"<!-- recollect:window w-1 -->\nA block.\n<!-- /recollect:window w-1 -->\n"
    page.write_bytes(whole)
    later = whole + b"\n<!-- recollect:window w-2 -->\nAnother.\n<!-- /recollect:window w-2 -->\n"
    assert list(check_after_kill(world, {}, {"REVIEW.md": later})) == []
    page.write_bytes(later[: len(whole) + 40])
    assert list(check_after_kill(world, {}, {"REVIEW.md": later})) == ["a page is half-written: REVIEW.md"]


def test_a_row_that_a_reader_finds_twice_after_a_kill_is_noticed(world: World) -> None:
    """The next run would merge the copies, and the tables at the end would be the calm ones."""
    last = len(world.nights) - 1
    world.restore(last)
    pages = read_pages(world.place)
    assert list(check_after_kill(world, pages, pages)) == []
    path = Lake(world.place / "lake").list_files("entries")[-1]
    path.with_name("part-again.parquet").write_bytes(path.read_bytes())
    assert list(check_after_kill(world, pages, pages)) == ["a reader finds rows of entries twice after a kill"]


def test_a_run_over_nothing_new_that_does_something_is_noticed(world: World) -> None:
    """A recovery that leaves work for every further night would cost time for ever, and nobody would see it."""
    last = len(world.nights) - 1
    world.restore(last)
    assert list(check_quiet(world, last)) == []
    windows = Lake(world.place / "lake").read("windows").drop("schema_version").with_columns(session_hash=pl.lit("other"))
    lake = Lake(world.place / "lake")
    with lake.writing("test"), lake.commit() as change:
        change.replace_days("windows", windows, lake.list_days("windows"))
    assert any(text.startswith("a run over nothing new changed") for text in check_quiet(world, last))
    world.restore(last)
    next(path for path in lake.list_files("entries") if path.name != EMPTY_FILE).unlink()
    assert next(check_quiet(world, last)).startswith("a file is called missing")


def test_the_same_numbers_are_the_same_schedules() -> None:
    """A violation can be repeated."""
    worlds = [[random.Random("1/schedule/7").random() for _ in range(2)] for _ in range(2)]
    assert worlds[0] == worlds[1]
    first, second = (Counter[str](), Counter[str]())
    for counts in (first, second):
        assert [number for number, _ in run_schedules(1, range(7, 8), counts, kinds=("reading",))] == [7]
    assert first == second


def test_a_full_disk_that_takes_half_of_the_list_of_a_commit_stops_no_later_night(tmp_path: Path) -> None:
    """The list appears whole or not at all; before, half of one stopped every night with a JSON error."""
    lake = Lake(tmp_path)
    with lake.writing("test"):
        pass
    staged = tmp_path / "_tx" / "1-a"
    staged.mkdir(parents=True)
    (staged / ".COMMIT.1.tmp").write_bytes(b'{"moves": {')
    with lake.writing("test"):
        assert not staged.exists()
