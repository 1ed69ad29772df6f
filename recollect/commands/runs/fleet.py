"""`recollect fleet`: the nights of many owners, each in a home and a process of its own."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from effects.config.stated_times import parse_day
from effects.system.errors import EXIT_FAILED, UsageError
from recollect.arguments import add_as_of, add_direct, add_example, add_json, complete_files
from recollect.terminal import parse_logical_time, print_json, print_line, print_note

if TYPE_CHECKING:
    from transforms.fleet.fleet_report import FleetSummary


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the actions and options."""
    parser.description = "Run the nights of many owners. Each has a home with sessions, lake and workspace."
    actions = parser.add_subparsers(title="actions", metavar="ACTION")
    for name, function, summary in (
        ("run", run_nights, "Run the due nights of every owner, then propose the team page and write the report."),
        ("report", print_report, "Print where every owner stands; runs nothing."),
        ("team", propose_team, "Propose the team page from the lines that owners marked with #team."),
    ):
        action = actions.add_parser(name, help=summary, description=summary)
        action.set_defaults(run_command=function)
        complete_files(action.add_argument("file", metavar="FILE", type=Path, help="the file that describes the fleet"))
        add_as_of(action)
        add_json(action, "one JSON object")
        if name == "run":
            action.add_argument(
                "--since", metavar="DAY", type=parse_day, help="run a backfill from this day instead of the night"
            )
            action.add_argument("--until", metavar="DAY", type=parse_day, help="last day of the backfill (default: today)")
            add_direct(action)
    add_example(parser, "recollect fleet run fleet.toml", "recollect fleet report fleet.toml --json")


def run_command(arguments: Namespace) -> int:
    """Complain that an action is missing: a fleet is nothing to run by accident."""
    raise UsageError("`recollect fleet` needs an action: run, report or team", "recollect fleet --help")


def run_nights(arguments: Namespace) -> int:
    """Run every owner; the exit code is 1 when one of them did not end well."""
    from effects.fleet.fleet_file import load_fleet

    as_of, fleet = _parse_time(arguments), load_fleet(arguments.file)
    since, until = arguments.since, arguments.until
    if until and not since:
        raise UsageError("--until needs --since", "recollect fleet run FILE --since FIRST --until LAST")
    if since and until and until < since:
        raise UsageError(f"--until {until} is before --since {since}", "recollect fleet run FILE --since FIRST --until LAST")
    if arguments.direct:
        from flows.fleet_run import plan_backfill, plan_nights, resolve_fleet_time, run_fleet, run_in_threads

        last = until or resolve_fleet_time(as_of).date()
        chains = plan_backfill(fleet, since, last, as_of) if since else plan_nights(fleet, as_of)
        summary = run_fleet(fleet, chains, as_of, run_in_threads)
    else:
        summary = _run_through_prefect(fleet.file, as_of, arguments)
    return _print_summary(summary, arguments.json, str(fleet.report))


def print_report(arguments: Namespace) -> int:
    """Print the figures of every owner."""
    from effects.fleet.fleet_file import load_fleet
    from flows.fleet_run import make_summary

    as_of = _parse_time(arguments)
    summary = make_summary(load_fleet(arguments.file), [], as_of)
    return _print_summary(summary, arguments.json, "")


def propose_team(arguments: Namespace) -> int:
    """Propose the team page, and print each refused line with the reason."""
    from effects.fleet.fleet_file import load_fleet
    from effects.fleet.fleet_pages import propose_team_page
    from flows.fleet_run import resolve_fleet_time
    from transforms.fleet.fleet_report import describe_team

    fleet = load_fleet(arguments.file)
    team = propose_team_page(fleet, resolve_fleet_time(_parse_time(arguments)))
    if team is None:
        raise UsageError(f"{fleet.file} names no `team`", 'add `team = "FOLDER"`, a git repository')
    if arguments.json:
        print_json(team)
        return EXIT_FAILED if team["problem"] else 0
    if team["problem"]:
        print_note(f"recollect: {team['problem']}")
        return EXIT_FAILED
    for refusal in team["refusals"]:
        print_note(f"recollect: not offered: {refusal}")
    for owners in team["conflicts"]:
        print_note(f"recollect: two lines of the page say the opposite of each other: {owners}; whoever merges decides")
    print_line(describe_team(team))
    return 0


def _parse_time(arguments: Namespace) -> datetime | None:
    """Return the time that was named. Without an offset it stays without: each owner's run reads it in the owner's zone."""
    if arguments.as_of is None:
        return None
    moment = parse_logical_time(arguments.as_of, "UTC")
    return moment if datetime.fromisoformat(arguments.as_of).tzinfo else moment.replace(tzinfo=None)


def _run_through_prefect(file: Path, as_of: datetime | None, arguments: Namespace) -> FleetSummary:
    from effects.config.prefect_settings import prepared_for_prefect

    with prepared_for_prefect():
        from flows.temporary_server import running_server

        async def start() -> FleetSummary:
            """Run the fleet's flow in a thread, because it blocks."""
            return await asyncio.to_thread(fleet, file, as_of, arguments.since, arguments.until, False)

        with running_server() as wait_for_server:
            from flows.fleet import fleet  # while the server starts: it takes seconds

            wait_for_server()
            return asyncio.run(start())


def _print_summary(summary: FleetSummary, as_json: bool, report: str) -> int:
    """Print a summary, or the report; return 1 when an owner's run or the team page did not end well."""
    from effects.fleet.fleet_pages import render_fleet_report

    if as_json:
        print_json(summary)
    else:
        print_line(render_fleet_report(summary).rstrip())
        if report:
            print_note(f"recollect: the report is {report}")
    is_unproposed = bool(summary["team"] and summary["team"]["problem"])
    return EXIT_FAILED if is_unproposed or any(result["state"] != "done" for result in summary["results"]) else 0
