"""Reading LanceDB tables through its compiled core: what a question needs, without the package around it.

`import lancedb` takes 0.8–2.5 s (its clients for remote services and an OpenAPI model of them); the core alone 0.01 s. It is
asynchronous, so its calls run on a loop in a thread of their own: a caller may well be inside a loop (the MCP server is).
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from effects.light_import import light_parents

T = TypeVar("T")

PROBES, MOST_PROBES = 40, 200
"""Of some 100 partitions at 400,000 vectors: so many are looked at, and while a filter leaves too few rows up to so many. All of
them take 8.6 instead of 4.0 ms and hold all instead of 99 % of the nearest ten."""
AT_ONCE = 1 << 20
"""Rows per batch of what is read as a whole: 4 ms for 410,000 numbers, 90 ms in LanceDB's usual batches."""

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Reader:
    """A table that can be searched; its rows are known by their column `number`.

    LanceDB tells where a row lies; reading its number from the file took longer (3 ms) than finding it. So all numbers are read
    when the table is opened, 7 MB for 410,000 rows; an opened table stays at its version.
    """

    table: Any
    places: asyncio.Task[tuple[Places, Places]]
    """Where the rows lie, ascending, and their numbers."""

    def by_words(self, text: str, where: str, limit: int) -> Future[list[int]]:
        """The numbers of the rows with these words in the column `words`, best first."""
        query = self.table.query().nearest_to_text({"query": text, "columns": ["words"]})
        return _begun(_numbers(self, query, "_score", where, limit))

    def by_vector(self, vector: Floats, where: str, limit: int) -> Future[list[int]]:
        """The numbers of the rows nearest to the vector, nearest first."""
        import pyarrow as pa

        query = self.table.query().nearest_to(pa.array(vector, type=pa.float32()))
        query.column("vector")
        query.distance_type("dot")
        query.maximum_nprobes(MOST_PROBES)  # never less than the least, which is set next
        query.minimum_nprobes(PROBES)
        if not where:
            query.maximum_nprobes(PROBES)
        return _begun(_numbers(self, query, "_distance", where, limit))

    def all_where(self, where: str, limit: int) -> Future[list[int]]:
        """The numbers of any rows that fulfil a condition, the first `limit` that are found."""
        return _begun(_numbers(self, self.table.query(), "", where, limit))


def open_reader(folder: Path, name: str) -> Reader:
    """The table of a LanceDB folder.

    Raises:
        ModuleNotFoundError: when LanceDB is not installed; whatever its core raises for a table that cannot be read.
    """
    core = _core()

    async def opened() -> Reader:
        base = await core.connect(str(folder))
        table = await base.open_table(name)
        return Reader(table, asyncio.create_task(_places(table)))

    return _begun(opened()).result()


@cache
def _core() -> Any:
    with light_parents("lancedb"):
        return importlib.import_module("lancedb._lancedb")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="lance reader", daemon=True).start()
    return loop


def _begun(work: Coroutine[Any, Any, T]) -> Future[T]:
    return asyncio.run_coroutine_threadsafe(work, _loop())


async def _places(table: Any) -> tuple[Places, Places]:
    query = table.query()
    query.select_columns(["number"])
    query.with_row_id()
    batches = [batch async for batch in await query.execute(AT_ONCE, None)]
    places, numbers = (
        np.concatenate([np.zeros(0, np.int64), *(batch[name].to_numpy().astype(np.int64) for batch in batches)])
        for name in ("_rowid", "number")
    )
    order = np.argsort(places, kind="stable")
    return places[order], numbers[order]


async def _numbers(reader: Reader, query: Any, order: str, where: str, limit: int) -> list[int]:
    if where:
        query.where(where)
    query.select_columns([order] if order else [])
    query.with_row_id()
    query.limit(limit)
    found = [place async for batch in await query.execute(None, None) for place in batch["_rowid"].to_pylist()]
    places, numbers = await reader.places
    if not found:
        return []
    at = np.minimum(np.searchsorted(places, found), len(places) - 1)
    if not len(places) or (places[at] != found).any():
        raise LookupError("it was changed meanwhile")
    return cast(list[int], numbers[at].tolist())
