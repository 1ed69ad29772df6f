"""Prefect's environment: changed by an explicit call, never by an import; its home is there before Prefect looks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from effects.config.prefect_settings import PRIVATE, QUIET_SETTINGS, make_home, prepared_for_prefect
from effects.system.errors import RecollectError


def test_a_home_below_folders_that_do_not_exist_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefect itself makes no parents and then waits for a server that never comes."""
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "a" / "b"))
    make_home()
    assert (tmp_path / "a" / "b").is_dir()


def test_a_home_that_cannot_be_made_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the folder, the hint the way around Prefect."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(RecollectError, match="cannot be created") as caught:
        make_home()
    assert "--direct" in caught.value.hint
    monkeypatch.setenv("PREFECT_HOME", "~nouser/prefect")
    with pytest.raises(RecollectError, match="the home of an unknown user"):
        make_home()


def test_importing_flows_changes_no_variable_and_gives_the_flows_of_the_deployments() -> None:
    """A program that runs a flow decides about its own process. A fresh interpreter imports every module of flows, and each
    entry point of prefect.yaml is a flow in one of them: a module path, so that no file is looked for."""
    root = Path(__file__).resolve().parents[3]
    deployments = yaml.safe_load((root / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    entry_points = [deployment["entrypoint"] for deployment in deployments]
    assert all(":" not in path for path in entry_points)
    names = [f"flows.{path.stem}" for path in sorted((root / "flows").glob("*.py")) if path.stem != "__init__"]
    assert len(names) > 10
    code = (
        "import os, sys, prefect, polars, threadpoolctl  # these set some of their own\n"
        "before = dict(os.environ)\n"
        f"for name in {names!r}: __import__(name)\n"
        "print({name for name in {*before, *os.environ} if before.get(name) != os.environ.get(name)} or 'same')\n"
        f"for path in {entry_points!r}:\n"
        "    module, _, name = path.rpartition('.')\n"
        "    assert isinstance(getattr(sys.modules[module], name), prefect.Flow), path\n"
        "print('flows')"
    )
    bare = {name: value for name, value in os.environ.items() if name not in PRIVATE | QUIET_SETTINGS}
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env=bare, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["same", "flows"], done.stdout + done.stderr


def test_commands_switch_telemetry_off_against_any_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Log lines stay out of the terminal unless the environment asks for them."""
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "home"))
    chosen = next(iter(QUIET_SETTINGS))
    for name in (*PRIVATE, *QUIET_SETTINGS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DO_NOT_TRACK", "0")
    monkeypatch.setenv(chosen, "INFO")
    with prepared_for_prefect():
        assert Path.cwd() == Path("/")
    assert {name: os.environ[name] for name in PRIVATE} == PRIVATE
    assert {name: os.environ[name] for name in QUIET_SETTINGS} == QUIET_SETTINGS | {chosen: "INFO"}
    for name in (*PRIVATE, *QUIET_SETTINGS):
        monkeypatch.delenv(name, raising=False)
