"""Writes the two pages of a fleet: the report for its operator, and the proposal of the team page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from effects.fleet.fleet_file import WORKSPACE, Fleet, find_place, read_plain_file
from effects.fleet.team_repository import propose_page, read_accepted_page, withdraw_page
from effects.system.errors import PageError
from effects.system.files import replace_file
from effects.system.templates import render_template
from transforms.fleet.fleet_report import (
    FleetSummary,
    TeamResult,
    describe_runs,
    describe_team,
    list_failures,
    make_report_rows,
)
from transforms.fleet.team_page import compose_team_page
from transforms.pages.run_page import count_things


def write_fleet_report(fleet: Fleet, summary: FleetSummary) -> str:
    """Write the report of a run and return its text."""
    text = render_fleet_report(summary)
    fleet.report.parent.mkdir(parents=True, exist_ok=True)
    replace_file(fleet.report, text.encode())
    return text


def render_fleet_report(summary: FleetSummary) -> str:
    """Return the report of a run as Markdown."""
    as_of, results, team = datetime.fromisoformat(summary["as_of"]), summary["results"], summary["team"]
    spent = sum(owner["spent_today_usd"] for owner in summary["owners"])
    took = f"{summary['seconds']:.0f} s" if results else ""
    head = (count_things(len(summary["owners"]), "owner"), describe_runs(results), took, f"{spent:.2f} USD today")
    return render_template(
        "pages/fleet_report.md.j2",
        as_of=f"{as_of.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        head="; ".join(part for part in head if part),
        rows=make_report_rows(summary["owners"], results, as_of),
        failures=list_failures(results),
        team=team,
        team_words=describe_team(team) if team else "",
    )


def propose_team_page(fleet: Fleet, as_of: datetime) -> TeamResult | None:
    """Propose the team page from the marked lines of every owner; return its fate, None without a team."""
    if fleet.team is None:
        return None
    try:
        accepted = read_accepted_page(fleet.team)
        memories = dict(_read_memories(fleet))
        unread = {owner.name for owner in fleet.owners} - memories.keys()
        page = compose_team_page(accepted.text, memories, accepted.removed, accepted.written, unread)
        branch = "" if page.text == accepted.text else propose_page(fleet.team, page.text, as_of)
        if not branch:
            withdraw_page(fleet.team)
    except PageError as error:
        return {
            "added": 0,
            "removed": 0,
            "branch": "",
            "refusals": [],
            "conflicts": [],
            "problem": f"{error.message}; next: {error.hint}",
        }
    return {
        "added": page.added,
        "removed": page.removed,
        "branch": branch,
        "refusals": list(page.refusals),
        "conflicts": list(page.conflicts),
        "problem": "",
    }


def _read_memories(fleet: Fleet) -> Iterator[tuple[str, str]]:
    """Yield name and MEMORY.md of every owner who has one that can be read and lies in his own home."""
    for owner in fleet.owners:
        path = owner.home / WORKSPACE / "MEMORY.md"
        if owner.problem or not find_place(path).is_relative_to(find_place(owner.home)):
            continue
        try:
            yield owner.name, read_plain_file(path).decode("utf-8", "replace")
        except OSError:  # no page yet, or not for us: then it has nothing for the team
            continue
