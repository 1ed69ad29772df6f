"""The Prefect flow `timeline`: a chapter for each week that ended, and each condensed month and year."""

from __future__ import annotations

from effects.config.stated_parameters import Moment
from flows.pipelines import timeline_pipeline
from flows.prefect_run import flow, name_flow_run, run_as_tasks
from flows.runner import RunSummary


@flow(name="timeline", flow_run_name=name_flow_run, persist_result=False, validate_parameters=False)
async def timeline(as_of: Moment | None = None) -> RunSummary:
    """Write the chapters of the weeks that ended.

    Args:
        as_of: Logical time of the run; left out, it is now.
    """
    return await run_as_tasks(lambda _: timeline_pipeline(), as_of)
