"""Rows of `recollect export`: facts and narratives of tier 0, or the condensed periods of a tier."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Literal, NotRequired, TypedDict

import polars as pl

from effects.store.forgotten import list_forgotten_ids, read_forgotten
from effects.store.lake import Lake
from effects.system.disk_errors import explaining_disk_errors
from effects.system.errors import UsageError
from effects.system.files import replace_file
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.quoting.segment_text import format_segment
from transforms.tables.enums import FactKind, ItemType, Origin, Priority
from transforms.tables.fact_notes import split_turned_down
from transforms.tables.schema import DISTILLATES, OBSERVATIONS, SEGMENTS, read_rows
from transforms.views.item_types import ITEM_TYPES, list_tags


class SessionCitation(TypedDict):
    """Cited entries of another session, with their 0-based lines in its file."""

    session_id: str
    entry_ids: list[str]
    lines: list[int]


class ExportRow(TypedDict):
    """One exported row. `docs/contract.md` names its fields; `also` is left out when there is no other session."""

    id: str
    source: Literal["observation", "segment", "distillate"]
    tier: int
    text: str
    """What holds; what a fact calls wrong or rejected is in `turned_down`."""
    turned_down: list[str]
    project: str | None
    day: date
    """The local day of the fact or segment, the first one of a period."""
    said_at: datetime | None
    """When the fact was said; null for segments and periods."""
    kind: FactKind | None
    type: ItemType | None
    tags: list[str]
    priority: Priority | None
    tokens: int
    session_id: str | None
    entry_ids: list[str]
    lines: list[int]
    first_line: int | None
    last_line: int | None
    superseded_by: str | None
    origin: Origin | None
    """Where a fact or a period comes from."""
    also: NotRequired[list[SessionCitation]]


_CITATION = pl.Struct({"session_id": pl.String, "entry_ids": pl.List(pl.String), "lines": pl.List(pl.Int64)})
EXPORT_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "id": pl.String, "source": pl.String, "tier": pl.Int64, "text": pl.String, "turned_down": pl.List(pl.String),
    "project": pl.String, "day": pl.Date, "said_at": pl.Datetime("us", "UTC"), "kind": pl.String, "type": pl.String,
    "tags": pl.List(pl.String), "priority": pl.String, "tokens": pl.Int64, "session_id": pl.String,
    "entry_ids": pl.List(pl.String), "lines": pl.List(pl.Int64), "first_line": pl.Int64, "last_line": pl.Int64,
    "superseded_by": pl.String, "origin": pl.String, "also": pl.List(_CITATION),
}  # fmt: skip
"""The columns of exported rows in CSV and Parquet: those of `ExportRow`, in its order."""


def check_export_folder(path: Path) -> None:
    """Raise a UsageError when there is no folder for a file: a misspelt one is not made."""
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}", f"mkdir -p {shlex.quote(str(path.parent))}, or name another file")


def write_export_file(rows: Sequence[ExportRow], path: Path) -> None:
    """Write rows to a Parquet file, atomically.

    Raises:
        DiskError: when the disk is full or read-only, or the folder takes no files.
        UsageError: when there is no such folder.
    """
    check_export_folder(path)
    data = BytesIO()
    pl.DataFrame(rows, schema=EXPORT_SCHEMA).write_parquet(data)
    with explaining_disk_errors(path):
        replace_file(path, data.getvalue())


def select_export_rows(
    lake: Lake, tier: int = 0, session: str | None = None, since: date | None = None, is_complete: bool = False
) -> list[ExportRow]:
    """Return the rows of a tier in the order of the sessions; superseded ones only when `is_complete`."""
    if tier:
        return list(_export_distillates(lake, tier, session, since, is_complete))
    rows = [*_export_observations(lake, session, since, is_complete), *_export_segments(lake, session, since)]
    return sorted(rows, key=lambda row: (row["session_id"], row["first_line"], row["source"], row["id"]))


def _export_observations(lake: Lake, session: str | None, since: date | None, is_complete: bool) -> Iterator[ExportRow]:
    frame = _filter_rows(lake.scan("observations"), session, since).filter(pl.col("verdict") == "allow")
    if not is_complete:
        frame = frame.filter(pl.col("superseded_by").is_null())
    observations = drop_forgotten_rows(frame.sort("session_id", "observation_id").collect(), read_forgotten(lake))
    citations = _cite_other_sessions(lake, observations)
    for row in read_rows(OBSERVATIONS, observations):
        lines = row["lines"] or []
        text, turned_down = split_turned_down(row["text"])
        exported: ExportRow = {
            "id": row["observation_id"],
            "source": "observation",
            "tier": 0,
            "text": text,
            "turned_down": turned_down,
            "project": row["project"],
            "day": row["day"],
            "said_at": row["said_at"],
            "kind": row["kind"],
            "type": ITEM_TYPES.get(row["kind"], "knowledge"),
            "tags": list_tags(row["kind"], row["category"], row["project"] or "", row["files"] or ()),
            "priority": row["priority"],
            "tokens": row["tokens"],
            "session_id": row["session_id"],
            "entry_ids": row["entry_ids"] or [],
            "lines": lines,
            "first_line": min(lines, default=None),
            "last_line": max(lines, default=None),
            "superseded_by": row["superseded_by"],
            "origin": row["origin"],
        }
        if row["observation_id"] in citations:
            exported["also"] = citations[row["observation_id"]]
        yield exported


def _export_segments(lake: Lake, session: str | None, since: date | None) -> Iterator[ExportRow]:
    segment_rows = _filter_rows(lake.scan("segments"), session, since).sort("session_id", "first_line").collect()
    segments = drop_forgotten_rows(segment_rows, read_forgotten(lake))
    projects = dict(lake.scan("sessions").select("session_id", "project").collect().iter_rows())
    for row in read_rows(SEGMENTS, segments):
        yield {
            "id": row["segment_id"],
            "source": "segment",
            "tier": 0,
            "text": format_segment(row["title"], row["narrative"]),
            "turned_down": [],
            "project": projects.get(row["session_id"]),
            "day": row["day"],
            "said_at": None,
            "kind": None,
            "type": None,
            "tags": [],
            "priority": None,
            "tokens": row["tokens"],
            "session_id": row["session_id"],
            "entry_ids": row["entry_ids"] or [],
            "lines": row["lines"] or [],
            "first_line": row["first_line"],
            "last_line": row["last_line"],
            "superseded_by": None,
            "origin": None,
        }


def _export_distillates(lake: Lake, tier: int, session: str | None, since: date | None, is_complete: bool) -> Iterator[ExportRow]:
    frame = lake.scan("distillates").filter(pl.col("tier") == tier)
    if since:
        frame = frame.filter(pl.col("period_end") >= since)
    if not is_complete:
        frame = frame.filter(pl.col("superseded_by").is_null())
    periods = frame.sort("period_start", "project", "distillate_id").collect()
    rows = list(read_rows(DISTILLATES, periods.filter(~pl.col("distillate_id").is_in(list_forgotten_ids(lake)))))
    cited = {row["distillate_id"]: _group_by_session(row["entry_refs"] or []) for row in rows}
    lines = find_lines(lake, cited.values())
    for row in rows:
        entry_ids = cited[row["distillate_id"]]
        if session and session not in entry_ids:
            continue
        own = session or next(iter(entry_ids), None)
        own_ids = entry_ids.pop(own, []) if own else []
        own_lines = [lines[own, entry_id] for entry_id in own_ids if (own, entry_id) in lines] if own else []
        yield {
            "id": row["distillate_id"],
            "source": "distillate",
            "tier": tier,
            "text": row["text"],
            "turned_down": [],
            "project": row["project"],
            "day": row["period_start"],
            "said_at": None,
            "kind": None,
            "type": None,
            "tags": [],
            "priority": None,
            "tokens": row["output_tokens"],
            "session_id": own,
            "entry_ids": own_ids,
            "lines": own_lines,
            "first_line": min(own_lines, default=None),
            "last_line": max(own_lines, default=None),
            "superseded_by": row["superseded_by"],
            "origin": row["origin"],
            "also": _cite(entry_ids, lines),
        }


def _filter_rows(frame: pl.LazyFrame, session: str | None, since: date | None) -> pl.LazyFrame:
    if session:
        frame = frame.filter(pl.col("session_id") == session)
    return frame.filter(pl.col("day") >= since) if since else frame


def _group_by_session(references: Sequence[str]) -> dict[str, list[str]]:
    """Return the entry ids of `session_id:entry_id` references by session, in order of first mention.

    A session id may hold a colon, an entry id never.
    """
    entry_ids: dict[str, list[str]] = defaultdict(list)
    for reference in references:
        session_id, _, entry_id = reference.rpartition(":")
        entry_ids[session_id].append(entry_id)
    return dict(entry_ids)


def _cite_other_sessions(lake: Lake, observations: pl.DataFrame) -> dict[str, list[SessionCitation]]:
    """Return the merged evidence of observations, with the lines of the entries in their own sessions."""
    merged = {key: _group_by_session(also) for key, also in observations.select("observation_id", "also").iter_rows() if also}
    lines = find_lines(lake, merged.values())
    return {observation_id: _cite(cited, lines) for observation_id, cited in merged.items()}


def _cite(cited: Mapping[str, Sequence[str]], lines: Mapping[tuple[str, str], int]) -> list[SessionCitation]:
    return [
        {
            "session_id": session_id,
            "entry_ids": list(ids),
            "lines": [lines[session_id, i] for i in ids if (session_id, i) in lines],
        }
        for session_id, ids in cited.items()
    ]


def find_lines(lake: Lake, cited: Iterable[Mapping[str, Sequence[str]]]) -> dict[tuple[str, str], int]:
    """Return the line of each (session, entry) in its session's file, for entries that are cited by session."""
    sessions = sorted({session_id for by_session in cited for session_id in by_session})
    if not sessions:
        return {}
    scan = lake.scan("entries").filter(pl.col("session_id").is_in(sessions))
    entries = scan.select("session_id", "entry_id", "line_no").collect()
    return {(session_id, entry_id): line for session_id, entry_id, line in entries.iter_rows()}
