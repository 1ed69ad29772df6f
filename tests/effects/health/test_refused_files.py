"""Files that the system refuses to this user (of root, after one `sudo recollect nightly`) are no damage."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from effects.health.damage import explain_damage, find_damage
from effects.health.refused_files import RefusedError, explain_refusal, explaining_refusals, find_refused
from effects.health.repair_lake import repair_lake, set_aside_commits
from effects.store.run import Run
from effects.system.disk_errors import DiskError, explaining_disk_errors
from tests.effects.health.test_health_checks import DAY, checks, refuse_folder, run  # noqa: F401


def refuse_file(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system refuse to read a file, as it does for another user's; tests may run as root."""
    access, read = os.access, Path.read_bytes

    def may(path: Any, mode: int) -> bool:
        return Path(path) != closed and access(path, mode)

    def read_bytes(path: Path) -> bytes:
        if path == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(os, "access", may)
    monkeypatch.setattr(Path, "read_bytes", read_bytes)


@pytest.mark.parametrize("other", [0, 1])
def test_a_refused_file_is_no_damage_and_is_given_back_by_the_next_command(
    other: int,
    run: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = run.lake.list_files("windows", [DAY])[0]
    before = closed.read_bytes()
    refuse_file(closed, monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: closed.stat().st_uid + other)
    place = shlex.quote(str(run.lake.root))
    finding = checks(run)["lake"]
    assert finding.detail.startswith(f"{closed}: Permission denied")
    assert ("; it belongs to " in finding.detail) == bool(other)
    assert finding.next == (f'sudo chown -R "$(id -un)" {place}' if other else f"chmod -R u+rwX {place}")
    for act in (lambda: find_damage(run.lake), lambda: repair_lake(run), lambda: set_aside_commits(run.lake)):
        with pytest.raises(RefusedError):
            act()
    assert isinstance(explain_damage(run.lake, PermissionError(13, "Permission denied", str(closed))), RefusedError)
    monkeypatch.undo()
    assert closed.read_bytes() == before
    assert not (run.lake.root / "_damaged").exists()


def test_a_table_in_a_folder_that_cannot_be_listed_is_not_an_empty_one(
    run: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = run.lake.root / "windows"
    refuse_folder(closed, monkeypatch)
    for act in (run.lake.list_files, run.lake.list_days, run.lake.read):
        with pytest.raises(PermissionError):
            act("windows")
    assert find_refused(run.lake) == [closed]


def test_what_is_not_of_the_lake_stops_no_repair(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """A volume of its own has `lost+found` at its root, which nobody but root may list."""
    foreign = run.lake.root / "lost+found"
    foreign.mkdir()
    refuse_folder(foreign, monkeypatch)
    assert find_refused(run.lake) == []


def test_a_night_that_meets_a_refused_file_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """The system's own words would be that the folder cannot be written."""
    with pytest.raises(DiskError), explaining_refusals(run.lake), explaining_disk_errors(run.lake.root):
        raise PermissionError(13, "Permission denied", "elsewhere")
    closed = run.lake.list_files("windows", [DAY])[0]
    refuse_file(closed, monkeypatch)
    with pytest.raises(RefusedError, match="Permission denied"), explaining_refusals(run.lake):
        raise PermissionError(13, "Permission denied", str(closed))
    assert explain_refusal(run.lake) is not None
