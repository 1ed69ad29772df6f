"""A plain `recollect ask` takes a short way to the same answers and the same errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect import asking, cli
from tests.effects.recall_world import filled

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "polars", "pydantic", "pydantic_settings", "cyclopts", "prefect", "lancedb", "duckdb", "pandas", "rich", "jinja2",
    "mlx", "markdown_it", "filelock", "lance_namespace", "instructor",
)  # fmt: skip

PLAIN = (
    ["ask", "--json", "why is the checkout slow?", "--project", "all"],
    ["ask", "sessions in Redis?", "--in", "observations,turns", "--since", "2026-01-01", "--until", "2026-12-31", "--json"],
    ["ask", "-k", "2", "--max-tokens", "300", "which fonts?", "--kind", "decision", "--priority", "high,medium", "--json"],
    ["ask", "invoices as PDF", "--project", "shop"],
)
REFUSED = (
    ["ask", "x", "--project", "no-such", "--json"],
    ["ask", "x", "--since", "yesterday", "--json"],
    ["ask", "x", "-k", "0", "--json"],
    ["ask", "x", "--in", "cellar", "--json"],
    ["ask", "x", "-k", "many", "--json"],
    ["ask", "x", "y", "--json"],
    ["ask", "--json"],
    ["ask", "x", "--no-such", "--json"],
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with an index."""
    return filled(tmp_path_factory.mktemp("world")).lake.root


@pytest.fixture
def asked(lake: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of somebody who asks it."""
    for name, value in (("LAKE", lake), ("WORKSPACE", lake.parent / "workspace"), ("TIMEZONE", "UTC")):
        monkeypatch.setenv(f"RECOLLECT_{name}", str(value))


def told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    """Exit code and what was printed, without the time that it took."""
    code = cli.run(arguments)
    out = capsys.readouterr().out
    found = json.loads(out) if "--json" in arguments else "".join(line for line in out.splitlines() if " ms" not in line)
    if isinstance(found, dict):
        found.pop("took_ms", None)
    return code, found


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("arguments", [*PLAIN, *REFUSED], ids=" ".join)
def test_both_ways_say_the_same(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers, refusals and exit codes of the short way are those of the whole command line."""
    short = told(arguments, capsys)
    with monkeypatch.context() as patch:
        patch.setattr(asking, "asked", lambda rest: None)
        assert told(arguments, capsys) == short
    assert (short[0] == 0) is (arguments in PLAIN)


@pytest.mark.usefixtures("asked")
def test_a_plain_question_imports_nothing_heavy() -> None:
    """Measured on busy cores, processor time of the whole command: by words 1.7 to 0.5 s, with vectors 2.1 to 0.8 s."""
    code = f"""
import sys
from recollect.cli import run
assert run({PLAIN[0]!r}) == 0
print(*[name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    answer, heavy = done.stdout.splitlines()
    assert json.loads(answer)["mode"] == "hybrid"
    assert json.loads(answer)["hits"]
    assert heavy == ""


@pytest.mark.usefixtures("own_home")
def test_without_a_lake_both_ways_say_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With the next command."""
    monkeypatch.setenv("RECOLLECT_LAKE", "/nowhere/lake")
    code, error = told(["ask", "x", "--json"], capsys)
    assert (code, error["error"]["code"], error["error"]["hint"]) == (1, "lake", "recollect nightly")
