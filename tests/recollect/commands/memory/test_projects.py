from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.cli import run
from tests.effects.session_home import answer, header, user, write


def test_projects_are_listed_joined_and_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for minute, name in enumerate(("shop", "shop-old")):
        lines = header(name, cwd=f"/w/{name}"), user(f"{name}1", None, minute, f"work in {name}")
        write(tmp_path / "sessions" / f"{name}.jsonl", *lines)
    for name in ("sessions", "lake", "workspace"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    assert run(["session", str(tmp_path / "sessions" / "shop.jsonl"), "--direct"]) == 0
    assert run(["session", str(tmp_path / "sessions" / "shop-old.jsonl"), "--direct"]) == 0
    capsys.readouterr()
    assert run(["projects", "join", "shop-old", "shop"]) == 0
    assert "/w/shop-old belongs to /w/shop: 1 session moved" in capsys.readouterr().out
    assert run(["projects"]) == 0
    assert capsys.readouterr().out == "/w/shop  (2 sessions)\n  /w/shop-old  (1 session; joined by you)\n"
    assert run(["ask", "work in shop", "--project", "shop-old", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {hit["project"] for hit in answer["hits"]} == {"/w/shop"}, "a name that was joined means the whole project"
    assert {hit["session_id"] for hit in answer["hits"]} == {"shop", "shop-old"}
    assert run(["projects", "split", "shop-old", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"folder": "/w/shop-old", "moved": 1}
    assert run(["projects", "split", "shop-old"]) == 2
    assert "a project of its own" in capsys.readouterr().err


def test_a_folder_that_was_renamed_before_recollect_ran_gets_a_hint_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Joining stays the owner's: nothing moves, and the hint goes once he has joined or parted them."""
    (tmp_path / "skylark").mkdir()
    for minute, name in enumerate(("orbit", "skylark")):
        head = header(name, cwd=str(tmp_path / name))
        reply = json.loads(answer(f"{name}1", f"{name}0", minute, "Done."))
        for path in ("src/routes/plan.py", "src/routes/cache.py", "src/tiles/a.py"):
            reply["message"]["content"].append({"type": "toolCall", "id": path, "name": "edit", "arguments": {"path": path}})
        lines = head, user(f"{name}0", None, minute, f"work in {name}"), json.dumps(reply)
        write(tmp_path / "sessions" / f"{name}.jsonl", *lines)
    for name in ("sessions", "lake", "workspace"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    for name in ("orbit", "skylark"):
        assert run(["session", str(tmp_path / "sessions" / f"{name}.jsonl"), "--direct"]) == 0
    capsys.readouterr()
    command = f"recollect projects join {tmp_path}/orbit {tmp_path}/skylark"
    assert run(["projects"]) == 0
    assert command in capsys.readouterr().err
    run(["doctor"])
    assert command in capsys.readouterr().out
    assert run(command.split()[1:]) == 0
    capsys.readouterr()
    assert run(["projects"]) == 0
    assert capsys.readouterr().err == ""
