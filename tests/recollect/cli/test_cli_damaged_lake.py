"""A damaged lake or index: every command answers, or names the file and the command that repairs it; none shows a traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from benchmarks.safety.chaos import make_world
from benchmarks.safety.disturbing.worlds import World
from effects.index.manifest import find_index_folder, read_manifest
from effects.store.lake import Lake
from recollect.cli import run
from tests.effects.engines.model_server import good, serving


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return a world with an index."""
    with serving(good) as server:
        yield make_world(tmp_path_factory.mktemp("damaged") / "world", "3/7", "nightly", server)


@pytest.fixture
def lake(world: World, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """Return its lake, named by the settings."""
    world.restore(len(world.nights) - 1)
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(world.place / name))
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "UTC")
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(world.place / "no-model"))
    return Lake(world.place / "lake")


def moment(world: World) -> str:
    last: datetime = world.nights[-1].moment
    return last.isoformat()


@pytest.mark.parametrize(
    ("table", "arguments"),
    [
        ("observations", ["export"]),
        ("observations", ["sql", "SELECT count(text) FROM observations"]),
        ("observations", ["nightly", "--direct"]),
        ("sessions", ["sessions", "port"]),
        ("proposals", ["review", "list"]),
        ("entries", ["show", "s1"]),
        ("memory_lines", ["briefing", "--project", "app"]),
        ("tombstones", ["ask", "which port?", "--project", "all"]),
    ],
)
def test_a_command_answers_or_names_the_file_and_the_repair(
    table: str, arguments: list[str], lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a command does not read cannot stop it."""
    paths = lake.list_files(table)
    for path in paths:
        path.write_bytes(path.read_bytes()[:-40])
    code = run(arguments)
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    if code:
        assert any(str(path) in err for path in paths), err
        assert "next: recollect rebuild lake" in err
    else:
        assert arguments[0] in ("ask", "briefing", "show", "review")


def test_an_agent_is_told_the_same(lake: Lake) -> None:
    """The MCP server's error is one that a model can pass on."""
    from mcp.server.mcpserver.exceptions import ToolError

    from recollect.mcp_server import report_errors

    (path,) = lake.list_files("proposals")
    path.write_bytes(b"")

    def read() -> str:
        return str(lake.read("proposals"))

    with pytest.raises(ToolError, match="recollect rebuild lake") as caught:
        report_errors(read)()
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("part", ["rows.sqlite", "documents.lance", "documents_new.lance", "manifest.json"])
def test_a_damaged_index_is_named_and_built_again(
    part: str, world: World, lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    """Questions are answered from the lake meanwhile; doctor names `rebuild index`, which repairs it."""
    folder = find_index_folder(lake) / read_manifest(lake).generation
    target = find_index_folder(lake) / part if part == "manifest.json" else folder / part
    for path in [target] if target.is_file() else [path for path in target.rglob("*") if path.is_file()]:
        path.write_bytes(b"nonsense")
    assert run(["ask", "which port does service 4 use?", "--project", "all", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"]
    assert run(["doctor", "--as-of", moment(world), "--json"]) in (0, 1)
    checks = {check["check"]: check for check in map(json.loads, capsys.readouterr().out.splitlines())}
    assert (checks["index"]["level"] != "ok", checks["index"]["next"]) == (True, "recollect rebuild index")
    assert run(["rebuild", "index"]) == 0
    capsys.readouterr()
    run(["doctor", "--as-of", moment(world), "--json"])
    checks = {check["check"]: check for check in map(json.loads, capsys.readouterr().out.splitlines())}
    assert checks["index"]["level"] == "ok", checks["index"]


def test_a_damaged_settings_file_is_named_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the owner's: nobody replaces it."""
    path = tmp_path / "recollect.toml"
    path.write_bytes(b"owner = \xff\n[engine\n")
    monkeypatch.setenv("RECOLLECT_CONFIG", str(path))
    assert run(["doctor"]) == 2
    err = capsys.readouterr().err
    assert str(path) in err
    assert "next: correct the file, or name another with RECOLLECT_CONFIG" in err
