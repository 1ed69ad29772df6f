"""What the search index is made of: parts of the lake (a day of a table, all distillates, MEMORY.md) as documents.

Each part has a mark that changes when its files do, so that a night looks at what is new and at nothing else.
"""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl

from effects.store.memory_file import read_memory
from effects.store.run import Run
from transforms.pages.memory_md import parse_memory
from transforms.recall.documents import (
    find_last_keys,
    make_distillate_documents,
    make_memory_documents,
    make_observation_documents,
    make_segment_documents,
    make_turn_documents,
)
from transforms.tables.ids import hash_fields

DAILY = ("entries", "observations", "segments")
TURN_COLUMNS = (
    "session_id", "ordinal", "entry_id", "line_no", "entry_type", "role", "turn_kind", "text", "is_error", "said_at", "flags",
    "raw_json",
)  # fmt: skip


def parts_of(run: Run) -> dict[str, str]:
    """What the index is made of, with a mark of where each part comes from; forgetting something touches them all."""
    forgotten = hash_fields(*forgotten_of(run), size=4)
    found = {
        f"{table}/{day.isoformat()}": f"{forgotten} {hash_fields(mark)}"
        for table in DAILY
        for day, mark in run.lake.fingerprints(table).items()
        if day is not None
    }
    # The day's first pieces name the last ones of the day before.
    eves = {part: f"entries/{_before(part)}" for part in found if part.startswith("entries/")}
    found |= {part: f"{found[part]} {hash_fields(found[eve], size=4)}" for part, eve in eves.items() if eve in found}
    found["distillates"] = f"{forgotten} {hash_fields(*run.lake.fingerprints('distillates').values())}"
    found["memory"] = f"{forgotten} {hash_fields(read_memory(run))}"
    return found


def part_documents(run: Run, part: str, projects: dict[str, str]) -> pl.DataFrame:
    """The documents of one part (`entries/2026-02-03`, `memory`, …), without what was forgotten."""
    table, _, day = part.partition("/")
    days = [date.fromisoformat(day)] if day else None
    if table == "memory":
        rows = make_memory_documents(parse_memory(read_memory(run)).bullets)
    elif table == "distillates":
        rows = make_distillate_documents(run.lake.read("distillates"))
    elif table == "entries":
        entries = run.lake.scan("entries", days).select(TURN_COLUMNS).collect()
        rows = make_turn_documents(entries, part, projects, _eve(run, part, entries["session_id"]))
    else:
        rows = (make_observation_documents if table == "observations" else make_segment_documents)(
            run.lake.read(table, days), part
        )
    return without(rows, forgotten_of(run))


def projects_of(run: Run, days: list[date] | None = None) -> dict[str, str]:
    """The project of each session, or of those that began on some days."""
    return dict(run.lake.scan("sessions", days).select("session_id", "project").collect().iter_rows())


def forgotten_of(run: Run) -> list[str]:
    """What was forgotten and not taken back: ids, sessions, entries or hashes of texts."""
    rows = run.lake.scan("tombstones").filter(pl.col("is_undone").not_().fill_null(True)).select("target").collect()
    return sorted(rows["target"])


def without(rows: pl.DataFrame, targets: list[str]) -> pl.DataFrame:
    """The documents without what was forgotten: named by id, session, entry or hash of the text."""
    if not targets or rows.is_empty():
        return rows
    names = pl.concat_list(
        pl.col("id"),
        pl.col("key"),
        pl.col("session_id"),
        pl.col("text_hash"),
        pl.col("entry_ids").fill_null([]),
        pl.col("also").fill_null([]),
    )
    return rows.filter(names.list.eval(pl.element().is_in(targets)).list.any().not_())


def _eve(run: Run, part: str, sessions: pl.Series) -> dict[str, str]:
    """The last piece of the day before of each of these sessions that was already going on then."""
    before = _before(part)
    rows = run.lake.scan("entries", [before]).filter(pl.col("session_id").is_in(sessions.unique().to_list()))
    return find_last_keys(rows.select(TURN_COLUMNS).collect(), f"entries/{before}")


def _before(part: str) -> date:
    return date.fromisoformat(part.rpartition("/")[2]) - timedelta(days=1)
