"""Reading tells how much of the bytes is read, also within one file and within the files of worker processes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from effects.ingest import batches, ingest_step
from tests.effects.session_home import Home, header, user, write

Report = tuple[str, int, int]


def watched(home: Home) -> tuple[Home, list[Report]]:
    """Return the home with a list of what its night reports."""
    seen: list[Report] = []

    def note(unit: str, done: int = 0, total: int = 0, at_most: float | None = None) -> None:
        """Note a report."""
        seen.append((unit, done, total))

    home.run = replace(home.run, progress=note)
    return home, seen


def long_session(home: Home, name: str, entries: int = 400) -> Path:
    """Write a session of some 100 kB."""
    lines = [user(f"{name}-{at}", f"{name}-{at - 1}" if at else None, at, f"{at} " + "words " * 30) for at in range(entries)]
    return write(home.sessions / f"{name}.jsonl", header(name), *lines)


def check_reports(seen: list[Report], size: int) -> None:
    """The bytes grow from nothing to all."""
    assert {unit for unit, _, _ in seen} == {"kB"}
    assert {total for _, _, total in seen} == {size // 1000}
    done = [done for _, done, _ in seen]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, size // 1000)


def test_a_single_big_session_tells_how_much_of_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 300 MB the night said "0/1 files" until the last line was read."""
    monkeypatch.setattr("effects.ingest.session_files.PIECE_BYTES", 10_000)
    home, seen = watched(Home(tmp_path))
    path = long_session(home, "one")
    home.night()
    check_reports(seen, path.stat().st_size)
    assert len({done for _, done, _ in seen}) > 5


def test_a_session_that_grew_counts_what_was_read_before(tmp_path: Path) -> None:
    home = Home(tmp_path)
    path = long_session(home, "one", 50)
    home.night()
    path.write_bytes(path.read_bytes() + f"{user('new', 'one-49', 60, 'more')}\n".encode())
    home, seen = watched(home)
    home.night()
    check_reports(seen, path.stat().st_size)


def test_bytes_that_workers_read_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_step, "MIN_PARALLEL_BYTES", 0)
    monkeypatch.setattr(ingest_step, "count_workers", lambda: 2)
    monkeypatch.setattr(batches, "FILL_BYTES", 20_000)
    home, seen = watched(Home(tmp_path))
    sizes = [long_session(home, f"s-{number}").stat().st_size for number in range(6)]
    home.night()
    check_reports(seen, sum(sizes))


def test_a_night_without_new_sessions_counts_no_bytes(tmp_path: Path) -> None:
    home, seen = watched(Home(tmp_path))
    long_session(home, "one", 3)
    home.night()
    seen.clear()
    home.night()
    assert seen == []
