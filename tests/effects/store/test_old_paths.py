"""Lake and workspace that an older version kept inside the installed package are found, named and moved."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from effects.config import paths
from effects.config.settings import Settings
from effects.store import old_paths
from effects.store.lake import Lake
from effects.store.old_paths import find_old_paths, move_old_place
from effects.store.run import open_run
from effects.system.errors import ConfigError, LakeError, LockedError
from recollect.cli import run


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of packages from which the code seems to run, with a lake and pages as version 0.4 left them."""
    folder = tmp_path / "site-packages"
    for module in (paths, old_paths):
        monkeypatch.setattr(module, "PROJECT_ROOT", folder)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    (folder / "data" / "lake" / "runs").mkdir(parents=True)
    (folder / "data" / "workspace").mkdir()
    (folder / "data" / "workspace" / "MEMORY.md").write_text("- Use uv.\n", encoding="utf-8")
    return folder


def test_an_installed_package_keeps_its_data_in_the_platforms_folder(package: Path, tmp_path: Path) -> None:
    """Never inside the package; a relative path of a setting begins in the same folder."""
    settings = Settings()
    assert (settings.lake, settings.workspace) == (
        tmp_path / "share" / "recollect" / "lake",
        tmp_path / "share" / "recollect" / "workspace",
    )
    assert paths.make_absolute(Path("notes")) == tmp_path / "share" / "recollect" / "notes"


def test_a_run_does_not_begin_a_second_memory(package: Path) -> None:
    """The message names the place and the command that moves it."""
    with pytest.raises(ConfigError, match=str(package / "data" / "lake")) as caught:
        open_run(Settings())
    assert caught.value.hint == "recollect config --move"


@pytest.mark.parametrize("is_other_disk", [False, True])
def test_the_command_moves_both_and_everything_goes_on(
    is_other_disk: bool, package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also to another file system, and when an error was logged in the new place; a second time there is nothing to move."""
    settings = Settings()
    (settings.lake / "_logs").mkdir(parents=True)
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if is_other_disk and self.is_relative_to(package):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    assert run(["config", "--move"]) == 0
    assert str(settings.workspace) in capsys.readouterr().out
    assert (settings.workspace / "MEMORY.md").read_text(encoding="utf-8") == "- Use uv.\n"
    assert sorted(path.name for path in (package / "data").iterdir()) == []
    assert open_run(settings).lake.exists()
    assert run(["config", "--move"]) == 0
    assert "nothing lies in the installed package" in capsys.readouterr().err


def test_memory_in_both_places_is_never_overwritten(package: Path) -> None:
    """The owner decides which of the two counts."""
    settings = Settings()
    settings.workspace.mkdir(parents=True)
    (settings.workspace / "MEMORY.md").write_text("- Use pip.\n", encoding="utf-8")
    place = next(place for place in find_old_paths(settings) if place.name == "workspace")
    with pytest.raises(LakeError, match="holds a workspace already"):
        move_old_place(place)
    assert (package / "data" / "workspace" / "MEMORY.md").read_text(encoding="utf-8") == "- Use uv.\n"
    assert (settings.workspace / "MEMORY.md").read_text(encoding="utf-8") == "- Use pip.\n"


def test_a_lake_that_is_being_written_is_not_moved(package: Path) -> None:
    """Exit 4, and it stays."""
    with Lake(package / "data" / "lake").writing("recollect nightly"), pytest.raises(LockedError):
        move_old_place(find_old_paths(Settings())[0])
    assert (package / "data" / "lake" / "runs").is_dir()


def test_a_relative_setting_of_old_is_found_too(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It began at the package; a folder of another package with this name is not a lake."""
    (package / "notes" / "sources").mkdir(parents=True)
    (package / "other").mkdir()
    settings = Settings(lake=paths.make_absolute(Path("notes")), workspace=paths.make_absolute(Path("other")))
    assert [(place.name, place.old) for place in find_old_paths(settings)] == [("lake", package / "notes")]


def test_a_checkout_keeps_its_data(own_home: Path) -> None:
    """They lie in `data`, which git ignores."""
    assert Settings().lake == paths.PROJECT_ROOT / "data" / "lake"
    assert find_old_paths(Settings()) == []
