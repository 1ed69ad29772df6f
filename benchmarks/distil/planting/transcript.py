"""Writes a pi session: entries in format v3. Each call returns the line that it wrote, so that planted facts can be cited."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID


@dataclass
class Transcript:
    """One session: `line` is the 0-based number of the line that was written last (the header is line 0)."""

    rng: Random
    project: str
    at: datetime
    lines: list[dict[str, Any]] = field(default_factory=list)
    session_id: str = ""
    calls: int = 0

    def __post_init__(self) -> None:
        self.session_id = str(UUID(int=self.rng.getrandbits(128), version=4))
        header = {"type": "session", "version": 3, "id": self.session_id, "timestamp": _format_time(self.at), "cwd": self.project}
        self.lines.append(header)

    @property
    def line(self) -> int:
        return len(self.lines) - 1

    def user(self, text: str) -> int:
        """Add words of a person, a while after the entry before; return their line."""
        self.at += timedelta(seconds=self.rng.randint(20, 400))
        return self._add_message({"role": "user", "content": [{"type": "text", "text": text}]})

    def agent(self, text: str, *calls: dict[str, Any], stop: str = "", error: str = "") -> int:
        """Add words of the agent, with its tool calls; return their line."""
        self.at += timedelta(seconds=self.rng.randint(2, 40))
        parts = [{"type": "text", "text": text}] if text else []
        message = {
            "role": "assistant", "content": [*parts, *calls], "api": "made", "provider": "made", "model": "made-1",
            "usage": {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2, "cost": {"total": 0.0}},
            "stopReason": stop or ("toolUse" if calls else "stop"),
        }  # fmt: skip
        return self._add_message(message | ({"errorMessage": error} if error else {}))

    def tool(self, text: str, name: str, arguments: dict[str, Any], output: str, is_error: bool = False) -> int:
        """Add a tool call with its result; return the line of the call."""
        self.calls += 1
        call_id = f"call_{self.calls}"
        line = self.agent(text, {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments})
        self.at += timedelta(seconds=self.rng.randint(1, 20))
        content = [{"type": "text", "text": output}]
        self._add_message(
            {"role": "toolResult", "toolCallId": call_id, "toolName": name, "content": content, "isError": is_error}
        )
        return line

    def pause(self, minutes: int) -> None:
        """Let time pass."""
        self.at += timedelta(minutes=minutes)

    def write(self, folder: Path) -> Path:
        """Write the file in pi's own layout; return its path."""
        began = datetime.fromisoformat(self.lines[0]["timestamp"])
        place = folder / f"--{self.project.strip('/').replace('/', '-')}--"
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"{began:%Y-%m-%dT%H-%M-%S-000Z}_{self.session_id}.jsonl"
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines), encoding="utf-8")
        return path

    def _add_message(self, message: dict[str, Any]) -> int:
        parent = self.lines[-1]["id"] if len(self.lines) > 1 else None
        entry_id = f"{self.rng.getrandbits(32):08x}"
        message["timestamp"] = round(self.at.timestamp() * 1000)
        self.lines.append(
            {"type": "message", "id": entry_id, "parentId": parent, "timestamp": _format_time(self.at), "message": message}
        )
        return self.line


def _format_time(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S.000Z}"
