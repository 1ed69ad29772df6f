"""The rows of a table while its lake is written: a file that this process wrote, or has read, is not read again."""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.store import layout, table_files
from effects.store.commit import Commit
from effects.store.lake import Lake
from effects.store.layout import list_files
from effects.store.table_files import scan_files
from transforms.tables.schema import TABLES

DAYS = [date(2026, 3, day) for day in range(1, 6)]
TABLE = TABLES["coverage"]


def make_rows(day: date, *sessions: str) -> pl.DataFrame:
    """Return rows of a day, one per session."""
    return pl.DataFrame({"session_id": sessions, "ordinal": [day.day] * len(sessions), "day": [day] * len(sessions)})


def read_files(lake: Lake, days: list[date] | None = None) -> pl.DataFrame:
    """Return the rows that are on the disk, sorted."""
    files = list_files(lake.root, "coverage", days)
    return scan_files(files, TABLE).collect().sort(TABLE.key) if files else TABLE.make_empty()


def test_a_writer_reads_no_file_whose_rows_it_wrote_or_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake, read = Lake(tmp_path), list[str]()

    def scan(files: list[Any], *arguments: Any, **named: Any) -> pl.LazyFrame:
        read.extend(Path(file).parent.name for file in files)
        return scan_files(files, *arguments, **named)

    monkeypatch.setattr(table_files, "scan_files", scan)
    with lake.writing("test"):
        assert lake.read("coverage").is_empty()
        for sessions in (("a", "b"), ("c",)):
            with lake.commit() as change:
                change.replace_days("coverage", pl.concat([make_rows(day, *sessions) for day in DAYS]), DAYS)
            assert lake.read("coverage", DAYS[1:3])["session_id"].to_list() == [name for name in sessions for _ in DAYS[1:3]]
            assert lake.scan("coverage", DAYS[:1]).collect()["session_id"].to_list() == list(sessions)
            assert lake.read("coverage").height == len(DAYS) * len(sessions)
        assert read == []
        with lake.commit() as change:
            change.append("coverage", make_rows(DAYS[0], "d"), DAYS[0])
        assert lake.read("coverage", DAYS[:2])["session_id"].to_list() == ["c", "c", "d"]
        assert set(read) == {f"day={day}" for day in DAYS[:2]}, "a day with a part is read"


def test_large_days_do_not_stay_in_memory_while_a_commit_is_made_nor_until_their_table_is_read(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    with lake.writing("test"):
        assert lake.read("coverage").is_empty()
        with lake.commit() as change:
            for day in DAYS:
                change.replace("coverage", make_rows(day, *(f"{number:04}{'x' * 10_000}" for number in range(100))), day)
            assert not change._rows, "rows are on the disk"
        assert not layout.list_held(lake.root)["coverage"].written
        assert lake.read("coverage").height == 100 * len(DAYS)


@pytest.mark.parametrize("seed", range(8))
def test_after_any_commits_a_writer_reads_what_the_files_hold(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where more days change than are kept in memory, and where a day has parts, is emptied, or changes twice at once."""
    chance, lake = random.Random(seed), Lake(tmp_path)
    monkeypatch.setattr(layout, "MOST_WRITTEN", chance.choice([2, 64]))

    def change_days(change: Commit) -> None:
        for _ in range(chance.randint(1, 4)):
            day, sessions = chance.choice(DAYS), chance.sample("abcdefgh", chance.randint(0, 3))
            match chance.choice(["replace", "append", "days", "add"]):
                case "replace":
                    change.replace("coverage", make_rows(day, *sessions), day)
                case "append" if sessions:
                    change.append("coverage", make_rows(day, *sessions), day)
                case "days":
                    change.replace_days("coverage", make_rows(day, *sessions), [day, chance.choice(DAYS)])
                case "add" if sessions:
                    change.add_days("coverage", make_rows(day, *sessions))

    with lake.writing("test"):
        for _ in range(25):
            if chance.random() < 0.7:
                with lake.commit() as change:
                    change_days(change)
            days = sorted(chance.sample(DAYS, 2))
            if chance.random() < 0.5:
                assert sort_all(lake.read("coverage", days)).equals(sort_all(read_files(lake, days)))
            if chance.random() < 0.5:
                assert sort_all(lake.read("coverage")).equals(sort_all(read_files(lake)))
                assert lake.read("coverage").schema == read_files(lake).schema


def sort_all(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows in one order, also those with the same key."""
    return rows.sort(rows.columns)
