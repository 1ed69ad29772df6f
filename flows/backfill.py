"""The Prefect flow `backfill`: the history, month by month."""

from __future__ import annotations

from datetime import date, datetime

from flows.pipelines import backfill_pipeline
from flows.prefect_run import flow, open_flow_run, run_as_tasks
from flows.runner import RunSummary


@flow(name="backfill", persist_result=False)
async def backfill(since: date, until: date | None = None, as_of: datetime | None = None) -> RunSummary:
    """Run over sessions that began from `since` to `until`, both included; nothing that is done is done again."""
    run = open_flow_run(as_of)
    return await run_as_tasks(run, backfill_pipeline(run, since, until))
