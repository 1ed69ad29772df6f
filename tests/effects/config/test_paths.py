"""The places of the code: what is said about removing it fits the way in which it was installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.config import paths
from effects.config.settings import Settings
from tests.each_case import each_case


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/ana/.local/share/uv/tools/recollect", "`uv tool uninstall recollect`"),
        ("/home/ana/.local/share/pipx/venvs/recollect", "`pipx uninstall recollect`"),
        ("/home/ana/env", "`pip uninstall recollect`"),
    ],
)
def test_the_program_is_removed_by_what_installed_it(prefix: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "checkout" in paths.describe_removal()
    monkeypatch.setattr(paths, "is_checkout", lambda: False)
    monkeypatch.setattr("sys.prefix", prefix)
    assert command in paths.describe_removal()


def test_only_a_checkout_is_told_of_its_makefile(monkeypatch: pytest.MonkeyPatch) -> None:
    assert paths.advise_on_libraries() == "make setup"
    monkeypatch.setattr(paths, "is_checkout", lambda: False)
    assert "make" not in paths.advise_on_libraries()


def test_a_path_of_settings_has_no_dots_and_keeps_its_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real" / "in").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "in")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths.make_absolute(Path("~/link/x/")) == tmp_path / "link" / "x"
    assert paths.make_absolute(Path("~/other/../link/x")) == tmp_path / "link" / "x"
    assert paths.make_absolute(Path("~/link/../x")) == tmp_path / "real" / "x"
    assert paths.make_absolute(Path("~/real/in/..")) == tmp_path / "real"


@each_case(
    ("value", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        (":Europe/Berlin", "Europe/Berlin"),
        ("/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
        (":/usr/share/zoneinfo/Asia/Kolkata", "Asia/Kolkata"),
        *(
            (value, None)
            for value in ("UTC0", "CET-1CEST", "XYZ+5:30", "<+0330>-3:30", "CET-1CEST,M3.5.0,M10.5.0/3", "../x", "/etc/passwd")
        ),
    ],
)
def test_a_zone_of_tz_that_has_no_name_stops_nothing_and_is_told(value: str, zone: str | None) -> None:
    """It is valid for every other program; days are then those of the system's zone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TZ", raising=False)
        without = paths.find_system_timezone()
        assert paths.word_unnamed_timezone(without) == ""
        patch.setenv("TZ", value)
        assert paths.find_system_timezone() == (zone or without)
        assert paths.word_unnamed_timezone(without).startswith(f"TZ={value} names no zone") == (zone is None)
        assert paths.word_unnamed_timezone("Asia/Tokyo") == ""
        assert Settings().timezone == (zone or without)
