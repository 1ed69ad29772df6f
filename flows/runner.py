"""Runs a pipeline: one lock around its steps, one record of the run, then the sessions that waited. No Prefect.

A session that closes while the lake is locked leaves a note (`effects.ingest.waiting_sessions`), tries once more, and ends. The
run that held the lock looks for notes again after giving it back. So every note is read: its writer gets the lock the second
time, or the holder sees the note, which was written while the lock was held.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import TypedDict

from effects.health.damage import explaining_damage
from effects.health.file_list import keeping_file_list
from effects.health.refused_files import explaining_refusals
from effects.ingest.waiting_sessions import list_waiting_sessions, read_waiting
from effects.store.progress_meter import ProgressMeter, ShowProgress, ignore_report
from effects.store.redo_log import RefusedPageError
from effects.store.run import Counts, Run
from effects.store.run_record import Step, record_run
from effects.system.errors import LockedError, PageError
from effects.system.garbage import give_memory_back, prepare_process
from effects.system.process_pool import keeping_workers
from flows.pipeline import VERSIONED_STEPS, Pipeline
from transforms.pages.run_progress import RunWork, StepPart

CallStep = Callable[[str, Callable[[], Counts]], Counts]
"""Runs one named step: directly, or as a Prefect task of that name."""


PAGES_STEP = "render"
"""A page that cannot be written holds up no step behind this one: what was read is found by the next question all the same."""


class RunSummary(TypedDict):
    """The counts of a run per step, in order, and its seconds. Numbers and reasons only, never words of a session."""

    run_id: str
    flow: str
    as_of: str
    seconds: float
    counts: dict[str, Counts]


def call_directly(name: str, call: Callable[[], Counts]) -> Counts:
    """Call a step without Prefect."""
    return call()


def run_pipeline(run: Run, pipeline: Pipeline, call_step: CallStep = call_directly) -> RunSummary:
    """Run `pipeline` under the lake's lock and leave a row in `runs`, also when a step fails; then read sessions that waited.

    Raises:
        LockedError: when another run holds the lake.
        LakeError: when a file of the lake is damaged or missing; it names the file and the command that repairs it.
        Exception: any error of a step.
    """
    prepare_process()  # one that a worker of Prefect started has not passed the command line
    with explaining_damage(run.lake):
        summary = _run_locked(run, pipeline, call_step)
    while notes := list_waiting_sessions(run.lake):
        from flows.pipelines import WAITING_SESSIONS

        follow_up = Pipeline(WAITING_SESSIONS.name, WAITING_SESSIONS.steps, {"waiting": len(notes)})
        try:
            _run_locked(run, follow_up, call_step)
        except LockedError:
            break  # its holder reads them
    return summary


def name_step(step: Step) -> str:
    """Return the name of a step, also when some of its arguments are bound."""
    return str(getattr(step.func if isinstance(step, partial) else step, "__name__", "step"))


def _find_version(name: str) -> int | None:
    """Return the version of a step that has one; the pipelines of nights are imported only then."""
    if name not in VERSIONED_STEPS:
        return None
    from flows.pipelines import STEP_VERSIONS

    return STEP_VERSIONS[name]


def _run_locked(run: Run, pipeline: Pipeline, call_step: CallStep) -> RunSummary:
    is_repair = any(name_step(step) == "repair_lake" for step in pipeline.steps)
    with (
        explaining_refusals(run.lake),
        run.lake.writing(f"recollect {pipeline.name}"),
        keeping_file_list(run.lake, is_repair),
        record_run(run, pipeline.name, dict(pipeline.parameters)) as record,
        explaining_damage(run.lake),  # the record has the error that people read: `recollect doctor` shows it
        keeping_workers(),
    ):
        steps: list[Step] = [*([read_waiting] if list_waiting_sessions(run.lake) else ()), *pipeline.steps]
        meter = ProgressMeter(pipeline.name, [name_step(step) for step in steps], run.report, _limit_work(run, pipeline))
        watched = replace(run, progress=meter.advance)
        if run.lake.note:
            record.counts["lake"] = {"note": run.lake.note}
        unwritten: PageError | None = None
        forgets_models = False
        while steps:
            step = steps.pop(0)
            if step in pipeline.plans:
                plan = pipeline.plans[step](run)
                parts = plan.parts or (1.0,) * len(plan.steps)
                named = [StepPart(name_step(step), part) for step, part in zip(plan.steps, parts, strict=True)]
                meter.replace_step(named, plan.later_parts)
                forgets_models = forgets_models or plan.forgets_models
                meter.work = replace(plan.work, turn_seconds=meter.work.turn_seconds) if plan.work else meter.work
                step, *later = plan.steps
                steps[:0] = later
            meter.begin_step()
            name = name_step(step)
            try:
                call_step(name, partial(record.add, name, step, watched, _find_version(name)))
            except PageError as error:
                if name != PAGES_STEP:
                    raise
                unwritten = unwritten or error
            give_memory_back(with_models=forgets_models)
        if unwritten:
            record.step = PAGES_STEP
            if isinstance(unwritten, RefusedPageError):  # `recollect doctor` looks at these places
                paths = sorted({unwritten.path, *unwritten.others})
                record.counts[PAGES_STEP] = {"refused": [os.path.relpath(path, run.settings.workspace) for path in paths]}
            raise unwritten
    return {
        "run_id": record.run_id,
        "flow": pipeline.name,
        "as_of": run.as_of.isoformat(),
        "seconds": record.seconds,
        "counts": record.counts,
    }


def _limit_work(run: Run, pipeline: Pipeline) -> RunWork:
    """Return work of which only the limit is known: the minutes that a night gives to vectors of turns."""
    minutes = run.settings.embedding.turn_minutes
    return RunWork(turn_seconds=math.inf if pipeline.is_complete or minutes == "all" else float(minutes) * 60)


PROGRESS: ContextVar[ShowProgress] = ContextVar("PROGRESS", default=ignore_report)
"""The function to which a Prefect flow reports progress. The command line sets it; Prefect would serialise a parameter."""
