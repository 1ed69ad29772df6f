"""From any id down to the original entries: `show(run, id)` for a page, `transforms/recall/show_page.py` for its form on a terminal.

Ids: `w-…` window, `s-…` segment, `o-…` observation, `d-…` distillate, `p-…`/`f-…` proposal, `m-…` line of MEMORY.md, a
session id, or `session:entry`. The beginning of an id is enough when nothing else begins like it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from effects.index.parts import forgotten_of
from effects.store.memory_file import read_memory
from effects.store.run import Run
from effects.system.errors import NotFoundError
from transforms.pages.memory_md import parse_memory
from transforms.recall.documents import memory_id, segment_text
from transforms.recall.show_page import Link, Shown, ShownEntry
from transforms.recall.types import stamp

TABLES = {"w": "windows", "s": "segments", "o": "observations", "d": "distillates", "p": "proposals", "f": "proposals"}
KEYS = {"windows": "window_id", "segments": "segment_id", "observations": "observation_id", "distillates": "distillate_id"}
KEYS |= {"proposals": "proposal_id"}
ENTRY_COLUMNS = ("session_id", "entry_id", "ordinal", "line_no", "source_path", "role", "entry_type", "said_at", "text")
AROUND = 2
"""Entries before and after one that is asked for."""
MEMBERS = 400
"""Entries of a window or segment that are shown."""

Row = dict[str, Any]


def show(run: Run, target: str) -> Shown:
    """What this id names: its row, what it belongs to, what it was made of, and the original entries.

    Raises:
        NotFoundError: when nothing, or more than one thing, has this id, or it was forgotten.
    """
    wanted = target.strip()
    forgotten = set(forgotten_of(run))
    table = TABLES.get(wanted[:1]) if wanted[1:2] == "-" else None
    if wanted in forgotten or (":" in wanted and wanted.partition(":")[0] in forgotten):
        raise NotFoundError(f"`{wanted}` was forgotten", f"recollect forget {wanted} --undo")
    if own := _rows(run, "sessions", pl.col("session_id") == wanted, "session_id"):
        shown = _session(run, own[0])
    elif wanted.startswith("m-"):
        shown = _memory(run, wanted)
    elif table:
        shown = _SHOWS[table](run, _one(run, table, wanted))
    elif ":" in wanted:
        shown = _entry(run, wanted)
    else:
        shown = _session(run, _one(run, "sessions", wanted))
    return shown.without(forgotten)


def _window(run: Run, row: Row) -> Shown:
    segments = _rows(run, "segments", pl.col("window_id") == row["window_id"], "first_ordinal")
    members = _rows(run, "coverage", pl.col("window_id") == row["window_id"], "ordinal")
    return Shown(
        row["window_id"],
        "window",
        row,
        parents=_sessions(run, [row["session_id"]]),
        children=_segment_links(segments),
        entries=_entries(run, row["session_id"], [member["ordinal"] for member in members][:MEMBERS]),
    )


def _segment(run: Run, row: Row) -> Shown:
    between = pl.col("ordinal").is_between(row["first_ordinal"], row["last_ordinal"]) & (pl.col("window_id") == row["window_id"])
    members = _rows(run, "coverage", between, "ordinal")
    facts = _rows(run, "observations", pl.col("segment_id") == row["segment_id"], "observation_id")
    return Shown(
        row["segment_id"],
        "segment",
        row,
        parents=(*_windows(run, [row["window_id"]]), *_sessions(run, [row["session_id"]])),
        children=tuple(Link(fact["observation_id"], "observation", fact["text"]) for fact in facts),
        entries=_entries(run, row["session_id"], [member["ordinal"] for member in members][:MEMBERS]),
    )


def _observation(run: Run, row: Row) -> Shown:
    replaced = _rows(run, "observations", pl.col("superseded_by") == row["observation_id"], "observation_id")
    cited = _entries(run, row["session_id"], list(row["ordinals"] or ()))
    return Shown(
        row["observation_id"],
        "observation",
        row,
        parents=(
            *_segments(run, [row["segment_id"]]),
            *_windows(run, [row["window_id"]]),
            *_sessions(run, [row["session_id"]]),
            *_observations(run, [row["superseded_by"]], "superseded by"),
        ),
        children=tuple(Link(old["observation_id"], "supersedes", old["text"]) for old in replaced),
        entries=(*cited, *_referenced(run, row["also"] or ())),
    )


def _distillate(run: Run, row: Row) -> Shown:
    names = list(row["child_ids"] or ())
    below = _rows(run, "distillates", pl.col("distillate_id").is_in(names), "distillate_id")
    return Shown(
        row["distillate_id"],
        "distillate",
        row,
        parents=tuple(
            Link(above["distillate_id"], "superseded by", above["text"])
            for above in _rows(run, "distillates", pl.col("distillate_id").is_in([row["superseded_by"] or ""]), "distillate_id")
        ),
        children=(
            *(Link(child["distillate_id"], "distillate", child["text"]) for child in below),
            *_segments(run, names),
            *_observations(run, names, "observation"),
        ),
        entries=_referenced(run, row["entry_refs"] or ()),
    )


def _proposal(run: Run, row: Row) -> Shown:
    events = _rows(run, "proposal_events", pl.col("proposal_id") == row["proposal_id"], "at")
    evidence = _rows(run, "observations", pl.col("observation_id").is_in(list(row["evidence_ids"] or ())), "observation_id")
    happened = tuple(Link(row["proposal_id"], str(event["event"]), f"{stamp(event['at'])} {event['actor']}") for event in events)
    cited = [entry for fact in evidence for entry in _entries(run, fact["session_id"], list(fact["ordinals"] or ()))]
    return Shown(
        row["proposal_id"],
        "proposal",
        row,
        parents=happened,
        children=tuple(Link(fact["observation_id"], "observation", fact["text"]) for fact in evidence),
        entries=tuple(cited),
    )


def _memory(run: Run, wanted: str) -> Shown:
    bullets = {memory_id(bullet.text): bullet for bullet in parse_memory(read_memory(run)).bullets}
    found = [key for key in bullets if key.startswith(wanted)]
    if len(found) != 1:
        raise NotFoundError(
            f"no line of MEMORY.md has the id `{wanted}`", "its text may have changed: recollect ask --in memory …"
        )
    bullet = bullets[found[0]]
    row = {"text": bullet.text, "section": bullet.section, "dated": bullet.dated.isoformat() if bullet.dated else None}
    promoted = _rows(run, "memory_lines", pl.col("text").str.contains(bullet.text, literal=True), "line_hash")
    made_by = [_proposal(run, _one(run, "proposals", line["proposal_id"])) for line in promoted if line["proposal_id"]]
    return Shown(
        found[0],
        "memory",
        row,
        parents=tuple(Link(one.id, "proposal", str(one.row["text"])) for one in made_by),
        children=tuple(link for one in made_by for link in one.children),
        entries=tuple(entry for one in made_by for entry in one.entries),
    )


def _session(run: Run, row: Row) -> Shown:
    windows = _rows(run, "windows", pl.col("session_id") == row["session_id"], "first_ordinal")
    segments = _rows(run, "segments", pl.col("session_id") == row["session_id"], "first_ordinal")
    return Shown(
        row["session_id"],
        "session",
        row,
        children=(*(_window_link(window) for window in windows), *_segment_links(segments)),
    )


def _entry(run: Run, wanted: str) -> Shown:
    session, _, entry = wanted.partition(":")
    found = _rows(run, "entries", (pl.col("session_id") == session) & (pl.col("entry_id") == entry), "ordinal")
    if not found:
        raise NotFoundError(f"no entry has the id `{wanted}`", f"recollect show {session}")
    ordinal = found[0]["ordinal"]
    member = pl.col("ordinal").is_in([row["ordinal"] for row in found]) & (pl.col("session_id") == session)
    windows = [row["window_id"] for row in _rows(run, "coverage", member, "ordinal")]
    citing = (pl.col("session_id") == session) & pl.col("ordinals").list.contains(ordinal)
    facts = _rows(run, "observations", citing, "observation_id")
    kept = {name: found[0][name] for name in ENTRY_COLUMNS if name != "text"}
    return Shown(
        wanted,
        "entry",
        kept,
        parents=(*_windows(run, windows), *_sessions(run, [session])),
        children=tuple(Link(fact["observation_id"], "cited by", fact["text"]) for fact in facts),
        entries=_entries(run, session, list(range(ordinal - AROUND, ordinal + AROUND + 1))),
    )


_SHOWS: dict[str, Callable[[Run, Row], Shown]] = {
    "windows": _window,
    "segments": _segment,
    "observations": _observation,
    "distillates": _distillate,
    "proposals": _proposal,
}


def _one(run: Run, table: str, wanted: str) -> Row:
    key = KEYS.get(table, "session_id")
    rows = _rows(run, table, pl.col(key).str.starts_with(wanted), key) if wanted else []
    exact = [row for row in rows if row[key] == wanted] or rows
    if not exact:
        raise NotFoundError(f"nothing has the id `{wanted}`", "ids are in the output of `recollect ask` and in the daily logs")
    if len(exact) > 1:
        some = ", ".join(str(row[key]) for row in exact[:3])
        raise NotFoundError(f"{len(exact)} ids begin with `{wanted}`", f"one of: {some}")
    return exact[0]


def _rows(run: Run, table: str, where: pl.Expr, order: str) -> list[Row]:
    return run.lake.scan(table).filter(where).sort(order).collect().to_dicts()


def _entries(run: Run, session: str, ordinals: list[int]) -> tuple[ShownEntry, ...]:
    """The entries at these positions, in the order of the citation."""
    where = (pl.col("session_id") == session) & pl.col("ordinal").is_in(ordinals)
    found = {row["ordinal"]: row for row in run.lake.scan("entries").filter(where).select(ENTRY_COLUMNS).collect().to_dicts()}
    return tuple(_shown_entry(found[ordinal]) for ordinal in ordinals if ordinal in found)


def _referenced(run: Run, references: Iterable[str]) -> tuple[ShownEntry, ...]:
    wanted = sorted(set(references))
    if not wanted:
        return ()
    sessions = sorted({reference.partition(":")[0] for reference in wanted})
    rows = run.lake.scan("entries").filter(pl.col("session_id").is_in(sessions)).select(ENTRY_COLUMNS)
    named = rows.filter(pl.concat_str("session_id", pl.lit(":"), "entry_id").is_in(wanted)).sort(
        "said_at", "session_id", "ordinal"
    )
    return tuple(_shown_entry(row) for row in named.collect().to_dicts())


def _shown_entry(row: Row) -> ShownEntry:
    return ShownEntry(
        row["session_id"],
        row["entry_id"],
        row["line_no"],
        row["role"] or row["entry_type"],
        row["said_at"],
        row["source_path"],
        row["text"] or "",
    )


def _windows(run: Run, names: list[str]) -> tuple[Link, ...]:
    return tuple(_window_link(row) for row in _rows(run, "windows", pl.col("window_id").is_in(names), "window_id"))


def _window_link(row: Row) -> Link:
    reason = f" ({row['reason']})" if row["reason"] else ""
    return Link(row["window_id"], "window", f"{row['kind']}, {row['status']}{reason}, {row['entry_count']} entries")


def _sessions(run: Run, names: list[str]) -> tuple[Link, ...]:
    rows = _rows(run, "sessions", pl.col("session_id").is_in(names), "session_id")
    return tuple(Link(row["session_id"], "session", f"{row['project']}: {row['title'] or ''}") for row in rows)


def _segments(run: Run, names: list[str]) -> tuple[Link, ...]:
    return _segment_links(_rows(run, "segments", pl.col("segment_id").is_in(names), "segment_id"))


def _segment_links(rows: list[Row]) -> tuple[Link, ...]:
    return tuple(Link(row["segment_id"], "segment", segment_text(row["title"], row["narrative"])) for row in rows)


def _observations(run: Run, names: list[str | None], what: str) -> tuple[Link, ...]:
    rows = _rows(run, "observations", pl.col("observation_id").is_in([name for name in names if name]), "observation_id")
    return tuple(Link(row["observation_id"], what, row["text"]) for row in rows)
