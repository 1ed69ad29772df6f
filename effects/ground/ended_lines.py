"""Proposes to remove lines of MEMORY.md that name the day until which they hold, once it has passed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from effects.memory.proposal_store import ProposalStore, propose_removals
from transforms.language.relative_dates import find_end_of_undated, find_stated_end
from transforms.pages.memory_md import Bullet


def propose_ended_lines(store: ProposalStore, bullets: Sequence[Bullet]) -> int:
    """Propose the removal of each line whose end has passed, once, and return how many were proposed.

    A line's own date tells from when "until Friday" counts; without one only an end with its year can have passed.
    """
    today = store.run.today
    ends = [(bullet, _find_end(bullet, today)) for bullet in bullets]
    return propose_removals(store, [(bullet, f"Ended on {end}") for bullet, end in ends if end is not None and end < today])


def _find_end(bullet: Bullet, today: date) -> date | None:
    return find_stated_end(bullet.text, bullet.dated) if bullet.dated else find_end_of_undated(bullet.text, today)
