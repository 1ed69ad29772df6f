"""Count secrets that redaction missed, in every text of the lake, of the search index and of the pages.

Polars finds the few texts worth a look; commands, tables, blocks and lists count too, on a page also over its lines.
Redacted text does not change when it is redacted again, so any further redaction by the rules of today is a secret.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from effects.index.manifest import IndexMissing, convert_open_errors, find_index_folder, read_manifest
from effects.index.record_store import open_record_store
from effects.store.lake import Lake
from effects.store.table_files import scan_files
from transforms.reading.secret_prefilter import find_secret_candidates
from transforms.redaction.context import STRUCTURES
from transforms.redaction.redact import redact_value
from transforms.tables.definition import Table
from transforms.tables.schema import TABLES

NAME_COLUMNS = frozenset({"source_path", "path", "text_hash", "content_hash", "session_hash", "template_hash", "prefix_hash"})
"""Columns of paths and hashes that recollect made."""

JSON_COLUMNS = frozenset({"raw_json", "parts"})
"""Columns whose texts are JSON: a name and a value of it are judged, not its quotes."""

PORTION_BYTES = 20_000_000
"""Parquet bytes that are searched at once; their texts take about five times as much memory."""

INDEX_TEXTS = 20_000
"""Texts of the index that are searched at once."""

PAGE_SUFFIXES = (".md", ".new", ".json")


def count_secrets(lake: Lake, workspace: Path) -> Counter[str]:
    """Return the number of texts that hold something like a secret, by place: `entries.text`, `index`, or a page's path."""
    counts: Counter[str] = Counter()
    for place, count in (*_scan_tables(lake), *_scan_index(lake), *_scan_pages(workspace)):
        counts[place] += count
    return +counts


def _scan_tables(lake: Lake) -> Iterator[tuple[str, int]]:
    for table in TABLES.values():
        columns = _list_text_columns(table)
        for files in _group_files(lake.list_files(table.name)):
            frame = scan_files(files, table)
            for column in columns:
                texts = frame.select(pl.col(column).alias("text"))
                yield f"{table.name}.{column}", _count_in_texts(texts, is_json=column in JSON_COLUMNS)


def list_secret_entries(lake: Lake) -> list[str]:
    """Return the entries with something like a secret as `session:entry`, which `recollect forget` takes."""
    found: set[str] = set()
    for files in _group_files(lake.list_files("entries")):
        frame = scan_files(files, TABLES["entries"])
        for column in _list_text_columns(TABLES["entries"]):
            texts = _list_texts(frame.select("session_id", "entry_id", pl.col(column).alias("text")))
            rows = texts[_find_in_texts(texts["text"], column in JSON_COLUMNS)]
            found.update(f"{session}:{entry}" for session, entry in rows.select("session_id", "entry_id").iter_rows())
    return sorted(found)


def _list_text_columns(table: Table[Any]) -> list[str]:
    return [
        name
        for name, column in table.columns.items()
        if column.value_type is str and name not in NAME_COLUMNS and not name.endswith("_id")
    ]


def _group_files(files: list[Path]) -> Iterator[list[Path]]:
    """Yield the files in groups that fit into memory; few groups, because scanning a small file costs as much as a large one."""
    group: list[Path] = []
    size = 0
    for path in files:
        group.append(path)
        size += path.stat().st_size
        if size >= PORTION_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _count_in_texts(frame: pl.LazyFrame, is_json: bool = False) -> int:
    return len(_find_in_texts(_list_texts(frame)["text"], is_json))


def _list_texts(frame: pl.LazyFrame) -> pl.DataFrame:
    """Return the rows of a frame with a text; a list of texts becomes several rows."""
    if isinstance(frame.collect_schema()["text"], pl.List):
        frame = frame.explode("text", empty_as_null=True)
    return frame.drop_nulls("text").collect()


def _find_in_texts(texts: pl.Series, is_json: bool = False) -> list[int]:
    """Return the places of the texts that hold something like a secret."""
    json = texts if is_json else pl.Series("text", map(orjson.dumps, texts), pl.Binary).cast(pl.String)
    return [
        index
        for index, (shapes, assigned) in find_secret_candidates(json).items()
        if _has_secret(texts[index], is_json, shapes, assigned)
    ]


def _has_secret(text: str, is_json: bool, shapes: int, assigned: int) -> bool:
    value = orjson.loads(text) if is_json else text
    return redact_value(value, False, shapes, assigned)[1] > 0


def _scan_index(lake: Lake) -> Iterator[tuple[str, int]]:
    try:
        folder = find_index_folder(lake) / read_manifest(lake).generation
        with convert_open_errors(folder):
            rows = open_record_store(folder)
    except IndexMissing:  # the check of the index reports it
        return
    try:
        for texts in rows.iterate_texts(INDEX_TEXTS):
            yield "index", _count_in_texts(pl.LazyFrame({"text": texts}, schema={"text": pl.String}))
    finally:
        rows.close()


def _scan_pages(workspace: Path) -> Iterator[tuple[str, int]]:
    pages: dict[str, str] = {}
    for path in _list_pages(workspace):
        try:
            pages[path.relative_to(workspace).as_posix()] = path.read_text(encoding="utf-8", errors="replace")
        except OSError:  # it vanished meanwhile
            continue
    structured = _find_structured_pages(list(pages.values()))
    for place, (name, text) in enumerate(pages.items()):
        lines = pl.LazyFrame({"text": text.split("\n")}, schema={"text": pl.String})
        yield name, _count_in_texts(lines) or int(place in structured)


def _find_structured_pages(pages: list[str]) -> set[int]:
    """Return the places of the pages whose lines hold a secret together: a table, a block or a list."""
    candidates = find_secret_candidates(pl.Series("text", map(orjson.dumps, pages), pl.Binary).cast(pl.String))
    return {
        place
        for place, (_, assigned) in candidates.items()
        if assigned & STRUCTURES and _has_secret(pages[place], False, 0, STRUCTURES)
    }


def _list_pages(workspace: Path) -> list[Path]:
    paths = workspace.rglob("*") if workspace.is_dir() else ()
    return sorted(path for path in paths if path.suffix in PAGE_SUFFIXES and path.is_file())
