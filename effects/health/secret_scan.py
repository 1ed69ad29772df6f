"""Secrets that slipped through: every text of the lake, the search index and the pages, judged by the rules of today.

Rust finds the few texts worth a look; what was redacted before stays as it is, so any further redaction is a finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson
import polars as pl

from effects.index.generations import IndexMissing, index_folder, opening, read_manifest
from effects.index.record_store import open_rows
from effects.store.lake import Lake
from effects.store.table_files import scan_files
from transforms.reading.secret_prefilter import find_secret_candidates
from transforms.redaction.redact import redact_value
from transforms.tables.schema import TABLES

NAMES_ONLY = frozenset({"source_path", "path", "text_hash", "content_hash", "session_hash", "template_hash", "prefix_hash"})
"""Columns that name things by paths and hashes of ours."""

PORTION_BYTES = 20_000_000
"""Of Parquet: a hundred megabytes of text."""

TEXTS = 20_000
"""Of the index, at once: ten megabytes."""

PAGE_SUFFIXES = (".md", ".new", ".json")


def leaks(lake: Lake, workspace: Path) -> Counter[str]:
    """How many texts hold something like a secret, by place (`entries.text`, `index`, a page's path)."""
    found = Counter(_in_tables(lake))
    found.update(_in_index(lake))
    found.update(_in_pages(workspace))
    return found


def _in_tables(lake: Lake) -> Iterator[str]:
    for name, table in TABLES.items():
        texts = [name for name, column in table.columns.items() if column.value_type is str]
        for files in _portions(lake.files(name)):
            frame = scan_files(files, table)
            for column in texts:
                if column not in NAMES_ONLY and not column.endswith("_id"):
                    chosen = frame.select(pl.col(column).alias("text"))
                    yield from [f"{name}.{column}"] * _suspicious(chosen, is_json=column == "raw_json")


def _portions(files: list[Path]) -> Iterator[list[Path]]:
    """The files in groups whose texts fit into memory; few groups, because scanning a small file costs as much as a large one."""
    portion: list[Path] = []
    size = 0
    for path in files:
        portion.append(path)
        size += path.stat().st_size
        if size >= PORTION_BYTES:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _suspicious(frame: pl.LazyFrame, is_json: bool = False) -> int:
    if isinstance(frame.collect_schema()["text"], pl.List):
        frame = frame.explode("text", empty_as_null=True)
    texts = frame.drop_nulls().collect()["text"]
    return sum(
        _holds_secret(texts[at], is_json, shapes, assigned) for at, (shapes, assigned) in find_secret_candidates(texts).items()
    )


def _holds_secret(text: str, is_json: bool, shapes: int, assigned: int) -> bool:
    value = orjson.loads(text) if is_json else text
    return redact_value(value, False, shapes, assigned)[1] > 0


def _in_index(lake: Lake) -> Iterator[str]:
    try:
        folder = index_folder(lake) / read_manifest(lake).generation
        with opening(folder):
            rows = open_rows(folder)
    except IndexMissing:  # nothing is indexed: the check of the index says so
        return
    try:
        for texts in rows.texts(TEXTS):
            yield from ["index"] * _suspicious(pl.LazyFrame({"text": texts}, schema={"text": pl.String}))
    finally:
        rows.close()


def _in_pages(workspace: Path) -> Iterator[str]:
    for path in _pages(workspace):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:  # it vanished while we looked
            continue
        yield from [path.relative_to(workspace).as_posix()] * _suspicious(
            pl.LazyFrame({"text": text.split("\n")}, schema={"text": pl.String})
        )


def _pages(workspace: Path) -> Iterable[Path]:
    found = workspace.rglob("*") if workspace.is_dir() else ()
    return sorted(path for path in found if path.suffix in PAGE_SUFFIXES and path.is_file())
