"""Count secrets that redaction missed, in every text of the lake, of the search index and of the pages.

Polars finds the few texts worth a look, in the texts of many columns and pages at once: a search of few texts costs as much as
one of thousands. A part in which nothing was found is searched again when it changes, or the rules do. Commands, tables, blocks
and lists count too, on a page also over its lines. Redacted text does not change when it is redacted again, so any
further redaction by the rules of today is a secret.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from effects.index.manifest import IndexMissing, convert_open_errors, find_index_folder, read_answering_manifest
from effects.index.record_store import open_record_store
from effects.store.content_key import read_checksum
from effects.store.lake import Lake
from effects.store.progress_meter import Advance
from effects.store.table_files import scan_files
from transforms.pages.marked_blocks import drop_mark_hashes
from transforms.reading.secret_prefilter import find_secret_candidates
from transforms.redaction.context import STRUCTURES
from transforms.redaction.formats.stored_secrets import find_rows_with_secrets
from transforms.redaction.redact import redact_value
from transforms.tables.definition import Table
from transforms.tables.ids import hash_fields, hash_text
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

MB = 1_000_000
PART = "searched_part"
"""Column of the part in which a text stands."""
INDEX_PART, PAGE_PART = "index/{}", "page/{}"
"""Names of parts that are no file of a table."""

PAGE_SUFFIXES = (".md", ".new", ".json")


@dataclass(frozen=True, slots=True)
class PlacedTexts:
    """Texts of a column or of a page, and the same texts as JSON; the two are one where the texts are JSON. `parts` are
    those in which they stand: files of tables, parts of the index, pages."""

    place: str
    texts: pl.Series
    json: pl.Series
    parts: pl.Series


def count_secrets(
    lake: Lake,
    workspace: Path,
    stored: Mapping[str, str],
    clean: dict[str, str] | None,
    salt: str,
    advance: Advance,
) -> Counter[str]:
    """Return the number of texts that hold something like a secret, by place: `entries.text`, `index`, or a page's path.

    `stored` are secrets that are known from files made for them, with their placeholders; `salt` changes when they do. `clean`
    has the keys of the parts in which a former scan by the same rules found nothing: those that are still so are not searched
    again. It is brought up to date. `advance` hears how much was searched.
    """
    known = {} if clean is None else clean
    pages = _read_page_texts(workspace)
    keys = {part: hash_fields(salt, key) for part, key in chain(_key_tables(lake), _key_index(lake), _key_pages(pages))}
    due = {part for part, key in keys.items() if known.get(part) != key}
    pages = {name: text for name, text in pages.items() if PAGE_PART.format(name) in due}
    counts: Counter[str] = Counter()
    refuted: set[str] = set()
    searched = 0
    for pieces in _join_pieces(chain(_read_tables(lake, due), _read_index(lake, due), _place_lines(pages))):
        advance(f"{searched // MB} MB of text searched for secrets")
        for place, part in _find_secrets(pieces, stored):
            counts[place] += 1
            refuted.add(part)
        searched += sum(int(piece.json.estimated_size()) for piece in pieces)
    counts.update(name for name in _find_structured_pages(pages) if name not in counts)
    if clean is not None:
        refuted.update(PAGE_PART.format(name) for name in pages if name in counts)
        clean.clear()
        clean.update((part, key) for part, key in keys.items() if part not in refuted)
    return counts


def _key_tables(lake: Lake) -> Iterator[tuple[str, str]]:
    """Yield each file of the tables with its key, as `entries/day=2026-05-01/data.parquet`."""
    for table in TABLES.values():
        for path in lake.list_files(table.name):
            info = path.stat()
            key = read_checksum(str(path), (info.st_ino, info.st_size, info.st_mtime_ns))
            yield path.relative_to(lake.root).as_posix(), key


def _key_index(lake: Lake) -> Iterator[tuple[str, str]]:
    """Yield each part of the index with its key, that of its texts, as `index/entries/2026-05-01`."""
    for part, rows in groupby(chain.from_iterable(_iterate_index(lake)), key=itemgetter(0)):
        digest = blake2b(digest_size=16)
        for _, text in rows:
            digest.update(blake2b(text.encode(), digest_size=16).digest())
        yield INDEX_PART.format(part), digest.hexdigest()


def _key_pages(pages: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each page with its key, as `page/memory/2026-05-01.md`."""
    for name, text in pages.items():
        yield PAGE_PART.format(name), hash_text(text)


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


def _find_secrets(pieces: list[PlacedTexts], stored: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield place and part of each text with a secret."""
    starts = list(accumulate((len(piece.texts) for piece in pieces), initial=0))
    json = pl.concat([piece.json for piece in pieces])
    known = set(find_rows_with_secrets(json, stored))
    candidates = find_secret_candidates(json)
    for row in sorted({*candidates, *known}):
        number = bisect_right(starts, row) - 1
        piece, at = pieces[number], row - starts[number]
        if row in known or _has_secret(piece.texts[at], piece.texts is piece.json, *candidates[row]):
            yield piece.place, piece.parts[at]


def _has_secret(text: str, is_json: bool, shapes: int, assigned: int) -> bool:
    value = orjson.loads(text) if is_json else text
    return redact_value(value, False, shapes, assigned)[1] > 0


def _read_tables(lake: Lake, due: Collection[str]) -> Iterator[PlacedTexts]:
    for table in TABLES.values():
        columns = _list_text_columns(table)
        due_files = [path for path in lake.list_files(table.name) if path.relative_to(lake.root).as_posix() in due]
        for files in _group_files(due_files):
            parts = {str(path): path.relative_to(lake.root).as_posix() for path in files}
            frame = scan_files(files, table, PART).with_columns(pl.col(PART).replace_strict(parts, return_dtype=pl.String))
            is_small = sum(path.stat().st_size for path in files) <= SMALL_BYTES
            for names in [columns] if is_small else [[column] for column in columns]:
                texts = frame.select(*names, PART).collect()
                for name in names:
                    if (table.name, name) == PAGE_COLUMN:
                        texts = texts.with_columns(pl.col(name).map_elements(drop_mark_hashes, pl.String))
                    yield _place_texts(f"{table.name}.{name}", texts[name], texts[PART], is_json=name in JSON_COLUMNS)


def list_secret_entries(lake: Lake, stored: Mapping[str, str]) -> list[str]:
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


def _place_texts(place: str, texts: pl.Series, parts: pl.Series, is_json: bool = False) -> PlacedTexts:
    frame = texts.alias("text").to_frame().with_columns(parts.alias(PART))
    if isinstance(texts.dtype, pl.List):
        frame = frame.explode("text", empty_as_null=True)
    frame = frame.drop_nulls("text")
    return PlacedTexts(place, texts := frame["text"], texts if is_json else _encode(texts), frame[PART])


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


def _read_index(lake: Lake, due: Collection[str]) -> Iterator[PlacedTexts]:
    for rows in _iterate_index(lake) if any(part.startswith(INDEX_PART.format("")) for part in due) else ():
        due_rows = [(name, text) for part, text in rows if (name := INDEX_PART.format(part)) in due]
        names, texts = ([row[at] for row in due_rows] for at in (0, 1))
        yield _place_texts("index", pl.Series("text", texts, pl.String), pl.Series(PART, names, pl.String))


def _iterate_index(lake: Lake) -> Iterator[list[tuple[str, str]]]:
    """Yield the part and the text of each document of the index, in batches and in the order of their parts."""
    try:
        folder = find_index_folder(lake) / read_answering_manifest(lake).generation
        with convert_open_errors(folder):
            rows = open_record_store(folder)
    except IndexMissing:  # the check of the index reports it
        return
    try:
        yield from rows.iterate_texts(INDEX_TEXTS)
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
        lines = pl.Series("text", text.split("\n"), pl.String)
        yield _place_texts(name, lines, pl.Series(PART, [PAGE_PART.format(name)] * len(lines), pl.String))


def _find_structured_pages(pages: Mapping[str, str]) -> Iterator[str]:
    """Yield the pages whose lines hold a secret together: a table, a block or a list."""
    names = list(pages)
    for place, (_, assigned) in find_secret_candidates(_encode(pages.values())).items():
        if assigned & STRUCTURES and _has_secret(pages[names[place]], False, 0, STRUCTURES):
            yield names[place]


def _list_pages(workspace: Path) -> list[Path]:
    paths = workspace.rglob("*") if workspace.is_dir() else ()
    return sorted(path for path in paths if path.suffix in PAGE_SUFFIXES and path.is_file())
