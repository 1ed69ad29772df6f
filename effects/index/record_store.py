"""What a question reads of the documents that were found, by number, in one SQLite file beside the LanceDB tables.

LanceDB finds; fetching what it found is another matter. Measured at 410,000 documents for one question's 600 candidates, in
milliseconds of processor time: cards 2 here and 5–11 there, vectors 3 and 11–20, ten hits with their texts 0.1 and 3. Rows
are replaced in one transaction with the counts of their words, so that this file is also where an interrupted run is seen.
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

NAME = "rows.sqlite"
WAIT_S = 20.0
"""How long a reader waits for a writer's commit, which takes some milliseconds per day of sessions."""

TABLES = """
CREATE TABLE cards (number INTEGER PRIMARY KEY, card TEXT NOT NULL);
CREATE TABLE documents (
  number INTEGER PRIMARY KEY, part TEXT NOT NULL, row_hash TEXT NOT NULL, text_hash TEXT, shown TEXT NOT NULL
);
CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE words (word TEXT PRIMARY KEY, documents INTEGER NOT NULL) WITHOUT ROWID;
"""
CACHE = "PRAGMA cache_size = -131072"
"""128 MB while writing: documents lie by number, so that a portion of them goes to pages all over the file."""
INDEXES = """
CREATE INDEX documents_by_part ON documents (part);
CREATE INDEX documents_by_text ON documents (text_hash) WHERE text_hash IS NOT NULL;
INSERT INTO waiting SELECT number, text_hash, 0 FROM documents d
  WHERE text_hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.number = d.number);
"""
"""Made when the rows of a new file are complete: sorted once, they cost a tenth of keeping them sorted all the time."""
GIVEN = "json_each(?) CROSS"
"""The numbers that are asked for, looked up in their order: half the time of a list inside of the statement, which is parsed anew
for each question (1.0 instead of 2.0 ms for 460 cards)."""

Floats16 = npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Rows:
    """An opened file. Whatever SQLite raises for a broken one reaches the caller."""

    base: sqlite3.Connection

    def cards(self, numbers: Iterable[int]) -> dict[int, str]:
        """The cards of the documents with these numbers that exist."""
        return dict(self.base.execute(f"SELECT number, card FROM {GIVEN} JOIN cards ON number = value", _given(numbers)))

    def shown(self, numbers: Iterable[int]) -> dict[int, str]:
        """What a reader sees of them, as JSON."""
        return dict(self.base.execute(f"SELECT number, shown FROM {GIVEN} JOIN documents ON number = value", _given(numbers)))

    def vectors(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """The vectors of the documents with these numbers that have one (`matrix_of`)."""
        return dict(self.base.execute(f"SELECT number, vector FROM {GIVEN} JOIN vectors ON number = value", _given(numbers)))

    def frequency(self, words: Iterable[str]) -> dict[str, int]:
        """In how many documents each of these words occurs."""
        asked = tuple(words)
        marks = ",".join("?" * len(asked))
        return dict(self.base.execute(f"SELECT word, documents FROM words WHERE word IN ({marks})", asked))

    def beginnings(self, wanted: Iterable[str]) -> set[str]:
        """Which of these some word begins with."""
        first = "SELECT 1 FROM words WHERE word >= ? AND word < ? LIMIT 1"
        return {one for one in wanted if self.base.execute(first, (one, one + chr(sys.maxunicode))).fetchone()}

    def of_part(self, part: str) -> dict[int, tuple[str, str]]:
        """The hash and the card of each document that was made from this part."""
        found = self.base.execute(
            "SELECT number, row_hash, card FROM documents JOIN cards USING (number) WHERE part = ?", (part,)
        )
        return {number: (row_hash, card) for number, row_hash, card in found}

    def text_hashes(self) -> dict[int, str]:
        """The hash of the text of each document that is to have a vector."""
        return dict(self.base.execute("SELECT number, text_hash FROM documents WHERE text_hash IS NOT NULL"))

    def vectors_of(self, hashes: Iterable[str]) -> dict[str, bytes]:
        """The vectors of these texts, as far as any document with the same text has one."""
        asked = "SELECT vector FROM documents JOIN vectors USING (number) WHERE text_hash = ? LIMIT 1"
        found = ((one, self.base.execute(asked, (one,)).fetchone()) for one in sorted(set(hashes)))
        return {one: row[0] for one, row in found if row}

    def texts(self, at_once: int) -> Iterator[list[str]]:
        """The text of every document, portion by portion."""
        found = self.base.execute("SELECT json_extract(shown, '$[0]') FROM documents")
        while portion := found.fetchmany(at_once):
            yield [text for (text,) in portion]

    def all_vectors(self, at_once: int) -> Iterator[tuple[list[int], Floats16]]:
        """Every vector with its document's number, portion by portion."""
        found = self.base.execute("SELECT number, vector FROM vectors ORDER BY number")
        while portion := found.fetchmany(at_once):
            flat = np.frombuffer(b"".join(vector for _, vector in portion), dtype=np.float16)
            yield [number for number, _ in portion], flat.reshape(len(portion), -1)

    # ---- writing, inside `changing`

    def put(self, rows: Iterable[tuple[int, str, str, str | None, str, str]]) -> None:
        """Adds or replaces documents: number, part, hash of the row, hash of the text, card, what is shown."""
        kept = list(rows)
        listed = [(number, part, row_hash, text_hash, shown) for number, part, row_hash, text_hash, _, shown in kept]
        self.base.executemany("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?)", listed)
        self.base.executemany("INSERT OR REPLACE INTO cards VALUES (?, ?)", [(row[0], row[4]) for row in kept])

    def put_vectors(self, numbers: Sequence[int], vectors: Floats16) -> None:
        """Adds or replaces vectors."""
        pairs = ((number, vector.tobytes()) for number, vector in zip(numbers, vectors, strict=True))
        self.base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", pairs)

    def drop(self, numbers: Iterable[int]) -> None:
        """Removes documents, their vectors, and their waiting for one."""
        listed = _listed(numbers)
        for table in ("documents", "cards", "vectors", "waiting"):
            self.base.execute(f"DELETE FROM {table} WHERE number IN ({listed})")

    def count(self, words: Mapping[str, int]) -> None:
        """Adds to the number of documents of each word; a word that is in none is forgotten."""
        add = "INSERT INTO words VALUES (?, ?) ON CONFLICT (word) DO UPDATE SET documents = documents + excluded.documents"
        self.base.executemany(add, sorted((word, number) for word, number in words.items() if number))
        gone = sorted((word,) for word, number in words.items() if number < 0)
        self.base.executemany("DELETE FROM words WHERE word = ? AND documents <= 0", gone)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """All changes inside reach the file together, or none does; inside another such block, with that one's."""
        if self.base.in_transaction:
            yield
            return
        self.base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.base.execute("ROLLBACK")
            raise
        self.base.execute("COMMIT")

    def close(self) -> None:
        """Lets go of the file."""
        self.base.close()


def create_rows(folder: Path) -> Rows:
    """A new file for a generation that nobody reads yet: without a journal, since a crash leaves the generation unused."""
    base = sqlite3.connect(folder / NAME, isolation_level=None)
    made = f"{TABLES} {index_state.TABLES}"
    base.executescript(f"PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {CACHE}; {made}")
    base.execute("BEGIN")  # until `finish_rows`: a commit after each row would be most of the work
    return Rows(base)


def finish_rows(rows: Rows) -> None:
    """Ends the making of a new file."""
    rows.base.executescript(INDEXES)  # commits first
    rows.base.execute("PRAGMA synchronous = FULL")
    rows.base.execute("PRAGMA journal_mode = DELETE")


def open_rows(folder: Path, is_writing: bool = False) -> Rows:
    """The file of a generation.

    Raises:
        sqlite3.Error: when it is not there or cannot be opened.
    """
    # Readers open it for writing too when they may: only so can they undo what a killed writer left half done.
    base = sqlite3.connect(
        f"{(folder / NAME).as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=WAIT_S, check_same_thread=False
    )
    base.execute(CACHE if is_writing else "PRAGMA query_only = 1")
    base.execute("PRAGMA secure_delete = 1")  # what was forgotten is overwritten, not only unlinked
    base.execute("SELECT 1 FROM cards LIMIT 1").fetchone()
    return Rows(base)


def matrix_of(vectors: Mapping[int, bytes], numbers: Sequence[int], dimensions: int) -> npt.NDArray[np.float32]:
    """The vectors of these documents in this order; zeros where there is none."""
    none = bytes(2 * dimensions)
    flat = np.frombuffer(b"".join([vectors.get(number, none) for number in numbers]), dtype=np.float16)
    return flat.reshape(-1, dimensions).astype(np.float32)


def nearest(vectors: Mapping[int, bytes], numbers: Sequence[int], vector: npt.NDArray[np.float32], limit: int) -> list[int]:
    """Those of these documents whose vectors are nearest to this one, nearest first."""
    near = matrix_of(vectors, numbers, len(vector)) @ vector
    return [numbers[place] for place in np.argsort(-near, kind="stable")[:limit]]


def _given(numbers: Iterable[int]) -> tuple[str]:
    return (orjson.dumps(sorted(numbers)).decode(),)


def _listed(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))
