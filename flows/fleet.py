"""The Prefect flow `fleet`: the night, or a backfill, of many owners, on threads, Dask or Ray."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from effects.config.stated_parameters import Day, Moment, read_day, read_moment
from effects.fleet.fleet_file import Fleet, FleetSettings, load_fleet
from effects.fleet.fleet_pages import render_fleet_report
from effects.fleet.owner_run import OwnerJob
from effects.system.errors import ConfigError
from flows.fleet_run import plan_backfill, plan_nights, resolve_fleet_time, run_after, run_fleet
from flows.pipelines import check_span
from flows.prefect_run import create_markdown_artifact, flow, task
from transforms.fleet.fleet_report import FleetSummary, OwnerResult


class OwnersFailed(Exception):
    """Some owners' runs did not end well; the message counts them, the report names them."""


@flow(name="fleet", flow_run_name="fleet {file}", persist_result=False, validate_parameters=False)
def fleet(
    file: Path, as_of: Moment | None = None, since: Day | None = None, until: Day | None = None, is_strict: bool = True
) -> FleetSummary:
    """Run the night of every owner, or with `since` the backfill.

    Args:
        file: The file that describes the fleet (docs/scale.md).
        as_of: Logical time of the runs, in each owner's zone when it names none; left out, it is now.
        since: First day of a backfill.
        until: Last day of a backfill; left out, it is today.
        is_strict: End as failed when the run of an owner did, so that an automation notices. All others are done by then.
    """
    as_of, since, until = read_moment("as_of", as_of), read_day("since", since), read_day("until", until)
    check_span(since, until)
    loaded = load_fleet(Path(file))
    if since is None:
        chains = plan_nights(loaded, as_of)
    else:
        chains = plan_backfill(loaded, since, until or resolve_fleet_time(as_of).date(), as_of)
    summary = run_fleet(loaded, chains, as_of, _run_on_task_runner)
    create_markdown_artifact(render_fleet_report(summary), key="fleet-report", description="Outcome, lag and spend per owner")
    bad = len({result["owner"] for result in summary["results"] if result["state"] != "done"})
    if bad and is_strict:
        raise OwnersFailed(f"{bad} of {len(summary['owners'])} owners did not end well; {loaded.report} names them")
    return summary


def _run_on_task_runner(loaded: Fleet, chains: Sequence[Sequence[OwnerJob]]) -> list[OwnerResult]:
    return _run_owners.with_options(task_runner=make_task_runner(loaded.settings))(chains)


@flow(name="owners", persist_result=False, validate_parameters=False)
def _run_owners(chains: Sequence[Sequence[OwnerJob]]) -> list[OwnerResult]:
    """Run the chains on the task runner of this flow; a lost worker costs the job that it had."""
    futures: list[tuple[OwnerJob, Any]] = []
    for jobs in chains:
        previous: Any = None
        for job in jobs:
            run = _run_job.with_options(task_run_name=f"{job.owner.name} {job.span}".strip())
            previous = run.submit(job, previous)
            futures.append((job, previous))
    return [_read_result(job, future) for job, future in futures]


@task(name="owner", tags=["recollect"], retries=1, persist_result=False)
def _run_job(job: OwnerJob, previous: OwnerResult | None) -> OwnerResult:
    return run_after(job, previous)


def _read_result(job: OwnerJob, future: Any) -> OwnerResult:
    """Return the result of a task; one that was lost with its worker is a failure of this owner only."""
    try:
        result: OwnerResult = future.result()
    except Exception as error:  # noqa: BLE001 - a task runner may raise anything, and the other owners go on
        return {
            "owner": job.owner.name, "span": job.span, "state": "failed", "seconds": 0.0,
            "message": f"its task was lost: {type(error).__name__}", "hint": "run the fleet again",
        }  # fmt: skip
    return result


def make_task_runner(settings: FleetSettings) -> Any:
    """Return Prefect's task runner for the setting `runner`.

    Raises:
        ConfigError: when the package of that runner is not installed.
    """
    if settings.runner == "threads":
        from prefect.task_runners import ThreadPoolTaskRunner

        return ThreadPoolTaskRunner(max_workers=settings.parallel)
    try:
        if settings.runner == "dask":
            from prefect_dask.task_runners import DaskTaskRunner

            if settings.address:
                return DaskTaskRunner(address=settings.address)
            workers = {"n_workers": settings.parallel, "threads_per_worker": 1, "dashboard_address": None}
            return DaskTaskRunner(cluster_kwargs=workers)
        from prefect_ray.task_runners import RayTaskRunner

        return RayTaskRunner(address=settings.address, init_kwargs=None if settings.address else {"num_cpus": settings.parallel})
    except ImportError as error:
        raise ConfigError(
            f"the fleet asks for {settings.runner}, and {error.name} is not installed",
            f"pip install 'recollect[{settings.runner}]'",
        ) from error
