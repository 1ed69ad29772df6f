"""Damage, doctor, `rebuild lake`: afterwards the lake is that of a calm history, and what is lost for good is said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import cast

import polars as pl
import pytest

from benchmarks.safety.chaos import make_world
from benchmarks.safety.disturbing.invariants import check_owner, read_table
from benchmarks.safety.disturbing.worlds import World
from effects.health.damage import find_damage
from effects.health.health_checks import check_installation
from effects.health.repair_lake import DAMAGED, LOST_FOR_GOOD, set_aside_commits
from effects.store.content_key import CHECKSUM
from effects.store.run import Run
from effects.store.table_files import find_fault, write_rows
from effects.system.errors import LakeError
from flows.pipeline import Pipeline
from flows.pipelines import NIGHTLY_STEPS, repair_pipeline
from flows.runner import run_pipeline
from tests.effects.engines.model_server import good, serving
from transforms.tables.schema import TABLES, conform

WAYS = ("truncated", "empty", "flipped", "overwritten")
NOT_FROM_SESSIONS = (*LOST_FOR_GOOD, "embeddings")
READ_EVERY_NIGHT = ("sources", "sessions", "windows", "proposals", "tombstones")
FOLLOWING = {"proposals": {"proposals"}, "proposal_events": {"proposal_events", "pages"}}
"""Tables that differ when one is lost for good."""
TOGETHER = 12
"""Lakes in which each table is damaged once."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return a world of two nights with decided proposals and an index, whose session files all exist."""
    with serving(good) as server:
        yield make_world(tmp_path_factory.mktemp("repair") / "world", "3/7", "nightly", server)


@pytest.fixture(scope="module")
def old_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return a world in which one of two session files is gone."""
    with serving(good) as server:
        yield make_world(tmp_path_factory.mktemp("repair") / "old", "3/2", "pages", server)


@pytest.fixture
def run(world: World) -> Run:
    """Return a run over the calm lake of the last night."""
    return restore(world)


def restore(world: World) -> Run:
    """Make the lake what it was after the last calm night; return a run over it."""
    last = len(world.nights) - 1
    world.restore(last)
    return world.open(world.nights[last].moment)


def damage(path: Path, way: str) -> None:
    """Damage a file as disks, people and programs do."""
    data = path.read_bytes()
    if way == "truncated":
        path.write_bytes(data[: len(data) // 2])
    if way == "empty":
        path.write_bytes(b"")
    if way == "overwritten":
        path.write_bytes(b"nonsense")
    if way == "flipped":
        middle = len(data) // 3
        path.write_bytes(data[:middle] + bytes([data[middle] ^ 8]) + data[middle + 1 :])


def repair(run: Run) -> dict[str, object]:
    """Run what `recollect rebuild lake` runs; return the counts of the repair."""
    set_aside_commits(run.lake)
    return run_pipeline(run, repair_pipeline())["counts"]["repair_lake"]


def list_differing(world: World) -> set[str]:
    """Return the tables that are not those of the calm lake."""
    calm = world.root / f"calm-{len(world.nights) - 1}" / "lake"
    names = [name for name in TABLES if name not in ("runs", "embeddings")]
    tables = {name: [read_table(root, name) for root in (world.place / "lake", calm)] for name in names}
    tables["pages"] = [rows.drop("at") for rows in tables["pages"]]  # the moment of rendering
    return {name for name, (present, former) in tables.items() if not present.equals(former)}


@pytest.mark.parametrize("place", range(TOGETHER), ids=lambda place: "-".join([*TABLES][place::TOGETHER]))
def test_each_table_is_made_again_or_its_loss_is_said(place: int, world: World, run: Run) -> None:
    """Doctor names the files; after the repair only rows that came from no session are missing.

    Tables far from each other in the order of the night are damaged together: none may cost another one its rows.
    """
    damaged = {}
    for number, table in sorted([*enumerate(TABLES)][place::TOGETHER], key=lambda item: item[1] not in READ_EVERY_NIGHT):
        damaged[table] = path = max(run.lake.list_files(table), key=lambda file: file.stat().st_size)
        damage(path, WAYS[number % len(WAYS)])
        finding = next(check for check in check_installation(run) if check.name == "lake")
        assert (finding.level, finding.next) == ("wrong", "recollect rebuild lake")
        assert str(path) in finding.detail
        if len(damaged) == 1 and table in READ_EVERY_NIGHT and WAYS[number % len(WAYS)] != "flipped":
            with pytest.raises(LakeError) as caught:
                run_pipeline(run, Pipeline("nightly", NIGHTLY_STEPS))
            assert (str(path) in caught.value.message, caught.value.hint) == (True, "recollect rebuild lake")
    counts = repair(run)
    assert find_damage(run.lake) == []
    assert all((run.lake.root / DAMAGED / "001" / path.relative_to(run.lake.root)).exists() for path in damaged.values())
    problems = counts["problems"]
    assert isinstance(problems, list)
    named = {table for table in damaged if any(problem.startswith(f"{table}:") for problem in problems)}
    assert named == damaged.keys() & LOST_FOR_GOOD.keys()
    assert list_differing(world) <= set().union(*(FOLLOWING.get(table, {table} & {*NOT_FROM_SESSIONS}) for table in damaged))
    assert [check.detail for check in check_installation(run) if check.level == "wrong" and check.name != "last nightly"] == []
    assert list(check_owner(world)) == []


@pytest.mark.parametrize(
    "tables",
    [
        ("entries", "proposals"),
        ("sessions", "proposal_events"),
        ("observations",),
        ("segments", "sources"),
        ("coverage", "windows"),
    ],
    ids="-".join,
)
def test_a_file_that_is_gone_stops_the_night_and_is_made_again(tables: tuple[str, ...], world: World, run: Run) -> None:
    """A backup restored without it, a mistyped `rm`: a table with fewer rows would look like a memory that knew less."""
    gone = [max(run.lake.list_files(table), key=lambda file: file.stat().st_size) for table in tables]
    for path in gone:
        path.unlink()
    finding = next(check for check in check_installation(run) if check.name == "lake")
    assert (finding.level, finding.next) == ("wrong", "recollect rebuild lake")
    assert all(str(path) in finding.detail for path in gone)
    with pytest.raises(LakeError) as caught:
        run_pipeline(run, Pipeline("nightly", NIGHTLY_STEPS))
    assert all(str(path) in caught.value.message for path in gone)
    counts = repair(run)
    assert find_damage(run.lake) == []
    named = {table for table in tables if any(line.startswith(f"{table}:") for line in cast("list[str]", counts["problems"]))}
    assert named == set(tables) & LOST_FOR_GOOD.keys()
    assert list_differing(world) <= set().union(*(FOLLOWING.get(table, set()) for table in tables))
    run_pipeline(run, Pipeline("nightly", NIGHTLY_STEPS))


@pytest.mark.parametrize("table", ["entries", "sessions", "sources"])
def test_what_only_the_lake_has_is_kept_as_far_as_it_can_be(table: str, old_world: World) -> None:
    """The file of a session is gone: facts and distillates stay, a lost text is said, and its place leads somewhere."""
    run = restore(old_world)
    memory = {name: read_table(run.lake.root, name) for name in ("observations", "distillates", "proposals", "memory_lines")}
    for path in run.lake.list_files(table):
        damage(path, "truncated")
    counts = repair(run)
    assert {name: rows.height for name, rows in memory.items() if not rows.equals(read_table(run.lake.root, name))} == {}
    assert [check.detail for check in check_installation(run) if check.level == "wrong" and check.name != "last nightly"] == []
    assert bool(counts["lost_entries"]) == (table == "entries")
    assert any("entries are lost" in problem for problem in cast("list[str]", counts["problems"])) == (table == "entries")
    assert run.lake.read("sources").filter(pl.col("status") == "gone").height == 1
    assert run.lake.read("sessions").height == 2


def test_a_commit_whose_list_is_damaged_is_named_and_set_aside(world: World, run: Run) -> None:
    """No run writes while it is there: it may be half done."""
    folder = run.lake.root / "_tx" / "1-a"
    folder.mkdir(parents=True)
    (folder / "COMMIT").write_bytes(b'{"moves": {"cov')
    assert str(folder) in next(check.detail for check in check_installation(run) if check.name == "lake")
    with pytest.raises(LakeError, match="unfinished commit") as caught:
        run_pipeline(run, Pipeline("nightly", NIGHTLY_STEPS))
    assert caught.value.hint == "recollect rebuild lake"
    repair(run)
    assert (run.lake.root / DAMAGED / "001" / "_tx" / "1-a" / "COMMIT").exists()
    assert list_differing(world) == set()


def test_a_half_done_commit_is_made_good(world: World, run: Run) -> None:
    """Entries of a day were moved, windows and coverage were not: their sessions are cut again."""
    for table in ("coverage", "windows"):
        for path in run.lake.list_files(table, run.lake.list_days(table)):
            path.unlink()
    assert "recollect rebuild lake" in {check.next for check in check_installation(run) if check.level == "wrong"}
    repair(run)
    assert list_differing(world) == set()


def test_notes_that_are_damaged_are_named_and_set_aside(world: World, run: Run) -> None:
    """They stop no night: the session is read anyway, a paid answer is asked for again."""
    for name in ("_queue/a.json", "_calls/b.json"):
        (run.lake.root / name).parent.mkdir(exist_ok=True)
        (run.lake.root / name).write_bytes(b'{"path": ')
    run_pipeline(run, Pipeline("nightly", NIGHTLY_STEPS))
    assert len(find_damage(run.lake)) == 2
    repair(run)
    assert find_damage(run.lake) == []
    assert list_differing(world) == set()


def test_a_file_that_somebody_copied_is_named_and_counts_once(world: World, run: Run) -> None:
    """A copy in the folder of its day repeats rows, one in another folder has the wrong day."""
    path = run.lake.list_files("entries", run.lake.list_days("entries")[:1])[0]
    (path.parent / "part-copy.parquet").write_bytes(path.read_bytes())
    other = path.parents[1] / "day=2020-01-01"
    other.mkdir()
    (other / "data.parquet").write_bytes(path.read_bytes())
    assert "holds rows of another day" in next(check.detail for check in check_installation(run) if check.name == "lake")
    repair(run)
    assert list_differing(world) == set()


def test_a_whole_lake_has_no_damage_and_a_repair_changes_nothing(world: World, run: Run) -> None:
    """So it may be run whenever one is in doubt."""
    assert find_damage(run.lake) == []
    before = {path: path.stat().st_mtime_ns for name in TABLES if name != "runs" for path in run.lake.list_files(name)}
    repair(run)
    assert {path: path.stat().st_mtime_ns for name in TABLES if name != "runs" for path in run.lake.list_files(name)} == before


def test_a_flipped_bit_is_found_wherever_it_is(tmp_path: Path) -> None:
    """A reader may take it for another value, or die; a flip in the name of the checksum's key harms nothing."""
    rows = pl.DataFrame({"session_id": ["s"] * 3, "ordinal": [0, 1, 2], "window_id": ["w"] * 3, "day": [date(2026, 3, 1)] * 3})
    path = tmp_path / "data.parquet"
    write_rows(conform(TABLES["coverage"], rows), path, TABLES["coverage"])
    data = path.read_bytes()
    name = range(data.rindex(CHECKSUM.encode()) - 2, data.rindex(CHECKSUM.encode()) + len(CHECKSUM) + 2)
    for position in (set(range(0, len(data), 7)) | {len(data) - 1}) - set(name):
        path.write_bytes(data[:position] + bytes([data[position] ^ 4]) + data[position + 1 :])
        assert find_fault(path, TABLES["coverage"], date(2026, 3, 1)), position
