"""The Prefect flow `friction`: looks for repeated failures once a day."""

from __future__ import annotations

from effects.config.stated_parameters import Moment
from flows.pipelines import friction_pipeline
from flows.prefect_run import flow, name_flow_run, run_as_tasks
from flows.runner import RunSummary


@flow(name="friction", flow_run_name=name_flow_run, persist_result=False, validate_parameters=False)
async def friction(as_of: Moment | None = None) -> RunSummary:
    """Look for friction and propose changes that would end it.

    Args:
        as_of: Logical time of the run; left out, it is now.
    """
    return await run_as_tasks(lambda _: friction_pipeline(), as_of)
