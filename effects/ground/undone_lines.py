"""Proposes to change lines of MEMORY.md of which recent work behind the owner's words took a value out of the files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import groupby

import polars as pl

from effects.memory.proposal_store import RECOLLECT, ProposalStore
from effects.store.content_key import compute_search_key, find_settled, settle
from effects.store.forgotten import read_forgotten
from effects.store.run import Run
from transforms.changes.undone_settings import find_undone_setting
from transforms.changes.undone_values import (
    CHANGING_CALLS,
    UndoneValue,
    Work,
    find_undone_value,
    list_values,
    list_works,
)
from transforms.conversation.entries import ENTRY_COLUMNS_READ, build_entries
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.language.sentences import shorten
from transforms.pages.memory_md import Bullet
from transforms.pages.page_names import find_named_projects
from transforms.tables.ids import allocate_ids
from transforms.tables.periods import DAYS_PER_WEEK, find_local_day
from transforms.tables.rows import ProposalRow

PERHAPS_OVER = "Perhaps over: "
"""Beginning of the reason: nobody said that the line is over, so the owner is asked."""
MAX_A_WEEK = 2
"""Questions of seven days: each is about a single line."""
DAYS_BACK = 14
"""Days whose work is looked at: a question that has no room this week is asked in the next one."""
MAX_TYPED_CHARS = 80
_REMOVALS = (" remove ", " uninstall ", " purge ", " rm ", '"rm ')
"""Parts of the calls that remove something, in the files of all clients."""


def propose_undone_lines(store: ProposalStore, bullets: Sequence[Bullet]) -> int:
    """Ask about each line of which the work behind the owner's words changed a number, or removed a package, a file or a name;
    once, and at most a few lines a week. Return how many were asked about.

    A line with its day is not compared with work of before that day, one that names a project with work of that one alone.
    """
    run = store.run
    asked = [row for row in store.rows.values() if (row["pattern"] or "").startswith(PERHAPS_OVER)]
    quoted = {row["old_text"] for row in (*asked, *(row for row in store.rows.values() if row["status"] == "pending"))}
    since = run.today - timedelta(days=DAYS_PER_WEEK)
    room = MAX_A_WEEK - sum(find_local_day(row["created_at"], run.zone) > since for row in asked)
    lines = [bullet for bullet in bullets if bullet.is_one_line and bullet.line not in quoted]
    key = compute_search_key(run, ("entries", "tombstones"), *(bullet.line for bullet in lines))
    if room <= 0 or not lines or find_settled(run, "undone", key) is not None:
        return 0
    works = _read_works(run, list_values([bullet.text for bullet in lines]))
    projects = dict(run.lake.scan("sessions").select("session_id", "project").collect().iter_rows()) if works else {}
    undone: list[tuple[Bullet, UndoneValue]] = []
    for bullet in lines if works else ():
        named = find_named_projects(bullet.text, {project for project in projects.values() if project})
        own = [work for work in works if not named or projects.get(work.entry.session_id) in named]
        later = [work for work in own if bullet.dated is None or find_local_day(work.entry.said_at, run.zone) >= bullet.dated]
        if value := find_undone_value(bullet.text, later) or find_undone_setting(bullet.text, later):
            undone.append((bullet, value))
    if not undone:
        settle(run, "undone", key, {})
    undone.sort(key=lambda item: (not item[1].text, item[1].work.entry.said_at, item[0].start))  # a new number is the surest
    for bullet, value in undone[:room]:
        (proposal_id,) = allocate_ids(store.rows, store.past["proposal_id"].to_list(), run.today, 1)
        store.rows[proposal_id] = _build_row(run, proposal_id, bullet, value)
        store.record(proposal_id, "proposed", RECOLLECT, store.rows[proposal_id]["text"])
    return len(undone[:room])


def _read_works(run: Run, values: list[str]) -> list[Work]:
    """Return the exchanges of the last days that changed or removed something, or wrote one of these values again, in the order
    of time."""
    days = [run.today - timedelta(days=back) for back in range(DAYS_BACK, -1, -1)]
    scan = run.lake.scan("entries", days)
    raw = pl.col("raw_json").str
    is_agent, names_value = pl.col("role") == "assistant", raw.contains_any(values) if values else pl.lit(value=False)
    is_change = is_agent & (raw.contains_any(list(CHANGING_CALLS)) | raw.contains_any(list(_REMOVALS)))
    sessions = scan.filter(is_change).select("session_id").unique().collect()["session_id"].sort().to_list()
    has_calls = is_change | (is_agent & names_value)  # a file written anew may have the value again
    is_message = (pl.col("role") == "user") | has_calls | (is_agent & (pl.col("text") != ""))
    is_failure = (pl.col("role") == "toolResult") & pl.col("is_error")
    read = scan.filter(pl.col("session_id").is_in(sessions) & (is_message | is_failure)).select(ENTRY_COLUMNS_READ)
    rows = read.with_columns(raw_json=pl.when(has_calls).then("raw_json")).collect()
    entries = build_entries(drop_forgotten_rows(rows, read_forgotten(run.lake)))
    works = [work for _, own in groupby(entries, lambda entry: entry.session_id) for work in list_works(list(own))]
    return sorted(works, key=lambda work: (work.entry.said_at, work.entry.session_id, work.entry.ordinal))


def _build_row(run: Run, proposal_id: str, bullet: Bullet, value: UndoneValue) -> ProposalRow:
    change, entry = value.change, value.work.entry
    place = f" in {change.place}" if change.added and change.place else ""
    fate = f"{change.removed} became {change.added}{place}" if change.added else f"{change.place} was removed"
    typed = shorten(" ".join(value.work.typed.split()), MAX_TYPED_CHARS)
    return {
        "proposal_id": proposal_id, "kind": "memory", "op": "replace" if value.text else "remove", "section": bullet.section,
        "text": value.text or bullet.text, "old_text": bullet.line, "target": "MEMORY.md",
        "evidence_ids": [f"{entry.session_id}:{entry.entry_id}"], "severity": None, "origin": "tool", "project": None,
        "said_at": entry.said_at,
        "status": "pending", "first_shown_at": run.as_of, "created_at": run.as_of, "decided_at": None,
        "is_everywhere": None, "evidence_sources": None,
        "pattern": f"{PERHAPS_OVER}{fate} after you wrote “{typed}”",
    }  # fmt: skip
