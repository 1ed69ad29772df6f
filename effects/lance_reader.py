"""Reading LanceDB tables through its compiled core: what a question needs, without the package around it.

`import lancedb` takes 0.8–2.5 s (its clients for remote services and an OpenAPI model of them); the core alone 0.01 s. It is
asynchronous, so its calls run on a loop in a thread of their own: a caller may well be inside a loop (the MCP server is).
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from effects.light_import import light_parents

T = TypeVar("T")

PROBES, MOST_PROBES = 40, 200
"""Of some 640 partitions at 400,000 vectors: so many are looked at, and up to so many while a filter leaves too few rows."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A table that can be searched; its rows are known by their column `number`."""

    table: Any

    def by_words(self, text: str, where: str, limit: int) -> list[int]:
        """The numbers of the rows with these words in the column `words`, best first."""
        query = self.table.query().nearest_to_text({"query": text, "columns": ["words"]})
        return _run(_numbers(query, "_score", where, limit))

    def by_vector(self, vector: Any, where: str, limit: int) -> list[int]:
        """The numbers of the rows nearest to the vector, nearest first."""
        import pyarrow as pa

        query = self.table.query().nearest_to(pa.array(vector, type=pa.float32()))
        query.column("vector")
        query.distance_type("dot")
        query.maximum_nprobes(MOST_PROBES)
        query.minimum_nprobes(PROBES)
        return _run(_numbers(query, "_distance", where, limit))

    def all_where(self, where: str, limit: int) -> list[int]:
        """The numbers of any rows that fulfil a condition, the first `limit` that are found."""
        return _run(_numbers(self.table.query(), "", where, limit))


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


async def _numbers(query: Any, order: str, where: str, limit: int) -> list[int]:
    if where:
        query.where(where)
    query.select_columns(["number", order] if order else ["number"])
    query.limit(limit)
    return [number async for batch in await query.execute(None, None) for number in batch["number"].to_pylist()]
