"""Runs a fleet: the jobs of every owner in order, owners side by side; then figures, team page and report. No Prefect."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from itertools import chain

from effects.config.paths import find_system_timezone
from effects.fleet.fleet_file import Fleet, FleetOwner
from effects.fleet.fleet_pages import propose_team_page, write_fleet_report
from effects.fleet.owner_figures import read_owner_figures
from effects.fleet.owner_run import OwnerJob, run_owner
from effects.store.run import resolve_time
from transforms.fleet.fleet_report import FleetSummary, OwnerResult, count_states
from transforms.fleet.spans import divide_days

RunChains = Callable[[Fleet, Sequence[Sequence[OwnerJob]]], Iterable[OwnerResult]]
"""Runs the chains of jobs: in threads of this process, or as tasks of Prefect."""


def resolve_fleet_time(as_of: datetime | None) -> datetime:
    """Return the time of the report and the team page in UTC: a time without an offset is in this machine's zone."""
    return resolve_time(as_of, find_system_timezone())


def plan_nights(fleet: Fleet, as_of: datetime | None) -> list[list[OwnerJob]]:
    """Return one chain per owner: the night. A time without an offset is in the zone of each owner."""
    as_of_option = ("--as-of", as_of.isoformat()) if as_of else ()
    return [[_make_job(fleet, owner, ("nightly", "--direct", "--json", *as_of_option))] for owner in fleet.owners]


def plan_backfill(fleet: Fleet, since: date, until: date, as_of: datetime | None) -> list[list[OwnerJob]]:
    """Return one chain per owner: the spans of the backfill, oldest first. A lake has one writer, so spans of one owner wait."""
    as_of_option = ("--as-of", as_of.isoformat()) if as_of else ()
    return [
        [
            _make_job(
                fleet,
                owner,
                ("backfill", "--direct", "--json", "--since", f"{first}", "--until", f"{last}", *as_of_option),
                f"{first} to {last}",
            )
            for first, last in divide_days(since, until)
        ]
        for owner in fleet.owners
    ]


def run_fleet(fleet: Fleet, chains: Sequence[Sequence[OwnerJob]], as_of: datetime | None, run_chains: RunChains) -> FleetSummary:
    """Run all chains, then write the team page and the report, and return the summary that `--json` prints."""
    started = time.monotonic()
    results = sorted(run_chains(fleet, chains), key=lambda result: (result["owner"], result["span"]))
    summary = make_summary(fleet, results, as_of)
    summary["team"] = propose_team_page(fleet, datetime.fromisoformat(summary["as_of"]))
    summary["seconds"] = round(time.monotonic() - started, 1)
    write_fleet_report(fleet, summary)
    return summary


def make_summary(fleet: Fleet, results: list[OwnerResult], as_of: datetime | None) -> FleetSummary:
    """Return results and present figures of all owners."""
    moment = resolve_fleet_time(as_of)
    return {
        "as_of": moment.isoformat(),
        "seconds": 0.0,
        "states": count_states(results),
        "results": results,
        "owners": [read_owner_figures(owner, moment) for owner in fleet.owners],
        "team": None,
    }


def run_in_threads(fleet: Fleet, chains: Sequence[Sequence[OwnerJob]]) -> list[OwnerResult]:
    """Run the chains in threads, each of which waits for a process."""
    with ThreadPoolExecutor(fleet.settings.parallel) as pool:
        return list(chain.from_iterable(pool.map(run_chain, chains)))


def run_chain(jobs: Sequence[OwnerJob]) -> list[OwnerResult]:
    """Run the jobs of one owner in order; after one that did not end well the others are not run."""
    results: list[OwnerResult] = []
    for job in jobs:
        results.append(run_after(job, results[-1] if results else None))
    return results


def run_after(job: OwnerJob, previous: OwnerResult | None) -> OwnerResult:
    """Run a job, unless the job before it did not end well."""
    if previous is not None and previous["state"] != "done":
        message = "an earlier span did not end well"
        return {**previous, "span": job.span, "state": "not_run", "seconds": 0.0, "message": message}
    return run_owner(job)


def _make_job(fleet: Fleet, owner: FleetOwner, arguments: tuple[str, ...], span: str = "") -> OwnerJob:
    """Return a job with its part of the fleet's budget: equal parts, so that no order of owners decides who gets a model."""
    settings = fleet.settings
    budget = None if settings.budget_day_usd is None else settings.budget_day_usd / len(fleet.owners)
    return OwnerJob(owner, arguments, span, budget, settings.minutes, settings.environment)
