"""Lines as pi writes them, read into typed structs: only the members that columns need are made into Python objects.

msgspec decodes such structs in 1.2 ms of processor time per MB, orjson makes dictionaries of everything in 2.2. What has unusual
types is left to the exact way, line by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pyarrow as pa

from transforms.parse import Parsed, sound_object

Places = np.ndarray[Any, np.dtype[np.int64]]


class Part(msgspec.Struct, gc=False):
    """A part of a message's content."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    name: str | None = None
    arguments: dict[str, Any] | None = None


class Cost(msgspec.Struct, gc=False):
    """What an answer cost, in USD."""

    total: float | int | None = None


class Usage(msgspec.Struct, gc=False):
    """Tokens of an answer."""

    input: int | float | None = None
    output: int | float | None = None
    cacheRead: int | float | None = None  # pi's names
    cacheWrite: int | float | None = None
    cost: Cost | None = None


class Message(msgspec.Struct, gc=False):
    """The message of an entry, as far as columns need it."""

    role: str | None = None
    content: str | list[Part] | None = None
    toolName: str | None = None
    toolCallId: str | None = None
    isError: bool | None = None
    provider: str | None = None
    model: str | None = None
    modelId: str | None = None
    stopReason: str | None = None
    errorMessage: str | None = None
    usage: Usage | None = None


class PlainEntry(msgspec.Struct, gc=False):
    """An entry, as far as columns need it. Of members that are unusual where they stand it is only told that they are there."""

    type: str | None = None
    id: str | None = None
    parentId: str | None = None
    timestamp: str | int | float | None = None
    message: Message | None = None
    provider: str | None = None
    modelId: str | None = None
    thinkingLevel: str | None = None
    usage: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    model: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    content: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    summary: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    label: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    name: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_DECODER = msgspec.json.Decoder(PlainEntry)


@dataclass(frozen=True, slots=True)
class Plain:
    """Lines that are one sound object each, in UTF-8. `starts` and `ends` are where each lies in `data`, line feeds left out;
    the first `skipped` lines are not among `entries`. An entry is None when its members are of other types than usual."""

    entries: Sequence[PlainEntry | None]
    data: bytes
    starts: Places
    ends: Places
    first_line: int
    skipped: int = 0

    @property
    def line_count(self) -> int:
        """Line feeds in `data`."""
        return self.skipped + len(self.entries)

    def without_first(self) -> Plain:
        """All lines but the first."""
        return Plain(self.entries[1:], self.data, self.starts[1:], self.ends[1:], self.first_line, self.skipped + 1)

    def line_nos(self) -> range:
        """The 0-based physical line of each."""
        return range(self.first_line + self.skipped, self.first_line + self.line_count)

    def objects(self) -> list[Parsed]:
        """The same, one by one, as `parse_chunk` gives them."""
        found = []
        for at, (start, end) in enumerate(zip(self.starts.tolist(), self.ends.tolist(), strict=True), self.skipped):
            line = self.data[start:end]
            found.append(Parsed(sound_object(line) or {}, self.first_line + at, at, (), line))
        return found

    def odd(self) -> dict[int, dict[str, Any]]:
        """The entries that are None, with all their members."""
        return {
            at: sound_object(self.data[self.starts[at] : self.ends[at]]) or {}
            for at, entry in enumerate(self.entries)
            if entry is None
        }

    def headers(self) -> list[int]:
        """Which of the entries are headers."""
        odd = [at for at, value in self.odd().items() if value.get("type") == "session"]
        return sorted([*odd, *(at for at, entry in enumerate(self.entries) if entry is not None and entry.type == "session")])


def parse_plain(data: bytes, first_line: int = 0) -> Plain | None:
    """What `parse_chunk` reads from `data`, at a quarter of its price, when every line is sound and ended; None otherwise.

    A number beyond the range of doubles in a member that no column needs is not noticed here: pi cannot write one.
    """
    feeds = np.flatnonzero(np.frombuffer(data, np.uint8) == _FEED)
    if not len(feeds) or feeds[-1] != len(data) - 1:
        return Plain([], data, feeds, feeds, first_line) if not data else None
    starts = np.concatenate([[0], feeds[:-1] + 1])
    octets = np.frombuffer(data, np.uint8)
    if (octets[starts] != _BRACE).any() or (octets[feeds - 1] != _END_BRACE).any() or not _is_utf8(data):
        return None
    try:
        entries: Sequence[PlainEntry | None] = _DECODER.decode_lines(data)
    except (msgspec.MsgspecError, RecursionError):
        entries = []
    if len(entries) != len(feeds):
        found = _one_by_one(data, starts.tolist(), feeds.tolist())
        if found is None:
            return None
        entries = found
    return Plain(entries, data, starts, feeds, first_line)


def _one_by_one(data: bytes, starts: list[int], ends: list[int]) -> list[PlainEntry | None] | None:
    """The entry of each line, None in place of one with unusual types; None for all when one of the lines is not sound."""
    entries: list[PlainEntry | None] = []
    view = memoryview(data)
    for start, end in zip(starts, ends, strict=True):
        try:
            entries.append(_DECODER.decode(view[start:end]))
        except (msgspec.MsgspecError, RecursionError):  # which of both it is, the exact reader tells
            if sound_object(data[start:end]) is None:
                return None
            entries.append(None)
    return entries


def _is_utf8(data: bytes) -> bool:
    """Whether all of it is UTF-8: msgspec does not look into what it skips. Arrow checks 10 GB/s, Python's decoder one."""
    if data.isascii():
        return True
    whole = pa.Array.from_buffers(
        pa.large_binary(), 1, [None, pa.py_buffer(np.array([0, len(data)], np.int64)), pa.py_buffer(data)]
    )
    try:
        pl.Series(Exported(whole)).cast(pl.String)
    except pl.exceptions.PolarsError:
        return False
    return True


_FEED, _BRACE, _END_BRACE = b"\n{}"


class Exported:
    """An Arrow array by its C interface alone: given as itself, polars imports pyarrow.compute first, which takes 60 ms."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self.array.__arrow_c_array__(requested_schema)  # type: ignore[no-any-return]
