"""Session files of a span of days."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import BinaryIO

import pytest

from effects.config.settings import Settings
from effects.ingest.session_dates import find_sessions_between
from effects.store.lake import Lake
from effects.store.run import Run


def run_over(folder: Path) -> Run:
    settings = Settings(sessions=(folder,), lake=folder / "lake", timezone="Europe/Berlin")
    return Run(settings, Lake(folder / "lake"), datetime(2026, 5, 20, tzinfo=UTC))


def write(folder: Path, name: str, first_line: str) -> Path:
    path = folder / name
    path.write_text(first_line + "\n", encoding="utf-8")
    return path


def test_a_session_belongs_to_the_owners_day_on_which_it_began(tmp_path: Path) -> None:
    """22:30 UTC is the next day in Berlin; both ends are included, the oldest comes first."""
    late = write(tmp_path, "a.jsonl", '{"type":"session","timestamp":"2026-05-16T22:30:00Z"}')
    early = write(tmp_path, "b.jsonl", '{"type":"session","timestamp":"2026-05-15T10:00:00Z"}')
    sessions = find_sessions_between(run_over(tmp_path), date(2026, 5, 15), date(2026, 5, 17))
    assert sessions == [(date(2026, 5, 15), early), (date(2026, 5, 17), late)]
    assert find_sessions_between(run_over(tmp_path), date(2026, 5, 16), date(2026, 5, 16)) == []


def test_without_an_end_everything_later_is_found(tmp_path: Path) -> None:
    """Sessions that begin after the day of the run are included: the clock may be injected."""
    path = write(tmp_path, "a.jsonl", '{"type":"session","timestamp":"2027-01-01T10:00:00Z"}')
    assert find_sessions_between(run_over(tmp_path), date(2026, 1, 1)) == [(date(2027, 1, 1), path)]


def test_a_damaged_header_leaves_it_to_the_next_line_and_then_to_the_file(tmp_path: Path) -> None:
    """A backfill reads a session whose first line is damaged."""
    next_line = write(tmp_path, "a.jsonl", 'garb\n[1]\n{"type":"message","timestamp":"2026-05-01T10:00:00Z"}')
    untold = write(tmp_path, "b.jsonl", "garbage")
    os.utime(untold, (0, datetime(2026, 5, 2, 12, tzinfo=UTC).timestamp()))
    assert find_sessions_between(run_over(tmp_path), date(2026, 5, 1)) == [
        (date(2026, 5, 1), next_line),
        (date(2026, 5, 2), untold),
    ]


def test_a_header_with_a_time_in_seconds_dates_its_file(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", '{"type":"session","timestamp":1777629600}')
    assert find_sessions_between(run_over(tmp_path), date(2026, 1, 1)) == [(date(2026, 5, 1), path)]


def test_a_link_in_a_loop_and_an_unreadable_file_stop_no_backfill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ingest names the unreadable file; here the modification time dates it."""
    (tmp_path / "loop.jsonl").symlink_to(tmp_path / "loop.jsonl")
    closed = write(tmp_path, "a.jsonl", '{"type":"session","timestamp":"2026-05-01T10:00:00Z"}')
    os.utime(closed, (0, datetime(2026, 5, 2, 12, tzinfo=UTC).timestamp()))

    def refuse(path: Path) -> BinaryIO:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("effects.ingest.session_dates.open_session", refuse)
    assert find_sessions_between(run_over(tmp_path), date(2026, 5, 1)) == [(date(2026, 5, 2), closed)]
