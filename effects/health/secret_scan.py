"""Count secrets that redaction missed, in every text of the lake, of the search index and of the pages.

Polars finds the few texts worth a look, in the texts of many columns and pages at once: a search of few texts costs as much as
one of thousands. Commands, tables, blocks and lists count too, on a page also over its lines. Redacted text does not change when
it is redacted again, so any further redaction by the rules of today is a secret.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from effects.index.manifest import IndexMissing, convert_open_errors, find_index_folder, read_manifest
from effects.index.record_store import open_record_store
from effects.store.lake import Lake
from effects.store.table_files import scan_files
from transforms.pages.marked_blocks import drop_mark_hashes
from transforms.reading.secret_prefilter import find_secret_candidates
from transforms.redaction.context import STRUCTURES
from transforms.redaction.formats.stored_secrets import find_rows_with_secrets
from transforms.redaction.redact import NO_SECRETS, redact_value
from transforms.tables.definition import Table
from transforms.tables.schema import TABLES

NAME_COLUMNS = frozenset({"source_path", "path", "text_hash", "content_hash", "session_hash", "template_hash", "prefix_hash"})
"""Columns of paths and hashes that recollect made."""

JSON_COLUMNS = frozenset({"raw_json", "parts"})
"""Columns whose texts are JSON: a name and a value of it are judged, not its quotes."""

PORTION_BYTES = 20_000_000
"""Parquet bytes that are searched at once; their texts take about five times as much memory."""

INDEX_TEXTS = 20_000
"""Texts of the index that are read at once."""

JOINED_BYTES, SMALL_BYTES = 8_000_000, 1_000_000
"""JSON that is searched at once, from as many places as it comes; Parquet bytes of which all columns are read at once."""

PAGE_COLUMN = ("pages", "text")
"""The table and the column of whole pages, with recollect's marks in them."""

PAGE_SUFFIXES = (".md", ".new", ".json")


@dataclass(frozen=True, slots=True)
class PlacedTexts:
    """Texts of a column or of a page, and the same texts as JSON; the two are one where the texts are JSON themselves."""

    place: str
    texts: pl.Series
    json: pl.Series


def count_secrets(lake: Lake, workspace: Path, stored: Mapping[str, str] = NO_SECRETS) -> Counter[str]:
    """Return the number of texts that hold something like a secret, by place: `entries.text`, `index`, or a page's path.

    `stored` are secrets that are known from files made for them, with their placeholders.
    """
    counts: Counter[str] = Counter()
    pages = _read_page_texts(workspace)
    for pieces in _join_pieces(chain(_read_tables(lake), _read_index(lake), _place_lines(pages))):
        counts.update(_find_secrets(pieces, stored))
    counts.update(name for name in _find_structured_pages(pages) if name not in counts)
    return counts


def _join_pieces(pieces: Iterable[PlacedTexts]) -> Iterator[list[PlacedTexts]]:
    """Yield the pieces in groups that are searched at once."""
    group: list[PlacedTexts] = []
    size = 0
    for piece in pieces:
        group.append(piece)
        size += int(piece.json.estimated_size())
        if size >= JOINED_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _find_secrets(pieces: list[PlacedTexts], stored: Mapping[str, str]) -> Iterator[str]:
    """Yield the place of each text with a secret."""
    starts = list(accumulate((len(piece.texts) for piece in pieces), initial=0))
    json = pl.concat([piece.json for piece in pieces])
    known = set(find_rows_with_secrets(json, stored))
    candidates = find_secret_candidates(json)
    for row in sorted({*candidates, *known}):
        number = bisect_right(starts, row) - 1
        piece = pieces[number]
        if row in known or _has_secret(piece.texts[row - starts[number]], piece.texts is piece.json, *candidates[row]):
            yield piece.place


def _has_secret(text: str, is_json: bool, shapes: int, assigned: int) -> bool:
    value = orjson.loads(text) if is_json else text
    return redact_value(value, False, shapes, assigned)[1] > 0


def _read_tables(lake: Lake) -> Iterator[PlacedTexts]:
    for table in TABLES.values():
        columns = _list_text_columns(table)
        for files in _group_files(lake.list_files(table.name)):
            frame = scan_files(files, table)
            is_small = sum(path.stat().st_size for path in files) <= SMALL_BYTES
            for names in [columns] if is_small else [[column] for column in columns]:
                texts = frame.select(names).collect()
                for name in names:
                    if (table.name, name) == PAGE_COLUMN:
                        texts = texts.with_columns(pl.col(name).map_elements(drop_mark_hashes, pl.String))
                    yield _place_texts(f"{table.name}.{name}", texts[name], is_json=name in JSON_COLUMNS)


def list_secret_entries(lake: Lake, stored: Mapping[str, str] = NO_SECRETS) -> list[str]:
    """Return the entries with something like a secret, or a stored one, as `session:entry`, which `recollect forget` takes."""
    entries: set[str] = set()
    for files in _group_files(lake.list_files("entries")):
        frame = scan_files(files, TABLES["entries"])
        for column in _list_text_columns(TABLES["entries"]):
            texts = _list_texts(frame.select("session_id", "entry_id", pl.col(column).alias("text")))
            rows = texts[_find_in_texts(texts["text"], column in JSON_COLUMNS, stored)]
            entries.update(f"{session}:{entry}" for session, entry in rows.select("session_id", "entry_id").iter_rows())
    return sorted(entries)


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


def _place_texts(place: str, texts: pl.Series, is_json: bool = False) -> PlacedTexts:
    if isinstance(texts.dtype, pl.List):
        texts = texts.explode(empty_as_null=True)
    texts = texts.drop_nulls().alias("text")
    if is_json:
        return PlacedTexts(place, texts, texts)
    return PlacedTexts(place, texts, _encode(texts))


def _encode(texts: Iterable[str]) -> pl.Series:
    """Return texts as JSON, in which the search for candidates looks."""
    return pl.Series("text", map(orjson.dumps, texts), pl.Binary).cast(pl.String)


def _list_texts(frame: pl.LazyFrame) -> pl.DataFrame:
    """Return the rows of a frame with a text; a list of texts becomes several rows."""
    if isinstance(frame.collect_schema()["text"], pl.List):
        frame = frame.explode("text", empty_as_null=True)
    return frame.drop_nulls("text").collect()


def _find_in_texts(texts: pl.Series, is_json: bool, stored: Mapping[str, str]) -> list[int]:
    """Return the places of the texts that hold something like a secret."""
    json = texts if is_json else _encode(texts)
    known = set(find_rows_with_secrets(json, stored))
    candidates = find_secret_candidates(json).items()
    return sorted(known | {row for row, bits in candidates if row not in known and _has_secret(texts[row], is_json, *bits)})


def _read_index(lake: Lake) -> Iterator[PlacedTexts]:
    try:
        folder = find_index_folder(lake) / read_manifest(lake).generation
        with convert_open_errors(folder):
            rows = open_record_store(folder)
    except IndexMissing:  # the check of the index reports it
        return
    try:
        for texts in rows.iterate_texts(INDEX_TEXTS):
            yield _place_texts("index", pl.Series("text", texts, pl.String))
    finally:
        rows.close()


def _read_page_texts(workspace: Path) -> dict[str, str]:
    """Return the text of each page by its path in the workspace."""
    pages: dict[str, str] = {}
    for path in _list_pages(workspace):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:  # it vanished meanwhile
            continue
        pages[path.relative_to(workspace).as_posix()] = drop_mark_hashes(text)
    return pages


def _place_lines(pages: Mapping[str, str]) -> Iterator[PlacedTexts]:
    for name, text in pages.items():
        yield _place_texts(name, pl.Series("text", text.split("\n"), pl.String))


def _find_structured_pages(pages: Mapping[str, str]) -> Iterator[str]:
    """Yield the pages whose lines hold a secret together: a table, a block or a list."""
    names = list(pages)
    for place, (_, assigned) in find_secret_candidates(_encode(pages.values())).items():
        if assigned & STRUCTURES and _has_secret(pages[names[place]], False, 0, STRUCTURES):
            yield names[place]


def _list_pages(workspace: Path) -> list[Path]:
    paths = workspace.rglob("*") if workspace.is_dir() else ()
    return sorted(path for path in paths if path.suffix in PAGE_SUFFIXES and path.is_file())
