"""Reading LanceDB tables through its compiled core: what a question needs, without the package around it.

`import lancedb` takes 0.8–2.5 s (its clients for remote services and an OpenAPI model of them); the core alone 0.01 s. It is
asynchronous, so its calls run on a loop in a thread of their own: a caller may well be inside a loop (the MCP server is).
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from effects.system.light_import import light_parents

T = TypeVar("T")

PROBES, MOST_PROBES = 40, 200
"""Of some 100 partitions at 400,000 vectors: so many are looked at, and while a filter leaves too few rows up to so many. All of
them take 8.6 instead of 4.0 ms and hold all instead of 97 to 99 % of the nearest ten."""
AT_ONCE = 1 << 20
"""Rows per batch of what is read as a whole: 4 ms for 410,000 numbers, 90 ms in LanceDB's usual batches."""

NEW_SHARE = 8
"""Of what is found by words an eighth may come from the new rows, whatever their scores."""

Row = tuple[float, int]
"""How near or how good, and the number."""
Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be searched; its rows are known by their column `number`.

    LanceDB tells where a row lies; reading its number from the file took longer (3 ms) than finding it. So all numbers are read
    when the table is opened, 7 MB for 410,000 rows; an opened table stays at its version.
    """

    table: Any
    places: asyncio.Task[tuple[Places, Places]]
    """Where the rows lie, ascending, and their numbers."""
    vectors: asyncio.Task[tuple[Places, Floats]] | None = None
    """Of few rows also their vectors, by number: comparing 2,000 here takes 0.2 ms, LanceDB 4 ms."""

    async def nearest(self, vector: Floats, limit: int) -> list[Row]:
        """The nearest of its rows, with their distance as LanceDB reckons it."""
        if self.vectors is None or not len((known := await self.vectors)[0]):
            return []
        distances = 1 - known[1] @ vector
        order = np.argsort(distances, kind="stable")[:limit]
        return list(zip(distances[order].tolist(), known[0][order].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Reader:
    """A large table and the small one with its new rows (`effects/index/lance_tables.py`), searched as one."""

    tables: tuple[Table, Table]

    def by_words(self, text: str, where: str, limit: int) -> list[int]:
        """The numbers of the rows with these words in the column `words`, best first.

        Each table scores by itself, and a word that came up lately is less rare among the new rows than it is in all: so a
        share of the limit is theirs instead of being contended for.
        """
        queries = [one.table.query().nearest_to_text({"query": text, "columns": ["words"]}) for one in self.tables]

        async def found() -> list[int]:
            large, new = await self._found(queries, "_score", where, limit)
            sure = new[: limit // NEW_SHARE]
            others = sorted([*large, *new[len(sure) :]], key=lambda row: -row[0])[: limit - len(sure)]
            return _once(sorted([*sure, *others], key=lambda row: -row[0]))

        return _run(found())

    def by_vector(self, vector: Floats, where: str, limit: int) -> list[int]:
        """The numbers of the rows nearest to the vector, nearest first."""
        import pyarrow as pa

        queries = []
        is_known = not where and self.tables[1].vectors is not None
        for one in self.tables[:1] if is_known else self.tables:
            query = one.table.query().nearest_to(pa.array(vector, type=pa.float32()))
            query.column("vector")
            query.distance_type("dot")
            query.maximum_nprobes(MOST_PROBES)  # never less than the least, which is set next
            query.minimum_nprobes(PROBES)
            if not where:
                query.maximum_nprobes(PROBES)
            queries.append(query)

        async def found() -> list[int]:
            found = await self._found(queries, "_distance", where, limit)
            if is_known:
                found.append(await self.tables[1].nearest(vector, limit))
            return _once(sorted((row for rows in found for row in rows), key=lambda row: row[0]))[:limit]

        return _run(found())

    def all_where(self, where: str, limit: int) -> list[int]:
        """The numbers of any rows that fulfil a condition, the first `limit` that are found."""

        async def found() -> list[int]:
            large, new = await self._found([one.table.query() for one in self.tables], "", where, limit)
            return _once([*large, *new])[:limit]

        return _run(found())

    async def _found(self, queries: list[Any], order: str, where: str, limit: int) -> list[list[Row]]:
        works = (_rows(one, query, order, where, limit) for one, query in zip(self.tables, queries, strict=False))
        return await asyncio.gather(*works)


def open_reader(folder: Path, name: str) -> Reader:
    """A table of a LanceDB folder, and the one with its new rows.

    Raises:
        ModuleNotFoundError: when LanceDB is not installed; whatever its core raises for a table that cannot be read.
    """
    core = _core()

    async def opened() -> Reader:
        base = await core.connect(str(folder))
        # The new rows first: those that are moved meanwhile are then seen twice instead of not at all.
        new, large = await base.open_table(f"{name}_new"), await base.open_table(name)
        vectors = asyncio.create_task(_vectors(new)) if name == "vectors" else None
        return Reader((Table(large, asyncio.create_task(_places(large))), Table(new, asyncio.create_task(_places(new)), vectors)))

    return _run(opened())


@cache
def _core() -> Any:
    with light_parents("lancedb"):
        return importlib.import_module("lancedb._lancedb")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="lance reader", daemon=True).start()
    return loop


def _run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


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


async def _vectors(table: Any) -> tuple[Places, Floats]:
    query = table.query()
    query.select_columns(["number", "vector"])
    batches = [batch async for batch in await query.execute(AT_ONCE, None)]
    numbers = [batch["number"].to_numpy().astype(np.int64) for batch in batches]
    flat = [batch["vector"].flatten().to_numpy(zero_copy_only=False).astype(np.float32) for batch in batches]
    count = sum(map(len, numbers))
    if not count:
        return np.zeros(0, np.int64), np.zeros((0, 0), np.float32)
    return np.concatenate(numbers), np.concatenate(flat).reshape(count, -1)


async def _rows(one: Table, query: Any, order: str, where: str, limit: int) -> list[Row]:
    places, numbers = await one.places
    if not len(places):
        return []
    if where:
        query.where(where)
    query.select_columns([order] if order else [])
    query.with_row_id()
    query.limit(limit)
    found: list[int] = []
    values: list[float] = []
    async for batch in await query.execute(None, None):
        found += batch["_rowid"].to_pylist()
        values += batch[order].to_pylist() if order else [0.0] * len(batch)
    if not found:
        return []
    at = np.minimum(np.searchsorted(places, found), len(places) - 1)
    if (places[at] != found).any():
        raise LookupError("it was changed meanwhile")
    return list(zip(values, numbers[at].tolist(), strict=True))


def _once(rows: Iterable[Row]) -> list[int]:
    return list(dict.fromkeys(number for _, number in rows))
