"""Progress of a run: its share of the whole, the rate of its step, and the time that is left; as numbers and as a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

STEP_SHARES = {
    "ingest": 3, "ingest_month": 3, "ingest_newest": 3, "window": 3, "distil": 20, "embed_kept": 15, "dedupe": 3, "render": 4,
    "embed": 40, "index": 8,
}  # fmt: skip
"""Parts of the time of a first night (docs/decisions.md): they only place the bar between two steps."""
SMALL_SHARE = 1
KNOWN_AFTER_SECONDS, KNOWN_AFTER_SHARE = 2.0, 0.02
"""Before so much of a run its end cannot be estimated."""


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Seconds since the run and since its present step began; after `at_most` the step ends, finished or not."""

    of_run: float
    of_step: float
    at_most: float | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """The number of a step among those of the pipeline, and their number. Steps that stand for one have its number."""

    number: int
    steps: int


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a run. `position` counts all steps from 0, also those that stand for one of the pipeline; `share` goes from 0
    to 1 over all steps; rate and seconds are None until they can be estimated."""

    flow: str
    step: str
    position: int
    place: Place
    unit: str
    done: int
    total: int
    share: float
    rate: float | None
    seconds_left: float | None


def measure_progress(
    flow: str, names: Sequence[str], position: int, times: StepTimes, unit: str = "", done: int = 0, total: int = 0
) -> Progress:
    """Return where a run is in its steps `names`, at `done` of `total` units of the one at `position`."""
    shares = [STEP_SHARES.get(name, SMALL_SHARE) for name in names]
    inside = min(done / total, 1.0) if total else 0.0
    reached = sum(shares[:position]) + shares[position] * inside
    rate = done / times.of_step if done and times.of_step > 0 else None
    seconds_left = None
    if times.of_run >= KNOWN_AFTER_SECONDS and reached / sum(shares) >= KNOWN_AFTER_SHARE:
        seconds_per_share = times.of_run / reached
        expected = shares[position] * seconds_per_share - times.of_step
        own = (total - done) / rate if rate and total else max(expected, 0.0)
        own = own if times.at_most is None else min(own, times.at_most)
        seconds_left = own + sum(shares[position + 1 :]) * seconds_per_share
    place = Place(position + 1, len(names))
    return Progress(flow, names[position], position, place, unit, done, total, reached / sum(shares), rate, seconds_left)


def format_progress(progress: Progress) -> str:
    """Return one line: `nightly 3/11 distil, 120/566 windows, 9.8 a second, 50 s left`."""
    return ", ".join([format_step(progress), *list_details(progress)])


def format_step(progress: Progress) -> str:
    """Return the step that runs: `nightly 3/11 distil`."""
    return f"{progress.flow} {progress.place.number}/{progress.place.steps} {progress.step}"


def list_details(progress: Progress) -> list[str]:
    """Return the known figures of the step: units, rate, time left."""
    details = []
    if progress.total:
        details.append(f"{progress.done}/{progress.total} {progress.unit}")
    elif progress.unit:
        details.append(progress.unit)
    if progress.rate is not None and progress.total:
        details.append(f"{progress.rate:.3g} a second" if progress.rate >= 1 else f"{60 * progress.rate:.3g} a minute")
    if progress.seconds_left is not None:
        details.append(f"{format_duration(progress.seconds_left)} left")
    return details


def format_duration(seconds: float) -> str:
    """Return a time that people can read: `50 s`, `3 min`, `1 h 20 min`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
