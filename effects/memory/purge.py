"""Purges: removes forgotten text for good from tables, cached answers, logs and pages. `effects.health.purge_check` proves it.

The session files are never written. Their entries keep their places in the lake, so that the reader does not take them for new.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date
from functools import partial
from pathlib import Path

import polars as pl

from effects.engines.call_notes import import_notes
from effects.memory.forget_targets import ForgetScope
from effects.store.forgotten import read_purged
from effects.store.run import Counts, Run, read_count
from effects.store.run_record import leave_out_lines
from effects.system.files import encode_page, read_page, replace_file
from transforms.forgetting.blank_entries import FORGOTTEN_FLAG, blank_rows, flag_rows
from transforms.forgetting.named_documents import TURN
from transforms.forgetting.retellings import compile_forgotten
from transforms.forgetting.row_filter import TASK, TITLE
from transforms.forgetting.scrub_text import compile_words, contains_words, scrub_json, scrub_strings, scrub_text
from transforms.tables.ids import hash_text
from transforms.tables.schema import TABLES
from transforms.tables.session_tables import ENTRY_TEXTS

FREE_TEXT: dict[str, tuple[str, ...]] = {
    "entries": ENTRY_TEXTS,
    "sessions": ("title",),
    "windows": ("current_task", "suggested_response", "reason"),
    "segments": ("title", "narrative"),
    "observations": ("text", "verdict_reason"),
    "distillates": ("text",),
    "proposals": ("text", "old_text", "pattern"),
    "proposal_events": ("text",),
    "memory_lines": ("text",),
    "tombstones": ("text",),
    "pages": ("text",),
    "tasks": ("title", "description", "summary"),
    "task_events": ("text",),
    "model_calls": ("answer", "reason"),
    "quarantine": ("detail",),
    "runs": ("error",),
}
"""Columns that hold words. Paths, projects and names of models are not words: a session file is found by them."""
JSON_VALUES = {"runs": ("counts", "parameters")}
"""Columns of JSON whose strings may hold words; its names are those of steps and counts. Rows of before may hold lines."""
LIST_TEXT = {"distillates": ("parts",), "windows": ("files_read", "files_modified"), "observations": ("files",)}
_KEYS = {"observations": "observation_id", "segments": "segment_id"}


def purge(run: Run, scope: ForgetScope) -> Counts:
    """Remove the rows of the scope from every table; return the number of rows removed or rewritten.

    The distillates were made again before, and pages and index are made again afterwards.
    """
    import_notes(run.lake)
    _scrub_own_sessions(run, scope)
    pattern = compile_forgotten(scope.texts, scope.is_match)
    counts: Counts = {}
    for table, key in _KEYS.items():
        counts[table] = _rewrite(run, table, partial(_drop_named, key=key, targets=sorted(scope.targets)))
    counts["entries"] = _scrub_entries(run, scope, pattern) + read_count(blank_forgotten(run), "blanked")
    counts["answers"] = _rewrite(run, "model_calls", lambda rows: _empty_answers(rows, scope, pattern))
    _rewrite(run, "windows", lambda rows: _empty_columns(rows, scope, TASK, "window_id", ("current_task", "suggested_response")))
    _rewrite(run, "sessions", lambda rows: _empty_columns(rows, scope, TITLE, "session_id", ("title",)))
    _rewrite(run, "proposals", lambda rows: _close_proposals(rows, scope))
    _rewrite(run, "confirmations", partial(_drop_named, key="target", targets=sorted(scope.targets)))
    hashes = sorted({hash_text(text) for text in scope.texts})
    _rewrite(run, "embeddings", lambda rows: rows.filter(~pl.col("text_hash").is_in(hashes)))
    if pattern is not None:
        scrubbed = (name for name in FREE_TEXT if name != "pages")  # a page on disk would differ from its record: a person's edit
        counts["rewritten"] = sum(_rewrite(run, name, partial(_scrub, table=name, pattern=pattern)) for name in scrubbed)
        counts["files"] = _scrub_files(_list_text_files(run), pattern)
    return counts


def blank_forgotten(run: Run) -> Counts:
    """Empty the entries that a purge covers, also those that a file which was read again or a fork brought back; and the records
    of runs of before, which kept lines that nobody finds there."""
    _rewrite(run, "runs", _drop_lines)
    sessions, references = read_purged(run.lake)
    if not sessions and not references:
        return {"blanked": 0}
    names = sorted({reference.rpartition(":")[2] for reference in references})
    is_copy = pl.col("entry_id").is_in(names) & pl.col("flags").list.contains("copied")
    is_meant = pl.col("session_id").is_in(sorted(sessions)) | pl.format("{}:{}", "session_id", "entry_id").is_in(
        sorted(references)
    )
    is_due = (is_meant | is_copy) & pl.col("flags").list.contains(FORGOTTEN_FLAG).fill_null(False).not_()
    days = run.lake.scan("entries").filter(is_due).select("day").unique().collect()["day"].to_list()
    return {"blanked": _rewrite(run, "entries", lambda rows: blank_rows(rows, is_due, FORGOTTEN_FLAG), sorted(days))}


def scrub_pages(run: Run, scope: ForgetScope) -> Counts:
    """Remove the words from the files of the workspace that rendering left, also from a person's own text."""
    pattern = compile_forgotten(scope.texts, scope.is_match)
    if pattern is None:
        return {"files": 0}
    changed = _scrub_files((path for path in run.settings.workspace.rglob("*") if path.is_file()), pattern)

    def correct(rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows without the words, and with the hash of each page as it stands now."""
        rows = _scrub(rows, "pages", pattern)
        return rows.with_columns(
            pl.Series("text_hash", [_hash_page(run, *row) for row in rows.select("path", "text_hash").iter_rows()], pl.String)
        )

    _rewrite(run, "pages", correct)
    return {"files": changed}


def _rewrite(run: Run, table: str, change_rows: Callable[[pl.DataFrame], pl.DataFrame], days: list[date] | None = None) -> int:
    """Replace the rows of each partition (of some days) that a function changes; return how many rows differ."""
    definition, changed = TABLES[table], 0
    listed = run.lake.list_days(table) if days is None else days
    for day in listed if definition.is_daily else [None]:
        rows = run.lake.read(table, [day] if day else None).drop("schema_version")
        new = change_rows(rows)
        if new.equals(rows):
            continue
        changed += rows.height - new.height if new.height != rows.height else _count_differences(rows, new)
        with run.lake.commit() as change:
            change.replace(table, new, day)
    return changed


def _scrub_entries(run: Run, scope: ForgetScope, pattern: re.Pattern[str] | None) -> int:
    """Replace the words in the entries that only have them among others; return how many."""
    named = {target.removeprefix(TURN) for target in scope.targets if target.startswith(TURN)} - scope.entries
    if pattern is None or not named:
        return 0
    is_due = pl.format("{}:{}", "session_id", "entry_id").is_in(sorted(named))
    return _rewrite(run, "entries", lambda rows: _scrub(rows, "entries", pattern).with_columns(flag_rows(is_due, FORGOTTEN_FLAG)))


def _scrub_own_sessions(run: Run, scope: ForgetScope) -> None:
    """Remove the quotations from what else was recorded of the sessions of their facts: the facts last, which name them."""
    for session, quotations in sorted(scope.quotations.items()):
        pattern = compile_words((), quotations)
        if pattern is None:
            continue
        for table in ("sessions", "windows", "segments", "observations"):
            _rewrite(run, table, partial(_scrub_session, table=table, session=session, pattern=pattern, targets=scope.targets))


def _scrub_session(
    rows: pl.DataFrame, table: str, session: str, pattern: re.Pattern[str], targets: Collection[str]
) -> pl.DataFrame:
    """Return the rows, those of one session that are not removed anyway without the words."""
    is_due = pl.col("session_id") == session
    if table in _KEYS:
        is_due &= ~pl.col(_KEYS[table]).is_in(sorted(targets))
    is_due_one = rows.select(is_due.fill_null(False).alias("is_due"))["is_due"]
    if not is_due_one.any():
        return rows
    scrubbed = _scrub(rows, table, pattern)
    return rows.with_columns(
        pl.when(is_due_one).then(scrubbed[name]).otherwise(rows[name]).alias(name)
        for name in rows.columns
        if name not in LIST_TEXT.get(table, ()) and not scrubbed[name].equals(rows[name], null_equal=True)
    )


def _drop_lines(rows: pl.DataFrame) -> pl.DataFrame:
    """Return records of runs without the words of lines; none is written any more."""
    kept = [
        json.dumps(leave_out_lines(json.loads(raw)), sort_keys=True) if '"text": "' in raw or '"replaces": "' in raw else raw
        for raw in rows["counts"]
    ]
    return rows.with_columns(pl.Series("counts", kept, pl.String))


def _count_differences(rows: pl.DataFrame, new: pl.DataFrame) -> int:
    return sum(old != now for old, now in zip(rows.iter_rows(), new.iter_rows(), strict=True))


def _drop_named(rows: pl.DataFrame, key: str, targets: list[str]) -> pl.DataFrame:
    return rows.filter(~pl.col(key).is_in(targets))


def _empty_answers(rows: pl.DataFrame, scope: ForgetScope, pattern: re.Pattern[str] | None) -> pl.DataFrame:
    """Empty stored answers about forgotten entries, in any words: they are asked for again if they are needed."""
    sessions = scope.sessions | {reference.rpartition(":")[0] for reference in scope.entries}
    tells = contains_words("answer", pattern) if pattern else pl.lit(False)
    is_due = pl.col("session_id").is_in(sorted(sessions)).fill_null(False) | tells
    return rows.with_columns(
        pl.when(is_due).then(pl.lit("")).otherwise("answer").alias("answer"),
        pl.when(is_due).then(pl.lit("error")).otherwise("outcome").alias("outcome"),
        pl.when(is_due).then(pl.lit(FORGOTTEN_FLAG)).otherwise("reason").alias("reason"),
    )


def _empty_columns(rows: pl.DataFrame, scope: ForgetScope, prefix: str, key: str, columns: Iterable[str]) -> pl.DataFrame:
    is_due = pl.format("{}{}", pl.lit(prefix), key).is_in(sorted(scope.targets)) | pl.col("session_id").is_in(
        sorted(scope.sessions)
    )
    return rows.with_columns(pl.when(is_due).then(None).otherwise(pl.col(name)).alias(name) for name in columns)


def _close_proposals(rows: pl.DataFrame, scope: ForgetScope) -> pl.DataFrame:
    is_due = pl.col("proposal_id").is_in(sorted(scope.targets)) & (pl.col("status") == "pending")
    is_named = pl.col("proposal_id").is_in(sorted(scope.targets))
    no_note = pl.when(is_named & (pl.col("kind") == "memory")).then(None).otherwise(pl.col("pattern")).alias("pattern")
    no_hashes = pl.lit(None, rows.schema["evidence_sources"]).alias("evidence_sources")  # the night notes those of what stays
    return rows.with_columns(pl.when(is_due).then(pl.lit("rejected")).otherwise("status").alias("status"), no_note, no_hashes)


def _scrub(rows: pl.DataFrame, table: str, pattern: re.Pattern[str]) -> pl.DataFrame:
    columns = [
        pl.Series(name, [change(text, pattern) if text else text for text in rows[name]], dtype=pl.String)
        for name in FREE_TEXT[table]
        for change in [scrub_json if name == "raw_json" else scrub_text]
        if name in rows.columns
    ]
    columns += [
        pl.Series(
            name,
            [[scrub_text(text, pattern) for text in texts] if texts is not None else None for texts in rows[name].to_list()],
            dtype=pl.List(pl.String),
        )
        for name in LIST_TEXT.get(table, ())
    ]
    columns += [
        pl.Series(name, [scrub_strings(raw, pattern) for raw in rows[name]], dtype=pl.String)
        for name in JSON_VALUES.get(table, ())
    ]
    scrubbed = rows.with_columns(columns)
    return _forget_comparison(rows, scrubbed) if table == "observations" else scrubbed


def _forget_comparison(rows: pl.DataFrame, scrubbed: pl.DataFrame) -> pl.DataFrame:
    """Return the scrubbed facts without the hashes of the words that they lost: they are compared anew."""
    is_changed = rows["text"].ne_missing(scrubbed["text"])
    return scrubbed.with_columns(
        compared_with=pl.when(is_changed).then(None).otherwise("compared_with"),
        compared_keys=pl.when(is_changed).then(pl.lit([], pl.List(pl.Int64))).otherwise("compared_keys"),
    )


def _list_text_files(run: Run) -> Iterator[Path]:
    for name in ("_logs", "_calls", "_queue"):
        yield from (path for path in (run.lake.root / name).rglob("*") if path.is_file())


def _scrub_files(paths: Iterable[Path], pattern: re.Pattern[str]) -> int:
    changed = 0
    for path in list(paths):
        text = read_page(path)
        if (scrubbed := scrub_text(text, pattern)) != text:
            replace_file(path, encode_page(scrubbed))
            changed += 1
    return changed


def _hash_page(run: Run, name: str, stored_hash: str) -> str:
    path = run.settings.workspace / name
    return hash_text(read_page(path)) if path.exists() else stored_hash
