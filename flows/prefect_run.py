"""Runs a pipeline inside a Prefect flow: every step is a task, and the counts are left as an artifact.

Flows are async because Prefect joins a heartbeat thread at the end of a synchronous one, which costs a second. The steps run
one after the other in the main thread, where Ctrl-C reaches them. Tasks take no arguments, return counts only and use
`NO_CACHE`: the lake decides what is due, not a cache that pickles and hashes its inputs. No step is retried here: each model
call retries its transport, and everything else is deterministic.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from effects.config.prefect_settings import disable_telemetry

disable_telemetry()  # before the import: Prefect reads its settings then

from prefect import flow, get_run_logger, task  # noqa: E402
from prefect.artifacts import acreate_markdown_artifact  # noqa: E402
from prefect.cache_policies import NO_CACHE  # noqa: E402

from effects.config.configuration import load_settings  # noqa: E402
from effects.store.progress_meter import throttle  # noqa: E402
from effects.store.run import Counts, Run, open_run  # noqa: E402
from flows.pipelines import Pipeline  # noqa: E402
from flows.runner import PROGRESS, RunSummary, run_pipeline  # noqa: E402
from transforms.pages.run_page import render_run_page  # noqa: E402
from transforms.pages.run_progress import Progress, format_progress  # noqa: E402

LOG_SECONDS = 30.0
"""A long step is logged this often."""

__all__ = ["flow", "open_flow_run", "run_as_tasks"]  # `flow` from here, so that no module imports Prefect before its settings


def open_flow_run(as_of: datetime | None = None) -> Run:
    """Open a run with the settings of this machine, at `as_of` or now; its progress is also logged in Prefect."""
    watch, logger = PROGRESS.get(), get_run_logger()
    log = throttle(lambda progress: logger.info(format_progress(progress)), LOG_SECONDS)

    def report(progress: Progress) -> None:
        watch(progress)
        log(progress)

    return open_run(load_settings(), as_of, report)


async def run_as_tasks(run: Run, pipeline: Pipeline) -> RunSummary:
    """Run `pipeline` with each step as a task and leave its counts as an artifact; return the summary that `--json` prints.

    Raises:
        LockedError: when another run holds the lake.
        Exception: any error of a step.
    """
    summary = run_pipeline(run, pipeline, _call_as_task)
    page = render_run_page(summary["flow"], summary["as_of"], summary["seconds"], summary["counts"])
    await acreate_markdown_artifact(page, key=f"{summary['flow']}-counts")
    return summary


def _call_as_task(name: str, call: Callable[[], Counts]) -> Counts:
    @task(name=name, cache_policy=NO_CACHE, persist_result=False)
    def step() -> Counts:
        return call()

    return step()
