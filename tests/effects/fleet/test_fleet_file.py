"""Owners are found by patterns, and nobody runs whose folders touch another's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from effects.fleet.fleet_file import Fleet, find_foreign_link, load_fleet
from effects.system.errors import ConfigError


def make_fleet(folder: Path, *names: str, extra: str = "") -> Path:
    for name in names:
        (folder / "owners" / name / "sessions").mkdir(parents=True)
    file = folder / "fleet.toml"
    file.write_text(f'owners = ["owners/*"]\n{extra}', encoding="utf-8")
    return file


def list_problems(fleet: Fleet) -> dict[str, str]:
    return {owner.name: owner.problem for owner in fleet.owners}


def test_every_folder_is_an_owner_and_relative_paths_begin_at_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_fleet(tmp_path, "bo", "ana", ".trash", extra='team = "team"\n')
    monkeypatch.chdir(tmp_path)
    fleet = load_fleet(Path("fleet.toml"))
    assert list_problems(fleet) == {"ana": "", "bo": ""}
    assert (fleet.team, fleet.report) == (tmp_path / "team", tmp_path / "fleet.md")


def test_two_owners_who_share_a_folder_are_both_refused_and_a_third_is_not(tmp_path: Path) -> None:
    file = make_fleet(tmp_path, "ana", "bo", "cy")
    (tmp_path / "owners" / "bo" / "sessions").rmdir()
    (tmp_path / "owners" / "bo" / "sessions").symlink_to(tmp_path / "owners" / "ana" / "sessions")
    problems = list_problems(load_fleet(file))
    assert problems["cy"] == ""
    assert "bo" in problems["ana"]
    assert "ana" in problems["bo"]


def test_a_home_inside_a_home_is_refused(tmp_path: Path) -> None:
    file = make_fleet(tmp_path, "ana")
    (tmp_path / "owners" / "ana" / "bo").mkdir()
    file.write_text('owners = ["owners/*", "owners/ana/bo"]\n', encoding="utf-8")
    assert all("lies in a folder of" in problem for problem in list_problems(load_fleet(file)).values())


def test_settings_of_an_owner_may_not_move_his_folders(tmp_path: Path) -> None:
    file = make_fleet(tmp_path, "ana", "bo", "cy")
    (tmp_path / "owners" / "ana" / "recollect.toml").write_text('lake = "/elsewhere"\n', encoding="utf-8")
    (tmp_path / "owners" / "bo" / "recollect.toml").write_text("[engine]\nbudget_run_usd = 0.25\n", encoding="utf-8")
    (tmp_path / "owners" / "cy" / "recollect.toml").write_text("[engine\n", encoding="utf-8")
    fleet = load_fleet(file)
    assert "sets lake" in list_problems(fleet)["ana"]
    assert [owner.run_usd for owner in fleet.owners] == [2.0, 0.25, 2.0]
    assert "cannot be read" in list_problems(fleet)["cy"]


@pytest.mark.parametrize(
    ("extra", "complaint"),
    [
        ("parallell = 3\n", "unknown setting: parallell"),
        ("parallel = 0\n", "parallel"),
        ('runner = "spark"\n', "spark"),
        ("owners = 3\n", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_reason(tmp_path: Path, extra: str, complaint: str) -> None:
    file = make_fleet(tmp_path, "ana", extra=extra)
    with pytest.raises(ConfigError, match=complaint) as error:
        load_fleet(file)
    assert str(file) in error.value.message


def test_a_fleet_without_owners_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no folder matches `owners`"):
        load_fleet(make_fleet(tmp_path))


def test_a_link_out_of_the_home_is_found_and_one_inside_is_fine(tmp_path: Path) -> None:
    file = make_fleet(tmp_path, "ana", "bo")
    ana = tmp_path / "owners" / "ana"
    (ana / "pi").mkdir()
    (ana / "sessions" / "own").symlink_to(ana / "pi")
    [owner, _] = load_fleet(file).owners
    assert find_foreign_link(owner) is None
    (ana / "sessions" / "own.jsonl").symlink_to(tmp_path / "owners" / "bo" / "sessions" / "x.jsonl")
    assert find_foreign_link(owner) == ana / "sessions" / "own.jsonl"


def test_what_one_owner_put_in_the_place_of_a_file_or_folder_stops_no_fleet(tmp_path: Path) -> None:
    """A pipe was waited for without end, and a link in a circle was a traceback: nobody of the fleet had a night."""
    file = make_fleet(tmp_path, "ana", "bo", "cy")
    owners = tmp_path / "owners"
    os.mkfifo(owners / "bo" / "recollect.toml")
    (owners / "cy" / "lake").symlink_to("lake")
    (owners / "cy" / "sessions" / "x").symlink_to("x")
    fleet = load_fleet(file)
    problems = list_problems(fleet)
    assert (problems["ana"], problems["cy"]) == ("", "")
    assert problems["bo"] == f"{owners / 'bo' / 'recollect.toml'} cannot be read: it is no file"
    assert [find_foreign_link(owner) for owner in fleet.owners] == [None, None, None]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_a_home_that_cannot_be_read_stops_its_owner_alone(tmp_path: Path) -> None:
    file = make_fleet(tmp_path, "ana", "bo")
    (tmp_path / "owners" / "bo").chmod(0)
    try:
        problems = list_problems(load_fleet(file))
    finally:
        (tmp_path / "owners" / "bo").chmod(0o700)
    assert problems["ana"] == ""
    assert "cannot be read" in problems["bo"]


@pytest.mark.parametrize("budget", ["-1", "nan", "inf", "true", "1" + "0" * 400])
def test_a_budget_that_is_none_is_its_owners_problem(tmp_path: Path, budget: str) -> None:
    """One of 400 digits was a traceback for all, and below zero, or no number, it was passed on."""
    file = make_fleet(tmp_path, "ana", "bo")
    (tmp_path / "owners" / "bo" / "recollect.toml").write_text(f"[engine]\nbudget_run_usd = {budget}\n", encoding="utf-8")
    problems = list_problems(load_fleet(file))
    assert problems["ana"] == ""
    assert "is no number from 0" in problems["bo"]


@pytest.mark.parametrize("pattern", ["", "/", "owners/**a"])
def test_a_pattern_that_is_none_is_a_config_error(tmp_path: Path, pattern: str) -> None:
    file = make_fleet(tmp_path, "ana")
    file.write_text(f'owners = ["{pattern}"]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="is no pattern"):
        load_fleet(file)
