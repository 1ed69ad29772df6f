"""The columns that a question reads of its candidates, by number, in one SQLite file next to the LanceDB tables.

LanceDB finds candidates fast and fetches them slowly, SQLite fetches them fast (`docs/decisions.md`). Documents are replaced in
one transaction with the document frequencies of their words, so that this file also shows an interrupted run.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import orjson

from effects.index import index_state
from effects.index.index_state import PartSummary
from transforms.embedding.bert_encoder import HalfMatrix
from transforms.recall.ranking_record import RANKING_COLUMNS, READER_COLUMNS

FILE_NAME = "rows.sqlite"
LOCK_TIMEOUT_S = 20.0
"""Time that a reader waits for a writer's commit."""

RECORD_TABLES = """
CREATE TABLE cards (number INTEGER PRIMARY KEY, card TEXT NOT NULL);
CREATE TABLE documents (
  number INTEGER PRIMARY KEY, part TEXT NOT NULL, row_hash TEXT NOT NULL, text_hash TEXT, shown TEXT NOT NULL
);
CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE words (word TEXT PRIMARY KEY, documents INTEGER NOT NULL) WITHOUT ROWID;
"""
"""`card` is the ranking record and `shown` the reader's columns of `transforms/recall/ranking_record.py`, both as JSON."""
WRITER_CACHE = "PRAGMA cache_size = -32768"
"""32 MB while writing: documents are ordered by number, so that a batch of them touches pages all over the file. With 128 MB no
index was written faster."""
INDEXES = """
CREATE INDEX documents_by_part ON documents (part);
CREATE INDEX documents_by_text ON documents (text_hash) WHERE text_hash IS NOT NULL;
INSERT INTO waiting SELECT number, text_hash, 0 FROM documents d
  WHERE text_hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.number = d.number);
"""
"""Made when the rows of a new file are complete, because sorting once is cheaper than keeping them sorted."""
NUMBERS_TABLE = "json_each(?) CROSS"
"""The wanted numbers as a JSON list: a list inside the statement would be parsed anew for each question."""

_OF_PART = "FROM documents JOIN cards USING (number) WHERE part = ?"
_ID, _WORD_COUNT, _SAID_AT = (
    f"json_extract(card, '$[{RANKING_COLUMNS.index(name)}]')" for name in ("id", "word_count", "said_at")
)
_PROJECT = f"json_extract(shown, '$[{READER_COLUMNS.index('project')}]')"
_LISTED = "(SELECT value FROM json_each(?))"

DocumentRecord = tuple[int, str, str, str | None, str, str]
"""Number, part, hash of the row, hash of the text, ranking record (JSON), reader's columns (JSON)."""


@dataclass(frozen=True, slots=True)
class RecordStore:
    """An opened file; errors of SQLite for a broken one reach the caller."""

    database: sqlite3.Connection

    def read_ranking_records(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the ranking records of the documents with these numbers, as JSON."""
        query = f"SELECT number, card FROM {NUMBERS_TABLE} JOIN cards ON number = value"
        return dict(self.database.execute(query, _encode_numbers(numbers)))

    def read_reader_columns(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the columns of the documents with these numbers that a reader sees, as JSON."""
        query = f"SELECT number, shown FROM {NUMBERS_TABLE} JOIN documents ON number = value"
        return dict(self.database.execute(query, _encode_numbers(numbers)))

    def read_vectors(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """Return the vectors of the documents with these numbers that have one (`stack_vectors`)."""
        query = f"SELECT number, vector FROM {NUMBERS_TABLE} JOIN vectors ON number = value"
        return dict(self.database.execute(query, _encode_numbers(numbers)))

    def read_document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return the number of documents of each of these words that occurs at all."""
        values = tuple(words)
        placeholders = ",".join("?" * len(values))
        return dict(self.database.execute(f"SELECT word, documents FROM words WHERE word IN ({placeholders})", values))

    def find_prefixes(self, prefixes: Iterable[str]) -> set[str]:
        """Return those of these prefixes that some word begins with."""
        query = "SELECT 1 FROM words WHERE word >= ? AND word < ? LIMIT 1"
        return {prefix for prefix in prefixes if self.database.execute(query, (prefix, prefix + chr(sys.maxunicode))).fetchone()}

    def read_part(self, part: str, ids: Iterable[str] | None = None) -> dict[int, tuple[str, str]]:
        """Return the hash of the row and the ranking record of each document of a part, or of those with these ids, by number."""
        query, values = f"SELECT number, row_hash, card {_OF_PART}", [part]
        if ids is not None:
            query, values = f"{query} AND {_ID} IN {_LISTED}", [part, orjson.dumps(sorted(ids)).decode()]
        return {number: (row_hash, record) for number, row_hash, record in self.database.execute(query, values)}

    def summarise_others(self, part: str, ids: Iterable[str]) -> PartSummary:
        """Return the summary of the documents of a part without those with these ids; no document of it is a turn."""
        others = (part, orjson.dumps(sorted(ids)).decode())
        numbers = f"SELECT count(*), sum({_WORD_COUNT}), max({_SAID_AT}) {_OF_PART} AND {_ID} NOT IN {_LISTED}"
        documents, words, newest = self.database.execute(numbers, others).fetchone()
        listed = self.database.execute(f"SELECT DISTINCT {_PROJECT} {_OF_PART} AND {_ID} NOT IN {_LISTED}", others)
        return PartSummary(documents, words or 0, newest, None, tuple(sorted(name for (name,) in listed if name)))

    def read_all_numbers(self) -> list[int]:
        """Return the number of every document in the store, in no order."""
        return [number for (number,) in self.database.execute("SELECT number FROM documents")]

    def read_vectors_of_texts(self, hashes: Iterable[str]) -> dict[str, bytes]:
        """Return the vectors of those of these texts that some document with a vector has, by hash."""
        query = "SELECT vector FROM documents JOIN vectors USING (number) WHERE text_hash = ? LIMIT 1"
        rows = ((text_hash, self.database.execute(query, (text_hash,)).fetchone()) for text_hash in sorted(set(hashes)))
        return {text_hash: row[0] for text_hash, row in rows if row}

    def iterate_texts(self, batch_size: int) -> Iterator[list[tuple[str, str]]]:
        """Yield the part and the text of all documents in batches, in the order of their parts."""
        cursor = self.database.execute("SELECT part, json_extract(shown, '$[0]') FROM documents ORDER BY part, number")
        while batch := cursor.fetchmany(batch_size):
            yield batch

    # ---- writing, inside `transaction`

    def save_documents(self, records: Iterable[DocumentRecord]) -> None:
        """Add or replace documents."""
        stored_records = list(records)
        documents = [(number, part, row_hash, text_hash, shown) for number, part, row_hash, text_hash, _, shown in stored_records]
        self.database.executemany("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?)", documents)
        self.database.executemany(
            "INSERT OR REPLACE INTO cards VALUES (?, ?)", [(record[0], record[4]) for record in stored_records]
        )

    def save_vectors(self, numbers: Sequence[int], vectors: HalfMatrix) -> None:
        """Add or replace vectors."""
        pairs = ((number, vector.tobytes()) for number, vector in zip(numbers, vectors, strict=True))
        self.database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", pairs)

    def delete_documents(self, numbers: Iterable[int]) -> None:
        """Delete documents with their vectors, also from the documents that wait for one."""
        listed = ",".join(map(str, numbers))
        for table in ("documents", "cards", "vectors", "waiting"):
            self.database.execute(f"DELETE FROM {table} WHERE number IN ({listed})")

    def add_document_frequencies(self, changes: Mapping[str, int]) -> None:
        """Add to the document frequencies of words; a word without documents is deleted."""
        add = "INSERT INTO words VALUES (?, ?) ON CONFLICT (word) DO UPDATE SET documents = documents + excluded.documents"
        self.database.executemany(add, sorted((word, change) for word, change in changes.items() if change))
        fewer = sorted((word,) for word, change in changes.items() if change < 0)
        self.database.executemany("DELETE FROM words WHERE word = ? AND documents <= 0", fewer)

    def erase_deleted_rows(self) -> None:
        """Write the file anew: pages that were freed before this version overwrote them may hold deleted text."""
        self.database.execute("VACUUM")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all changes inside at once, or none; inside another transaction they belong to that one."""
        if self.database.in_transaction:
            yield
            return
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.database.execute("ROLLBACK")
            raise
        self.database.execute("COMMIT")

    def close(self) -> None:
        """Close the database; the store cannot be used after it."""
        self.database.close()


def create_record_store(folder: Path) -> RecordStore:
    """Create the file of a generation that nobody reads yet, without a journal: after a crash the generation is not used."""
    database = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
    tables = f"{RECORD_TABLES} {index_state.STATE_TABLES}"
    database.executescript(
        f"PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {WRITER_CACHE}; {tables}"
    )
    database.execute("BEGIN")  # until `finish_record_store`: a commit after each row would be most of the work
    return RecordStore(database)


def finish_record_store(store: RecordStore) -> None:
    """Commit a new file and make its indexes; from now on changes are durable."""
    store.database.executescript(INDEXES)  # commits first
    store.database.execute("PRAGMA synchronous = FULL")
    store.database.execute("PRAGMA journal_mode = DELETE")


def open_record_store(folder: Path, is_writing: bool = False) -> RecordStore:
    """Open the file of a generation.

    Raises:
        sqlite3.Error: when it does not exist or cannot be opened.
    """
    # Readers open it for writing too when they may: only so can they undo the half-done work of a killed writer.
    database = sqlite3.connect(
        f"{(folder / FILE_NAME).as_uri()}?mode=rw",
        uri=True,
        isolation_level=None,
        timeout=LOCK_TIMEOUT_S,
        check_same_thread=False,
    )
    database.execute(WRITER_CACHE if is_writing else "PRAGMA query_only = 1")
    database.execute("PRAGMA secure_delete = 1")  # forgotten text is overwritten, not only unlinked
    database.execute("SELECT 1 FROM cards LIMIT 1").fetchone()
    return RecordStore(database)


def stack_vectors(vectors: Mapping[int, bytes], numbers: Sequence[int], dimensions: int) -> npt.NDArray[np.float32]:
    """Return the vectors (documents, dimensions) of these documents in this order; zeros for a document without one."""
    zeros = bytes(2 * dimensions)
    flat = np.frombuffer(b"".join([vectors.get(number, zeros) for number in numbers]), dtype=np.float16)
    return flat.reshape(-1, dimensions).astype(np.float32)


def find_nearest(vectors: Mapping[int, bytes], numbers: Sequence[int], vector: npt.NDArray[np.float32], limit: int) -> list[int]:
    """Return those of these documents whose vectors are nearest to a vector, nearest first."""
    cosines = stack_vectors(vectors, numbers, len(vector)) @ vector
    return [numbers[position] for position in np.argsort(-cosines, kind="stable")[:limit]]


def _encode_numbers(numbers: Iterable[int]) -> tuple[str]:
    return (orjson.dumps(sorted(numbers)).decode(),)
