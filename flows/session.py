"""The Prefect flow `session`: one session file, at once."""

from __future__ import annotations

from pathlib import Path

from flows.pipelines import session_pipeline
from flows.prefect_run import flow, name_flow_run, run_as_tasks
from flows.runner import RunSummary


@flow(name="session", flow_run_name=name_flow_run, persist_result=False)
async def session(path: str, is_closed: bool = False) -> RunSummary:
    """Read and distil one session file, as soon as it grew or pi shut down; never reflect."""
    return await run_as_tasks(lambda _: session_pipeline(Path(path), is_closed))
