"""`recollect observe`: a conversation becomes dated observations, without a lake and without a model."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from recollect.cli import run
from tests.agent_lines import claude_answer, claude_prompt, codex_answer, codex_meta, codex_prompt, text_part

DAY = "2026-02-10"


def make_session(*said: tuple[str, str]) -> str:
    """Return a session of pi in which these roles say these words, a minute apart."""
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "s1", "timestamp": f"{DAY}T14:00:00.000Z", "cwd": "/shop"}
    ]
    for number, (role, text) in enumerate(said):
        at = f"{DAY}T14:{number:02}:00.000Z"
        if role == "compaction":
            lines.append({"type": role, "id": f"e{number}", "parentId": f"e{number - 1}", "timestamp": at, "summary": text})
            continue
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        lines.append({"type": "message", "id": f"e{number}", "parentId": f"e{number - 1}", "timestamp": at, "message": message})
    return "".join(json.dumps(line) + "\n" for line in lines)


CONVERSATION = (
    ("user", "Never push to main without my approval."),
    ("assistant", "Understood."),
    ("user", "We decided to store all rows in SQLite, not in Redis."),
    ("assistant", "I store them in SQLite."),
    ("user", "Please add a test for the table of orders."),
)


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set a lake that does not exist, and the zone."""
    monkeypatch.setenv("RECOLLECT_LAKE", str(tmp_path / "lake"))
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "UTC")
    monkeypatch.setenv("RECOLLECT_OWNER", "mara")
    return tmp_path


def observe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, *arguments: str) -> str:
    """Run the command on a text on stdin; return its output."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(["observe", *arguments]) == 0
    return capsys.readouterr().out


def test_rules_decisions_and_the_open_task_survive(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], settings: Path
) -> None:
    """Twice the same bytes; nothing is stored."""
    out = observe(monkeypatch, capsys, make_session(*CONVERSATION))
    first, *lines = out.splitlines()
    assert first == f"Date: {DAY}"
    assert any(" 14:00 " in line and "Never push to main without my approval" in line for line in lines), out
    assert any(line.startswith("- [!] 14:02") and "SQLite" in line for line in lines), out
    assert "Current task: " in lines[-2]
    assert "Next: " in lines[-1]
    assert observe(monkeypatch, capsys, make_session(*CONVERSATION)) == out
    assert not (settings / "lake").exists()


def test_what_is_known_is_not_repeated(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A compaction among the lines is known; a range leaves the rest of a file out."""
    known = f'Date: {DAY}\n- [!] 14:00 mara set a rule: "Never push to main without my approval."'
    out = observe(monkeypatch, capsys, make_session(("compaction", known), *CONVERSATION))
    assert "Never push" not in out
    assert "SQLite" in out
    ranged = observe(monkeypatch, capsys, make_session(*CONVERSATION), "--from", "e2", "--to", "e4")
    assert "Never push" not in ranged
    assert "table of orders" not in ranged


def test_the_result_fits_and_json_has_its_size(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`--max-tokens` bounds observations and condensed observations alike."""
    many = [(role, f"{text} Number {number}.") for number in range(9) for role, text in CONVERSATION]
    answer = json.loads(observe(monkeypatch, capsys, make_session(*many), "--json", "--max-tokens", "80"))
    assert 0 < answer["tokens"] <= 90
    assert answer["read_tokens"] > answer["tokens"]
    shorter = observe(monkeypatch, capsys, answer["observations"], "--condense", "--max-tokens", "40")
    assert 0 < len(shorter) <= 161


def test_a_secret_never_leaves(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It is redacted before anything is observed."""
    secret = "ghp_" + "".join("aB3dE6gH9jK2mN5pQ8rS"[number % 20] for number in range(36))
    out = observe(
        monkeypatch, capsys, make_session(("user", f"Always deploy with the token {secret}, never with mine."), *CONVERSATION)
    )
    assert secret not in out
    assert "Always deploy" in out


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_sessions_of_the_other_clients_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], agent: str
) -> None:
    """The content of the lines tells the client, as at night."""
    rule = "Never push to main without my approval."
    lines = {
        "claude": [claude_prompt("p", None, 0, rule), claude_answer("a", "p", 1, "m", text_part("I will ask first."))],
        "codex": [codex_meta(), *codex_prompt(1, rule), codex_answer(2, "I will ask first.")],
    }
    assert f'mara set a rule: "{rule}"' in observe(monkeypatch, capsys, "\n".join(lines[agent]) + "\n")


def test_a_file_without_a_session_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1 with the reason; an unknown id and a missing file too."""
    for text, arguments, reason in (
        ("milk\n", [], "not a session"),
        ("", [], "it is empty"),
        (make_session(*CONVERSATION), ["--from", "nothing"], "no entry has the id `nothing`"),
        ("", ["missing.jsonl"], "missing.jsonl cannot be read"),
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert run(["observe", *arguments]) == 1
        assert reason in capsys.readouterr().err
    assert run(["observe", "--condense"]) == 2
