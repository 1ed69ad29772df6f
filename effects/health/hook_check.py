"""The check of calls of `recollect hook` that failed: a client never shows them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from effects.health.check import Check
from effects.opening.hooks_log import list_failures
from effects.store.run import Run

PERIOD = timedelta(days=7)


def check_hooks(run: Run) -> Iterator[Check]:
    """Yield a note about the calls of the last days that failed, with the problem of the last one."""
    if failures := list_failures(run.as_of - PERIOD):
        last = failures[-1]
        times = f"{len(failures)} times in {PERIOD.days} days, the last at {last.at:%Y-%m-%d %H:%M} UTC"
        yield Check("hooks", "note", f"`recollect hook` failed {times}: {last.problem}", last.hint or "recollect config")
