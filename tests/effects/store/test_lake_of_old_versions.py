"""A lake that any earlier version left is opened by this one: nothing is lost, and the next night goes on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from effects.store.lake import Lake
from effects.store.layout import list_files
from recollect.cli import run
from tests.flows.test_runner_closing_together import session_file
from transforms.tables.schema import TABLES

LAKES = Path(__file__).resolve().parents[2] / "lakes"
KEPT = ("sessions", "entries", "observations", "proposals", "proposal_events", "memory_lines", "distillates")


@pytest.fixture(params=sorted(path.name for path in LAKES.iterdir() if path.is_dir()))
def memory(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a copy of an old lake and its pages, and one session that came since."""
    shutil.copytree(LAKES / request.param, tmp_path, dirs_exist_ok=True)
    session_file(tmp_path / "sessions", "gateway")
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    monkeypatch.setenv("RECOLLECT_OWNER", "mara")
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(tmp_path / "no-model"))
    return tmp_path


def count_stored_rows(root: Path) -> dict[str, int]:
    """Return the rows in the files themselves, whatever their columns."""
    return {name: sum(pl.read_parquet(path).height for path in list_files(root, name)) for name in KEPT}


def test_every_table_is_read_in_the_present_columns(memory: Path) -> None:
    """All rows, also of tables that lack a newer column."""
    lake = Lake(memory / "lake")
    stored = count_stored_rows(memory / "lake")
    assert stored["entries"] > 20
    assert stored["memory_lines"] > 0
    assert {name: lake.read(name).height for name in KEPT} == stored
    for name, table in TABLES.items():
        assert lake.read(name).columns == table.make_empty().columns, name


def test_a_column_of_a_later_version_is_passed_over(memory: Path) -> None:
    """Somebody's own column, too: the rows are read without it."""
    lake = Lake(memory / "lake")
    stored = lake.read("entries")
    path = list_files(memory / "lake", "entries")[0]
    pl.read_parquet(path).with_columns(of_tomorrow=pl.lit(1)).write_parquet(path)
    assert lake.read("entries").equals(stored)


def test_the_next_night_loses_nothing_and_goes_on(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its session files are gone by now: their rows stay. MEMORY.md keeps its lines; what was remembered is answered."""
    before, page = count_stored_rows(memory / "lake"), (memory / "workspace" / "MEMORY.md").read_text(encoding="utf-8")
    assert run(["nightly", "--direct", "--as-of", "2026-05-18T03:30"]) == 0
    after = count_stored_rows(memory / "lake")
    assert all(after[name] >= before[name] for name in ("sessions", "entries", "proposals", "proposal_events", "memory_lines"))
    assert after["entries"] == before["entries"] + 12
    lines = [line for line in page.splitlines() if line.startswith("- ")]
    assert set(lines) <= set((memory / "workspace" / "MEMORY.md").read_text(encoding="utf-8").splitlines())
    capsys.readouterr()
    assert run(["ask", "when do deploys happen?", "--project", "all", "--json"]) == 0
    assert "Tuesdays" in json.loads(capsys.readouterr().out)["answer"]
    assert run(["sql", "SELECT count(*) AS n FROM observations", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] > 0
