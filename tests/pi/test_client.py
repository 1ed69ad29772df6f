"""The real pi, driven over RPC against a loopback server, writes sessions with tools, compaction, branch and fork."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from benchmarks.samples.build import write_shims
from benchmarks.samples.drive import drive_scene, make_environment
from tests.effects.session_home import Home
from tests.pi.clients import CLIENTS, node

pytestmark = pytest.mark.pi

STEPS: list[dict[str, Any]] = [
    {"user": "Write the plan into plan.md", "agent": [
        {"say": "I write it down.", "calls": [{"write": "plan.md", "text": "1. parse\n2. store\n"}]},
        {"calls": [{"read": "plan.md"}, {"bash": "exit 3", "out": "no such thing\n", "code": 3}]},
        "The plan is written; the command failed.",
    ]},
    {"name": "Planning the parser"},
    {"user": "Which of both first?", "agent": ["The parser first, because everything else reads its rows."]},
    {"label": "decision"},
    {"shell": "ls", "out": "plan.md\n"},
    {"nav": "Which of both first", "summary": "The owner asked which of both comes first."},
    {"user": "Then store first, please.", "agent": ["Storing first then."]},
    {"user": "Say it at length. " + "Words and words. " * 900, "agent": ["A long answer. " * 700]},
    {"compact": "## Goal\nA parser with storage first."},
    {"user": "Go on.", "agent": [{"think": "What is next?", "say": "Next is the table."}]},
]  # fmt: skip


@pytest.mark.parametrize("version", ["0.73.1", "1.5.2"])
def test_a_session_that_the_real_client_writes_is_read_whole(tmp_path: Path, version: str) -> None:
    program = node()
    root = tmp_path / "scratch"
    write_shims(root)
    scene = {"cwd": "/home/mara/code/app", "client": version, "steps": STEPS}
    env = make_environment(root, program, [], "2026-03-01T10:00:00+00:00")
    command = [str(program), str(CLIENTS[version])]
    written, _ = drive_scene(scene, root, command, env, None)
    again = scene | {"steps": [{"user": "A question of the fork alone", "agent": ["Only the fork knows."]}]}
    forked, _ = drive_scene(again, root, command, env, written)

    home = Home(tmp_path)
    for path in (written, forked):
        (home.sessions / path.name).write_bytes(path.read_bytes())
    counts = home.night()
    lines = {path.name: [orjson.loads(line) for line in path.read_bytes().splitlines()] for path in (written, forked)}
    assert (counts["read"], counts["quarantined"], counts["refused"]) == (2, 0, 0)
    assert counts["entries"] == sum(len(entry) - 1 for entry in lines.values())

    own = lines[written.name][0]["id"]
    rows = [row for row in home.rows("entries") if row["session_id"] == own]
    assert [row["entry_id"] for row in rows] == [line["id"] for line in lines[written.name][1:]]
    assert all(set(row["flags"]) <= {"image"} for row in rows), "nothing was odd"
    types = {row["entry_type"] for row in rows}
    assert {"message", "compaction", "branch_summary", "label", "session_info", "model_change"} <= types
    assert {row["role"] for row in rows} >= {"user", "assistant", "toolResult", "bashExecution"}
    failed = [row["text"] for row in rows if row["tool_name"] == "bash" and row["is_error"]]
    assert len(failed) == 1
    assert "no such thing" in failed[0]
    left = [row for row in rows if not row["on_active_branch"]]
    assert any("everything else reads its rows" in row["text"] for row in left)
    assert not any("Storing first then" in row["text"] for row in left)

    sessions = {row["session_id"]: row for row in home.rows("sessions")}
    assert sessions[own]["title"] == "Planning the parser"
    assert sessions[own]["user_message_count"] == 5
    fork = sessions[lines[forked.name][0]["id"]]
    assert (fork["user_message_count"], Path(fork["parent_session"]).name) == (1, written.name)
    copied = [row for row in home.rows("entries") if "copied" in row["flags"]]
    assert len(copied) == len(rows)
