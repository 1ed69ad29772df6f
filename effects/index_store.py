"""Where the search index lies: `LAKE/_index/manifest.json` names a generation folder with two LanceDB tables and word counts.

`documents` has the text and its words (full-text index), `vectors` the vectors that exist so far, by the same key: a vector
that comes later is an added row instead of a rewritten document. The manifest is replaced last, so that a reader sees the
old generation or the new one, and a crash leaves work that the next run does again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from effects.errors import RecollectError
from effects.files import replace_file
from effects.lake import Lake
from effects.lance_reader import Reader, open_reader

VERSION = 2
"""Raise it when documents are made differently: every index is then built anew."""


class IndexMissing(RecollectError):
    """There is no usable search index; recall reads the lake instead, by words only."""

    code = "index_missing"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in the index. `parts` has a fingerprint of the Parquet files that each part was made from."""

    version: int
    generation: str
    model: str
    parts: dict[str, str]
    embeddings: str = ""
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
        manifest = Manifest(**json.loads(path.read_bytes()))
    except FileNotFoundError as error:
        raise IndexMissing("there is no search index yet", "recollect nightly, or `recollect rebuild index`") from error
    except (OSError, ValueError, TypeError) as error:
        raise IndexMissing(f"the search index cannot be read: {error}", "recollect rebuild index") from error
    if manifest.version != VERSION:
        raise IndexMissing("the search index was made by another version", "recollect rebuild index")
    return manifest


def write_manifest(lake: Lake, manifest: Manifest) -> None:
    """Makes this generation the one that readers see."""
    replace_file(index_folder(lake) / "manifest.json", json.dumps(asdict(manifest), sort_keys=True, indent=1).encode())


def open_tables(folder: Path) -> tuple[Any, Any | None]:
    """The `documents` table of a generation, and its `vectors` table when it has one.

    Raises:
        IndexMissing: when LanceDB is not installed or the tables cannot be opened.
    """
    try:
        import lancedb
    except ImportError as error:
        raise IndexMissing(f"LanceDB cannot be imported: {error}", "make setup") from error
    if not folder.is_dir():
        raise IndexMissing("the search index is not there any more", "recollect rebuild index")
    try:
        base = lancedb.connect(str(folder))
        names = set(base.list_tables().tables)
        return base.open_table("documents"), base.open_table("vectors") if "vectors" in names else None
    except Exception as error:  # LanceDB raises RuntimeError, ValueError, OSError and its own classes for broken files
        raise IndexMissing(f"the search index cannot be opened: {str(error)[:200]}", "recollect rebuild index") from error


def open_readers(folder: Path) -> tuple[Reader, Reader | None]:
    """The same two tables, for reading only and without the seconds that importing LanceDB as a whole takes.

    Raises:
        IndexMissing: when LanceDB is not installed or the tables cannot be opened.
    """
    if not folder.is_dir():
        raise IndexMissing("the search index is not there any more", "recollect rebuild index")
    try:
        has_vectors = (folder / "vectors.lance").is_dir()
        return open_reader(folder, "documents"), open_reader(folder, "vectors") if has_vectors else None
    except ImportError as error:
        raise IndexMissing(f"LanceDB cannot be imported: {error}", "make setup") from error
    except Exception as error:  # LanceDB raises RuntimeError, ValueError, OSError and its own classes for broken files
        raise IndexMissing(f"the search index cannot be opened: {str(error)[:200]}", "recollect rebuild index") from error


def word_frequency(folder: Path, words: tuple[str, ...]) -> dict[str, int]:
    """In how many documents each of these words occurs."""
    found = pl.scan_parquet(folder / "words.parquet").filter(pl.col("word").is_in(list(words))).collect()
    return dict(found.iter_rows())


def quoted(values: list[str]) -> str:
    """A list of strings for an SQL `IN`."""
    return "(" + ",".join("'" + value.replace("'", "''") + "'" for value in values) + ")"
