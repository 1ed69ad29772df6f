"""The parts that the search index is made of: a day of a table, all distillates, MEMORY.md; each becomes documents.

A part has a fingerprint that changes when its files do, so that a night reads changed parts only.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby

import polars as pl

from effects.index.manifest import SEARCHED_TABLES
from effects.store.content_key import compute_content_key
from effects.store.forgotten import read_facts, read_forgotten, read_remembered
from effects.store.memory_file import read_memory, read_memory_bullets
from effects.store.run import Run
from transforms.changes.changed_numbers import write_changed_number
from transforms.changes.undone_values import CHANGING_CALLS, list_works
from transforms.changes.work_numbers import list_changed_numbers
from transforms.conversation.entries import ENTRY_COLUMNS_READ, build_entries
from transforms.forgetting.row_filter import drop_forgotten_documents, drop_forgotten_rows
from transforms.memory.line_evidence import find_line_projects
from transforms.pages.memory_md import parse_memory
from transforms.pages.page_names import says_where
from transforms.recall.documents import (
    KnownDocuments,
    find_last_keys,
    make_distillate_documents,
    make_memory_documents,
    make_observation_documents,
    make_segment_documents,
    make_turn_documents,
)
from transforms.tables.ids import hash_fields

PERIODS = "distillates"
"""The part of all condensed periods."""
TURN_COLUMNS = (
    "session_id", "ordinal", "entry_id", "line_no", "entry_type", "role", "turn_kind", "speaker", "speaker_parts", "text",
    "is_error", "said_at", "flags", "raw_json",
)  # fmt: skip


def fingerprint_parts(run: Run) -> dict[str, str]:
    """Return the name and the fingerprint of each part. Tombstones are in none: `mark_forgotten_parts` knows which parts they
    touch."""
    fingerprints = {
        f"{table}/{day.isoformat()}": hash_fields(fingerprint)
        for table in SEARCHED_TABLES
        for day, fingerprint in run.lake.list_fingerprints(table).items()
        if day is not None
    }
    # The first pieces of a day name the last ones of the day before.
    days_before = {part: f"entries/{_find_previous_day(part)}" for part in fingerprints if part.startswith("entries/")}
    fingerprints |= {
        part: f"{fingerprints[part]} {hash_fields(fingerprints[day_before], size=4)}"
        for part, day_before in days_before.items()
        if day_before in fingerprints
    }
    if joined := _fingerprint_joined_folders(run):  # turns name their project, their rows do not
        fingerprints |= {part: f"{value} {joined}" for part, value in fingerprints.items() if part.startswith("entries/")}
    zone = run.settings.timezone  # their days are the owner's
    fingerprints[PERIODS] = hash_fields(zone, *run.lake.list_fingerprints("distillates").values())
    places = compute_content_key(run.lake.root, ("proposals", "observations", "sessions", "tombstones"))  # the project of a line
    fingerprints["memory"] = hash_fields(zone, "without secrets", read_memory(run), places)
    return fingerprints


def read_part_documents(
    run: Run,
    part: str,
    projects: dict[str, str],
    known: KnownDocuments | None = None,
    periods: pl.DataFrame | None = None,
    *,
    forgotten: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Return the documents of a part (`entries/2026-02-03`, `memory`, …) without the forgotten ones.

    The words of documents that the index has as they are (`known`) are not searched again. Of the part of all condensed
    periods only those of the rows `periods` are made when they are given. `forgotten` are the targets of the tombstones, for who
    reads many parts.
    """
    forgotten = read_forgotten(run.lake) if forgotten is None else forgotten
    table, _, day = part.partition("/")
    days = [date.fromisoformat(day)] if day else None
    if table == "memory":
        rows = make_memory_documents(parse_memory(read_memory(run)).bullets, _find_line_projects(run), run.zone)
    elif table == PERIODS:
        remembered = read_remembered(run.lake, "distillates") if periods is None else periods
        rows = make_distillate_documents(remembered, known, run.zone)
    elif table == "entries":
        entries = run.lake.scan("entries", days).select(TURN_COLUMNS).collect()
        last_keys = _find_last_keys_before(run, part, entries["session_id"])
        rows = make_turn_documents(entries, part, projects, last_keys, known, _find_changes(run, days, forgotten))
    elif table == "observations":
        rows = make_observation_documents(read_facts(run.lake, days), part, known)
    else:
        rows = make_segment_documents(run.lake.read(table, days), part, known)
    return drop_forgotten_documents(rows, forgotten)


def _find_changes(run: Run, days: list[date] | None, forgotten: Sequence[str]) -> dict[str, list[str]]:
    """Return the numbers that the work behind the turns of some days replaced, by the ids of these turns.

    Most sessions change no file: only those with such a call are read.
    """
    scan = run.lake.scan("entries", days)
    is_change = (pl.col("role") == "assistant") & pl.col("raw_json").str.contains_any(list(CHANGING_CALLS))
    sessions = scan.filter(is_change).select("session_id").unique()
    rows = scan.join(sessions, on="session_id", how="semi").select(ENTRY_COLUMNS_READ).collect()
    entries = build_entries(drop_forgotten_rows(rows, forgotten))
    works = [work for _, own in groupby(entries, lambda entry: entry.session_id) for work in list_works(list(own))]
    numbers = {f"{work.entry.session_id}:{work.entry.entry_id}": list_changed_numbers(work) for work in works}
    return {turn: list(map(write_changed_number, changed)) for turn, changed in numbers.items() if changed}


def _find_line_projects(run: Run) -> dict[str, str]:
    """Return the project of each line of MEMORY.md that holds in one because its facts were said there, by its text.

    A line that names projects, or speaks of several, says itself where it holds.
    """
    proposals, bullets = run.lake.read("proposals"), read_memory_bullets(run)
    lines = proposals.filter(pl.col("text").is_in(bullets))
    cited = lines["evidence_ids"].explode().drop_nulls().unique().to_list()
    if not cited and not lines["project"].count():
        return {}
    scan = run.lake.scan("observations").select("observation_id", "session_id", "entry_ids", "project", "also", "superseded_by")
    facts = scan.filter(pl.col("observation_id").is_in(cited)).collect()
    heirs = scan.filter(pl.col("observation_id").is_in(facts["superseded_by"].drop_nulls().unique().to_list())).collect()
    sessions = run.lake.scan("sessions").select("session_id", "project").collect()
    rows = drop_forgotten_rows(pl.concat([facts, heirs]).unique("observation_id"), read_forgotten(run.lake))
    known = sessions["project"].drop_nulls().unique().to_list()
    homes = find_line_projects(proposals, rows, sessions, bullets)
    return {text: home for text, home in homes.items() if not says_where(text, known)}


def _fingerprint_joined_folders(run: Run) -> str:
    """Return a hash of the folders that belong to the project of another folder; empty when there are none."""
    rows = run.lake.scan("projects").filter(pl.col("folder") != pl.col("project")).select("folder", "project").sort("folder")
    joined = rows.collect()
    return "" if joined.is_empty() else hash_fields(*(field for row in joined.iter_rows() for field in row), size=4)


def read_projects(run: Run, days: list[date] | None = None) -> dict[str, str]:
    """Return the project of each session, or of the sessions that began on some days."""
    return dict(run.lake.scan("sessions", days).select("session_id", "project").collect().iter_rows())


def _find_last_keys_before(run: Run, part: str, sessions: pl.Series) -> dict[str, str]:
    """Return the key of the last piece that each of these sessions has on the day before."""
    day = _find_previous_day(part)
    rows = run.lake.scan("entries", [day]).filter(pl.col("session_id").is_in(sessions.unique().to_list()))
    return find_last_keys(rows.select(TURN_COLUMNS).collect(), f"entries/{day}")


def _find_previous_day(part: str) -> date:
    return date.fromisoformat(part.rpartition("/")[2]) - timedelta(days=1)
