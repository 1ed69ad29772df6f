"""Writing the LanceDB tables of a generation: `documents` with their words, `vectors`, each with the columns of filters.

They are written with `pylance`, the library of LanceDB's tables: `lancedb` itself loads its clients for remote services first.
Optimising rewrites a whole table however little was added, and rows that are not optimised are searched one by one.
So each of the two has a small table for recent rows, `documents_new` and `vectors_new`, that is optimised each night; once it
is full its rows move into the large one. `docs/decisions.md` has the measurements behind the numbers.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from effects.index.manifest import convert_open_errors
from transforms.recall.documents import DOCUMENT_SCHEMA

if TYPE_CHECKING:
    from lance import LanceDataset

VECTOR_INDEX_FROM = 20_000
"""Vectors below which a scan is as fast as an index."""
MIN_RECENT_ROWS, MAX_RECENT_ROWS, RECENT_SHARE = 2048, 8192, 32
"""A table of recent rows is full with a 32nd of the large one, within these bounds."""
SCAN_SHARE = 64
"""Up to one of so many rows are looked up by number; for more the table is scanned."""
MAX_VERSIONS = 100
"""Versions of the large table (each deletion leaves one) before it is optimised."""
MAX_DELTA_INDEXES = 4
"""Optimising adds an index for each batch of vectors, and a question searches each: with more, one is made of all."""
BITS_PER_DIMENSION = 3
"""Size of a vector in the approximate index: fewer bits lose too many of the nearest vectors."""
SAMPLE_RATE, TRAINING_ROUNDS = 64, 10
"""A quarter of the vectors and a fifth of the rounds that LanceDB trains the index with by default."""
MOVING = ".moving"
"""Suffix of the file beside a table whose rows are being moved."""
NUMBERS_PER_QUERY, ROWS_PER_WRITE = 500, 4096
"""Rows that are moved at once: joining 20,000 vectors held 100 MB more at the end of a first night, for no time."""
VERSION_AGE = timedelta(days=1)
"""Age at which versions are deleted where the clock went back, or a table is new; else those of former nights are deleted."""
UNREAD_VERSION_AGE = timedelta(milliseconds=1)
"""The same in a generation that nobody reads yet."""
ROWS_PER_FILE = 65_536
"""Rows from which on a file of a table stays as it is when batches are joined. With LanceDB's million the whole table was written
again after each move, and both of its indexes with it, in memory."""
ROWS_PER_SCAN = 32_768
"""Rows of the large table that are looked through at once."""

FILTER_COLUMNS = ("project", "source", "kind", "priority", "session_id", "said_at")
"""Columns of both tables that a filter may name, in addition to the number."""
DOCUMENT_TABLE_SCHEMA = pl.Schema(
    {"number": pl.Int64, "words": pl.String} | {name: DOCUMENT_SCHEMA[name] for name in FILTER_COLUMNS}
)


@dataclass(slots=True)
class LanceTables:
    """The opened tables of a generation; those of vectors come with the first vector."""

    folder: Path
    documents: LanceDataset
    recent_documents: LanceDataset
    vectors: LanceDataset | None = None
    recent_vectors: LanceDataset | None = None
    opened: dict[str, float] = field(default_factory=dict)
    """When the version of each table was made that readers have open while this run writes."""


def is_of_lance(error: Exception) -> bool:
    """Return whether an error was raised in LanceDB, which has no class for it: a file of a table is damaged or gone."""
    frame = error.__traceback__
    while frame is not None:
        if str(frame.tb_frame.f_globals.get("__name__")).partition(".")[0] == "lance":
            return True
        frame = frame.tb_next
    return False


def create_tables(folder: Path) -> LanceTables:
    """Create the empty tables of a generation that nobody reads yet."""
    rows = convert_to_arrow(DOCUMENT_TABLE_SCHEMA.to_frame())
    tables = LanceTables(folder, *(_create_table(folder, name, rows) for name in ("documents", "documents_new")))
    _create_word_index(tables.recent_documents)
    return tables


def open_tables(folder: Path) -> LanceTables:
    """Open the tables of a generation for writing.

    Raises:
        IndexMissing: when pylance is not installed or the tables cannot be opened.
    """
    with convert_open_errors(folder):
        import lance

        documents, recent_documents = (lance.dataset(_locate(folder, name)) for name in ("documents", "documents_new"))
        paths = [_locate(folder, name) for name in ("vectors", "vectors_new")]
        vectors, recent_vectors = (lance.dataset(path) if path.is_dir() else None for path in paths)
        tables = [table for table in (documents, recent_documents, vectors, recent_vectors) if table is not None]
        opened = {table.uri: cast(datetime, table.versions()[-1]["timestamp"]).timestamp() for table in tables}
        return LanceTables(folder, documents, recent_documents, vectors, recent_vectors, opened)


def finish_documents(tables: LanceTables) -> None:
    """Join the batches that were added to the large table, and make its indexes."""
    _optimize(tables.documents, UNREAD_VERSION_AGE)
    _create_word_index(tables.documents)
    tables.documents.create_scalar_index("number", "BTREE")


def add_documents(table: LanceDataset, rows: pl.DataFrame) -> None:
    """Add documents that a table does not have."""
    if len(rows):
        table.insert(convert_to_arrow(rows.select(DOCUMENT_TABLE_SCHEMA.names())))


def finish_vectors(tables: LanceTables) -> None:
    """Join the batches of vectors, if there are any, and make their indexes."""
    if tables.vectors is not None:
        _optimize(tables.vectors, UNREAD_VERSION_AGE)
        _create_vector_indexes(tables.vectors)


def add_vectors(tables: LanceTables, rows: pl.DataFrame, vectors: Any, is_first: bool = False) -> None:
    """Add vectors (rows, dimensions) of documents (`number` and `FILTER_COLUMNS`); a first run adds them to the large table."""
    if not len(rows):
        return
    data = _append_vectors(rows.select("number", *FILTER_COLUMNS), vectors)
    if tables.vectors is None or tables.recent_vectors is None:
        tables.recent_vectors = tables.recent_vectors or _create_table(tables.folder, "vectors_new", data.slice(0, 0))
        tables.vectors = _create_table(tables.folder, "vectors", data)
    elif is_first:
        tables.vectors.insert(data)
    else:  # a run that was interrupted may have added some of them already
        _upsert(tables.recent_vectors, data)


def delete_documents(tables: LanceTables, numbers: Sequence[int]) -> None:
    """Delete documents and their vectors by number, in the recent tables as in the main ones."""
    for table in filter(None, (tables.recent_documents, tables.recent_vectors, tables.documents, tables.vectors)):
        for start in range(0, len(numbers), NUMBERS_PER_QUERY):
            table.delete(f"number IN ({','.join(map(str, numbers[start : start + NUMBERS_PER_QUERY]))})")


def optimize_tables(tables: LanceTables) -> None:
    """Optimise the tables of recent rows at the end of a night; move the rows of full ones into the large tables.

    An interrupted move leaves rows in both tables, which readers count once; the next night ends it, however few they are then.
    """
    _optimize_table(tables.documents, tables.recent_documents, tables.opened)
    if tables.vectors is not None and tables.recent_vectors is not None:
        _optimize_table(tables.vectors, tables.recent_vectors, tables.opened)
        _create_vector_indexes(tables.vectors)


def erase_deleted_rows(tables: LanceTables) -> None:
    """Write the tables anew without the rows that were deleted, whose words stay in the files and in the full-text index else.

    Readers that have them open search the lake until they open them again.
    """
    for table in filter(None, (tables.documents, tables.recent_documents, tables.vectors, tables.recent_vectors)):
        table.optimize.compact_files(materialize_deletions=True, materialize_deletions_threshold=0.0)
        if "words" in table.schema.names:
            _create_word_index(table)
        else:
            table.optimize.optimize_indices()
        table.cleanup_old_versions(UNREAD_VERSION_AGE)


def is_move_interrupted(folder: Path) -> bool:
    """Whether a run died while it moved the rows of a full table, so that they may stand in both."""
    return any(folder.glob(f"*{MOVING}"))


def read_filter_columns(tables: LanceTables, numbers: pl.DataFrame) -> pl.DataFrame:
    """Return these documents (rows with `number`) with their `FILTER_COLUMNS`."""
    columns = ["number", *FILTER_COLUMNS]
    frames = [numbers.join(read_columns(tables.recent_documents, columns), on="number", how="inner")]
    others = numbers.join(frames[0], on="number", how="anti")["number"].sort().to_list()
    if len(others) * SCAN_SHARE > tables.documents.count_rows():
        batches = tables.documents.to_batches(columns=columns, batch_size=ROWS_PER_SCAN)
        frames += [numbers.join(pl.DataFrame(pl.from_arrow(batch)), on="number", how="inner") for batch in batches]
    else:
        for start in range(0, len(others), NUMBERS_PER_QUERY):
            listed = others[start : start + NUMBERS_PER_QUERY]
            rows = tables.documents.to_table(columns, f"number IN ({','.join(map(str, listed))})")
            frames.append(numbers.join(pl.DataFrame(pl.from_arrow(rows)), on="number", how="inner"))
    return pl.concat(frames).unique("number", keep="first", maintain_order=True)


def read_columns(table: LanceDataset, names: Sequence[str]) -> pl.DataFrame:
    """Return some columns of all rows."""
    return pl.DataFrame(pl.from_arrow(table.to_table(list(names))))


def convert_to_arrow(rows: pl.DataFrame) -> Any:
    """Return the rows for LanceDB, whose scalar indexes refuse the `large_string` of polars."""
    import pyarrow as pa

    table = rows.to_arrow()
    small = {pa.large_string(): pa.string()}
    return table.cast(pa.schema([field.with_type(small.get(field.type, field.type)) for field in table.schema]))


def gather_batches(frames: Iterable[pl.DataFrame], size: int) -> Iterator[pl.DataFrame]:
    """Yield the frames joined to batches of at least `size` rows."""
    batch_frames: list[pl.DataFrame] = []
    for frame in frames:
        batch_frames.append(frame)
        if sum(map(len, batch_frames)) >= size:
            yield pl.concat(batch_frames)
            batch_frames = []
    if batch_frames:
        yield pl.concat(batch_frames)


def _locate(folder: Path, name: str) -> Path:
    """Return the folder of a table, where LanceDB looks for it."""
    return folder / f"{name}.lance"


def _create_table(folder: Path, name: str, rows: Any) -> LanceDataset:
    from lance import write_dataset

    return write_dataset(rows, _locate(folder, name))


def _optimize(table: LanceDataset, age: timedelta) -> None:
    """Join the small files of a table, delete older versions, and bring the indexes up to date."""
    table.optimize.compact_files(target_rows_per_fragment=ROWS_PER_FILE)
    table.cleanup_old_versions(age)
    table.optimize.optimize_indices()


def _optimize_table(large: LanceDataset, recent: LanceDataset, opened: Mapping[str, float]) -> None:
    """Move rows of a full table, and delete the versions that no reader has open: those before the one that this run found.

    They are counted in nights, not in hours: many nights in an hour (a backfill, a laptop that was asleep) leave no more of them.
    """
    moving = _locate_table(recent).with_suffix(MOVING)  # a run that died while it moved left rows in both tables
    limit = max(MIN_RECENT_ROWS, min(MAX_RECENT_ROWS, large.count_rows() // RECENT_SHARE))
    is_full = recent.count_rows() > limit or moving.exists()
    if is_full:
        moving.touch()
        rows = recent.to_table()
        for start in range(0, len(rows), ROWS_PER_WRITE):
            _upsert(large, rows.slice(start, ROWS_PER_WRITE))
    if is_full or _count_versions(large) > MAX_VERSIONS:
        _optimize(large, _measure_age(large, opened))
    if is_full:
        recent.delete("true")
        moving.unlink()
    _optimize(recent, _measure_age(recent, opened))


def _measure_age(table: LanceDataset, opened: Mapping[str, float]) -> timedelta:
    """Return the age of the version of a table that this run found."""
    age = timedelta(seconds=time.time() - opened.get(table.uri, time.time() + 1))
    return age if age >= timedelta() else VERSION_AGE


def _create_vector_indexes(vectors: LanceDataset) -> None:
    """Create the indexes that the large table needs and does not have, and one of too many."""
    indexes = {index.name: len(index.segments) for index in vectors.describe_indices()}
    if "number_idx" not in indexes:
        vectors.create_scalar_index("number", "BTREE")
    has_index = 0 < indexes.get("vector_idx", 0) <= MAX_DELTA_INDEXES
    if not has_index and vectors.count_rows() >= VECTOR_INDEX_FROM:
        vectors.create_index(
            "vector", "IVF_RQ", metric="dot", replace=True, num_bits=BITS_PER_DIMENSION, sample_rate=SAMPLE_RATE,
            max_iters=TRAINING_ROUNDS,
        )  # fmt: skip


def _upsert(table: LanceDataset, data: Any) -> None:
    table.merge_insert("number").when_matched_update_all().when_not_matched_insert_all().execute(data)


def _count_versions(table: LanceDataset) -> int:
    return sum(1 for _ in (_locate_table(table) / "_versions").iterdir())


def _locate_table(table: LanceDataset) -> Path:
    return Path(table.uri.removeprefix("file://"))


def _create_word_index(documents: LanceDataset) -> None:
    # The words are ours already (transforms/language/tokenizer.py): LanceDB must not stem, fold or drop any.
    documents.create_scalar_index(
        "words", "INVERTED", base_tokenizer="whitespace", with_position=False, lower_case=False, stem=False,
        remove_stop_words=False, ascii_folding=False, max_token_length=None,
    )  # fmt: skip


def _append_vectors(rows: pl.DataFrame, vectors: Any) -> Any:
    import pyarrow as pa

    flat = pa.array(np.ascontiguousarray(vectors).reshape(-1), type=pa.float16())
    return convert_to_arrow(rows).append_column("vector", pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]))
