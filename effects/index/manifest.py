"""The manifest of the search index: `LAKE/_index/manifest.json` names the folder of the generation that readers open.

A generation has two LanceDB tables: `documents` with the words (full-text index) and `vectors` with the vectors that exist so
far, by the same number, so that a later vector is an added row instead of a rewritten document. Each has a small table for recent
rows (`effects/index/lance_writer.py`). `rows.sqlite` has the columns that a question reads of its candidates
(`effects/index/record_store.py`) and the state of the lake that is indexed (`effects/index/index_state.py`). The manifest is
replaced last: a reader sees the old generation or the new one, and the next run repeats the work that a crash interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from effects.config.paths import advise_on_libraries
from effects.index.lance_reader import LanceReader, open_lance_reader
from effects.index.record_store import RecordStore, open_record_store
from effects.store.lake import Lake
from effects.system.errors import RecollectError, word_cause
from effects.system.files import replace_file

SEARCHED_TABLES, NEWEST_DAYS = ("entries", "observations", "segments"), 3
INDEX_VERSION = 23
"""Raise it when documents are made differently, so that every index is rebuilt."""
ANSWERS_SINCE = 15
"""The earliest version whose index answers until a night has built it anew: its columns are the first ones of today's. Raise it
to `INDEX_VERSION` when a column moves or goes, or when nobody may see a document of before any more."""


class IndexMissing(RecollectError):
    """There is no usable search index; recall reads the lake instead, by words only."""

    code = "index_missing"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The facts about an index that a question needs."""

    version: int
    generation: str
    model: str
    document_count: int = 0
    mean_words: float = 1.0
    projects: list[str] = field(default_factory=list)
    fresh_as_of: str | None = None


def find_index_folder(lake: Lake) -> Path:
    """Return the folder of the index inside the lake."""
    return lake.root / "_index"


def read_manifest(lake: Lake) -> Manifest:
    """Return the manifest of a lake's index, which this version may write.

    Raises:
        IndexMissing: when there is none, it cannot be read, or it belongs to another version.
    """
    return _read_manifest(lake, INDEX_VERSION)


def read_answering_manifest(lake: Lake) -> Manifest:
    """Return the manifest of an index to read from: also of one that an earlier version made, whose columns are known.

    Raises:
        IndexMissing: when there is none, it cannot be read, or its columns are not known.
    """
    return _read_manifest(lake, ANSWERS_SINCE)


def _read_manifest(lake: Lake, first_version: int) -> Manifest:
    path = find_index_folder(lake) / "manifest.json"
    try:
        manifest = json.loads(path.read_bytes())
        if not first_version <= manifest["version"] <= INDEX_VERSION:
            raise IndexMissing("the search index was made by another version", "recollect rebuild index")
        return Manifest(**manifest)
    except FileNotFoundError as error:
        raise IndexMissing("there is no search index yet", "recollect nightly, or `recollect rebuild index`") from error
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise IndexMissing(f"the search index cannot be read: {word_cause(error)}", "recollect rebuild index") from error


def write_manifest(lake: Lake, manifest: Manifest) -> None:
    """Make a generation the one that readers open."""
    replace_file(find_index_folder(lake) / "manifest.json", json.dumps(asdict(manifest), sort_keys=True, indent=1).encode())


def open_readers(folder: Path) -> tuple[LanceReader, LanceReader | None, RecordStore]:
    """Open the documents, the vectors (None without any) and the records of a generation, for reading only.

    Raises:
        IndexMissing: when a library is not installed or a file cannot be opened.
    """
    with convert_open_errors(folder):
        vectors = open_lance_reader(folder, "vectors") if has_vectors(folder) else None
        return open_lance_reader(folder, "documents"), vectors, open_record_store(folder)


def find_index_fault(folder: Path) -> str:
    """Read a whole generation and return its fault; empty when every document is found.

    Raises:
        IndexMissing: when a file cannot be opened or read.
    """
    documents, vectors, store = open_readers(folder)
    try:
        with convert_open_errors(folder):
            stored = set(store.read_all_numbers())
            documents.search_words("a", "", 1)
            numbers = documents.read_all_numbers()
            if vectors is not None:
                vectors.read_all_numbers()
    finally:
        store.close()
    return "" if stored == numbers else f"{len(stored ^ numbers)} of {len(stored)} documents differ between its files"


def is_stale(lake: Lake) -> bool:
    """Return whether a file of the lake's newest days is newer than the index; reads no file."""
    try:
        written_at = (find_index_folder(lake) / "manifest.json").stat().st_mtime_ns
        days = [day for table in SEARCHED_TABLES for day in sorted((lake.root / table).glob("day=*"))[-NEWEST_DAYS:]]
        return any(path.stat().st_mtime_ns > written_at for day in days for path in day.glob("*.parquet"))
    except OSError:  # a writer is replacing files this very moment
        return True


def has_vectors(folder: Path) -> bool:
    """Return whether a generation has vectors."""
    return (folder / "vectors.lance").is_dir()


def quote_sql_list(values: list[str]) -> str:
    """Return strings as the bracketed list of an SQL `IN`, with their quotation marks escaped."""
    return "(" + ",".join("'" + value.replace("'", "''") + "'" for value in values) + ")"


@contextmanager
def convert_open_errors(folder: Path) -> Iterator[None]:
    """Raise each error of opening a generation as `IndexMissing`."""
    if not folder.is_dir():
        raise IndexMissing("the search index is not there any more", "recollect rebuild index")
    try:
        yield
    except ImportError as error:
        raise IndexMissing(f"pylance cannot be imported: {error}", advise_on_libraries()) from error
    except Exception as error:  # LanceDB and SQLite each raise many classes for broken files
        raise IndexMissing(f"the search index cannot be opened: {str(error)[:200]}", "recollect rebuild index") from error
