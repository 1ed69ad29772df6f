"""One path for each session file, however its folder is spelled."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from effects.ingest.session_paths import name_session_path
from effects.store.lake import Lake
from effects.store.run import Run
from tests.effects.session_home import Home, header, user, write


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    write(home.sessions / "app" / "a.jsonl", header(), user("a", None, 1, "one"))
    (tmp_path / "link").symlink_to(home.sessions)
    return home


def respell(home: Home, *folders: Path, exclude: tuple[str, ...] = ()) -> None:
    settings = replace(home.run.settings, sessions=folders, exclude=exclude)
    home.run = Run(settings, Lake(home.lake.root), home.run.as_of)


def list_paths(home: Home) -> list[tuple[str, str]]:
    return [(row["path"], row["status"]) for row in home.rows("sources")]


@pytest.mark.parametrize("spelling", ["link", "sessions/../sessions", "sessions/app/..", "link/app/.."])
def test_a_lake_reads_nothing_twice_when_its_folder_is_spelled_otherwise(home: Home, tmp_path: Path, spelling: str) -> None:
    home.night()
    before = home.files()
    respell(home, tmp_path / spelling)
    counts = home.night()
    assert (counts["read"], counts["unchanged"]) == (0, 1)
    assert home.files() == before


def test_two_spellings_of_one_folder_are_read_once(home: Home, tmp_path: Path) -> None:
    respell(home, home.sessions, tmp_path / "link")
    assert home.night()["files"] == 1
    assert [status for _, status in list_paths(home)] == ["read"]


@pytest.mark.parametrize("spelling", ["link", "sessions/../sessions", "a-link-before"])
def test_a_second_spelling_beside_the_one_that_the_lake_knows_reads_nothing_anew(
    home: Home, tmp_path: Path, spelling: str
) -> None:
    """The spelling that sorts first took over: every session was read once more, and the known files were gone."""
    (tmp_path / "a-link-before").symlink_to(home.sessions)
    home.night()
    before = home.files()
    respell(home, home.sessions, tmp_path / spelling)
    counts = home.night()
    assert (counts["read"], counts["unchanged"], counts["gone"]) == (0, 1, 0)
    assert home.files() == before


def test_a_file_that_grew_is_read_on_under_the_path_that_the_lake_knows(home: Home, tmp_path: Path) -> None:
    home.night()
    with (home.sessions / "app" / "a.jsonl").open("a") as handle:
        handle.write(user("b", "a", 2, "two") + "\n")
    respell(home, tmp_path / "link")
    assert home.night()["entries"] == 1
    assert list_paths(home) == [(str(home.sessions / "app" / "a.jsonl"), "read")]


def test_one_session_is_read_under_the_path_of_the_night(home: Home, tmp_path: Path) -> None:
    home.read_file(tmp_path / "link" / "app" / ".." / "app" / "a.jsonl")
    before = home.files()
    assert home.night()["unchanged"] == 1
    assert home.files() == before


def test_an_exclusion_of_the_path_in_the_settings_holds_for_a_file_that_the_lake_knows_under_another(
    home: Home, tmp_path: Path
) -> None:
    home.night()
    respell(home, tmp_path / "link", exclude=(str(tmp_path / "link" / "app"),))
    home.night()
    assert list_paths(home) == [(str(home.sessions / "app" / "a.jsonl"), "excluded")]


def test_a_file_outside_of_the_folders_has_the_path_of_its_real_folder(home: Home, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "way").symlink_to(tmp_path / "other")
    assert name_session_path(tmp_path / "way" / "x.jsonl", (home.sessions,)) == tmp_path / "other" / "x.jsonl"
    assert name_session_path(tmp_path / "way" / "x.jsonl", (Path(os.sep),)) == tmp_path / "other" / "x.jsonl"
