"""`recollect ask`: its options, what it refuses, and what it must not import."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect.cli import run
from tests.effects.recall_world import filled

ROOT = Path(__file__).resolve().parents[4]
HEAVY = (
    "polars", "pydantic", "pydantic_settings", "prefect", "duckdb", "pandas", "rich", "jinja2", "mlx", "markdown_it",
    "filelock", "instructor",
)  # fmt: skip

PLAIN = (
    ["why is the checkout slow?", "--project", "all"],
    ["sessions in Redis?", "--in", "observations,turns", "--since", "2026-01-01", "--until", "2026-12-31"],
    ["-k", "2", "--max-tokens", "300", "which fonts?", "--kind", "decision", "--priority", "high,medium"],
)
REFUSED = {
    ("x", "--project", "no-such"): 1,
    ("x", "--since", "yesterday"): 2,
    ("x", "--since", "0001-01-01"): 2,
    ("x", "-k", "0"): 2,
    ("x", "--in", "cellar"): 2,
    ("x", "-k", "many"): 2,
    ("x", "y"): 2,
    ("x", "--no-such"): 2,
    ("x", "--batch", "-"): 2,
    (): 2,
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a lake with an index."""
    return filled(tmp_path_factory.mktemp("world")).lake.root


@pytest.fixture(autouse=True)
def settings(lake: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a person who asks it."""
    for name, value in (("LAKE", lake), ("WORKSPACE", lake.parent / "workspace"), ("TIMEZONE", "UTC")):
        monkeypatch.setenv(f"RECOLLECT_{name}", str(value))


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[Any]]:
    """Return exit code and JSON lines."""
    code = run(["ask", *arguments, "--json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.split("\n") if line]


@pytest.mark.parametrize("arguments", PLAIN, ids=" ".join)
def test_a_question_has_hits(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """This holds with any of the options, in any order."""
    code, answers = ask(capsys, *arguments)
    assert code == 0
    assert answers[0]["hits"]
    if "--in" in arguments:
        assert {hit["source"] for hit in answers[0]["hits"]} <= {"observation", "turn"}
    if "-k" in arguments:
        assert len(answers[0]["hits"]) <= 2


@pytest.mark.parametrize(("arguments", "code"), REFUSED.items(), ids=str)
def test_what_cannot_be_asked_is_an_error(arguments: tuple[str, ...], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Under `--json` as an object."""
    results, lines = ask(capsys, *arguments)
    assert results == code
    assert lines[0]["error"]["hint"]


def test_a_batch_answers_every_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """From stdin, with the ids of the questions; a line that is not JSON is named."""
    questions = [{"id": "1", "question": "which fonts?"}, {"id": "2", "question": "sessions in Redis?", "project": "shop"}]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(map(json.dumps, questions))))
    code, answers = ask(capsys, "--batch", "-", "--project", "all")
    assert (code, [answer["id"] for answer in answers]) == (0, ["1", "2"])
    monkeypatch.setattr("sys.stdin", io.StringIO("which fonts?"))
    code, answers = ask(capsys, "--batch", "-")
    assert (code, answers[-1]["error"]["message"]) == (2, "line 1 of - is not JSON")


def test_a_line_of_a_batch_that_asks_nothing_is_told_and_the_others_are_answered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in its place, with its line and id, and by the exit code. A separator inside of a text ends no line."""
    lines = [
        '{"id": "a", "question": "which\u2028fonts?"}',
        '{"id": "b", "question": " "}',
        "",
        "[1]",
        "what?",
        '{"question": "fonts"}',
    ]
    lines.append('{"id": 7}')
    monkeypatch.setattr("sys.stdin", io.StringIO("\r\n".join(lines)))
    code, answers = ask(capsys, "--batch", "-", "--project", "all")
    assert code == 2
    assert [(answer["id"], answer.get("line"), "error" in answer) for answer in answers] == [
        ("a", None, False), ("b", 2, True), ("3", 4, True), ("4", 5, True), ("5", None, False), (7, 7, True)
    ]  # fmt: skip
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    assert run(["ask", "--batch", "-", "--project", "all"]) == 2
    assert "line 4 of - has no `question`" in capsys.readouterr().err


@pytest.mark.parametrize("output", [["--json"], []], ids=["json", "text"])
def test_a_question_imports_nothing_heavy(output: list[str]) -> None:
    """A cold question waits for every import; docs/decisions.md has the times."""
    code = f"""
import sys
from recollect.cli import run
assert run({["ask", *PLAIN[0], *output]!r}) == 0
print(*[name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    *answer, heavy = done.stdout.splitlines()
    assert "hybrid" in "".join(answer)
    assert heavy == ""


def test_without_a_lake_the_next_command_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The hint names the command that makes one."""
    monkeypatch.setenv("RECOLLECT_LAKE", "/nowhere/lake")
    code, lines = ask(capsys, "x")
    assert (code, lines[0]["error"]["code"], lines[0]["error"]["hint"]) == (1, "lake", "recollect nightly")
