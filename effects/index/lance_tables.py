"""Writing the LanceDB tables of a generation: `documents` with their words, `vectors`, each with what filters ask for.

LanceDB's `optimize` rewrites a table as a whole whatever was added (4.4 s at 410,000 documents), and what is not optimised is
searched row by row (6 ms a question for 2,000 documents). So each of the two has a small table beside it, `documents_new` and
`vectors_new`, that takes each night's rows and is optimised each night (0.13 s); once it is full its rows go into the large one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from effects.index.generations import opening
from transforms.recall.documents import DOCUMENT_SCHEMA

VECTOR_INDEX_FROM = 20_000
"""Vectors below which a scan is as fast as an index (16–19 ms at 20,000)."""
NEW_LEAST, NEW_MOST, NEW_SHARE = 2048, 8192, 32
"""When a table of new rows is full: with a 32nd of the large one, within these bounds (0.13 s a night with 2,000 documents, 0.17
with 8,000, and 1 to 2 ms a question either way)."""
FEW = 64
"""Up to one of so many rows is looked up by number; more are read with all others."""
MOST_VERSIONS = 100
"""Every deletion leaves a version of the large table; so many are let stand until it is optimised for their sake."""
MOST_DELTAS = 4
"""`optimize` adds an index of its own for each batch of vectors, and each is searched (1 ms a question): then all become one."""
BITS = 3
"""Bits a dimension in the approximate index. Of 410,000 vectors (seeded, with much noise) the 150 proposed hold 97.5 and 96 % of
the truly nearest 10 and 50 (99 and 97 when trained in full); with one bit 68 and 48 %, and 600 proposed 89 and 76 %. It takes
4.0 ms a question and 66 MB; one bit and 600 proposed 2.8 ms and 26 MB, and 2.5 ms more to compare so many exactly."""
SAMPLED, ROUNDS = 64, 10
"""A quarter of the vectors and a fifth of the rounds that LanceDB trains with by itself: 32 instead of 50 s at 410,000."""
AT_ONCE, PORTION = 500, 20_000
KEPT = timedelta(days=1)
"""How long versions stay that an opened reader may still read."""
UNREAD = timedelta(milliseconds=1)
"""The same in a generation that is still being built."""

FILTERED = ("project", "source", "kind", "priority", "session_id", "said_at")
"""Columns of both tables beside the number: what a filter may ask for."""
STORED = pl.Schema({"number": pl.Int64, "words": pl.String} | {name: DOCUMENT_SCHEMA[name] for name in FILTERED})


@dataclass(slots=True)
class Tables:
    """The opened tables of a generation; those of vectors come with the first vector."""

    base: Any
    documents: Any
    new_documents: Any
    vectors: Any | None = None
    new_vectors: Any | None = None


def create_tables(folder: Path) -> Tables:
    """Empty tables for a generation that nobody reads yet."""
    import lancedb

    base, schema = lancedb.connect(str(folder)), arrow(STORED.to_frame()).schema
    made = Tables(base, *(base.create_table(name, schema=schema) for name in ("documents", "documents_new")))
    made.new_documents.create_index("words", config=_words())
    return made


def open_tables(folder: Path) -> Tables:
    """The tables of a generation, for writing.

    Raises:
        IndexMissing: when LanceDB is not installed or the tables cannot be opened.
    """
    with opening(folder):
        import lancedb

        base = lancedb.connect(str(folder))
        names = set(base.list_tables().tables)
        wanted = ("documents", "documents_new", "vectors", "vectors_new")
        return Tables(base, *(base.open_table(name) if name in names or name in wanted[:2] else None for name in wanted))


def finish_documents(tables: Tables) -> None:
    """Makes one file of what was added to the large table in portions, and the indexes."""
    from lancedb.index import BTree

    tables.documents.optimize(cleanup_older_than=UNREAD)
    tables.documents.create_index("words", config=_words())
    tables.documents.create_index("number", config=BTree())


def add_documents(table: Any, rows: pl.DataFrame) -> None:
    """Adds documents that are not there."""
    if len(rows):
        table.add(arrow(rows.select(STORED.names())))


def finish_vectors(tables: Tables) -> None:
    """The same for vectors, if there are any."""
    if tables.vectors is not None:
        tables.vectors.optimize(cleanup_older_than=UNREAD)
        _index_vectors(tables.vectors)


def add_vectors(tables: Tables, rows: pl.DataFrame, vectors: Any, is_first: bool = False) -> None:
    """Adds vectors of documents: rows with `number` and `FILTERED`. Those of a first run go to the large table."""
    if not len(rows):
        return
    data = _with_vectors(rows.select("number", *FILTERED), vectors)
    if tables.vectors is None or tables.new_vectors is None:
        tables.new_vectors = tables.base.create_table("vectors_new", schema=data.schema, exist_ok=True)
        tables.vectors = tables.base.create_table("vectors", data)
    elif is_first:
        tables.vectors.add(data)
    else:  # a run that was interrupted may have added some of them already
        _upsert(tables.new_vectors, data)


def delete(tables: Tables, numbers: Sequence[int]) -> None:
    """Removes these documents and their vectors."""
    for table in filter(None, (tables.new_documents, tables.new_vectors, tables.documents, tables.vectors)):
        for start in range(0, len(numbers), AT_ONCE):
            table.delete(f"number IN ({','.join(map(str, numbers[start : start + AT_ONCE]))})")


def settle(tables: Tables) -> None:
    """Ends a night: the small tables are optimised, or moved into the large ones when they are full.

    An interrupted move leaves rows in both tables, which readers count once, and is done again.
    """
    _settle(tables.documents, tables.new_documents, KEPT)
    if tables.vectors is not None:
        _settle(tables.vectors, tables.new_vectors, KEPT)
        _index_vectors(tables.vectors)


def about(tables: Tables, numbers: pl.DataFrame) -> pl.DataFrame:
    """These documents (rows with `number`) with `FILTERED`: the new ones are read, and of the others what is asked for."""
    columns = ["number", *FILTERED]
    found = [numbers.join(scanned(tables.new_documents, columns), on="number", how="inner")]
    others = numbers.join(found[0], on="number", how="anti")["number"].sort().to_list()
    if len(others) * FEW > tables.documents.count_rows():
        if found[0].is_empty():  # a new generation: all of it is large enough to be held once
            return numbers.join(scanned(tables.documents, columns), on="number", how="inner")
        found.append(numbers.join(scanned(tables.documents, columns), on="number", how="inner"))
    else:
        for start in range(0, len(others), AT_ONCE):
            some = others[start : start + AT_ONCE]
            query = tables.documents.search().where(f"number IN ({','.join(map(str, some))})").select(columns).limit(len(some))
            found.append(numbers.join(pl.DataFrame(pl.from_arrow(query.to_arrow())), on="number", how="inner"))
    return pl.concat(found).unique("number", keep="first", maintain_order=True)


def scanned(table: Any, names: Sequence[str]) -> pl.DataFrame:
    """These columns of all rows."""
    return pl.DataFrame(pl.from_arrow(table.search().select(list(names)).limit(None).to_arrow()))


def arrow(rows: pl.DataFrame) -> Any:
    """The rows for LanceDB: its scalar indexes refuse polars' `large_string`."""
    import pyarrow as pa

    table = rows.to_arrow()
    small = {pa.large_string(): pa.string()}
    return table.cast(pa.schema([field.with_type(small.get(field.type, field.type)) for field in table.schema]))


def batches(parts: Iterable[pl.DataFrame], size: int) -> Iterator[pl.DataFrame]:
    """The frames put together to portions of at least `size` rows."""
    waiting: list[pl.DataFrame] = []
    for part in parts:
        waiting.append(part)
        if sum(map(len, waiting)) >= size:
            yield pl.concat(waiting)
            waiting = []
    if waiting:
        yield pl.concat(waiting)


def _settle(large: Any, new: Any, kept: timedelta) -> None:
    is_full = new.count_rows() > max(NEW_LEAST, min(NEW_MOST, large.count_rows() // NEW_SHARE))
    if is_full:
        rows = new.search().limit(None).to_arrow()
        for start in range(0, len(rows), PORTION):
            _upsert(large, rows.slice(start, PORTION))
    if is_full or _versions(large) > MOST_VERSIONS:
        large.optimize(cleanup_older_than=kept)
    if is_full:
        new.delete("true")
    new.optimize(cleanup_older_than=kept)


def _index_vectors(vectors: Any) -> None:
    """Makes the indexes of the large table that it needs and does not have, and one of many."""
    from lancedb.index import BTree, IvfRq

    indexes = {index.name: index for index in vectors.list_indices()}
    if "number_idx" not in indexes:
        vectors.create_index("number", config=BTree())
    has = "vector_idx" in indexes and vectors.index_stats("vector_idx").num_indices <= MOST_DELTAS
    if not has and vectors.count_rows() >= VECTOR_INDEX_FROM:
        kind = IvfRq(distance_type="dot", num_bits=BITS, sample_rate=SAMPLED, max_iterations=ROUNDS)
        vectors.create_index("vector", config=kind, replace=True)


def _upsert(table: Any, data: Any) -> None:
    table.merge_insert("number").when_matched_update_all().when_not_matched_insert_all().execute(data)


def _versions(table: Any) -> int:
    return sum(1 for _ in Path(table.uri.removeprefix("file://"), "_versions").iterdir())


def _words() -> Any:
    from lancedb.index import FTS

    # The words are ours already (transforms/language/tokenizer.py): LanceDB shall neither stem nor fold nor leave any out.
    return FTS(
        base_tokenizer="whitespace", with_position=False, lower_case=False, stem=False, remove_stop_words=False,
        ascii_folding=False, max_token_length=None,
    )  # fmt: skip


def _with_vectors(rows: pl.DataFrame, vectors: Any) -> Any:
    import pyarrow as pa

    flat = pa.array(np.ascontiguousarray(vectors).reshape(-1), type=pa.float16())
    return arrow(rows).append_column("vector", pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]))
