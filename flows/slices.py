"""Cuts the distilling of a big history into slices: the newest sessions first, pages and index after each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial

from effects.distil.distil_step import distil, list_due_sessions
from effects.embedding.embed_step import embed_kept
from effects.index.index_step import index
from effects.memory.review_step import review
from effects.pages.render_step import render
from effects.store.run import Run
from effects.store.run_record import Step

FIRST_WINDOWS, SLICE_WINDOWS = 100, 1000
"""Windows of the first slice, so that memory is useful within minutes, and of each other one."""

SHOW_STEPS: tuple[Step, ...] = (embed_kept, review, render, index)
"""Bring a slice to pages, words search and answers. The owner's decisions are read before pages are rendered over them."""


def plan_slices(run: Run) -> Sequence[Step]:
    """Return `distil`, or for a big history one `distil` per slice with steps between that render and index its facts.

    A slice is a set of whole sessions, so that every window gets the same facts of its session as without slices.
    """
    slices = list(_cut_slices(list_due_sessions(run)))
    if len(slices) < 2:
        return (distil,)
    steps: list[Step] = []
    for number, (sessions, day) in enumerate(slices, start=1):
        covered = f", pages and answers reach back to {slices[number - 2][1]}" if number > 1 else ""
        unit = f"windows of slice {number} of {len(slices)}, back to {day}{covered}"
        steps += [*(SHOW_STEPS if steps else ()), partial(distil, sessions=sessions, unit=unit)]
    return steps


def _cut_slices(due: Sequence[tuple[str, date, int]]) -> Iterator[tuple[list[str], date]]:
    """Yield the sessions of each slice and the day on which its oldest one began; a rest that is small joins the slice before."""
    remaining = sum(count for _, _, count in due)
    sessions: list[str] = []
    size, room = 0, FIRST_WINDOWS
    for position, (session, day, count) in enumerate(due, start=1):
        sessions.append(session)
        size, remaining = size + count, remaining - count
        if position == len(due) or (size >= room and remaining > FIRST_WINDOWS):
            yield sessions, day
            sessions, size, room = [], 0, SLICE_WINDOWS
