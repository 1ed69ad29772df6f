"""Progress of a run: its share of the whole, the rate of its step, and the time that is left; as numbers and as a line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

STEP_SECONDS: Mapping[str, tuple[float, float, float, float]] = {
    "ingest": (0, 0.08, 0.3, 0), "attribute": (0, 0, 0.5, 0), "window": (0, 0, 0.15, 0), "distil": (0, 0, 1, 2),
    "embed_kept": (0, 0, 3.75, 0), "dedupe": (0, 0, 0.15, 0), "consolidate": (0, 0, 0.12, 0), "reflect": (0, 0, 0.7, 0),
    "render": (0.5, 0, 0.05, 0), "embed": (0, 0, 2, 0), "index": (0.6, 0, 0.3, 0),
}  # fmt: skip
"""What a step of a first night took on two cores, by rules: seconds in all, for each megabyte of sessions, for each thousand of
spoken turns, and for each million of their characters (docs/decisions/set-up.md). They hold until the run itself has shown how
long its steps take. Those of `embed` are of condensed texts, without the turns."""
TURN_VECTOR_SECONDS = 2.5, 5.0
"""Of the vectors of a thousand turns, and of a million of their characters."""
GROWTH = {"dedupe": 1.5}
"""Powers of the turns with which a step grows, where that is not one: facts are compared with each other."""
SMALL_SECONDS = 0.05
FAMILIES = {"ingest_slice": "ingest"}
"""Steps of other names that do the same work."""
TURNS_PER_MB, CHARACTERS_PER_TURN = 150, 500
"""Before they are counted: from 60 turns, where tools say most, to 3,000 of tiny sessions; of 70 to 1,200 characters."""
VECTOR_STEPS = frozenset({"embed_kept", "embed"})
USUAL_PART, USUAL_UNTIL_SECONDS = 0.02, 5.0
"""How much of a history the usual seconds count for beside what the run has done of it; from so many seconds on less and less."""
TELLING_SECONDS = 10.0
"""A step that ran so long tells how long its next part takes: a machine that others use meanwhile takes longer than at first."""
TELLING_PART = 0.02
"""The least part of a step that tells how long another one takes: what a smaller one takes is its start."""
SLOWEST, FASTEST = 16.0, 0.3
"""A machine takes between so many times as long as usual; how long its windows take says more about them than about it."""
KNOWN_AFTER_SECONDS, KNOWN_PART, KNOWN_STEP_SECONDS = 2.0, 0.03, 20.0
"""Before so much of a run, and so much or so many seconds of its first step that distils, its end cannot be estimated: what
windows hold is not known."""


@dataclass(frozen=True, slots=True)
class RunWork:
    """What a run has to do, as far as it is known: megabytes of sessions, spoken turns and their characters, whether texts get
    vectors, and how many seconds those of turns may take."""

    megabytes: float = 1.0
    turns: float = TURNS_PER_MB
    characters: float = TURNS_PER_MB * CHARACTERS_PER_TURN
    has_vectors: bool = True
    turn_seconds: float = math.inf

    def list_seconds(self, name: str, slowness: float = 1.0) -> float:
        """Return how long a step would take over all of it on a machine that takes so many times as long as usual."""
        if name in VECTOR_STEPS and not self.has_vectors:
            return SMALL_SECONDS
        of_all, of_megabyte, of_turns, of_characters = STEP_SECONDS.get(name, (0.0, 0.0, 0.0, 0.0))
        of_words = of_turns * math.pow(self.turns / 1e3, GROWTH.get(name, 1)) + of_characters * self.characters / 1e6
        seconds = slowness * (SMALL_SECONDS + of_all + of_megabyte * self.megabytes + of_words)
        return seconds + min(self.turn_seconds, slowness * self._list_turn_seconds()) if name == "embed" else seconds

    def _list_turn_seconds(self) -> float:
        return TURN_VECTOR_SECONDS[0] * self.turns / 1e3 + TURN_VECTOR_SECONDS[1] * self.characters / 1e6


def guess_work(megabytes: float, has_vectors: bool) -> RunWork:
    """Return the work of sessions that nobody has read."""
    turns = megabytes * TURNS_PER_MB
    return RunWork(megabytes, turns, turns * CHARACTERS_PER_TURN, has_vectors)


@dataclass(frozen=True, slots=True)
class StepPart:
    """A step by its name, and the part of the run's work that passes through it: a step over a slice does less than all."""

    name: str
    part: float = 1.0

    @property
    def family(self) -> str:
        """The name of the steps that do the same work."""
        return FAMILIES.get(self.name, self.name)


@dataclass(frozen=True, slots=True)
class RunSteps:
    """The steps of a run of the flow, in order, and its work as far as it is known."""

    flow: str
    steps: Sequence[StepPart]
    work: RunWork = field(default_factory=RunWork)


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Seconds since the run and since its present step began, and those of the steps before it; after `at_most` the present one
    ends, finished or not."""

    of_run: float
    of_step: float
    at_most: float | None = None
    finished: Sequence[float] = ()


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


def measure_progress(run: RunSteps, position: int, times: StepTimes, unit: str = "", done: int = 0, total: int = 0) -> Progress:
    """Return where a run is in its steps, at `done` of `total` units of the one at `position`."""
    steps = run.steps
    usual = [run.work.list_seconds(step.family) * step.part for step in steps]
    inside = min(done / total, 1.0) if total else 0.0
    reached = sum(usual[:position]) + usual[position] * inside
    rate = done / times.of_step if done and times.of_step > 0 else None
    is_known = times.of_run >= KNOWN_AFTER_SECONDS and _is_known(steps, position, inside, times)
    seconds_left = estimate_seconds_left(run, position, inside, times) if is_known else None
    place = Place(position + 1, len(steps))
    return Progress(run.flow, steps[position].name, position, place, unit, done, total, reached / sum(usual), rate, seconds_left)


def estimate_seconds_left(run: RunSteps, position: int, inside: float, times: StepTimes) -> float:
    """Return how long a run still takes, when it has done the part `inside` of the step at `position`.

    A step of a name that has run takes as long for its part as that one took, or as long as it took last, whichever is slower;
    another one as long as usual on this machine, where vectors at the end take as long as those before.
    """
    steps, work = run.steps, run.work
    spent: dict[str, float] = {}
    worked: dict[str, float] = {}
    last: dict[str, float] = {}
    done = [*zip(steps[:position], times.finished, (1.0,) * position, strict=False)]
    done += [(steps[position], times.of_step, inside)] if inside else []
    for step, seconds, share in done:
        if step.part < TELLING_PART:
            continue
        spent[step.family] = spent.get(step.family, 0.0) + seconds
        worked[step.family] = worked.get(step.family, 0.0) + step.part * share
        if seconds >= TELLING_SECONDS:
            last[step.family] = seconds / (step.part * share)
    slowness = _measure_slowness(spent, worked, work)
    vectors = spent.keys() & {"embed_kept"}
    vector_slowness = _measure_slowness({name: spent[name] for name in vectors}, worked, work) if vectors else slowness

    def expect(step: StepPart) -> float:
        """Return the seconds of a whole step."""
        usual = work.list_seconds(step.family, vector_slowness if step.family == "embed" else slowness)
        seconds, part = spent.get(step.family, 0.0), worked.get(step.family, 0.0)
        counted = USUAL_PART / (1 + seconds / USUAL_UNTIL_SECONDS)
        return step.part * max((seconds + counted * usual) / (part + counted), last.get(step.family, 0.0))

    present = expect(steps[position])
    own = present * (1 - inside) if inside else max(present - times.of_step, 0.0)
    own = own if times.at_most is None else min(own, times.at_most)
    return own + sum(map(expect, steps[position + 1 :]))


def _is_known(steps: Sequence[StepPart], position: int, inside: float, times: StepTimes) -> bool:
    """Return whether the run has distilled enough, or has nothing to distil."""
    places = [place for place, step in enumerate(steps) if step.name == "distil"]
    is_measured = inside >= KNOWN_PART or (inside > 0 and times.of_step >= KNOWN_STEP_SECONDS)
    return not places or position > places[0] or (position == places[0] and is_measured)


def _measure_slowness(spent: Mapping[str, float], worked: Mapping[str, float], work: RunWork) -> float:
    """Return how many times as long as usual this machine takes."""
    families = spent.keys() - {"distil"}
    usual = sum(work.list_seconds(family) * worked[family] for family in families)
    return min(max((sum(spent[family] for family in families) + 1) / (usual + 1), FASTEST), SLOWEST)


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
