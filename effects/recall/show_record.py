"""Follows any id down to the original entries: `show_record(run, id)`; `transforms/answers/show_page.py` renders the result.

Ids: `w-…` window, `s-…` segment, `o-…` observation, `d-…` distillate, `p-…`/`f-…` proposal, `m-…` line of MEMORY.md, a
session id, or `session:entry`. The beginning of an id is enough when nothing else begins like it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from effects.judging.told_relations import read_changed_parts
from effects.memory.forget_targets import CANDIDATES_NAMED, find_entry_id, find_facts_by_line
from effects.store.forgotten import list_forgotten_ids, read_forgotten
from effects.store.memory_file import read_memory
from effects.store.run import Run
from effects.system.errors import NotFoundError
from transforms.answers.changed_parts import PartKind
from transforms.answers.show_page import CitedEntry, RecordLink, ShownRecord
from transforms.forgetting.named_documents import TURN
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.pages.fact_marks import make_memory_id
from transforms.pages.memory_md import parse_memory
from transforms.quoting.segment_text import format_segment
from transforms.recall.types import format_timestamp
from transforms.tables.rows import (
    ConfirmationRow,
    CoverageRow,
    DistillateRow,
    EntryRow,
    MemoryLineRow,
    ObservationRow,
    ProposalEventRow,
    ProposalRow,
    SegmentRow,
    SessionRow,
    WindowRow,
)

TABLES_BY_PREFIX = {"w": "windows", "s": "segments", "o": "observations", "d": "distillates", "p": "proposals", "f": "proposals"}
KEY_COLUMNS = {"windows": "window_id", "segments": "segment_id", "observations": "observation_id", "distillates": "distillate_id"}
KEY_COLUMNS |= {"proposals": "proposal_id"}
ENTRY_COLUMNS = (
    "session_id", "entry_id", "ordinal", "line_no", "source_path", "role", "entry_type", "said_at", "text", "speaker",
    "speaker_parts",
)  # fmt: skip
CONTEXT_ENTRIES = 2
"""Entries shown before and after an entry."""
FORGOTTEN_HINT = "recollect sql 'SELECT * FROM tombstones'"
MEMBER_ENTRIES = 400
"""Entries shown of a window or segment."""
PART_LINKS: Mapping[PartKind, tuple[str, str]] = {
    "replaced": ("in part replaced by", "replaces a part of"),
    "named_again": ("named again by", "names again"),
    "changed_number": ("in part replaced by", "replaces a part of"),
    "perhaps_over": ("perhaps ended by", "perhaps ends"),
}
"""How a fact is linked with a later one that says something of it, and the other way round."""


def show_record(run: Run, target: str) -> ShownRecord:
    """Return the record with this id: its row, the records above and below it, and the original entries.

    A line copied from a page stands for the fact that it tells, where only one does.

    Raises:
        NotFoundError: when no record, or more than one, has this id, or it was forgotten.
    """
    wanted = target.strip()
    if len(named := find_facts_by_line(run, wanted)) == 1:
        wanted = named[0]
    elif named:
        raise NotFoundError(f"{len(named)} facts have these words", f"one of: {', '.join(named[:CANDIDATES_NAMED])}")
    forgotten = set(list_forgotten_ids(run.lake))
    table = TABLES_BY_PREFIX.get(wanted[:1]) if wanted[1:2] == "-" else None
    _refuse_forgotten(run, wanted, forgotten)
    if own := _read_rows(run, "sessions", pl.col("session_id") == wanted, "session_id"):
        record = _show_session(run, own[0])
    elif wanted.startswith("m-"):
        record = _show_memory_line(run, wanted)
    elif table:
        record = _SHOW_BY_TABLE[table](run, _find_row(run, table, wanted))
    elif ":" in wanted:
        record = _show_entry(run, wanted)
    else:
        record = _show_session(run, _find_row(run, "sessions", wanted))
    _refuse_forgotten(run, record.id, forgotten)
    return record.drop_forgotten(forgotten)


def _refuse_forgotten(run: Run, name: str, forgotten: set[str]) -> None:
    if not forgotten.isdisjoint({name, f"{TURN}{name}", name.rpartition(":")[0]}):
        raise NotFoundError(f"`{name}` was forgotten", _advise_undo(run, name))


def _advise_undo(run: Run, wanted: str) -> str:
    """Return the command that undoes how something was forgotten, when an id or a session was named; else the one that lists
    what was."""
    is_named = pl.col("target").str.replace(f"^{TURN}", "").str.starts_with(wanted) & pl.col("is_undone").not_().fill_null(True)
    reasons = run.lake.scan("tombstones").filter(is_named).select("reason").unique().collect()["reason"].to_list()
    kind, _, name = reasons[0].partition(" ") if len(reasons) == 1 else ("", "", "")
    commands = {"id": f"recollect forget {name} --undo", "session": f"recollect forget --session {name} --undo"}
    return commands.get(kind, FORGOTTEN_HINT)


def _show_window(run: Run, row: WindowRow) -> ShownRecord:
    segments: list[SegmentRow] = _read_rows(run, "segments", pl.col("window_id") == row["window_id"], "first_ordinal")
    members: list[CoverageRow] = _read_rows(run, "coverage", pl.col("window_id") == row["window_id"], "ordinal")
    holds = (pl.col("window_id") == row["window_id"]) & (pl.col("verdict") == "allow")
    facts: list[ObservationRow] = _read_rows(run, "observations", holds, "said_at")
    return ShownRecord(
        row["window_id"],
        "window",
        row,
        parents=_link_sessions(run, [row["session_id"]]),
        children=(
            *_make_segment_links(segments),
            *(RecordLink(fact["observation_id"], "observation", fact["text"]) for fact in facts),
        ),
        entries=_read_entries(run, row["session_id"], [member["ordinal"] for member in members][:MEMBER_ENTRIES]),
    )


def _show_segment(run: Run, row: SegmentRow) -> ShownRecord:
    between = pl.col("ordinal").is_between(row["first_ordinal"], row["last_ordinal"]) & (pl.col("window_id") == row["window_id"])
    members: list[CoverageRow] = _read_rows(run, "coverage", between, "ordinal")
    facts: list[ObservationRow] = _read_rows(run, "observations", pl.col("segment_id") == row["segment_id"], "observation_id")
    return ShownRecord(
        row["segment_id"],
        "segment",
        row,
        parents=(*_link_windows(run, [row["window_id"]]), *_link_sessions(run, [row["session_id"]])),
        children=tuple(RecordLink(fact["observation_id"], "observation", fact["text"]) for fact in facts),
        entries=_read_entries(run, row["session_id"], [member["ordinal"] for member in members][:MEMBER_ENTRIES]),
    )


def _show_observation(run: Run, row: ObservationRow) -> ShownRecord:
    replaced: list[ObservationRow] = _read_rows(
        run, "observations", pl.col("superseded_by") == row["observation_id"], "observation_id"
    )
    parts = read_changed_parts(run)
    own = [part for part in parts.get(row["observation_id"], ()) if not part.is_shown_elsewhere]
    changed = [(part, key) for key, newer in parts.items() for part in newer if part.newer_id == row["observation_id"]]
    related = [(part, key) for part, key in changed if not part.is_shown_elsewhere]
    cited = _read_entries(run, row["session_id"], list(row["ordinals"] or ()))
    return ShownRecord(
        row["observation_id"],
        "observation",
        {**row, **_describe_ground(run, row["observation_id"])},
        parents=(
            *_link_segments(run, [row["segment_id"]]),
            *_link_windows(run, [row["window_id"]]),
            *_link_sessions(run, [row["session_id"]]),
            *_link_observations(run, [row["superseded_by"]], "superseded by"),
            *(link for part in own for link in _link_observations(run, [part.newer_id], PART_LINKS[part.kind][0])),
        ),
        children=(
            *(RecordLink(old["observation_id"], "supersedes", old["text"]) for old in replaced),
            *(link for part, key in related for link in _link_observations(run, [key], PART_LINKS[part.kind][1])),
        ),
        entries=(*cited, *_read_references(run, row["also"] or ())),
    )


def _show_distillate(run: Run, row: DistillateRow) -> ShownRecord:
    names = list(row["child_ids"] or ())
    below: list[DistillateRow] = _read_rows(run, "distillates", pl.col("distillate_id").is_in(names), "distillate_id")
    return ShownRecord(
        row["distillate_id"],
        "distillate",
        row,
        parents=tuple(
            RecordLink(above["distillate_id"], "superseded by", above["text"])
            for above in _read_rows(
                run, "distillates", pl.col("distillate_id").is_in([row["superseded_by"] or ""]), "distillate_id"
            )
        ),
        children=(
            *(RecordLink(child["distillate_id"], "distillate", child["text"]) for child in below),
            *_link_segments(run, names),
            *_link_observations(run, names, "observation"),
        ),
        entries=_read_references(run, row["entry_refs"] or ()),
    )


def _show_proposal(run: Run, row: ProposalRow) -> ShownRecord:
    events: list[ProposalEventRow] = _read_rows(run, "proposal_events", pl.col("proposal_id") == row["proposal_id"], "at")
    evidence: list[ObservationRow] = _read_rows(
        run, "observations", pl.col("observation_id").is_in(list(row["evidence_ids"] or ())), "observation_id"
    )
    links = tuple(
        RecordLink(row["proposal_id"], str(event["event"]), f"{format_timestamp(event['at'])} {event['actor']}")
        for event in events
    )
    cited = [entry for fact in evidence for entry in _read_entries(run, fact["session_id"], list(fact["ordinals"] or ()))]
    return ShownRecord(
        row["proposal_id"],
        "proposal",
        row,
        parents=links,
        children=tuple(RecordLink(fact["observation_id"], "observation", fact["text"]) for fact in evidence),
        entries=(*cited, *_read_references(run, [name for name in row["evidence_ids"] or () if ":" in name])),
    )


def _describe_ground(run: Run, target: str) -> dict[str, str]:
    """Return `confirmed`: results of the ground check for the things that a line or a fact names; empty when it names none."""
    rows: list[ConfirmationRow] = _read_rows(run, "confirmations", pl.col("target") == target, "name")
    rows_shown = [row for row in rows if row["kind"] != "branch" or row["status"] != "unknown"]
    words = (f"{row['name']}: {row['status']}, confirmed {row['confirmed_on'] or 'never'}" for row in rows_shown)
    return {"confirmed": "; ".join(words)} if rows_shown else {}


def _show_memory_line(run: Run, wanted: str) -> ShownRecord:
    bullets = {make_memory_id(bullet.text): bullet for bullet in parse_memory(read_memory(run)).bullets}
    matches = [key for key in bullets if key.startswith(wanted)]
    if len(matches) != 1:
        raise NotFoundError(
            f"no line of MEMORY.md has the id `{wanted}`", "its text may have changed: recollect ask --in memory …"
        )
    bullet = bullets[matches[0]]
    row = {"text": bullet.text, "section": bullet.section, "dated": bullet.dated.isoformat() if bullet.dated else None}
    row |= _describe_ground(run, matches[0])
    promoted: list[MemoryLineRow] = _read_rows(
        run, "memory_lines", pl.col("text").str.contains(bullet.text, literal=True), "line_hash"
    )
    proposals = [
        _show_proposal(run, _find_row(run, "proposals", line["proposal_id"])) for line in promoted if line["proposal_id"]
    ]
    return ShownRecord(
        matches[0],
        "memory",
        row,
        parents=tuple(RecordLink(proposal.id, "proposal", str(proposal.row["text"])) for proposal in proposals),
        children=tuple(link for proposal in proposals for link in proposal.children),
        entries=tuple(entry for proposal in proposals for entry in proposal.entries),
    )


def _show_session(run: Run, row: SessionRow) -> ShownRecord:
    windows: list[WindowRow] = _read_rows(run, "windows", pl.col("session_id") == row["session_id"], "first_ordinal")
    segments: list[SegmentRow] = _read_rows(run, "segments", pl.col("session_id") == row["session_id"], "first_ordinal")
    members = _read_rows(run, "coverage", pl.col("session_id") == row["session_id"], "ordinal")
    return ShownRecord(
        row["session_id"],
        "session",
        row,
        children=(*(_make_window_link(window) for window in windows), *_make_segment_links(segments)),
        entries=_read_entries(run, row["session_id"], [member["ordinal"] for member in members][:MEMBER_ENTRIES]),
    )


def _show_entry(run: Run, wanted: str) -> ShownRecord:
    session, entry = find_entry_id(run, wanted)
    entries: list[EntryRow] = _read_rows(
        run, "entries", (pl.col("session_id") == session) & (pl.col("entry_id") == entry), "ordinal"
    )
    ordinal = entries[0]["ordinal"]
    member = pl.col("ordinal").is_in([row["ordinal"] for row in entries]) & (pl.col("session_id") == session)
    windows = [row["window_id"] for row in _read_rows(run, "coverage", member, "ordinal")]
    citing = (pl.col("session_id") == session) & pl.col("ordinals").list.contains(ordinal)
    facts: list[ObservationRow] = _read_rows(run, "observations", citing, "observation_id")
    columns: Mapping[str, object] = entries[0]
    shown_columns = {name: columns[name] for name in ENTRY_COLUMNS if name != "text"}
    return ShownRecord(
        f"{session}:{entry}",
        "entry",
        shown_columns,
        parents=(*_link_windows(run, windows), *_link_sessions(run, [session])),
        children=tuple(RecordLink(fact["observation_id"], "cited by", fact["text"]) for fact in facts),
        entries=_read_entries(run, session, list(range(ordinal - CONTEXT_ENTRIES, ordinal + CONTEXT_ENTRIES + 1))),
    )


_SHOW_BY_TABLE: dict[str, Callable[[Run, Any], ShownRecord]] = {
    "windows": _show_window,
    "segments": _show_segment,
    "observations": _show_observation,
    "distillates": _show_distillate,
    "proposals": _show_proposal,
}


def _find_row(run: Run, table: str, wanted: str) -> Any:
    """Return the row of a table with this id, or with the only id that begins with it."""
    key = KEY_COLUMNS.get(table, "session_id")
    rows = _read_rows(run, table, pl.col(key).str.starts_with(wanted), key) if wanted else []
    exact = [row for row in rows if row[key] == wanted] or rows
    if not exact:
        if wanted and any(name.startswith(wanted) for name in read_forgotten(run.lake)):
            raise NotFoundError(f"`{wanted}` was forgotten", _advise_undo(run, wanted))
        raise NotFoundError(
            f"nothing has the id `{wanted}`", "`recollect ask` prints ids; the words of a line of a daily log will do, too"
        )
    if len(exact) > 1:
        ids = ", ".join(str(row[key]) for row in exact[:CANDIDATES_NAMED])
        raise NotFoundError(f"{len(exact)} ids begin with `{wanted}`", f"one of: {ids}")
    return exact[0]


def _read_rows(run: Run, table: str, where: pl.Expr, order: str) -> list[Any]:
    """Return the remembered rows of a table in order; the caller names their type."""
    rows = run.lake.scan(table).filter(where).sort(order).collect()
    return drop_forgotten_rows(rows, read_forgotten(run.lake)).to_dicts()


def _read_entries(run: Run, session: str, ordinals: list[int]) -> tuple[CitedEntry, ...]:
    """Return the entries with these ordinals, in the order of the citation."""
    where = (pl.col("session_id") == session) & pl.col("ordinal").is_in(ordinals)
    by_ordinal = {
        row["ordinal"]: row for row in run.lake.scan("entries").filter(where).select(ENTRY_COLUMNS).collect().to_dicts()
    }
    return tuple(_make_cited_entry(by_ordinal[ordinal]) for ordinal in ordinals if ordinal in by_ordinal)


def _read_references(run: Run, references: Iterable[str]) -> tuple[CitedEntry, ...]:
    wanted = sorted(set(references))
    if not wanted:
        return ()
    sessions = sorted({reference.rpartition(":")[0] for reference in wanted})
    rows = run.lake.scan("entries").filter(pl.col("session_id").is_in(sessions)).select(ENTRY_COLUMNS)
    named = rows.filter(pl.concat_str("session_id", pl.lit(":"), "entry_id").is_in(wanted)).sort(
        "said_at", "session_id", "ordinal"
    )
    return tuple(_make_cited_entry(row) for row in named.collect().to_dicts())


def _make_cited_entry(row: Mapping[str, Any]) -> CitedEntry:
    return CitedEntry(
        row["session_id"],
        row["entry_id"],
        row["line_no"],
        row["role"] or row["entry_type"],
        row["said_at"],
        row["source_path"],
        row["text"] or "",
        row["speaker"],
        tuple(row["speaker_parts"] or ()),
    )


def _link_windows(run: Run, names: list[str]) -> tuple[RecordLink, ...]:
    return tuple(_make_window_link(row) for row in _read_rows(run, "windows", pl.col("window_id").is_in(names), "window_id"))


def _make_window_link(row: WindowRow) -> RecordLink:
    reason = f" ({row['reason']})" if row["reason"] else ""
    return RecordLink(row["window_id"], "window", f"{row['kind']}, {row['status']}{reason}, {row['entry_count']} entries")


def _link_sessions(run: Run, names: list[str]) -> tuple[RecordLink, ...]:
    rows = _read_rows(run, "sessions", pl.col("session_id").is_in(names), "session_id")
    return tuple(RecordLink(row["session_id"], "session", f"{row['project']}: {row['title'] or ''}") for row in rows)


def _link_segments(run: Run, names: list[str]) -> tuple[RecordLink, ...]:
    return _make_segment_links(_read_rows(run, "segments", pl.col("segment_id").is_in(names), "segment_id"))


def _make_segment_links(rows: list[SegmentRow]) -> tuple[RecordLink, ...]:
    return tuple(RecordLink(row["segment_id"], "segment", format_segment(row["title"], row["narrative"])) for row in rows)


def _link_observations(run: Run, names: Sequence[str | None], relation: str) -> tuple[RecordLink, ...]:
    rows = _read_rows(run, "observations", pl.col("observation_id").is_in([name for name in names if name]), "observation_id")
    return tuple(RecordLink(row["observation_id"], relation, row["text"]) for row in rows)
