"""What every way of running shares: one lock around the steps, one record of the run, the sessions that waited. No Prefect.

A session that closes while the lake is locked leaves a note (`effects.ingest.waiting_sessions`), tries once more, and goes. Whoever held the lock
looks for notes again after giving it back. So a note is always read by somebody: either its writer gets the lock the second
time, or the lock was held after the note was there, and its holder sees the note.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.embedding.embed_step import embed_kept
from effects.index.index_step import index
from effects.ingest.waiting_sessions import read_waiting, waiting
from effects.memory.dedupe_step import dedupe
from effects.memory.review_step import review
from effects.pages.render_step import render
from effects.store.run import Counts, Run
from effects.store.run_record import Step, recorded
from effects.system.errors import LockedError
from flows.nightly import Do

Through = Callable[[str, Callable[[], Counts]], Counts]
"""Runs one named call: directly, or as a Prefect task of that name."""

Story = Callable[[Do], None]
Watch = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did: counts per step, in order, and its seconds. Numbers and reasons only, never words of a session."""

    run_id: str
    flow: str
    as_of: str
    seconds: float
    counts: dict[str, Counts]

    def as_dict(self) -> dict[str, Any]:
        """As JSON prints it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def directly(name: str, call: Callable[[], Counts]) -> Counts:
    """Just calls it."""
    return call()


def bring_up_to_date(do: Do) -> None:
    """Everything that depends on sessions that were just read, short of what is left to the night."""
    do(window)
    do(distil)
    do(embed_kept)  # raw turns are left to the night
    do(dedupe)
    do(review)  # REVIEW.md is read back before every rendering, so that no decision is rendered over
    do(render)
    do(index)


def perform(run: Run, flow: str, parameters: dict[str, Any], story: Story, through: Through = directly) -> Summary:
    """Tells `story` under the lake's lock and leaves a row in `runs`, also when a step fails; then reads what waited meanwhile.

    Raises:
        LockedError: when another run holds the lake.
        Exception: whatever a step raised.
    """
    summary = _tell(run, flow, parameters, story, through)
    while waiting(run.lake):
        try:
            _tell(run, "session", {"waiting": len(waiting(run.lake))}, bring_up_to_date, through)
        except LockedError:
            break  # its holder reads them
    return summary


def _tell(run: Run, flow: str, parameters: dict[str, Any], story: Story, through: Through) -> Summary:
    with run.lake.writing(f"recollect {flow}"), recorded(run, flow, parameters) as record:

        def do(step: Step) -> Counts:
            name = step_name(step)
            run.progress(f"{flow}: {name}")
            return through(name, lambda: record.add(name, step, run))

        if waiting(run.lake):
            do(read_waiting)  # what `recollect session` left because the lake was locked
        story(do)
    return Summary(record.run_id, flow, run.as_of.isoformat(), record.seconds, record.counts)


def step_name(step: Step) -> str:
    """The name of a step, also when some of its arguments are given already."""
    return str(getattr(step.func if isinstance(step, partial) else step, "__name__", "step"))


def _unwatched(message: str) -> None:
    """Progress that nobody asked for."""


WATCH: ContextVar[Watch] = ContextVar("WATCH", default=_unwatched)
"""Where a flow reports progress: a door sets it, because Prefect would serialise a parameter."""
