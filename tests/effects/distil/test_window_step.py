"""The step `window` over a real lake: incremental, repeatable, and careful with what engines wrote."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from effects.config.settings import Settings
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest, ingest_file
from effects.store.lake import Lake
from effects.store.run import Counts, Run

START = datetime(2026, 5, 17, 9, 0, tzinfo=UTC)
SHARED = Path(__file__).resolve().parents[4] / "shared" / "sessions"
REAL = (SHARED / "real", SHARED / "codex")


class House:
    """Session files, a lake, and nights."""

    def __init__(self, root: Path, **settings: Any) -> None:
        (root / "sessions").mkdir(parents=True)
        self.sessions = root / "sessions"
        self.settings = Settings(
            sessions=(self.sessions,), lake=root / "lake", workspace=root / "workspace", timezone="UTC", owner="joel", **settings
        )
        self.lake = Lake(root / "lake")

    def write(self, name: str, hours: list[float], said: str = "please look at the cache") -> Path:
        """Write a session with a question and an answer at each of these hours after the start."""
        path = self.sessions / f"{name}.jsonl"
        at = (START + timedelta(hours=hours[0])).isoformat()
        lines: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": name, "timestamp": at, "cwd": "/home/dev/work"}]
        parent = None
        for number, hour in enumerate(hours):
            for role, text in (("user", f"{said} {number}"), ("assistant", f"looked {number}")):
                own = f"{number:04x}{role[:4]}"
                stamp = START + timedelta(hours=hour, seconds=role == "assistant")
                message = {"role": role, "content": [{"type": "text", "text": text}], "timestamp": int(stamp.timestamp() * 1000)}
                lines.append(
                    {"type": "message", "id": own, "parentId": parent, "timestamp": stamp.isoformat(), "message": message}
                )
                parent = own
        path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
        return path

    def night(self, hour: float) -> Counts:
        """Run ingest and window at this hour after the start."""
        run = Run(self.settings, self.lake, START + timedelta(hours=hour))
        with self.lake.writing("test"):
            ingest(run)
            return window(run)

    def windows(self) -> list[tuple[str, int, int, str, str]]:
        """Return session, first and last ordinal, status and reason of every window."""
        frame = self.lake.read("windows").sort("session_id", "first_ordinal")
        return list(frame.select("session_id", "first_ordinal", "last_ordinal", "status", "reason").iter_rows())

    def bytes(self) -> dict[str, bytes]:
        """Return the contents of every file of the two tables."""
        return {
            path.relative_to(self.lake.root).as_posix(): path.read_bytes()
            for table in ("windows", "coverage")
            for path in self.lake.list_files(table)
        }

    def distil(self, engine: str = "offline") -> None:
        """Store the results of the step `distil`: every due window is distilled, with a segment and an observation."""
        rows = self.lake.read("windows").drop("schema_version")
        is_due = (pl.col("status") == "pending") & (pl.col("reason") == "")
        due = rows.filter(is_due).select("window_id", "session_id", "day")
        done = rows.with_columns(
            engine=pl.when(is_due).then(pl.lit(engine)).otherwise("engine"),
            current_task=pl.when(is_due).then(pl.lit("the cache")).otherwise("current_task"),
            status=pl.when(is_due).then(pl.lit("distilled")).otherwise("status"),
        )
        with self.lake.writing("test"), self.lake.commit() as change:
            change.replace_days("windows", done, rows["day"].unique().to_list())
            for table, key in (("segments", "segment_id"), ("observations", "observation_id")):
                old = self.lake.read(table).drop("schema_version")
                new = pl.concat([old, due.with_columns(pl.col("window_id").alias(key))], how="diagonal")
                change.replace_days(table, new, new["day"].unique().to_list())


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a fresh house."""
    return House(tmp_path)


def test_every_entry_is_covered_once_and_a_second_run_changes_no_byte(house: House) -> None:
    house.write("a", [0, 0.1, 0.2, 0.3, 0.4, 30, 30.1])
    house.write("b", [1, 2])
    counts = house.night(100)
    assert (counts["cut"], counts["pending"], counts["skipped"]) == (2, 2, 1)
    before = house.bytes()
    coverage = house.lake.read("coverage")
    assert coverage.select("session_id", "ordinal").equals(house.lake.read("entries").select("session_id", "ordinal"))
    assert coverage.filter(pl.col("session_id") == "a")["day"].n_unique() == 2
    assert house.night(101)["cut"] == 0
    assert house.bytes() == before


def test_nights_while_a_session_grows_end_in_the_bytes_of_one_night(tmp_path: Path) -> None:
    hours = [0, 0.1, 0.2, 14, 14.1, 15, 38, 38.2, 39.5, 70]
    nightly, late = House(tmp_path / "nightly"), House(tmp_path / "late")
    for length in range(1, len(hours) + 1):
        nightly.write("a", hours[:length])
        nightly.night(hours[length - 1] + 0.05)
    nightly.night(200)
    late.write("a", hours)
    late.night(200)
    assert nightly.windows() == late.windows() == [
        ("a", 0, 11, "pending", ""), ("a", 12, 17, "pending", ""), ("a", 18, 19, "pending", ""),
    ]  # fmt: skip
    assert nightly.bytes() == late.bytes()


def test_an_open_episode_becomes_due_without_a_change_in_its_file(house: House) -> None:
    house.write("a", [0, 0.1, 0.2, 0.3, 0.4])
    house.night(1)
    assert house.windows()[0][3:] == ("pending", "open: may still grow until 2026-05-17 11:24 UTC")
    house.night(3)
    assert house.windows()[0][3:] == ("pending", "")


def test_a_session_that_pi_shut_down_is_due_at_once(house: House) -> None:
    path = house.write("a", [0, 0.1, 0.2, 0.3, 0.4])
    run = Run(house.settings, house.lake, START + timedelta(hours=0.5))
    with house.lake.writing("test"):
        ingest_file(run, path, is_closed=True)
        window(run)
    assert house.windows()[0][3:] == ("pending", "")


def test_windows_that_stay_the_same_keep_what_an_engine_wrote(house: House) -> None:
    house.write("a", [0, 0.1, 0.2, 0.3, 0.4])
    house.night(20)
    house.distil()
    house.write("a", [0, 0.1, 0.2, 0.3, 0.4, 30])
    house.night(50)
    assert [(row[1], row[3]) for row in house.windows()] == [(0, "distilled"), (10, "pending")]
    assert house.lake.read("windows").sort("first_ordinal")["current_task"].to_list() == ["the cache", None]
    assert house.lake.read("observations").height == 1


def test_a_tail_that_grows_after_all_is_due_again_and_its_old_rows_go_with_it(house: House) -> None:
    path = house.write("a", [0, 0.1, 0.2, 0.3, 0.4])
    run = Run(house.settings, house.lake, START + timedelta(hours=0.5))
    with house.lake.writing("test"):
        ingest_file(run, path, is_closed=True)
        window(run)
    house.distil()
    house.write("a", [0, 0.1, 0.2, 0.3, 0.4, 0.6])  # resumed within the quiet time
    counts = house.night(20)
    assert counts["replaced"] == 1
    assert house.windows() == [("a", 0, 11, "pending", "")]
    assert house.lake.read("segments").height == house.lake.read("observations").height == 0


def test_a_file_rewritten_in_place_is_distilled_again_even_when_every_position_stays(house: House) -> None:
    house.write("a", [0, 0.1, 0.2, 0.3, 0.4])
    house.night(20)
    house.distil()
    house.write("a", [0, 0.1, 0.2, 0.3, 0.4], said="please look at the queue")
    house.night(21)
    assert house.windows() == [("a", 0, 9, "pending", "")]
    assert house.lake.read("observations").is_empty()


def test_a_new_cap_cuts_anew_and_a_new_version_of_the_step_leaves_paid_windows_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for engine, cut in (("offline", 1), ("instructor:anthropic/claude-haiku-4-5", 0)):
        house = House(tmp_path / engine.partition(":")[0])
        house.write("a", [0, 0.1, 0.2, 0.3, 0.4])
        house.night(20)
        house.distil(engine)
        monkeypatch.setattr("effects.distil.window_step.WINDOWING_VERSION", 3)
        assert house.night(21)["cut"] == cut
        monkeypatch.setattr("effects.distil.window_step.WINDOWING_VERSION", 1)
        house.settings = replace(house.settings, window=replace(house.settings.window, min_user_messages=4))
        assert house.night(22)["cut"] == 1
        assert house.windows()[0][3] == "distilled"


def test_what_a_fork_copied_is_skipped_there_and_due_in_the_session_that_wrote_it(house: House) -> None:
    parent = house.write("a", [0, 0.1, 0.2, 0.3, 0.4])
    header, *lines = parent.read_bytes().splitlines()
    forked = orjson.loads(header) | {"id": "b", "parentSession": str(parent), "timestamp": "2026-05-18T09:00:00+00:00"}
    later = house.write("c", [24]).read_bytes().splitlines()[1:]
    (house.sessions / "c.jsonl").unlink()
    (house.sessions / "b.jsonl").write_bytes(b"\n".join([orjson.dumps(forked), *lines, *later]) + b"\n")
    house.night(100)
    assert house.windows() == [("a", 0, 9, "pending", ""), ("b", 0, 9, "skipped", "copied"), ("b", 10, 11, "pending", "")]


@pytest.mark.parametrize("engine", ["offline", "instructor:anthropic/claude-haiku-4-5"])
def test_a_fork_read_before_its_parent_is_told_again_without_the_facts_of_the_copy(house: House, engine: str) -> None:
    """A backfill may meet the fork first: what it told of the copied part goes, and what came behind was told beside it.

    A model is not paid twice for what it said about the fork's own part.
    """
    parent = house.write("a", [0, 0.1, 0.2, 0.3, 0.4])
    header, *lines = original = parent.read_bytes().splitlines()
    parent.unlink()
    forked = orjson.loads(header) | {"id": "b", "parentSession": "a", "timestamp": "2026-05-18T09:00:00+00:00"}
    later = house.write("c", [24]).read_bytes().splitlines()[1:]
    (house.sessions / "c.jsonl").unlink()
    (house.sessions / "b.jsonl").write_bytes(b"\n".join([orjson.dumps(forked), *lines, *later]) + b"\n")
    house.night(100)
    assert house.windows() == [("b", 0, 9, "pending", ""), ("b", 10, 11, "pending", "")]
    house.distil(engine)
    parent.write_bytes(b"\n".join(original) + b"\n")
    house.night(101)
    own = "pending" if engine == "offline" else "distilled"
    assert house.windows() == [("a", 0, 9, "pending", ""), ("b", 0, 9, "skipped", "copied"), ("b", 10, 11, own, "")]
    assert house.lake.read("observations").height == (0 if engine == "offline" else 1)


def test_a_session_that_left_the_lake_leaves_no_windows_and_no_rows_behind(house: House) -> None:
    house.write("a", [0, 0.1, 0.2, 0.3, 0.4])
    house.write("b", [0, 0.1, 0.2, 0.3, 0.5])
    house.night(20)
    house.distil()
    sessions = house.lake.read("sessions").drop("schema_version")
    with house.lake.writing("test"):
        with house.lake.commit() as change:
            change.replace_days("sessions", sessions.filter(pl.col("session_id") == "b"), sessions["day"].unique().to_list())
        window(Run(house.settings, house.lake, START + timedelta(hours=20)))
    assert [row[0] for row in house.windows()] == ["b"]
    assert set(house.lake.read("coverage")["session_id"]) == {"b"}
    assert house.lake.read("observations").height == house.lake.read("segments").height == 1


@pytest.mark.skipif(not all(folder.is_dir() for folder in REAL), reason="the shared sessions are not here")
def test_real_sessions_are_covered_and_stay_below_the_cap(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.settings = replace(house.settings, sessions=REAL)
    house.night(365 * 24)
    windows = house.lake.read("windows")
    assert windows["entry_count"].sum() == house.lake.read("entries").height == house.lake.read("coverage").height
    assert windows.filter(pl.col("token_count") > 30_000).is_empty()
    assert set(windows["status"]) == {"pending", "skipped"}
    # The v1 session with compactions that kept its lines from 293 and 551 on, the header being line 0.
    v1 = windows.filter((pl.col("kind") == "compaction") & (pl.col("day").dt.year() == 2025))
    assert v1.sort("first_ordinal")["last_ordinal"].to_list() == [291, 549]
