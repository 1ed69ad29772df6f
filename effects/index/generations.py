"""Where the search index lies: `LAKE/_index/manifest.json` names a generation folder with LanceDB tables and a SQLite file.

`documents` has the words (full-text index), `vectors` the vectors that exist so far, by the same number: a vector that comes
later is an added row instead of a rewritten document. Each has a small table for new rows beside it (`effects/index/lance_tables.py`).
`rows.sqlite` has what a question reads of the documents that were found in them (`effects/index/record_store.py` says why), and what was
taken in of the lake (`effects/index/index_state.py`). The manifest is replaced last, so that a reader sees the old generation
or the new one, and a crash leaves work that the next run does again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from effects.index.lance_reader import LanceReader, open_lance_reader
from effects.index.record_store import Rows, open_rows
from effects.store.lake import Lake
from effects.system.errors import RecollectError
from effects.system.files import replace_file

SEARCHED, NEWEST_DAYS = ("entries", "observations", "segments"), 3
VERSION = 7
"""Raise it when documents are made differently: every index is then built anew."""


class IndexMissing(RecollectError):
    """There is no usable search index; recall reads the lake instead, by words only."""

    code = "index_missing"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in the index, as far as a question needs to know; `effects/index/index_state.py` has what it was made from."""

    version: int
    generation: str
    model: str
    document_count: int = 0
    mean_words: float = 1.0
    projects: list[str] = field(default_factory=list)
    fresh_as_of: str | None = None


def index_folder(lake: Lake) -> Path:
    """The folder of the index inside the lake."""
    return lake.root / "_index"


def read_manifest(lake: Lake) -> Manifest:
    """The manifest.

    Raises:
        IndexMissing: when there is none, it cannot be read, or it belongs to another version.
    """
    path = index_folder(lake) / "manifest.json"
    try:
        told = json.loads(path.read_bytes())
        if told["version"] != VERSION:
            raise IndexMissing("the search index was made by another version", "recollect rebuild index")
        return Manifest(**told)
    except FileNotFoundError as error:
        raise IndexMissing("there is no search index yet", "recollect nightly, or `recollect rebuild index`") from error
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise IndexMissing(f"the search index cannot be read: {error}", "recollect rebuild index") from error


def write_manifest(lake: Lake, manifest: Manifest) -> None:
    """Makes this generation the one that readers see."""
    replace_file(index_folder(lake) / "manifest.json", json.dumps(asdict(manifest), sort_keys=True, indent=1).encode())


def open_readers(folder: Path) -> tuple[LanceReader, LanceReader | None, Rows]:
    """The same two tables and the rows, for reading only and without the seconds that importing LanceDB as a whole takes.

    Raises:
        IndexMissing: when LanceDB is not installed or the tables cannot be opened.
    """
    with opening(folder):
        vectors = open_lance_reader(folder, "vectors") if has_vectors(folder) else None
        return open_lance_reader(folder, "documents"), vectors, open_rows(folder)


def is_stale(lake: Lake) -> bool:
    """Whether something was written to the newest days of the lake after the index: seen from times of files, without reading."""
    try:
        made = (index_folder(lake) / "manifest.json").stat().st_mtime_ns
        days = [day for table in SEARCHED for day in sorted((lake.root / table).glob("day=*"))[-NEWEST_DAYS:]]
        return any(path.stat().st_mtime_ns > made for day in days for path in day.glob("*.parquet"))
    except OSError:  # a writer is replacing files this very moment
        return True


def has_vectors(folder: Path) -> bool:
    """Whether any vector was ever added to this generation."""
    return (folder / "vectors.lance").is_dir()


def quoted(values: list[str]) -> str:
    """A list of strings for an SQL `IN`."""
    return "(" + ",".join("'" + value.replace("'", "''") + "'" for value in values) + ")"


@contextmanager
def opening(folder: Path) -> Iterator[None]:
    """Says of whatever goes wrong while a generation is opened that there is no usable index."""
    if not folder.is_dir():
        raise IndexMissing("the search index is not there any more", "recollect rebuild index")
    try:
        yield
    except ImportError as error:
        raise IndexMissing(f"LanceDB cannot be imported: {error}", "make setup") from error
    except Exception as error:  # LanceDB and SQLite each raise many classes for broken files
        raise IndexMissing(f"the search index cannot be opened: {str(error)[:200]}", "recollect rebuild index") from error
