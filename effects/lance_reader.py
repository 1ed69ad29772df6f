"""Reading LanceDB tables through its compiled core: what a question needs, without the package around it.

`import lancedb` takes 0.8–2.5 s (its clients for remote services and an OpenAPI model of them); the core alone 0.01 s. It is
asynchronous, so its calls run on a loop in a thread of their own: a caller may well be inside a loop (the MCP server is).
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from effects.light_import import light_parents

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reader:
    """A table that can be searched. Results are Arrow tables."""

    table: Any

    def by_words(self, text: str, where: str, limit: int) -> Any:
        """`_rowid` and `_score` of the rows with these words of the column `words`, best first."""
        query = self.table.query().nearest_to_text({"query": text, "columns": ["words"]})
        return _run(_read(query, ["_score"], where, limit))

    def by_vector(self, vector: Any, where: str, limit: int) -> Any:
        """`key` and `_distance` of the rows nearest to the vector, nearest first."""
        import pyarrow as pa

        query = self.table.query().nearest_to(pa.array(vector, type=pa.float32()))
        query.column("vector")
        query.distance_type("dot")
        return _run(_read(query, ["key", "_distance"], where, limit, with_row_id=False))

    def rows(self, where: str, columns: Sequence[str], limit: int) -> Any:
        """These columns, and `_rowid`, of the rows of which `where` is true."""
        return _run(_read(self.table.query(), columns, where, limit))

    def take(self, row_ids: Sequence[int], columns: Sequence[str]) -> Any:
        """These columns, and `_rowid`, of the rows with these ids."""
        query = self.table.take_row_ids(list(row_ids))
        query.select([(name, name) for name in columns])
        query.with_row_id()
        return _run(_collected(query.execute))


def open_reader(folder: Path, name: str) -> Reader:
    """The table of a LanceDB folder.

    Raises:
        ModuleNotFoundError: when LanceDB is not installed; whatever its core raises for a table that cannot be read.
    """
    core = _core()

    async def opened() -> Any:
        base = await core.connect(str(folder))
        return await base.open_table(name)

    return Reader(_run(opened()))


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


async def _read(query: Any, columns: Sequence[str], where: str, limit: int, with_row_id: bool = True) -> Any:
    if where:
        query.where(where)
    query.select_columns(list(columns))
    query.limit(limit)
    if with_row_id:
        query.with_row_id()
    return await _collected(lambda: query.execute(None, None))


async def _collected(execute: Callable[[], Any]) -> Any:
    """Its batches as one table; `execute` is called on the loop, where alone it can."""
    import pyarrow as pa

    stream = await execute()
    batches = [batch async for batch in stream]
    return pa.Table.from_batches(batches, stream.schema if not batches else None)
