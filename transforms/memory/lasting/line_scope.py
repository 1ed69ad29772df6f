"""Tells whether a line holds in all projects of its owner, or only in the one where it was said."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transforms.memory.said_for_good import is_about_work
from transforms.tables.enums import PERSONAL_KINDS

if TYPE_CHECKING:  # who saves a line at the keyboard waits for it, and learned weights need numpy
    from transforms.memory.eligibility import LineCandidate

MIN_EVERYWHERE = 0.6
"""Likelihood from which a line holds everywhere: eight of ten such lines of people who took no part do
(`benchmarks/learning/scopes/fit_scopes.py`)."""

WeighScope = Callable[["LineCandidate"], float | None]
"""How likely a candidate of typed words holds in all projects of its owner; None where learned weights know nothing of it."""


def knows_no_scope(_candidate: LineCandidate) -> None:
    """Return None: nobody is asked but the rules of language."""


@dataclass(frozen=True, slots=True)
class Scopes:
    """What tells where a line holds: the known projects, from which its head tells its own, and learned weights."""

    projects: Collection[str] = ()
    weigh: WeighScope = knows_no_scope


WORDS_ALONE = Scopes()
"""No project is known but those of the candidates, and words alone tell where a line holds."""


def holds_everywhere(likely: float | None, line: str) -> bool:
    """Whether a line holds in all projects: by its likelihood, where that is unknown by whether it is about the work itself."""
    return is_about_work(line) if likely is None else likely >= MIN_EVERYWHERE


def is_of_project(candidate: LineCandidate, weigh: WeighScope) -> bool:
    """Whether a line by its words holds only in the project where it was said.

    Learned weights decide on all typed words. Where they know nothing, that is what a convention, decision or cause says, and a
    rule that is not about the work itself, in typed words or in those of a model; a person's preference never is.
    """
    likely = weigh(candidate)
    if likely is not None or candidate.kind not in PERSONAL_KINDS:
        return likely is None or not holds_everywhere(likely, candidate.text)
    is_rule = bool(candidate.whole or candidate.is_worded) and candidate.kind != "preference"
    return is_rule and not holds_everywhere(None, candidate.text)
