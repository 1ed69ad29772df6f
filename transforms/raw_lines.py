"""Lines of session files as a column, without copying them: polars looks into the bytes that were read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pyarrow as pa

from transforms.parse import Parsed, Plain

INLINE_BYTES = 12
"""Arrow keeps strings up to this length in the view itself."""

MOST_BYTES = 2**31 - 1


def raw_lines(groups: Sequence[Plain | list[Parsed]]) -> pl.Series:
    """The column `raw_json`: how every entry is written in its file, empty when that is not strict JSON in UTF-8."""
    parts: list[pl.Series] = []
    run: list[Plain] = []
    for group in groups:
        if isinstance(group, Plain) and _can_be_viewed(group):
            run.append(group)
            continue
        parts += [_views(run)] if run else []
        run = []
        parts.append(pl.Series("raw_json", [one.written for one in _objects(group)], pl.Binary).cast(pl.String))
    parts += [_views(run)] if run or not parts else []
    return parts[0] if len(parts) == 1 else pl.concat(parts)


def with_changed(lines: pl.Series, changed: dict[int, bytes]) -> pl.Series:
    """The column with other texts in some rows; the others are not copied."""
    if not changed:
        return lines
    rows = sorted(changed)
    news = pl.Series("raw_json", [changed[at] for at in rows], pl.Binary).cast(pl.String)
    order = np.arange(len(lines))
    order[rows] = len(lines) + np.arange(len(rows))
    return pl.concat([lines, news]).gather(order)


def _objects(group: Plain | list[Parsed]) -> list[Parsed]:
    return group.objects() if isinstance(group, Plain) else group


def _can_be_viewed(group: Plain) -> bool:
    starts, ends = _places(group)
    return len(group.data) <= MOST_BYTES and bool(np.all(ends - starts > INLINE_BYTES))


def _places(group: Plain) -> tuple[np.ndarray, np.ndarray]:
    ends = np.asarray(group.ends, np.int64)
    starts = np.concatenate([[0], ends[:-1] + 1])
    return starts[group.skipped :], ends[group.skipped :]


def _views(groups: list[Plain]) -> pl.Series:
    """One view per line: its length, its first four bytes, its buffer and its place there. orjson found all of it UTF-8.

    Layout: Arrow columnar format, variable-size binary view.
    """
    views = np.empty((sum(len(group.values) for group in groups), 4), np.int32)
    at = 0
    for number, group in enumerate(groups):
        starts, ends = _places(group)
        some = views[at : at + len(starts)]
        some[:, 0], some[:, 2], some[:, 3] = ends - starts, number, starts
        some[:, 1] = np.frombuffer(group.data, np.uint8)[starts[:, None] + np.arange(4)].view(np.int32)[:, 0]
        at += len(starts)
    buffers = [None, pa.py_buffer(views), *(pa.py_buffer(group.data) for group in groups)]
    return pl.Series("raw_json", pa.Array.from_buffers(pa.string_view(), len(views), buffers))
