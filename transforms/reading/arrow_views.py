"""Lines of session files as a column, without copying them: polars looks into the bytes that were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from transforms.reading.fast_parse import Exported, Plain
from transforms.reading.parse import Parsed

SPAN_BYTES = 16_000
"""A search has a price per text beside that per byte: lines of 2 KB are searched in 2/3 of the time when eight are one text."""

INLINE_BYTES = 12
"""Arrow keeps strings up to this length in the view itself."""

Views = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True, slots=True)
class Spans:
    """Lines that follow each other in their file as one text each. `firsts` are their first rows, and the number of all."""

    texts: pl.Series
    firsts: np.ndarray[Any, np.dtype[np.int64]]

    def rows(self, which: pl.Series) -> pl.Series:
        """The rows of some of them."""
        at = np.array(which.to_list())
        sizes = self.firsts[at + 1] - self.firsts[at]
        ends = np.cumsum(sizes)
        rows = np.repeat(self.firsts[at] - (ends - sizes), sizes) + np.arange(sizes.sum())
        return pl.Series(rows.tolist(), dtype=pl.UInt32)  # given numpy's array, polars imports numpy.ma first: 50 ms


class Lines:
    """How every entry is written in its file, empty when that is not strict JSON in UTF-8; some may be changed.

    One view per line: its length, its first four bytes, the number of its buffer and its place in there.
    Layout: Arrow columnar format, variable-size binary view.
    """

    def __init__(self, groups: Sequence[Plain | list[Parsed]]) -> None:
        self.buffers: list[bytes] = []
        self._parts: list[Views] = []
        for group in groups:
            self.add(group)

    @property
    def views(self) -> Views:
        """One view per line."""
        if len(self._parts) != 1:
            self._parts = [np.concatenate(self._parts) if self._parts else np.empty((0, 4), np.int32)]
        return self._parts[0]

    def add(self, group: Plain | list[Parsed]) -> None:
        """Adds the lines of further entries."""
        self._parts.append(self._views(group))

    def change(self, changed: dict[int, bytes]) -> None:
        """Puts other texts into some rows."""
        if changed:
            rows = sorted(changed)
            self.views[rows] = self._written([changed[at] for at in rows])

    def unwritten(self) -> list[int]:
        """The rows that are empty."""
        return np.flatnonzero(self.views[:, 0] == 0).tolist()

    def line(self, at: int) -> bytes:
        """How one entry is written."""
        length, _, buffer, offset = (int(number) for number in self.views[at])
        if length <= INLINE_BYTES:
            return bytes(self.views[at, 1:].tobytes()[:length])
        return self.buffers[buffer][offset : offset + length]

    def series(self) -> pl.Series:
        """The column `raw_json`. All of it was found to be UTF-8 by orjson or written by us."""
        return self._seen(self.views.copy())  # polars keeps looking into them

    def spans(self) -> Spans:
        """All lines in order, neighbours together up to about `SPAN_BYTES`; with the line feeds between them."""
        lengths, _, buffers, offsets = self.views.T.astype(np.int64)
        is_next = (offsets[1:] == offsets[:-1] + lengths[:-1] + 1) & (buffers[1:] == buffers[:-1])
        is_next &= (lengths[1:] > INLINE_BYTES) & (lengths[:-1] > INLINE_BYTES)
        is_next &= offsets[1:] // SPAN_BYTES == offsets[:-1] // SPAN_BYTES
        firsts = np.flatnonzero(np.concatenate([[True][: len(lengths)], ~is_next]))
        lasts = np.append(firsts[1:], len(lengths)) - 1
        views = self.views[firsts]
        is_many = firsts < lasts
        views[is_many, 0] = (offsets[lasts] + lengths[lasts] - offsets[firsts])[is_many]
        return Spans(self._seen(views), np.append(firsts, len(lengths)))

    def _seen(self, views: Views) -> pl.Series:
        buffers = [None, pa.py_buffer(views), *map(pa.py_buffer, self.buffers)]
        array = Exported(pa.Array.from_buffers(pa.string_view(), len(views), buffers))
        return pl.Series(array).alias("raw_json")

    def _views(self, group: Plain | list[Parsed]) -> Views:
        if not isinstance(group, Plain):
            return self._written([one.written for one in group])
        return self._placed(group.data, group.starts, group.ends)

    def _written(self, lines: list[bytes]) -> Views:
        lengths = np.fromiter(map(len, lines), np.int64, len(lines))
        ends = np.cumsum(lengths)
        return self._placed(b"".join(lines), ends - lengths, ends)

    def _placed(self, data: bytes, starts: np.ndarray[Any, Any], ends: np.ndarray[Any, Any]) -> Views:
        views = np.zeros((len(starts), 4), np.int32)
        views[:, 0] = ends - starts
        is_long = views[:, 0] > INLINE_BYTES
        told = np.flatnonzero(is_long)
        views[told, 1] = np.frombuffer(data, np.uint8)[starts[told, None] + np.arange(4)].view(np.int32)[:, 0]
        views[told, 2] = len(self.buffers)
        views[told, 3] = starts[told]
        for at in np.flatnonzero(~is_long):
            views[at, 1:] = np.frombuffer(data[starts[at] : ends[at]].ljust(INLINE_BYTES, b"\0"), np.int32)
        self.buffers.append(data)
        return views
