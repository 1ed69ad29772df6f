"""Moves a session from the day it was driven to the day of its story: times, ids, paths and the file name, deterministically."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Europe/Berlin")
Entry = dict[str, Any]


def pick_number(*fields: object, below: int) -> int:
    """Return a number below `below` that depends on the fields only: the jitter of the story's clock."""
    return int.from_bytes(hashlib.sha256("\0".join(map(str, fields)).encode()).digest()[:6], "big") % below


def format_time(at: datetime) -> str:
    """Return a time as pi writes it: UTC with milliseconds."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def make_session_id(slug: str, at: datetime, version: int = 7) -> str:
    """Return a UUID that depends on the scene only; version 7 carries the story's time like pi's own."""
    noise = hashlib.sha256(slug.encode()).hexdigest()
    if version != 7:
        return f"{noise[:8]}-{noise[8:12]}-4{noise[12:15]}-a{noise[15:18]}-{noise[18:30]}"
    stamp = f"{int(at.timestamp() * 1000):012x}"
    return f"{stamp[:8]}-{stamp[8:]}-7{noise[:3]}-b{noise[3:6]}-{noise[6:18]}"


def parse_local_time(text: str, day: str) -> datetime:
    """Return the time of `HH:MM[:SS]` on the scene's day, or of `YYYY-MM-DD HH:MM`, in the story's zone."""
    full = text if "-" in text else f"{day} {text}"
    return datetime.fromisoformat(full).replace(tzinfo=ZONE)


def make_entry_id(slug: str, ordinal: int) -> str:
    """Return 8 hex characters like pi's, from the scene and the position."""
    return hashlib.sha256(f"{slug}:{ordinal}".encode()).hexdigest()[:8]


def compute_typing_time(step: Entry) -> timedelta:
    """Return the time in which the person reads and types before this step."""
    words = str(step.get("user") or step.get("shell") or "")
    return timedelta(seconds=25 + min(len(words) / 5, 150) + pick_number("typing", words, below=40))


def compute_pause(entry: Entry, slug: str, ordinal: int) -> timedelta:
    """Return the time until this entry of a step is written."""
    message = entry.get("message", {})
    size = len(json.dumps(message.get("content", ""), ensure_ascii=False))
    jitter = pick_number(slug, ordinal, below=1800) / 1000
    if message.get("role") == "assistant":
        return timedelta(seconds=2.5 + size / 110 + jitter)
    if message.get("role") == "toolResult":
        return timedelta(seconds=0.2 + jitter)
    if entry["type"] in ("compaction", "branch_summary"):
        return timedelta(seconds=9 + jitter)
    return timedelta(milliseconds=2 + pick_number(slug, ordinal, below=9))


def find_step(line: int, counts: list[int]) -> int:
    """Return the step that wrote line `line` (the header is line 0)."""
    return next((index for index, count in enumerate(counts) if line < count), len(counts) - 1)


def move_session(entries: list[Entry], counts: list[int], scene: Entry, copied: list[Entry]) -> list[Entry]:
    """Return the entries (header first) with the story's times and ids; a fork begins with its parent's entries, verbatim."""
    slug, day = scene["slug"], scene["day"]
    start = parse_local_time(scene["start"], day) + timedelta(milliseconds=pick_number(slug, below=1000))
    header = entries[0] | {"id": make_session_id(slug, start), "timestamp": format_time(start)}
    ids = {old["id"]: new["id"] for old, new in zip(entries[1:], copied, strict=False)}
    ids |= {entry["id"]: make_entry_id(slug, ordinal) for ordinal, entry in enumerate(entries[1:]) if entry["id"] not in ids}
    result, clock, previous = [header, *copied], start + timedelta(milliseconds=90), -1
    for line, entry in enumerate(entries[len(result) :], len(result)):
        step = find_step(line, counts)
        if step != previous and not (previous < 0 and entry["type"] != "message"):
            step_texts = scene["steps"][step]
            clock = parse_local_time(step_texts["at"], day) if "at" in step_texts else clock + compute_typing_time(step_texts)
            clock += timedelta(milliseconds=pick_number(slug, line, below=1000))
            previous = step
        began = clock
        clock += compute_pause(entry, slug, line)
        moved = dict(entry) | {"timestamp": format_time(clock)}
        for key in ("id", "parentId", "firstKeptEntryId", "fromId", "targetId"):
            if moved.get(key) in ids:
                moved[key] = ids[moved[key]]
        if "message" in moved:
            role = moved["message"].get("role")
            sent_at = began if role == "assistant" else clock - timedelta(milliseconds=3)
            moved["message"] = moved["message"] | {"timestamp": int(sent_at.timestamp() * 1000)}
        result.append(moved)
    return result


def write_lines(entries: list[Entry], root: str) -> str:
    """Return JSON Lines as pi writes them, with the scratch root cut off every path."""
    text = "".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n" for entry in entries)
    return text.replace("--" + root.strip("/").replace("/", "-") + "-", "--").replace(root, "")
