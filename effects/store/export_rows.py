"""What is kept, as `recollect export` prints it: facts and narratives of tier 0, or the condensed periods of a tier."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from typing import Any

import polars as pl

from effects.store.lake import Lake
from transforms.recall.documents import format_segment

Row = dict[str, Any]


def kept(lake: Lake, tier: int = 0, session: str | None = None, since: date | None = None, everything: bool = False) -> list[Row]:
    """The rows of a tier as CONTRACT.md names them, in the order of the sessions; superseded ones only with `everything`."""
    if tier:
        return list(_distillates(lake, tier, session, since, everything))
    rows = [*_observations(lake, session, since, everything), *_segments(lake, session, since)]
    return sorted(rows, key=lambda row: (row["session_id"], row["first_line"], row["source"], row["id"]))


def _observations(lake: Lake, session: str | None, since: date | None, everything: bool) -> Iterator[Row]:
    frame = _narrowed(lake.scan("observations"), session, since).filter(pl.col("verdict") == "allow")
    if not everything:
        frame = frame.filter(pl.col("superseded_by").is_null())
    found = frame.sort("session_id", "observation_id").collect()
    also = _also(lake, found)
    for row in found.iter_rows(named=True):
        lines = row["lines"] or []
        yield {
            "id": row["observation_id"],
            "source": "observation",
            "tier": 0,
            "text": row["text"],
            "kind": row["kind"],
            "priority": row["priority"],
            "tokens": row["tokens"],
            "session_id": row["session_id"],
            "entry_ids": row["entry_ids"] or [],
            "lines": lines,
            "first_line": min(lines, default=None),
            "last_line": max(lines, default=None),
            "superseded_by": row["superseded_by"],
        } | ({"also": also[row["observation_id"]]} if row["observation_id"] in also else {})


def _segments(lake: Lake, session: str | None, since: date | None) -> Iterator[Row]:
    for row in _narrowed(lake.scan("segments"), session, since).sort("session_id", "first_line").collect().iter_rows(named=True):
        yield {
            "id": row["segment_id"],
            "source": "segment",
            "tier": 0,
            "text": format_segment(row["title"], row["narrative"]),
            "kind": None,
            "priority": None,
            "tokens": row["tokens"],
            "session_id": row["session_id"],
            "entry_ids": row["entry_ids"] or [],
            "lines": row["lines"] or [],
            "first_line": row["first_line"],
            "last_line": row["last_line"],
            "superseded_by": None,
        }


def _distillates(lake: Lake, tier: int, session: str | None, since: date | None, everything: bool) -> Iterator[Row]:
    frame = lake.scan("distillates").filter(pl.col("tier") == tier)
    if since:
        frame = frame.filter(pl.col("period_end") >= since)
    if not everything:
        frame = frame.filter(pl.col("superseded_by").is_null())
    for row in frame.sort("period_start", "project", "distillate_id").collect().iter_rows(named=True):
        cited = _by_session(row["entry_refs"] or [])
        if session and session not in cited:
            continue
        own = session or next(iter(cited), None)
        yield {
            "id": row["distillate_id"],
            "source": "distillate",
            "tier": tier,
            "text": row["text"],
            "kind": None,
            "priority": None,
            "tokens": row["output_tokens"],
            "session_id": own,
            "entry_ids": cited.pop(own, []) if own else [],
            "lines": [],
            "first_line": None,
            "last_line": None,
            "superseded_by": row["superseded_by"],
            "also": [{"session_id": other, "entry_ids": ids, "lines": []} for other, ids in cited.items()],
        }


def _narrowed(frame: pl.LazyFrame, session: str | None, since: date | None) -> pl.LazyFrame:
    if session:
        frame = frame.filter(pl.col("session_id") == session)
    return frame.filter(pl.col("day") >= since) if since else frame


def _by_session(references: list[str]) -> dict[str, list[str]]:
    """`session_id:entry_id` taken apart, sessions in order of first mention; a session id may hold a colon, an entry id never."""
    found: dict[str, list[str]] = defaultdict(list)
    for reference in references:
        session_id, _, entry_id = reference.rpartition(":")
        found[session_id].append(entry_id)
    return dict(found)


def _also(lake: Lake, observations: pl.DataFrame) -> dict[str, list[Row]]:
    """Citation from other sessions, with the lines where it stands there."""
    merged = {row[0]: _by_session(row[1]) for row in observations.select("observation_id", "also").iter_rows() if row[1]}
    sessions = sorted({session_id for cited in merged.values() for session_id in cited})
    if not sessions:
        return {}
    entries = (
        lake.scan("entries").filter(pl.col("session_id").is_in(sessions)).select("session_id", "entry_id", "line_no").collect()
    )
    lines = {(session_id, entry_id): line for session_id, entry_id, line in entries.iter_rows()}
    return {
        observation_id: [
            {"session_id": session_id, "entry_ids": ids, "lines": [lines[session_id, i] for i in ids if (session_id, i) in lines]}
            for session_id, ids in cited.items()
        ]
        for observation_id, cited in merged.items()
    }
