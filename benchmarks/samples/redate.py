"""Move a session from the day it was driven to the day of its story: times, ids, paths and the file name, deterministically."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Europe/Berlin")
Entry = dict[str, Any]


def number(*fields: object, below: int) -> int:
    """A number below `below` that depends on the fields only: the jitter of the story's clock."""
    return int.from_bytes(hashlib.sha256("\0".join(map(str, fields)).encode()).digest()[:6], "big") % below


def iso(at: datetime) -> str:
    """pi's time format: UTC with milliseconds."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def file_stamp(at: datetime) -> str:
    """The time in a file name: `:` and `.` become `-`."""
    return iso(at).replace(":", "-").replace(".", "-")


def session_id(slug: str, at: datetime, version: int = 7) -> str:
    """A UUID that depends on the scene only; version 7 carries the story's time like pi's own."""
    noise = hashlib.sha256(slug.encode()).hexdigest()
    if version != 7:
        return f"{noise[:8]}-{noise[8:12]}-4{noise[12:15]}-a{noise[15:18]}-{noise[18:30]}"
    stamp = f"{int(at.timestamp() * 1000):012x}"
    return f"{stamp[:8]}-{stamp[8:]}-7{noise[:3]}-b{noise[3:6]}-{noise[6:18]}"


def local(text: str, day: str) -> datetime:
    """`HH:MM[:SS]` of the scene's day, or `YYYY-MM-DD HH:MM`, in the story's zone."""
    full = text if "-" in text else f"{day} {text}"
    return datetime.fromisoformat(full).replace(tzinfo=ZONE)


def entry_id(slug: str, ordinal: int) -> str:
    """pi's 8 hex characters, from the scene and the position."""
    return hashlib.sha256(f"{slug}:{ordinal}".encode()).hexdigest()[:8]


def _typing(step: Entry) -> timedelta:
    """How long the person reads and types before this step."""
    words = str(step.get("user") or step.get("shell") or "")
    return timedelta(seconds=25 + min(len(words) / 5, 150) + number("typing", words, below=40))


def _pause(entry: Entry, slug: str, ordinal: int) -> timedelta:
    """How long it takes until this entry of a step is written."""
    message = entry.get("message", {})
    size = len(json.dumps(message.get("content", ""), ensure_ascii=False))
    jitter = number(slug, ordinal, below=1800) / 1000
    if message.get("role") == "assistant":
        return timedelta(seconds=2.5 + size / 110 + jitter)
    if message.get("role") == "toolResult":
        return timedelta(seconds=0.2 + jitter)
    if entry["type"] in ("compaction", "branch_summary"):
        return timedelta(seconds=9 + jitter)
    return timedelta(milliseconds=2 + number(slug, ordinal, below=9))


def step_of(line: int, counts: list[int]) -> int:
    """The step that wrote line `line` (the header is line 0)."""
    return next((index for index, count in enumerate(counts) if line < count), len(counts) - 1)


def redate(entries: list[Entry], counts: list[int], scene: Entry, copied: list[Entry]) -> list[Entry]:
    """The entries (header first) with the story's times and ids; the first entries of a fork are its parent's, verbatim."""
    slug, day = scene["slug"], scene["day"]
    start = local(scene["start"], day) + timedelta(milliseconds=number(slug, below=1000))
    header = entries[0] | {"id": session_id(slug, start), "timestamp": iso(start)}
    ids = {old["id"]: new["id"] for old, new in zip(entries[1:], copied, strict=False)}
    ids |= {entry["id"]: entry_id(slug, ordinal) for ordinal, entry in enumerate(entries[1:]) if entry["id"] not in ids}
    result, clock, previous = [header, *copied], start + timedelta(milliseconds=90), -1
    for line, entry in enumerate(entries[len(result) :], len(result)):
        step = step_of(line, counts)
        if step != previous and not (previous < 0 and entry["type"] != "message"):
            said = scene["steps"][step]
            clock = local(said["at"], day) if "at" in said else clock + _typing(said)
            clock += timedelta(milliseconds=number(slug, line, below=1000))
            previous = step
        began = clock
        clock += _pause(entry, slug, line)
        moved = dict(entry) | {"timestamp": iso(clock)}
        for key in ("id", "parentId", "firstKeptEntryId", "fromId", "targetId"):
            if moved.get(key) in ids:
                moved[key] = ids[moved[key]]
        if "message" in moved:
            role = moved["message"].get("role")
            told = began if role == "assistant" else clock - timedelta(milliseconds=3)
            moved["message"] = moved["message"] | {"timestamp": int(told.timestamp() * 1000)}
        result.append(moved)
    return result


def dump(entries: list[Entry], root: str) -> str:
    """JSON Lines as pi writes them, with the scratch root cut off every path."""
    text = "".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n" for entry in entries)
    return text.replace("--" + root.strip("/").replace("/", "-") + "-", "--").replace(root, "")
