"""Finds the lines that a fork, a resumed session or a sub-agent replays from its parent, and turns that were taken back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from transforms.conversation.codex_form import get_payload
from transforms.tables.json_object import JsonObject


def find_doubled(lines: Sequence[bytes], times: Sequence[datetime | None]) -> set[int]:
    """Return the lines that stand in the file before, byte by byte with their time: they were written twice.

    Without a time a line may come back because somebody said the same again.
    """
    first_index: dict[bytes, int] = {}
    timed = ((index, line) for index, (line, time) in enumerate(zip(lines, times, strict=True)) if line and time)
    return {index for index, line in timed if first_index.setdefault(line, index) != index}


def find_replayed(lines: Sequence[JsonObject], own_id: str) -> set[int]:
    """Return the lines of other sessions in this file.

    They begin at a second `session_meta` and end with the first turn of the file's own: the ids of turns and sessions begin with
    the time at which they were made (UUID version 7), and a replayed turn is older than the session.
    """
    metas = [index for index, line in enumerate(lines) if line.get("type") == "session_meta"]
    if len(metas) < 2:
        return set()
    own_time = _read_time(own_id)
    end = len(lines)
    for index in range(metas[1], len(lines)):
        turn_time = _read_time(get_payload(lines[index]).get("turn_id"))
        if turn_time and own_time and turn_time >= own_time:
            end = index
            break
    return set(range(metas[1], end)) | {index for index in metas[1:] if index >= end}


def find_parents(lines: Sequence[JsonObject], ids: Sequence[str], prompts: set[int]) -> list[str | None]:
    """Return the id of the line that each line follows: the one before it; behind turns taken back, the one before those."""
    parents: list[str | None] = []
    tip: int | None = None
    starts: list[int] = []
    for index, line in enumerate(lines):
        parents.append(ids[tip] if tip is not None else None)
        tip = index
        payload = get_payload(line)
        if index in prompts:
            starts.append(index)
        if line.get("type") == "event_msg" and payload.get("type") == "thread_rolled_back":
            count = payload.get("num_turns")
            taken_back = starts[-count:] if isinstance(count, int) and not isinstance(count, bool) and count > 0 else []
            if taken_back:
                starts = starts[: -len(taken_back)]
                tip = taken_back[0] - 1 if taken_back[0] > 0 else None
    return parents


def _read_time(identifier: object) -> int:
    """Return the milliseconds in a UUID of version 7; 0 for anything else."""
    if not isinstance(identifier, str) or len(identifier) != 36 or identifier[14] != "7":
        return 0
    try:
        return int(identifier[:8] + identifier[9:13], 16)
    except ValueError:
        return 0
