"""What every way of running shares: one lock around the steps, one record of the run, the sessions that waited. No Prefect."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

from effects.queue import read_waiting, waiting
from effects.record import Step, recorded
from effects.run import Counts, Run
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


def perform(run: Run, flow: str, parameters: dict[str, Any], story: Story, through: Through = directly) -> Summary:
    """Tells `story` under the lake's lock and leaves a row in `runs`, also when a step fails.

    Raises:
        LockedError: when another run holds the lake.
        Exception: whatever a step raised.
    """
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
