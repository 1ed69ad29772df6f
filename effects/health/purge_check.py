"""Proves a purge: reads every table, the search index and every file back and looks for the words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from effects.index.lance_writer import open_tables, read_columns
from effects.index.manifest import IndexMissing, find_index_folder, read_answering_manifest
from effects.index.record_store import open_record_store
from effects.memory.forget_targets import ForgetScope
from effects.memory.purge import FREE_TEXT, JSON_VALUES, LIST_TEXT
from effects.store.open_purges import PURGES_FILE, close_purge
from effects.store.run import Counts, Run
from effects.system.errors import LakeError
from transforms.forgetting.retellings import compile_forgotten
from transforms.forgetting.scrub_text import has_words, scrub_strings
from transforms.language.tokenizer import tokenize
from transforms.pages.page_names import shorten_project
from transforms.patterns.late_pattern import compile_late
from transforms.recall.ranking_record import parse_reader_columns
from transforms.tables.schema import TABLES

_BETWEEN_TEXTS = compile_late(r"[\x00-\x08\x0e-\x1b\ufffd]+")
"""What stands in a file of SQLite between the texts: read as one they take a hundred times as long."""


def check_purged(run: Run, scope: ForgetScope) -> Counts:
    """Return how many rows and files were read; `names` counts the names of paths and projects that have the words, once each.

    Raises:
        LakeError: when something still has the words.
    """
    pattern = compile_forgotten(scope.texts, scope.is_match)
    if pattern is None:
        close_purge(run.lake, scope.reason)
        return {"rows_read": 0, "files_read": 0}
    files = [path for root in (run.lake.root, run.settings.workspace) for path in sorted(root.rglob("*")) if path.is_file()]
    files = [path for path in files if path != run.lake.root / PURGES_FILE]  # it goes when this check has passed
    tables = [(table, path) for table in TABLES for path in run.lake.list_files(table)]
    rows_read, names, places_left = 0, set[str](), list[str]()
    for done, (table, path) in enumerate(tables, 1):
        words = [*FREE_TEXT.get(table, ()), *LIST_TEXT.get(table, ())]
        rows = pl.read_parquet(path, hive_partitioning=False)
        rows_read += rows.height
        own = [name for name in JSON_VALUES.get(table, ()) if name in rows.columns]
        is_left = any(raw != scrub_strings(raw, pattern) for name in own for raw in rows[name])
        places_left += [str(path)] if is_left or _find_values(rows, pattern, words) else []
        names |= _find_values(rows, pattern, [name for name in rows.columns if name not in words])
        run.progress("files", done, len(tables) + len(files))
    is_in_index, others = _read_index(run, scope.texts, pattern)
    places_left += ["the search index"] if is_in_index else []
    others += _list_forms(names, pattern)
    for done, path in enumerate(files, len(tables) + 1):  # SQLite and Markdown are not compressed; the rest was read above
        is_read = path.suffix == ".parquet" or "_index" in path.parts
        if not is_read or path.suffix == ".sqlite":
            places_left += [str(path)] if _is_in_file(path, others, pattern) else []
        run.progress("files", done, len(tables) + len(files))
    if places_left:
        raise LakeError(
            f"{len(places_left)} places still contain the purged words; the first is {places_left[0]}", "recollect doctor"
        )
    close_purge(run.lake, scope.reason)
    return {"rows_read": rows_read, "files_read": len(files), "names": len(names)}


def _list_forms(names: Iterable[str], pattern: re.Pattern[str]) -> list[str]:
    """Return the names that have the words, as they are stored and as pages show them, the longest first: they stay."""
    forms = {form for name in names for form in (name, shorten_project(name), *name.split("/")) if has_words(form, pattern)}
    return sorted(forms, key=lambda form: (-len(form), form))


def _is_in_file(path: Path, others: Iterable[str], pattern: re.Pattern[str]) -> bool:
    """Whether a file has the words elsewhere than in `others`: names that stay, and words of the index that other texts have."""
    text = path.read_bytes().decode("utf-8", "replace")
    pieces = _BETWEEN_TEXTS.split(text) if path.suffix == ".sqlite" else [text]
    for piece in pieces:
        rest = piece
        if has_words(rest, pattern):
            for other in others:
                rest = rest.replace(other, "\n")
            if has_words(rest, pattern):
                return True
    return False


def _find_values(rows: pl.DataFrame, pattern: re.Pattern[str], columns: Iterable[str]) -> set[str]:
    """Return the values of some columns that have the words."""
    values = set[str]()
    for name in columns:
        column = rows[name].explode() if rows[name].dtype == pl.List(pl.String) else rows[name]
        if column.dtype == pl.String:
            values |= {text for text in column.unique().to_list() if text and has_words(text, pattern)}
    return values


def _read_index(run: Run, texts: Iterable[str], pattern: re.Pattern[str]) -> tuple[bool, list[str]]:
    """Return whether a document of the index has the words, and the words of the other documents that seem to.

    The index keeps the words of a text without stop words, cut to their stems: "adopt the full preset" looks like "adopt full
    preset" there. Such a document is another one when its own text gives these stems and does not have the words.
    """
    wanted = [f" {' '.join(words)} " for text in texts if (words := tokenize(text))]
    others: list[str] = []
    try:
        folder = find_index_folder(run.lake) / read_answering_manifest(run.lake).generation
        tables, store = open_tables(folder), open_record_store(folder)
    except IndexMissing:  # nothing was indexed yet
        return False, others
    try:
        for table in (tables.documents, tables.recent_documents):
            documents = read_columns(table, ["number", "words"])
            alike = {
                number: words
                for number, words in zip(documents["number"].to_list(), documents["words"].to_list(), strict=True)
                if any(part in f" {words} " for part in wanted)
            }
            shown = {number: parse_reader_columns(raw)["text"] for number, raw in store.read_reader_columns(alike).items()}
            for number, words in alike.items():
                text = shown.get(number, "")
                stems = f" {' '.join(tokenize(text))} "
                if has_words(text, pattern) or not any(part in stems for part in wanted if part in f" {words} "):
                    return True, others
                others.append(words)
    finally:
        store.close()
    return False, others
