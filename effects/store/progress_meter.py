"""Measures a run while it goes on: steps report units, the meter adds the clock and passes on where the whole run is."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from transforms.pages.run_progress import Place, Progress, RunSteps, RunWork, StepPart, StepTimes, measure_progress

ShowProgress = Callable[[Progress], None]


class Advance(Protocol):
    """Callback of a step: the unit of its work (or a word about it), the units done and their total."""

    def __call__(self, unit: str, done: int = 0, total: int = 0, at_most: float | None = None) -> None:
        """Report; after `at_most` seconds the step ends, finished or not."""


def ignore_advance(unit: str, done: int = 0, total: int = 0, at_most: float | None = None) -> None:
    """Drop progress that nobody watches."""


def ignore_report(progress: Progress) -> None:
    """Drop progress that nobody watches."""


def throttle(report: ShowProgress, seconds: float) -> ShowProgress:
    """Return a report that passes on the beginning of every step, and of the rest one in so many seconds."""
    last_step, last_time = -1, time.monotonic()

    def pass_on(progress: Progress) -> None:
        """Report the progress, unless the last report of this step is too recent."""
        nonlocal last_step, last_time
        if progress.position != last_step or time.monotonic() - last_time >= seconds:
            last_step, last_time = progress.position, time.monotonic()
            report(progress)

    return pass_on


@dataclass(slots=True)
class ProgressMeter:
    """The clock of a run with known steps. `begin_step` is called once for each, in order; `advance` by the step itself.

    Steps that run in the place of one count as that one: what is planned while the run goes on changes no number.
    """

    flow: str
    names: Sequence[str]
    report: ShowProgress
    work: RunWork = field(default_factory=RunWork)
    """What the run has to do; steps that are planned while it goes on tell more of it."""
    position: int = -1
    steps: list[StepPart] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    """Of each step the place of the one that it stands for; its own while nothing was planned."""
    finished: list[float] = field(default_factory=list)
    """The seconds of each step that ended."""
    share: float = 0.0
    run_start: float = field(default_factory=time.monotonic)
    step_start: float = 0.0

    def __post_init__(self) -> None:
        self.steps = self.steps or [StepPart(name) for name in self.names]
        self.places = self.places or list(range(len(self.steps)))

    def replace_step(self, steps: Sequence[StepPart], later_parts: Mapping[str, float] | None = None) -> None:
        """Put steps in the place of the one that begins next; later steps of these names have these parts of the work."""
        next_one = self.position + 1
        others = [replace(step, part=(later_parts or {}).get(step.name, step.part)) for step in self.steps[next_one + 1 :]]
        self.steps[next_one:] = [*steps, *others]
        self.places[next_one : next_one + 1] = [self.places[next_one]] * len(steps)

    def begin_step(self) -> None:
        """Count one step further, begin its clock, and report."""
        now = time.monotonic()
        if self.position >= 0:
            self.finished.append(now - self.step_start)
        self.position += 1
        self.step_start = now
        self.advance("")

    def advance(self, unit: str, done: int = 0, total: int = 0, at_most: float | None = None) -> None:
        """Report where the step is; a plan that tells of more work lets the bar wait, not go back."""
        now = time.monotonic()
        times = StepTimes(now - self.run_start, now - self.step_start, at_most, self.finished)
        position = max(self.position, 0)
        place = Place(self.places[position] + 1, self.places[-1] + 1)
        progress = measure_progress(RunSteps(self.flow, self.steps, self.work), position, times, unit, done, total)
        self.share = max(self.share, progress.share)
        self.report(replace(progress, place=place, share=self.share))
