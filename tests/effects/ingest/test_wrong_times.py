"""Nights whose own clock is set wrong, and files that were read in such a night."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize("timestamp", ["2099-01-01T00:00:00Z", "?", None])
@pytest.mark.parametrize("agent", ["pi", "claude"])
def test_a_session_without_a_time_that_grows_is_not_dated_anew_each_night(home: Home, timestamp: str | None, agent: str) -> None:
    """A session of 2099 that went on for a week moved to the present each night, and its facts were distilled again."""
    path, lines, said = home.sessions / ("a.jsonl" if agent == "pi" else "claude-a.jsonl"), list[str](), list[datetime]()
    for night in range(3):
        own = {"timestamp": timestamp} if timestamp else {}
        if agent == "pi":
            lines += [] if lines else [header(timestamp=timestamp)]
            message = {"role": "user", "content": f"words {night}"}
            lines += [json.dumps({"type": "message", "id": f"e{night}", "parentId": None, "message": message, **own})]
        else:
            message = {"role": "user", "content": f"words {night}"}
            fields = {
                "type": "user",
                "uuid": f"e{night}",
                "parentUuid": None,
                "sessionId": "s-c",
                "cwd": "/w",
                "message": message,
            }
            lines += [json.dumps(fields | own)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        written = START + timedelta(days=night)
        os.utime(path, (0, written.timestamp()))
        home.night()
        said.append(written)
        rows = sorted(home.rows("entries"), key=lambda row: row["line_no"])
        assert [row["said_at"] for row in rows] == said
        assert [row["started_at"] for row in home.rows("sessions")] == said[:1]


def test_a_clock_that_is_weeks_behind_moves_nothing_that_was_read_before(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """It dated sessions of later days anew, and back again when it was right; two files are too few to tell whose clock it is."""
    paths = write_sessions(home, 2)
    home.night()
    before = [row["said_at"] for row in home.rows("entries")]
    with monkeypatch.context() as behind:
        behind.setattr(CLOCK, lambda _: START - timedelta(days=20))
        assert home.night()["unchanged"] == 2
        with paths[0].open("a", encoding="utf-8") as handle:
            handle.write(user("c", "b", 30, "three") + "\n")
        home.night()
    assert sorted(row["said_at"] for row in home.rows("entries") if row["entry_id"] != "c") == sorted(before)
    home.night()
    assert max(row["said_at"] for row in home.rows("entries")) == START + timedelta(minutes=30)
    assert home.rows("quarantine") == []


def test_a_quiet_night_looks_at_no_file_again_while_a_line_of_the_future_waits(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"))
    write(home.sessions / "b.jsonl", header("s-b", timestamp="2099-01-01T00:00:00Z"), user("b", None, 2, "two"))
    home.night()
    home.night()

    def refuse(*_: object) -> None:
        raise AssertionError("files were planned again")

    with monkeypatch.context() as watched:
        watched.setattr("effects.ingest.ingest_step.make_plan", refuse)
        assert home.night()["unchanged"] == 2
        assert home.rows("quarantine")
    monkeypatch.setattr(CLOCK, lambda _: datetime(2099, 6, 1, tzinfo=UTC))
    assert home.night()["read"] == 1
    assert home.rows("quarantine") == []
