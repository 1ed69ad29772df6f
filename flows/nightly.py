"""The Prefect flow `nightly`: everything that is due."""

from __future__ import annotations

from effects.config.stated_parameters import Moment
from flows.pipelines import nightly_pipeline
from flows.prefect_run import flow, name_flow_run, run_as_tasks
from flows.runner import RunSummary


@flow(name="nightly", flow_run_name=name_flow_run, persist_result=False, validate_parameters=False)
async def nightly(as_of: Moment | None = None) -> RunSummary:
    """Run everything that is due.

    Args:
        as_of: Logical time of the run; left out, it is now.
    """
    return await run_as_tasks(lambda run: nightly_pipeline(run.as_of.isoformat() if as_of else None), as_of)
