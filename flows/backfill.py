"""The Prefect flow `backfill`: a span of the history month by month, or all of it."""

from __future__ import annotations

from effects.config.stated_parameters import Day, Moment, read_day
from flows.pipelines import backfill_or_whole_history
from flows.prefect_run import flow, name_flow_run, run_as_tasks
from flows.runner import RunSummary


@flow(name="backfill", flow_run_name=name_flow_run, persist_result=False, validate_parameters=False)
async def backfill(since: Day | None = None, until: Day | None = None, as_of: Moment | None = None) -> RunSummary:
    """Run over sessions that began in a span of days; nothing that is done is done again.

    Args:
        since: First day, included; left out, the run ends when everything is done that later nights would fill in.
        until: Last day, included; left out, there is no end.
        as_of: Logical time of the run; left out, it is now.
    """
    return await run_as_tasks(
        lambda run: backfill_or_whole_history(run, read_day("since", since), read_day("until", until)), as_of
    )
