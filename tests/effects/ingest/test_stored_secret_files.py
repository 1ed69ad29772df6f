"""Secrets in files on this machine are taken out of sessions, wherever they stand and without a name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from effects.config.settings import RedactionSettings, Settings
from effects.health.secret_scan import (
    list_secret_entries,
)
from effects.ingest.stored_secret_files import MOST_BYTES, MOST_FILES, load_stored_secrets
from tests.effects.health.plain_scan import count_secrets
from tests.effects.session_home import Home, answer, header, user, write

VALUE = "plum" + "7cellar"
TEXTS = (f"{VALUE} does not work any more", f"Trying {VALUE} against the staging host.")


def make_repository(folder: Path, name: str = ".env") -> Path:
    """Return a folder two levels inside a repository whose file holds the value."""
    (folder / ".git").mkdir(parents=True)
    (folder / name).write_text(f"STAGING_PASSWORD={VALUE}\n", encoding="utf-8")
    inner = folder / "services" / "api"
    inner.mkdir(parents=True)
    return inner


def write_session(home: Home, cwd: Path) -> None:
    write(home.sessions / "a.jsonl", header(cwd=str(cwd)), user("e1", None, 0, TEXTS[0]), answer("e2", "e1", 1, TEXTS[1]))


def read_texts(home: Home) -> str:
    return "\n".join(str(row["text"]) + str(row["raw_json"]) for row in home.rows("entries"))


def test_a_password_of_the_repositorys_env_file_reaches_no_lake(tmp_path: Path) -> None:
    home = Home(tmp_path)
    write_session(home, make_repository(tmp_path / "shop"))
    assert home.night()["redacted"] == 2
    assert VALUE not in read_texts(home)
    assert "against the staging host" in read_texts(home)


def test_lines_that_are_added_later_are_cleaned_too(tmp_path: Path) -> None:
    home, cwd = Home(tmp_path), make_repository(tmp_path / "shop")
    write_session(home, cwd)
    home.night()
    with (home.sessions / "a.jsonl").open("a", encoding="utf-8") as file:
        file.write(user("e3", "e2", 2, f"so it was {VALUE}2") + "\n")
    assert home.night()["entries"] == 3  # read whole: what its earlier secrets are stands in the file alone
    assert VALUE not in read_texts(home)


def test_a_setting_leaves_the_files_alone(tmp_path: Path) -> None:
    home = Home(tmp_path, redaction=RedactionSettings(secret_files=False))
    write_session(home, make_repository(tmp_path / "shop"))
    home.night()
    assert VALUE in read_texts(home)


def test_a_secret_that_got_into_its_file_after_the_session_was_read_is_a_finding_of_doctor(tmp_path: Path) -> None:
    home, cwd = Home(tmp_path), make_repository(tmp_path / "shop", ".env.example")
    write_session(home, cwd)
    home.night()
    assert VALUE in read_texts(home)
    (cwd / ".env.local").write_text(f"STAGING_PASSWORD={VALUE}\n", encoding="utf-8")
    stored = load_stored_secrets(home.run.settings, [str(cwd)], tmp_path)
    assert count_secrets(home.lake, home.run.settings.workspace, stored)["entries.text"] == 2
    assert list_secret_entries(home.lake, stored) == ["s-1:e1", "s-1:e2"]


@pytest.mark.parametrize("folder", ["", "relative/place", "C:\\work\\shop", "/no/such/folder", "/bad\0name", "/" + "x" * 5000])
def test_a_folder_of_another_machine_has_none(folder: str, tmp_path: Path) -> None:
    assert load_stored_secrets(Settings(), [folder], tmp_path) == {}


def test_the_owners_credentials_count_in_every_session(tmp_path: Path) -> None:
    (tmp_path / ".pgpass").write_text(f"db:5432:shop:ann:{VALUE}\n", encoding="utf-8")
    assert VALUE in load_stored_secrets(Settings(), [], tmp_path)


def test_pipes_and_large_files_are_not_read(tmp_path: Path) -> None:
    """A pipe would hold the night for ever."""
    os.mkfifo(tmp_path / ".env")
    (tmp_path / ".env.local").write_text(f"STAGING_PASSWORD={VALUE}\n" + "#" * MOST_BYTES, encoding="utf-8")
    assert load_stored_secrets(Settings(), [str(tmp_path)], tmp_path / "home") == {}


def test_above_the_repository_and_without_one_nothing_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"STAGING_PASSWORD={VALUE}\n", encoding="utf-8")
    inner = make_repository(tmp_path / "shop", ".env.example")
    (tmp_path / "loose" / "place").mkdir(parents=True)
    assert load_stored_secrets(Settings(), [str(inner), str(tmp_path / "loose" / "place")], tmp_path / "home") == {}


def test_a_user_without_a_home_has_no_credentials_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container may run under a number that no table of users knows."""
    settings = Settings()

    def refuse() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", refuse)
    (tmp_path / ".env").write_text(f"STAGING_PASSWORD={VALUE}\n", encoding="utf-8")
    assert list(load_stored_secrets(settings, [str(tmp_path)])) == [VALUE]


def test_of_thousands_of_files_a_few_are_read(tmp_path: Path) -> None:
    """A hostile repository must not hold the night."""
    for number in range(MOST_FILES + 5):
        (tmp_path / f".env.{number:03}").write_text(f"KEY_PASSWORD=plum{number:03}cellar\n", encoding="utf-8")
    assert len(load_stored_secrets(Settings(), [str(tmp_path)], tmp_path / "home")) == MOST_FILES
