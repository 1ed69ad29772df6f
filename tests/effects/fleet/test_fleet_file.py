"""Owners are found by patterns, and nobody runs whose folders touch another's."""

from __future__ import annotations

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
