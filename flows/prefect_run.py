"""Runs a pipeline inside a Prefect flow: every step is a task, and a page about the run is left as an artifact.

Flows are async because Prefect joins a heartbeat thread at the end of a synchronous one, which costs a second. The steps run
one after the other in the main thread, where Ctrl-C reaches them. Tasks take no arguments, return counts only and use
`NO_CACHE`: the lake decides on the due work, not a cache that pickles and hashes its inputs. No step is retried here: each model
call retries its transport, and everything else is deterministic. A run of a deployment waits for a lake that is locked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime

from prefect import flow, get_run_logger, task
from prefect.artifacts import acreate_markdown_artifact, create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.runtime import deployment, flow_run

from effects.config.configuration import load_settings
from effects.config.stated_parameters import read_moment
from effects.pages.workspace_pages import list_page_links
from effects.report.report_file import write_report
from effects.store.error_log import log_traceback
from effects.store.progress_meter import throttle
from effects.store.run import Counts, Run, open_run
from effects.system.errors import LockedError, PageError, RecollectError
from flows.pipeline import Pipeline
from flows.runner import PROGRESS, RunSummary, run_pipeline
from transforms.pages.run_page import name_run, render_failure_page, render_run_page
from transforms.pages.run_progress import Progress, format_progress

__all__ = ["create_markdown_artifact", "flow", "name_flow_run", "run_as_tasks", "task"]
# `flow` and others of Prefect's, for the flows

LOG_SECONDS = 30.0
"""A long step is logged this often."""
LOCK_SECONDS, LOCK_TRIES = 60.0, 30
"""A run of a deployment tries a locked lake again after so many seconds, so many times: a first night holds it for minutes."""
TAG, MODEL_TAG = "recollect", "recollect-models"
"""Tags of every step, and of the steps that may ask a model: `prefect concurrency-limit create` bounds those that run at once."""
MODEL_STEPS = frozenset({"distil", "consolidate", "reflect", "friction", "timeline"})


def name_flow_run() -> str:
    """Return the name of the present flow run: flow and logical day, or the days of a backfill.

    With settings that cannot be used it has no day of the owner's zone: an error here would end the run without a word of it.
    """
    try:
        zone = load_settings().timezone
    except RecollectError:
        zone = ""
    return name_run(str(flow_run.flow_name), dict(flow_run.parameters or {}), flow_run.scheduled_start_time, zone)


async def run_as_tasks(plan: Callable[[Run], Pipeline], as_of: datetime | str | None = None) -> RunSummary:
    """Run the pipeline of `plan`, at `as_of` or now, with each step as a task; return the summary that `--json` prints.

    `as_of` is a text when a server sent it. The settings are those of this machine.
    A page about the run, or about its failure, is left as an artifact.

    Raises:
        ConfigError: when a setting cannot be used.
        UsageError: when a parameter cannot be meant.
        LockedError: when another run holds the lake; in a run of a deployment only after half an hour.
        Exception: any error of `plan` and of a step. An artifact names each of these errors, with the next command.
    """
    run, name = None, str(flow_run.flow_name)
    try:
        run = _open_run(as_of)
        pipeline = plan(run)
        name = pipeline.name
        summary = await _run_when_unlocked(run, pipeline)
    except Exception as error:
        moment = run.as_of if run else as_of
        stated = moment.isoformat() if isinstance(moment, datetime) else str(moment or "now")
        page = render_failure_page(name, stated, *_describe_failure(run, error))
        await acreate_markdown_artifact(page, key=f"{name}-failure", description="The failure, and the next command")
        raise
    if deployment.id:
        _write_report(run)
    links = list_page_links(run)
    page = render_run_page(summary["flow"], summary["as_of"], summary["seconds"], summary["counts"], links)
    await acreate_markdown_artifact(page, key=f"{summary['flow']}-counts", description="The counts of each step, and the pages")
    return summary


def _open_run(as_of: datetime | str | None) -> Run:
    """Open a run with the settings of this machine; its progress is also logged in Prefect."""
    watch, logger = PROGRESS.get(), get_run_logger()
    log = throttle(lambda progress: logger.info(format_progress(progress)), LOG_SECONDS)

    def report(progress: Progress) -> None:
        """Report progress to the caller and to Prefect's log."""
        watch(progress)
        log(progress)

    return open_run(load_settings(), read_moment("as_of", as_of), report)


def _write_report(run: Run) -> None:
    """Write the page with the pictures, to which the run's page links: whoever reads that calls no `recollect report`."""
    get_run_logger().info("writing the report, with the checks of `recollect doctor`")
    try:
        write_report(run)
    except PageError as error:
        get_run_logger().warning("%s; next: %s", error.message, error.hint)


async def _run_when_unlocked(run: Run, pipeline: Pipeline) -> RunSummary:
    """Run a pipeline; a deployment has nobody who would start it again, so its run waits while another one holds the lake."""
    for _ in range(LOCK_TRIES if deployment.id else 0):
        try:
            return run_pipeline(run, pipeline, _call_as_task)
        except LockedError as locked:
            get_run_logger().warning("%s; this run tries again in %.0f s", locked.message, LOCK_SECONDS)
            await asyncio.sleep(LOCK_SECONDS)
    return run_pipeline(run, pipeline, _call_as_task)


def _describe_failure(run: Run | None, error: Exception) -> tuple[str, str]:
    """Return the failure and the next command. Words of an unforeseen error go to the log of the lake, not into Prefect."""
    if isinstance(error, RecollectError):
        return error.message, error.hint
    if run is None:
        return type(error).__name__, "recollect doctor"
    log = log_traceback(run.settings.lake, error) if deployment.id else run.lake.root / "_logs" / "errors.log"
    return f"{type(error).__name__}; its words are in {log}", "recollect doctor"


def _call_as_task(name: str, call: Callable[[], Counts]) -> Counts:
    @task(name=name, tags=[TAG, MODEL_TAG] if name in MODEL_STEPS else [TAG], cache_policy=NO_CACHE, persist_result=False)
    def step() -> Counts:
        """Run the step as a Prefect task, and return its counts."""
        return call()

    return step()
