"""More than 500 generated secrets in the places where sessions really hold them: none reaches any file of the lake."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from tests.effects.health.plain_scan import count_secrets
from tests.effects.session_home import Home, header, iso, write
from tests.transforms.redaction.test_redact import ALNUM, NAMED, SHAPES, _core, _text


def message(role: str, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, **fields}}


def called(name: str, **arguments: Any) -> dict[str, Any]:
    return message("assistant", content=[{"type": "toolCall", "id": "c", "name": name, "arguments": arguments}])


def result(text: str, **fields: Any) -> dict[str, Any]:
    return message("toolResult", toolCallId="c", toolName="bash", content=[{"type": "text", "text": text}], **fields)


PLACES: dict[str, Callable[[str], dict[str, Any]]] = {
    "typed": lambda text: message("user", content=[{"type": "text", "text": f"use {text} for the deployment"}]),
    "command": lambda text: called("bash", command=f"FOO=bar ./run.sh '{text}' && echo done"),
    "written file": lambda text: called("write", path=".env", content=f"PORT=3000\n{text}\nDEBUG=1\n"),
    "edit as a string": lambda text: called("edit", path="a", edits=json.dumps([{"oldText": "x", "newText": f"a\n{text}\nb"}])),
    "arguments in JSON": lambda text: called("mcp.call", body=json.dumps({"config": {"lines": f"one\n{text}\ntwo"}})),
    "output": lambda text: result(f"$ cat .env\nPORT=3000\n{text}\n(2 lines)"),
    "output in JSON": lambda text: result(json.dumps({"stdout": f"line\n{text}\n", "code": 0})),
    "output in JSON in JSON": lambda text: result(json.dumps({"body": json.dumps({"log": f"start\n{text}\nend"})})),
    "diff in details": lambda text: result("ok", details={"diff": f" -1 +1 \n-old\n+{text}\n"}),
    "answer": lambda text: message("assistant", content=[{"type": "text", "text": f"I set it:\n```\n{text}\n```"}]),
    "thinking": lambda text: message("assistant", content=[{"type": "thinking", "thinking": f"The file says\n{text}\nso"}]),
    "own command": lambda text: message("bashExecution", command="env", output=f"HOME=/root\n{text}\n", exitCode=0),
    "compaction": lambda text: {"type": "compaction", "summary": f"## Critical Context\n- {text}", "firstKeptEntryId": "e1"},
    "state of an extension": lambda text: {"type": "custom", "customType": "x", "data": {"env": [f"A=1\n{text}"]}},
    "error": lambda text: message("assistant", content=[], stopReason="error", errorMessage=f"401 for\n{text}\n"),
}  # fmt: skip


def planted() -> list[tuple[str, str, dict[str, Any]]]:
    """Return (label, secret, entry) for every family in every place."""
    results = []
    for family, make in SHAPES.items():
        for place, put in PLACES.items():
            secret = make(random.Random(f"{family} {place}"))
            results.append((f"{family} in {place}", _core(secret), put(secret)))
    for name, make_named in NAMED.items():
        for place, put in PLACES.items():
            secret = _text(random.Random(f"{name} {place}"), ALNUM, 24)
            results.append((f"{name} in {place}", secret, put(make_named(secret))))
    return results


def test_none_of_more_than_500_planted_secrets_reaches_the_lake(tmp_path: Path) -> None:
    home, results = Home(tmp_path), planted()
    assert len(results) >= 500
    assert len(SHAPES) >= 25
    entries = [
        json.dumps(entry | {"id": f"e{at}", "parentId": f"e{at - 1}" if at else None, "timestamp": iso(at)})
        for at, (_, _, entry) in enumerate(results)
    ]
    write(home.sessions / "a.jsonl", header(), *entries)
    assert home.night()["entries"] == len(results)
    rows = home.lake.read("entries")
    texts = pl.concat([rows[name].cast(pl.String) for name in rows.columns if rows.schema[name] == pl.String]).drop_nulls()
    everything = "\n".join(texts)
    assert [label for label, secret, _ in results if secret in everything] == []
    assert not count_secrets(home.lake, home.run.settings.workspace)


def test_names_of_folders_members_and_unknown_clients_hold_no_secret_in_the_lake(tmp_path: Path) -> None:
    """A token may be the name of a folder, of a member, or the type of a first line that no client writes."""
    home = Home(tmp_path)
    folder, member, kind = ("ghp_" + _text(random.Random(name), ALNUM, 36) for name in ("folder", "member", "kind"))
    entry = result("ok", details={member: 1}) | {"id": "e1", "parentId": None, "timestamp": iso(1)}
    write(home.sessions / "a.jsonl", header(cwd=f"/work/{folder}"), json.dumps(entry))
    write(home.sessions / "b.jsonl", json.dumps({"type": kind, "id": "x"}))
    home.night()
    texts = "\n".join(str(home.lake.read(table).rows()) for table in ("sessions", "sources", "entries", "quarantine"))
    assert "/work/[redacted:github-token:" in texts
    assert [name for name in (folder, member, kind[:36]) if name in texts] == []
