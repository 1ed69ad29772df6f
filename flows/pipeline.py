"""A pipeline as data: its steps in order, and what the record of a run keeps of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from effects.store.run import Run
from effects.store.run_record import Step
from transforms.tables.enums import PipelineName

Parameters = Mapping[str, str | int | bool | None]
PlanSteps = Callable[[Run], Sequence[Step]]
"""Returns the steps that run in the place of one, for the lake as it is then."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A named list of steps, with the parameters that the record of the run keeps."""

    name: PipelineName
    steps: tuple[Step, ...]
    parameters: Parameters = field(default_factory=dict)
    plans: Mapping[Step, PlanSteps] = field(default_factory=dict)
    """Steps that become others when it is their turn, because due work is known only then."""


VERSIONED_STEPS = frozenset({"attribute", "window", "dedupe", "friction"})
"""Names of the steps that have a version (`flows.pipelines.STEP_VERSIONS`): a run without them does not import theirs."""
