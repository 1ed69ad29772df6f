"""`recollect export`: what is kept, one row per fact, narrative or condensed period."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from effects.system.errors import NotFoundError
from recollect.terminal import opened, parse_day, say, say_json

MARKS = {"high": "🔴", "medium": "🟡", "low": "🟢"}


def export(
    *,
    session: Annotated[str | None, Parameter(help="Only this session.")] = None,
    tier: Annotated[
        Literal["0", "1", "2", "3", "4"], Parameter(help="0 as observed, the default; 1 day, 2 week, 3 month, 4 year.")
    ] = "0",
    since: Annotated[str | None, Parameter(help="Only from this day on.")] = None,
    all: Annotated[bool, Parameter(name="--all", help="Superseded rows too.")] = False,
    json: Annotated[bool, Parameter(name="--json", help="One JSON object per row.")] = False,
) -> int:
    """Print what is kept, one row per fact or narrative."""
    import polars as pl

    from effects.store.export_rows import kept

    run = opened()
    if session and run.lake.scan("sessions").filter(pl.col("session_id") == session).collect().is_empty():
        raise NotFoundError(f"no session `{session}` in the lake", "recollect sql 'SELECT session_id, title FROM sessions'")
    for row in kept(run.lake, int(tier), session, parse_day(since) if since else None, all):
        if json:
            say_json(row)
        else:
            mark = MARKS.get(row["priority"] or "", "▪")
            say(f"{mark} {row['text']}  [{row['kind'] or row['source']} {row['id']}]")
    return 0
