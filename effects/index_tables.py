"""Writing the two LanceDB tables of a generation: `documents` with their words, `vectors` with what filters ask for.

Measured on 2 cores at 100,000 documents: full-text index 0.6 s, IVF-RQ vector index 3 s (IVF-PQ takes 207 s), a question
2–4 ms in each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from effects.embed import vector_batches
from effects.index_rows import Rows
from effects.run import Run
from transforms.documents import SCHEMA

VECTOR_INDEX_FROM = 20_000
"""Vectors below which a scan is as fast as an index (16–19 ms at 20,000)."""
BITS = 3
"""Bits a dimension in the approximate index. Of 410,000 vectors (seeded, with much noise) the 150 proposed hold 99 and 97 % of
the truly nearest 10 and 50; with one bit 68 and 48 %, and 600 proposed 89 and 76 %. It takes 4.0 ms a question and 66 MB; one
bit and 600 proposed 2.8 ms and 26 MB, and 2.5 ms more to compare so many exactly."""
AT_ONCE = 500
KEPT = timedelta(days=1)
"""How long versions stay that an opened reader may still read."""
UNREAD = timedelta(milliseconds=1)
"""The same in a generation that is still being built."""

STORED = pl.Schema({"number": pl.Int64} | {name: kind for name, kind in SCHEMA.items() if name != "card"})
FILTERED = ("project", "source", "kind", "priority", "session_id", "said_at")
"""Columns of `vectors` beside number, key and vector: what a filter may ask for."""


def create_documents(folder: Path) -> Any:
    """An empty table of documents."""
    import lancedb

    return lancedb.connect(str(folder)).create_table("documents", schema=arrow(STORED.to_frame()).schema)


def finish_documents(table: Any) -> None:
    """Makes one file of what was added in portions, and the indexes."""
    from lancedb.index import FTS, BTree

    table.optimize(cleanup_older_than=UNREAD)
    # The words are ours already (transforms/words.py): LanceDB shall neither stem nor fold nor leave any out.
    plain = FTS(
        base_tokenizer="whitespace", with_position=False, lower_case=False, stem=False, remove_stop_words=False,
        ascii_folding=False, max_token_length=None,
    )  # fmt: skip
    table.create_index("words", config=plain)
    table.create_index("number", config=BTree())


def write_documents(table: Any, rows: pl.DataFrame) -> None:
    """Adds documents, or replaces those with the same numbers."""
    stored = arrow(rows.select(STORED.names()))
    table.merge_insert("number").when_matched_update_all().when_not_matched_insert_all().execute(stored)


def delete(table: Any | None, numbers: Sequence[int]) -> None:
    """Removes the rows with these numbers."""
    for start in range(0, len(numbers) if table is not None else 0, AT_ONCE):
        table.delete(f"number IN ({','.join(map(str, numbers[start : start + AT_ONCE]))})")  # type: ignore[union-attr]


def add_vectors(run: Run, folder: Path, documents: Any, vectors: Any | None, rows: Rows) -> int:
    """Adds the vectors of documents that have none in the index yet, batch by batch; how many.

    Raises:
        ModelMissing: when nobody knows which vectors would be wanted.
    """
    wanted = rows.without_vector()
    if not wanted:
        return 0
    numbers = pl.DataFrame({"number": list(wanted), "text_hash": list(wanted.values())}, schema_overrides={"number": pl.Int64})
    added = 0
    about: pl.DataFrame | None = None
    is_new = vectors is None
    for hashes, batch in vector_batches(run.lake, run.settings.embedding.model, numbers["text_hash"]):
        if about is None:
            about = _about(documents, numbers)
        found = pl.DataFrame({"text_hash": hashes}).with_row_index("place").join(about, on="text_hash").sort("number")
        kept = batch[found["place"].to_numpy()]
        data = _with_vectors(found.drop("place", "text_hash"), kept)
        if vectors is None:
            vectors = _create_vectors(folder, data)
        elif is_new:
            vectors.add(data)
        else:  # a run that was interrupted may have added some of them already
            vectors.merge_insert("number").when_matched_update_all().when_not_matched_insert_all().execute(data)
        with rows.changing():
            rows.put_vectors(found["number"].to_list(), kept)
        added += len(found)
    if vectors is not None and added:
        _index_vectors(vectors, is_new)
    return added


def scanned(table: Any, names: Sequence[str]) -> pl.DataFrame:
    """These columns of all rows."""
    return pl.DataFrame(pl.from_arrow(table.search().select(list(names)).limit(None).to_arrow()))


def arrow(rows: pl.DataFrame) -> Any:
    """The rows for LanceDB: its scalar indexes refuse polars' `large_string`."""
    import pyarrow as pa

    table = rows.to_arrow()
    strings, integers = pa.list_(pa.string()), pa.list_(pa.int32())
    small = {pa.large_string(): pa.string(), pa.large_list(pa.large_string()): strings, pa.large_list(pa.int32()): integers}
    return table.cast(pa.schema([field.with_type(small.get(field.type, field.type)) for field in table.schema]))


def _about(documents: Any, numbers: pl.DataFrame) -> pl.DataFrame:
    """What a vector's row says of its document, for the documents with these numbers."""
    columns = ["number", "key", *FILTERED]
    if len(numbers) <= AT_ONCE:
        listed = ",".join(map(str, numbers["number"]))
        found = documents.search().where(f"number IN ({listed})").select(columns).limit(len(numbers)).to_arrow()
        return numbers.join(pl.DataFrame(pl.from_arrow(found)), on="number", how="inner")
    return numbers.join(scanned(documents, columns), on="number", how="inner")


def _with_vectors(rows: pl.DataFrame, vectors: Any) -> Any:
    import pyarrow as pa

    flat = pa.array(np.ascontiguousarray(vectors).reshape(-1), type=pa.float16())
    return arrow(rows).append_column("vector", pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]))


def _create_vectors(folder: Path, data: Any) -> Any:
    import lancedb

    return lancedb.connect(str(folder)).create_table("vectors", data)


def _index_vectors(vectors: Any, is_new: bool) -> None:
    from lancedb.index import BTree, IvfRq

    vectors.optimize(cleanup_older_than=UNREAD if is_new else KEPT)
    names = {index.name for index in vectors.list_indices()}
    if "number_idx" not in names:
        vectors.create_index("number", config=BTree())
    if "vector_idx" not in names and vectors.count_rows() >= VECTOR_INDEX_FROM:
        vectors.create_index("vector", config=IvfRq(distance_type="dot", num_bits=BITS))


def batches(parts: Iterator[pl.DataFrame], size: int) -> Iterator[pl.DataFrame]:
    """The frames put together to portions of at least `size` rows."""
    waiting: list[pl.DataFrame] = []
    for part in parts:
        waiting.append(part)
        if sum(map(len, waiting)) >= size:
            yield pl.concat(waiting)
            waiting = []
    if waiting:
        yield pl.concat(waiting)
