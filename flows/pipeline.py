"""A pipeline as data: its steps in order, and what the record of a run keeps of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from effects.store.run import Run
from effects.store.run_record import Step
from transforms.pages.run_progress import RunWork
from transforms.tables.enums import PipelineName

Parameters = Mapping[str, str | int | bool | None]


@dataclass(frozen=True, slots=True)
class StepPlan:
    """Steps that run in the place of one, and for the time that is left the part of the run's work that passes through each (all
    of it unless named), that of later steps by their names, what is known of the work by then (None: nothing new), and whether
    the history is so long that each step from here on gives up the models that it loaded."""

    steps: tuple[Step, ...]
    parts: tuple[float, ...] = ()
    later_parts: Mapping[str, float] = field(default_factory=dict)
    work: RunWork | None = None
    forgets_models: bool = False


PlanSteps = Callable[[Run], StepPlan]
"""Returns what runs in the place of a step, for the lake as it is then."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A named list of steps, with the parameters that the record of the run keeps."""

    name: PipelineName
    steps: tuple[Step, ...]
    parameters: Parameters = field(default_factory=dict)
    plans: Mapping[Step, PlanSteps] = field(default_factory=dict)
    """Steps that become others when it is their turn, because due work is known only then."""
    is_complete: bool = False
    """Whether vectors of turns are computed beyond the minutes of the settings."""


VERSIONED_STEPS = frozenset({"attribute", "window", "dedupe", "friction"})
"""Names of the steps that have a version (`flows.pipelines.STEP_VERSIONS`): a run without them does not import theirs."""
