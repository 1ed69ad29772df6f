"""Session files and a lake for tests of ingest."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from effects.config.settings import Settings
from effects.ingest.ingest_step import ingest, ingest_file
from effects.store.lake import Lake
from effects.store.run import Counts, Run

START = datetime(2026, 1, 1, 22, 0, tzinfo=UTC)


def header(session_id: str = "s-1", version: int | None = 3, **fields: Any) -> str:
    base = {"type": "session", "id": session_id, "timestamp": iso(0), "cwd": "/w/app"} | ({"version": version} if version else {})
    return json.dumps(base | fields)


def iso(minute: float) -> str:
    return (START + timedelta(minutes=minute)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def user(own: str, parent: str | None, minute: float, text: str) -> str:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return json.dumps(
        {"type": "message", "id": own, "parentId": parent, "timestamp": iso(minute), "message": message}, ensure_ascii=False
    )


def answer(own: str, parent: str | None, minute: float, text: str, cost: float = 0.25) -> str:
    usage = {"input": 100, "output": 20, "cacheRead": 30, "cacheWrite": 5, "cost": {"total": cost}}
    message = {"role": "assistant", "content": [{"type": "text", "text": text}], "provider": "p", "model": "m", "usage": usage}
    return json.dumps({"type": "message", "id": own, "parentId": parent, "timestamp": iso(minute), "message": message})


def write(path: Path, *lines: str, end: str = "\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(("\n".join(lines) + end).encode())
    return path


class Home:
    """A sessions folder and a lake; `night` ingests."""

    def __init__(self, root: Path, name: str = "lake", **fields: Any) -> None:
        self.sessions = root / "sessions"
        self.sessions.mkdir(exist_ok=True)
        given = Settings(
            sessions=(self.sessions,), lake=root / name, workspace=root / "ws", timezone="Europe/Berlin", owner="o", **fields
        )
        self.run = Run(given, Lake(root / name), START)
        self.lake = self.run.lake

    def night(self) -> Counts:
        with self.lake.writing("test"):
            return ingest(self.run)

    def read_file(self, path: Path, is_closed: bool = False) -> Counts:
        with self.lake.writing("test"):
            return ingest_file(self.run, path, is_closed)

    def rows(self, table: str) -> list[dict[str, Any]]:
        return self.lake.read(table).rows(named=True)

    def files(self) -> dict[str, bytes]:
        paths = sorted(self.lake.root.rglob("*.parquet"))
        return {path.relative_to(self.lake.root).as_posix(): path.read_bytes() for path in paths}


LINES = [
    header(),
    user("a", None, 1, "first words é😀"),
    answer("b", "a", 2, "one"),
    user("c", "b", 3, "second"),
    "junk",
    answer("d", "c", 200, "two") + user("e", "d", 201, "glued 你好"),
    user("f", "b", 202, "a new branch"),
    json.dumps({"type": "session_info", "id": "g", "parentId": "f", "timestamp": iso(203), "name": "A name"}),
    json.dumps({"type": "message", "message": {"role": "user", "content": "no id, no time"}}),
    user("c", "g", 205, "same id again"),
    user("h", "later", 206, "orphan until later"),
    user("later", "c", 1500, "here it is"),
]


def fork_family(home: Home) -> dict[str, Callable[[], Path]]:
    shared = [user("a", None, 1, "shared question"), answer("b", "a", 2, "shared answer")]
    parent = home.sessions / "2026_parent.jsonl"
    fork = header("child", timestamp=iso(300), parentSession=str(parent))
    other = header("child-2", timestamp=iso(400), parentSession=str(parent))
    return {
        "parent": lambda: write(parent, header("parent"), *shared, user("p", "b", 200, "only the parent")),
        "child": lambda: write(home.sessions / "2026_child.jsonl", fork, *shared, user("c", "b", 301, "only the child")),
        "child-2": lambda: write(home.sessions / "2026_child-2.jsonl", other, *shared, user("d", "b", 401, "only the second")),
    }
