"""Lines as pi writes them, read into columns without a dictionary of each; what has unusual types is left to the exact way."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pyarrow as pa

from transforms.conversation.raw_json import stored_object
from transforms.reading.fast_columns import Columns, plain_columns
from transforms.reading.parse import Parsed, sound_object
from transforms.reading.pi_structs import DECODER, PlainEntry

Places = np.ndarray[Any, np.dtype[np.int64]]

CHUNK_BYTES = 500_000
"""Lines are decoded, made columns and forgotten in chunks that fit into a processor's cache: 8 MB at once take a fifth longer."""


@dataclass(frozen=True, slots=True)
class Plain:
    """Lines that are one sound object each, in UTF-8. `starts` and `ends` are where each lies in `data`, line feeds left out;
    the first `skipped` lines are not among them. `columns` are those of `plain_columns`, where `unfinished` rows are blank; of
    `unusual` rows not even the ids and the time are there. `headers` are the rows that are no entries. The rows begin at `offset`
    of the columns, which files that were parsed together share."""

    columns: Columns
    unfinished: list[int]
    unusual: list[int]
    headers: list[int]
    data: bytes
    starts: Places
    ends: Places
    first_line: int
    skipped: int = 0
    offset: int = 0

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def line_count(self) -> int:
        """Line feeds in `data` up to the last line."""
        return self.skipped + len(self)

    def without_first(self) -> Plain:
        """All lines but the first."""
        return self.part(1, len(self), self.first_line, self.skipped + 1)

    def part(self, start: int, end: int, first_line: int = 0, skipped: int = 0) -> Plain:
        """Some of the lines."""
        blank, unusual, headers = (_between(some, start, end) for some in (self.unfinished, self.unusual, self.headers))
        starts, ends, offset = self.starts[start:end], self.ends[start:end], self.offset + start
        return Plain(self.columns, blank, unusual, headers, self.data, starts, ends, first_line, skipped, offset)

    def column(self, name: str) -> list[Any]:
        """The values of these lines."""
        return self.columns[name][self.offset : self.offset + len(self)]

    def line_nos(self) -> Places:
        """The 0-based physical line of each."""
        return np.arange(self.first_line + self.skipped, self.first_line + self.line_count)

    def objects(self) -> list[Parsed]:
        """The same, one by one, as `parse_chunk` gives them."""
        found = []
        for at, (start, end) in enumerate(zip(self.starts.tolist(), self.ends.tolist(), strict=True), self.skipped):
            line = self.data[start:end]
            found.append(Parsed(stored_object(line), self.first_line + at, at, (), line))
        return found

    def values(self) -> dict[int, dict[str, Any]]:
        """The unusual ones, with all their members."""
        return {at: sound_object(self.data[self.starts[at] : self.ends[at]]) or {} for at in self.unusual}


def _between(rows: list[int], start: int, end: int) -> list[int]:
    """Those of some ascending rows that lie between two, counted from the first: of a thousand files each asks for its own."""
    return [at - start for at in rows[bisect_left(rows, start) : bisect_left(rows, end)]]


def parse_plain(data: bytes, first_line: int = 0) -> Plain | None:
    """What `parse_chunk` reads from `data`, at a quarter of its price, when every line is sound and ended; None otherwise.

    A number beyond the range of doubles in a member that no column needs is not noticed here; the line is kept in both ways.
    """
    octets = np.frombuffer(data, np.uint8)
    feeds = np.flatnonzero(octets == _FEED)
    if not len(feeds) or feeds[-1] != len(data) - 1:
        return Plain({}, [], [], [], data, feeds, feeds, first_line) if not data else None
    starts = np.concatenate([[0], feeds[:-1] + 1])
    if (octets[starts] != _BRACE).any() or (octets[feeds - 1] != _END_BRACE).any() or not _is_utf8(data):
        return None
    whole = Plain({}, [], [], [], data, starts, feeds, first_line)
    at = 0
    while at < len(feeds):
        end = max(at + 1, int(np.searchsorted(feeds, starts[at] + CHUNK_BYTES)))
        entries = _entries(data, starts[at:end], feeds[at:end])
        if entries is None:
            return None
        _add(whole, at, entries)
        at = end
    return whole


def _add(whole: Plain, start: int, entries: Sequence[PlainEntry | None]) -> None:
    """Adds what the next entries give to the columns."""
    columns, unfinished = plain_columns(entries)
    for name, column in columns.items():
        whole.columns.setdefault(name, []).extend(column)
    whole.unfinished.extend(start + at for at in unfinished)
    unusual = [start + at for at, entry in enumerate(entries) if entry is None]
    whole.unusual.extend(unusual)
    whole.headers.extend(start + at for at, entry in enumerate(entries) if entry is not None and entry.type == "session")
    if unusual:
        told = {at: sound_object(whole.data[whole.starts[at] : whole.ends[at]]) or {} for at in unusual}
        whole.headers.extend(at for at, value in told.items() if value.get("type") == "session")
        whole.headers.sort()


def parse_plain_files(datas: Sequence[bytes]) -> list[Plain | None]:
    """As `parse_plain` of each, many at once: they are joined, and searched and decoded together. They share their `data`."""
    whole = [data for data in datas if data.endswith(b"\n")]
    joined = parse_plain(b"".join(whole)) if len(whole) > 1 else None
    if joined is None:
        return list(map(parse_plain, datas))
    found: list[Plain | None] = []
    start = offset = 0
    for data in datas:
        if not data.endswith(b"\n"):
            found.append(parse_plain(data))
            continue
        offset += len(data)
        end = int(np.searchsorted(joined.ends, offset))
        found.append(joined.part(start, end))
        start = end
    return found


def _entries(data: bytes, starts: Places, ends: Places) -> Sequence[PlainEntry | None] | None:
    """The entries of some lines; None in place of one with unusual types, None for all when one of the lines is not sound."""
    try:
        decoded = DECODER.decode_lines(memoryview(data)[starts[0] : ends[-1]])
    except (msgspec.MsgspecError, RecursionError):
        return _one_by_one(data, starts.tolist(), ends.tolist())
    return decoded if len(decoded) == len(starts) else _one_by_one(data, starts.tolist(), ends.tolist())


def _one_by_one(data: bytes, starts: list[int], ends: list[int]) -> list[PlainEntry | None] | None:
    entries: list[PlainEntry | None] = []
    view = memoryview(data)
    for start, end in zip(starts, ends, strict=True):
        try:
            entries.append(DECODER.decode(view[start:end]))
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
