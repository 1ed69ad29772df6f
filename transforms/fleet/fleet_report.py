"""The report of a fleet: per owner the outcome of tonight, the lag and the spend. Numbers and reasons, never an owner's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypedDict

from transforms.pages.run_page import count_things

OwnerState = Literal["done", "failed", "locked", "timed_out", "not_run"]


class OwnerResult(TypedDict):
    """The outcome of one owner's run."""

    owner: str
    span: str
    """Days of the backfill, empty for a night."""
    state: OwnerState
    seconds: float
    message: str
    hint: str


class OwnerFigures(TypedDict):
    """State of an owner's memory, read from the owner's lake."""

    owner: str
    sessions: int
    observations: int
    last_night_at: str | None
    """ISO time (UTC) of the last night that succeeded; null when there was none."""
    waiting_files: int
    """Session files with bytes that no run has read."""
    failed_windows: int
    waiting_windows: int
    """Windows that are due: no budget was left, no model answered, or a run stopped."""
    spent_today_usd: float
    spent_30_days_usd: float
    lake_mb: float


class TeamResult(TypedDict):
    """The fate of the team page."""

    added: int
    removed: int
    branch: str
    """The branch with the proposal; empty when there is nothing to propose."""
    refusals: list[str]
    conflicts: list[str]
    """The owners of each two lines that say the opposite of each other."""
    problem: str
    """Why no page could be proposed, and the next command; empty when one could."""


class FleetSummary(TypedDict):
    """A run over all owners."""

    as_of: str
    seconds: float
    states: dict[str, int]
    results: list[OwnerResult]
    owners: list[OwnerFigures]
    team: TeamResult | None
    """None without a repository for the page."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A row of the report's table, ready to print."""

    owner: str
    outcome: str
    lag: str
    waiting: int
    waiting_windows: int
    failed_windows: int
    sessions: int
    facts: int
    spent: str
    size: str


def count_states(results: Sequence[OwnerResult]) -> dict[str, int]:
    """Return how many runs ended in each state, in alphabetical order of the states."""
    states = sorted(result["state"] for result in results)
    return {state: states.count(state) for state in dict.fromkeys(states)}


def describe_runs(results: Sequence[OwnerResult]) -> str:
    """Return how the runs ended, for the head of the report: of a backfill those of its spans."""
    if not results:
        return "nothing was run"
    counts = count_states(results)
    words = [f"{count} {state.replace('_', ' ')}" for state, count in counts.items()]
    if any(result["span"] for result in results):
        things = count_things(len(results), "span")
        return f"{things} done" if [*counts] == ["done"] else f"{things}: {', '.join(words)}"
    return ", ".join(words)


def list_failures(results: Sequence[OwnerResult]) -> list[OwnerResult]:
    """Return the runs that did not end well; the spans behind a failed one are counted in its message."""
    failures: list[OwnerResult] = []
    for result in results:
        if result["state"] == "done" or (result["state"] == "not_run" and _find_cause(failures, result["owner"])):
            continue
        left = sum(other["owner"] == result["owner"] and other["state"] == "not_run" for other in results)
        behind = f"; {count_things(left, 'later span')} not run" if left and result["state"] != "not_run" else ""
        failures.append({**result, "message": f"{result['message'] or result['state'].replace('_', ' ')}{behind}"})
    return failures


def _find_cause(failures: Sequence[OwnerResult], owner: str) -> bool:
    return any(failure["owner"] == owner for failure in failures)


def describe_team(team: TeamResult) -> str:
    """Return what was proposed for the team page."""
    if not team["added"] and not team["removed"]:
        where = f"; the branch `{team['branch']}` waits: merge it to accept it" if team["branch"] else ""
        return f"No line to add or remove{where}"
    changes = ((team["added"], "added"), (team["removed"], "removed"))
    parts = [f"{count_things(count, 'line')} {word}" for count, word in changes if count]
    where = f", on the branch `{team['branch']}`: merge it to accept them" if team["branch"] else ""
    return f"{', '.join(parts)}{where}"


def make_report_rows(figures: Sequence[OwnerFigures], results: Sequence[OwnerResult], as_of: datetime) -> list[ReportRow]:
    """Return one row per owner: those that failed first, then the ones that lag most."""
    outcomes: dict[str, list[OwnerResult]] = {}
    for result in results:
        outcomes.setdefault(result["owner"], []).append(result)

    def rank(owner: OwnerFigures) -> tuple[bool, float, str]:
        """Sort failed owners first, then those whose last night is the longest ago, then by name."""
        is_fine = all(result["state"] == "done" for result in outcomes.get(owner["owner"], []))
        return is_fine, -_measure_lag(owner["last_night_at"], as_of), owner["owner"]

    return [_make_row(owner, outcomes.get(owner["owner"], []), as_of) for owner in sorted(figures, key=rank)]


def _make_row(owner: OwnerFigures, results: Sequence[OwnerResult], as_of: datetime) -> ReportRow:
    days = _measure_lag(owner["last_night_at"], as_of)
    return ReportRow(
        owner["owner"],
        _describe_outcome(results),
        "never" if owner["last_night_at"] is None else f"{days:.0f} d" if days >= 1 else "–",
        owner["waiting_files"],
        owner["waiting_windows"],
        owner["failed_windows"],
        owner["sessions"],
        owner["observations"],
        f"{owner['spent_today_usd']:.2f} / {owner['spent_30_days_usd']:.2f}",
        f"{owner['lake_mb']:.1f}",
    )


def _describe_outcome(results: Sequence[OwnerResult]) -> str:
    if not results:
        return "not run"
    bad = next((result for result in results if result["state"] != "done"), None)
    if bad:
        return ": ".join(part for part in (bad["state"].replace("_", " "), bad["message"]) if part)
    return results[-1]["message"] or f"done in {sum(result['seconds'] for result in results):.0f} s"


def _measure_lag(last: str | None, as_of: datetime) -> float:
    """Return the days since the last night that succeeded; infinite without one."""
    return max(0.0, (as_of - datetime.fromisoformat(last)).total_seconds() / 86_400) if last else float("inf")
