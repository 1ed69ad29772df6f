"""Proves a purge: reads every table, the search index and every file back and looks for the words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from effects.index.lance_writer import open_tables, read_columns
from effects.index.manifest import IndexMissing, find_index_folder, read_answering_manifest
from effects.memory.forget_targets import ForgetScope
from effects.memory.purge import FREE_TEXT, JSON_VALUES, LIST_TEXT
from effects.store.open_purges import PURGES_FILE, close_purge
from effects.store.run import Counts, Run
from effects.system.errors import LakeError
from transforms.forgetting.scrub_text import compile_words, has_words, scrub_strings
from transforms.language.tokenizer import tokenize
from transforms.pages.page_names import shorten_project
from transforms.tables.schema import TABLES

MIN_INDEX_WORDS = 3
"""Fewer words in a row may stand in the index because another text has them too."""


def check_purged(run: Run, scope: ForgetScope) -> Counts:
    """Return how many rows and files were read; `names` counts the names of paths, projects and counts that have the
    words, each once.

    Raises:
        LakeError: when something still has the words.
    """
    pattern = compile_words(scope.texts)
    if pattern is None:
        close_purge(run.lake, scope.reason)
        return {"rows_read": 0, "files_read": 0}
    rows_read, names, places_left = 0, set[str](), list[str]()
    for table in TABLES:
        words = [*FREE_TEXT.get(table, ()), *LIST_TEXT.get(table, ())]
        for path in run.lake.list_files(table):
            rows = pl.read_parquet(path, hive_partitioning=False)
            rows_read += rows.height
            own = [name for name in JSON_VALUES.get(table, ()) if name in rows.columns]
            is_left = any(raw != scrub_strings(raw, pattern) for name in own for raw in rows[name])
            places_left += [str(path)] if is_left or _find_values(rows, pattern, words) else []
            names |= _find_values(rows, pattern, [name for name in rows.columns if name not in words])
    places_left += ["the search index"] if _is_in_index(run, scope.texts) else []
    forms = _list_forms(names, pattern)
    files = [path for root in (run.lake.root, run.settings.workspace) for path in sorted(root.rglob("*")) if path.is_file()]
    files = [path for path in files if path != run.lake.root / PURGES_FILE]  # it goes when this check has passed
    for path in files:  # SQLite and Markdown are not compressed; Parquet and LanceDB were read above
        is_read = path.suffix == ".parquet" or "_index" in path.parts
        if (not is_read or path.suffix == ".sqlite") and _has_more_than_names(path, pattern, forms):
            places_left.append(str(path))
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


def _has_more_than_names(path: Path, pattern: re.Pattern[str], forms: Iterable[str]) -> bool:
    """Whether a file has the words elsewhere than in a name of a project or path."""
    text = path.read_bytes().decode("utf-8", "replace")
    if not has_words(text, pattern):
        return False
    for form in forms:
        text = text.replace(form, "\n")
    return has_words(text, pattern)


def _find_values(rows: pl.DataFrame, pattern: re.Pattern[str], columns: Iterable[str]) -> set[str]:
    """Return the values of some columns that have the words."""
    values = set[str]()
    for name in columns:
        column = rows[name].explode() if rows[name].dtype == pl.List(pl.String) else rows[name]
        if column.dtype == pl.String:
            values |= {text for text in column.unique().to_list() if text and has_words(text, pattern)}
    return values


def _is_in_index(run: Run, texts: Iterable[str]) -> bool:
    """Whether a document of the index has the words of a text in a row. LanceDB keeps words, cut to their stems."""
    wanted = [f" {' '.join(words)} " for text in texts if len(words := tokenize(text)) >= MIN_INDEX_WORDS]
    try:
        tables = open_tables(find_index_folder(run.lake) / read_answering_manifest(run.lake).generation)
    except IndexMissing:  # nothing was indexed yet
        return False
    for table in (tables.documents, tables.recent_documents):
        for words in read_columns(table, ["words"])["words"]:
            if any(part in f" {words} " for part in wanted):
                return True
    return False
