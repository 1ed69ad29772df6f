"""Memory in plain words for somebody who has just set it up: what it holds, where to look, what to do next."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from effects.store.forgotten import read_forgotten, read_holding_facts
from effects.store.run import Run
from transforms.pages.run_page import count_things

NIGHT_TIME = "03:30"


@dataclass(frozen=True, slots=True)
class FirstMemory:
    """Lines about what memory holds and where its pages are, and lines about the next commands and tonight."""

    holds: tuple[str, ...]
    next: tuple[str, ...]


def describe_memory(run: Run, scheduler: str) -> FirstMemory:
    """Return memory in words without any step; `scheduler` is the one that is installed, or `none`."""
    sessions = run.lake.read("sessions").filter(pl.col("entry_count") > 0)
    facts = read_holding_facts(run.lake).height
    pending = run.lake.scan("proposals").filter(pl.col("status") == "pending").select("proposal_id").collect()["proposal_id"]
    next_lines = _describe_next(len(set(pending).difference(read_forgotten(run.lake))), scheduler)
    if sessions.is_empty():
        return FirstMemory(("memory     is empty: no session has been read yet",), next_lines)
    days = sorted(sessions["day"].to_list())
    read, projects = count_things(sessions.height, "session"), count_things(sessions["project"].n_unique(), "project")
    return FirstMemory(
        (
            f"memory     {count_things(facts, 'fact')} from {read} in {projects}, {days[0]} to {days[-1]}",
            f"pages      {run.settings.workspace}",
            "           memory/     what happened, a page for each day",
            "           briefing/   what an agent is told when a session begins, a page for each project",
            "           REVIEW.md   lines that are proposed for MEMORY.md; none is added without your yes",
        ),
        next_lines,
    )


def _describe_next(waiting: int, scheduler: str) -> tuple[str, ...]:
    """Return three commands, and what happens tonight."""
    lines = f"{count_things(waiting, 'line')} to say yes or no to" if waiting else "nothing waits yet: it fills night by night"
    tonight = (
        "nothing happens by itself: `recollect nightly --direct` reads what is new whenever you run it"
        if scheduler == "none"
        else f"at {NIGHT_TIME} ({scheduler}) the new sessions are read and the pages written again"
    )
    return (
        'next       recollect ask "what did we decide about …?"   an answer from all that was said, with where it was said',
        f"           recollect review   {lines}",
        "           recollect doctor   whether everything works",
        f"tonight    {tonight}",
    )
