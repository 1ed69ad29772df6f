"""Session files that pi could have written, made from a seed: every role, part and number that the serializer has a rule for."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

LENGTHS = (0, 1, 7, 60, 500, 1998, 1999, 2000, 2001, 2002, 2600)
PIECES = (
    "a",
    "Z",
    "0",
    " ",
    "\n",
    "\t",
    '"',
    "\\",
    "/",
    "é",
    "ß",
    "漢",
    "😀",
    "👩‍👩‍👧",
    "\u2028",
    "\u0085",
    "\x0b",
    "\x7f",
    "\x00",
    "\ufeff",
    "<b>",
)
NUMBERS = (
    0, -0.0, 1, -1, 7.0, 2.5, 1e20, 1e21, 1e-6, 1e-7, 5e-324, 1.7976931348623157e308, 0.1, 1e16, 123456789.125, -3e-10, 2**53 + 1,
    98765432109876543210, 1 / 3, 100, 1e300, -1e-300, 4294967295,
)  # fmt: skip
KEYS = ("path", "command", "10", "2", "0", "01", "-1", "4294967294", "4294967295", "1.5", "é", "a b", "constructor", "edits", "")
TOOLS = ("read", "bash", "edit", "write", "mcp.search", "")


class Maker:
    """Draws entries from a seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(f"recollect-{seed}")

    def text(self, longest: int = 10_000) -> str:
        length = self.chance.choice([size for size in LENGTHS if size <= longest])
        if self.chance.random() < 0.2:  # exactly on the border, with a pair of surrogates across it
            return "x" * max(0, length - 1) + "😀" + "y" * self.chance.randrange(4)
        return "".join(self.chance.choices(PIECES, k=length))

    def value(self, depth: int = 0) -> Any:
        kind = self.chance.randrange(5 if depth > 2 else 7)
        if kind == 0:
            return self.chance.choice([None, True, False])
        if kind in (1, 2):
            return self.chance.choice(NUMBERS)
        if kind in (3, 4):
            return self.text(60)
        if kind == 5:
            return [self.value(depth + 1) for _ in range(self.chance.randrange(4))]
        return self.members(depth)

    def members(self, depth: int = 0) -> dict[str, Any]:
        return {self.chance.choice(KEYS): self.value(depth + 1) for _ in range(self.chance.randrange(6))}

    def parts(self, most: int = 3) -> list[dict[str, Any]]:
        image = {"type": "image", "data": "QUJD", "mimeType": "image/png"}
        blocks = [{"type": "text", "text": self.text()} for _ in range(self.chance.randrange(most + 1))]
        return [*blocks, image] if self.chance.random() < 0.2 else blocks

    def answer_parts(self) -> list[dict[str, Any]]:
        kinds = {
            "text": lambda: {"type": "text", "text": self.text(500)},
            "thinking": lambda: {"type": "thinking", "thinking": self.text(60), "thinkingSignature": "sig"},
            "call": lambda: {
                "type": "toolCall", "id": "c|1", "name": self.chance.choice(TOOLS), "arguments": self.members()
            },
        }  # fmt: skip
        return [kinds[self.chance.choice(list(kinds))]() for _ in range(self.chance.randrange(6))]

    def message(self) -> dict[str, Any]:
        role = self.chance.choice(["user", "assistant", "assistant", "toolResult", "toolResult", "bashExecution"])
        if role == "user":
            return {"role": role, "content": self.text() if self.chance.random() < 0.3 else self.parts()}
        if role == "assistant":
            counts = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "totalTokens"), 1)
            usage = counts | {"cost": dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "total"), 0)}
            about = {"api": "a", "provider": "p", "model": "m", "usage": usage, "stopReason": "stop"}
            return {"role": role, "content": self.answer_parts(), **about}
        if role == "toolResult":
            return {"role": role, "toolCallId": "c|1", "toolName": "bash", "content": self.parts(), "isError": False}
        run: dict[str, Any] = {"role": role, "command": self.text(60), "output": self.text()}
        run |= {name: self.chance.random() < 0.3 for name in ("cancelled", "truncated", "excludeFromContext")}
        if self.chance.random() < 0.8:
            run["exitCode"] = self.chance.choice([0, 1, 127, -9])
        return run | ({"fullOutputPath": "/tmp/out.log"} if self.chance.random() < 0.5 else {})

    def entry(self) -> dict[str, Any]:
        kind = self.chance.choice(["message"] * 8 + ["custom_message", "branch_summary", "compaction", "other"])
        if kind == "message":
            return {"type": kind, "message": self.message() | {"timestamp": 1_767_225_600_000}}
        if kind == "custom_message":
            content = self.text(500) if self.chance.random() < 0.5 else self.parts()
            return {"type": kind, "customType": "t", "content": content, "display": True}
        if kind == "branch_summary":
            return {"type": kind, "fromId": "root", "summary": self.text(60)}
        if kind == "compaction":
            return {"type": kind, "summary": self.text(500), "firstKeptEntryId": "e0000000", "tokensBefore": 1}
        other = (
            {"type": "label", "targetId": "e0000000", "label": "x"},
            {"type": "custom", "customType": "q", "data": self.value()},
        )
        return self.chance.choice([*other, {"type": "thinking_level_change", "thinkingLevel": "high"}])


def write_session(folder: Path, seed: int) -> Path:
    """Write one generated session file, the same for the same seed."""
    maker = Maker(seed)
    at = "2026-01-01T00:00:00.000Z"
    lines: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": f"g-{seed}", "timestamp": at, "cwd": "/w"}]
    for number in range(maker.chance.randrange(3, 30)):
        parent = f"e{number - 1:07d}" if number else None
        lines.append({"id": f"e{number:07d}", "parentId": parent, "timestamp": at} | maker.entry())
    path = folder / f"generated-{seed}.jsonl"
    is_ascii = seed % 3 == 0  # some writers escape everything that is not ASCII, pi does not
    path.write_bytes(b"".join(json.dumps(line, ensure_ascii=is_ascii).encode() + b"\n" for line in lines))
    return path
