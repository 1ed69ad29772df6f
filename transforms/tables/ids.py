"""Stable ids: hashes of content and position, never of clock or chance."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from hashlib import blake2b

_HASH_ID = r"([wsodm]-[0-9a-f]{8})[0-9a-f]{8,}$"
_UUID = r"((?:[0-9a-f]{8}-[0-9a-f]{4}(?=-7)|[0-9a-f]{8}))(?:-[0-9a-f]{4}){2,3}-[0-9a-f]{12}$"


def hash_fields(*fields: str | int, size: int = 8) -> str:
    """Return a hex hash of length-prefixed fields, so that ("ab", "c") and ("a", "bc") differ; `size` in bytes."""
    state = blake2b(digest_size=size)
    for field in fields:
        data = str(field).encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()


def make_window_id(session_id: str, kind: str, first_ordinal: int, last_ordinal: int, member_count: int) -> str:
    """Return the id of a window, from its session, kind and members."""
    return "w-" + hash_fields(session_id, kind, first_ordinal, last_ordinal, member_count)


def make_segment_id(window: str, first_ordinal: int) -> str:
    """Return the id of a segment, from its window and first member."""
    return "s-" + hash_fields(window, first_ordinal)


def make_observation_id(segment: str, kind: str, text: str) -> str:
    """Return the id of an observation, from its segment, kind and text."""
    return "o-" + hash_fields(segment, kind, text)


def make_distillate_id(tier: int, project: str, period_start: str, children: list[str]) -> str:
    """Return the id of a distillate, from its tier, project, period and children."""
    return "d-" + hash_fields(tier, project, period_start, *sorted(children))


def shorten_id(name: str) -> str:
    """Return the beginning of an id by which commands and tools find it: eight of its hexadecimal digits, of a time-ordered one
    the twelve that tell the millisecond; of `session:entry` both. Other ids stay."""
    if ":" in name:
        session, _, entry = name.rpartition(":")
        return f"{shorten_id(session)}:{shorten_id(entry)}"
    match = re.match(_HASH_ID, name) or re.match(_UUID, name)
    return match[1] if match else name


def hash_text(text: str) -> str:
    """Return the hash under which the vector of a text is stored."""
    return hash_fields(text, size=16)


def allocate_ids(known: Iterable[str], ever: Iterable[str], day: date, count: int, letter: str = "p") -> list[str]:
    """Return the next `count` ids of proposals of a day, above every id that the table or the history of events has for it.

    They are p-YYYYMMDD-NNN (memory) and f-YYYYMMDD-NNN (friction), never used twice.
    """
    pattern = re.compile(rf"^{letter}-{day:%Y%m%d}-(\d{{3,}})$")
    used = [int(match[1]) for name in (*known, *ever) if (match := pattern.match(name))]
    first = max(used, default=0) + 1
    return [f"{letter}-{day:%Y%m%d}-{number:03d}" for number in range(first, first + count)]
