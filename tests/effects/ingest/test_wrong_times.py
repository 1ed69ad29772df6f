"""Nights whose own clock is set wrong, and files that were read in such a night."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from effects.ingest.wrong_times import find_trusted_latest, has_wrong_times
from tests.effects.session_home import START, Home, header, user, write
from transforms.reading.timestamps import EPOCH, LATEST

BEHIND = datetime(2020, 1, 2, tzinfo=UTC)
CLOCK = "effects.ingest.ingest_step.find_latest_time"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def write_sessions(home: Home, count: int) -> list[Path]:
    return [
        write(home.sessions / f"{number}.jsonl", header(f"s-{number}"), user("a", None, 1, "one"), user("b", "a", 2, "two"))
        for number in range(count)
    ]


def test_a_night_with_a_clock_far_behind_says_so_and_changes_no_time(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    write_sessions(home, 3)
    home.night()
    with monkeypatch.context() as behind:
        behind.setattr(CLOCK, lambda _: BEHIND)
        counts = home.night()
        write(home.sessions / "new.jsonl", header("s-new"), user("a", None, 5, "new"))
        home.night()
    sentence = "the clock of this machine says 2020-01-01 00:00 UTC, but 3 of 3 session files are of later days"
    assert (counts["unchanged"], counts["problems"]) == (3, [sentence])
    assert {row["said_at"].year for row in home.rows("entries")} == {2026}
    assert "problems" not in home.night()


def test_times_that_a_wrong_night_took_for_the_future_are_read_when_its_clock_is_right(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sessions(home, 2)  # too few to tell whose clock is wrong
    with monkeypatch.context() as behind:
        behind.setattr(CLOCK, lambda _: BEHIND)
        home.night()
        assert home.night()["unchanged"] == 2
    assert {row["said_at"].year for row in home.rows("entries")} == {2020}
    assert home.night()["read"] == 2
    assert sorted({row["said_at"] for row in home.rows("entries")}) == [START + timedelta(minutes=minute) for minute in (1, 2)]
    assert home.rows("quarantine") == []
    assert home.night()["unchanged"] == 2
    fresh = Home(home.sessions.parent, "fresh")
    fresh.night()
    assert {path: data for path, data in fresh.files().items() if "entries" in path} == {
        path: data for path, data in home.files().items() if "entries" in path
    }


def test_few_files_of_the_future_are_of_a_wrong_clock_of_their_own() -> None:
    now, later = (int(moment.timestamp()) * 10**9 for moment in (BEHIND - timedelta(days=2), BEHIND + timedelta(days=9)))
    assert find_trusted_latest([later, later], BEHIND) == (BEHIND, [])
    assert find_trusted_latest([later] * 3 + [now] * 3, BEHIND) == (BEHIND, [])
    assert find_trusted_latest([later] * 4 + [now] * 3, BEHIND)[0] == LATEST


def test_the_first_hours_that_a_session_may_have_are_no_missing_time(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", header(timestamp="2001-01-01T00:30:00Z"))
    home.night()
    row = home.run.lake.read("sources").rows(named=True)[0]
    first, west = date(2000, 1, 1), date(2000, 12, 31)  # of a session at 2001-01-01 in UTC
    assert not has_wrong_times({**row, "days": [west]}, LATEST)
    assert has_wrong_times({**row, "days": [first]}, LATEST)
    assert path.exists()


def test_a_file_time_right_behind_1970_is_no_time(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", header(timestamp="?"), user("a", None, 1, "one").replace("2026-01-01T", "?"))
    os.utime(path, (1, 1))  # as packages set it that are built to be the same each time
    home.night()
    assert [row["said_at"] for row in home.rows("entries")] == [EPOCH]
