"""`recollect export`: the kept memory, one row per fact, narrative or condensed period."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from effects.system.errors import NotFoundError
from recollect.arguments import add_example, add_json
from recollect.terminal import NO_PRIORITY, open_reading_run, parse_day, print_json, print_line
from transforms.tables.enums import PRIORITY_MARKS


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect export` to its parser, with help and examples."""
    parser.add_argument("--session", metavar="ID", help="only this session")
    parser.add_argument(
        "--tier",
        choices=("0", "1", "2", "3", "4"),
        default="0",
        help="0 observations (default), 1 days, 2 weeks, 3 months, 4 years",
    )
    parser.add_argument("--since", metavar="DAY", type=parse_day, help="only from this day on")
    parser.add_argument("--all", action="store_true", help="include superseded rows")
    add_json(parser)
    add_example(parser, "recollect export --since 2026-05-01 --json")


def run_command(arguments: Namespace) -> int:
    """Print the kept rows of a tier."""
    import polars as pl

    from effects.recall.export_rows import select_export_rows

    run = open_reading_run()
    session = arguments.session
    if session and run.lake.scan("sessions").filter(pl.col("session_id") == session).collect().is_empty():
        raise NotFoundError(f"no session `{session}` in the lake", "recollect sql 'SELECT session_id, title FROM sessions'")
    for row in select_export_rows(run.lake, int(arguments.tier), session, arguments.since, arguments.all):
        if arguments.json:
            print_json(row)
        else:
            mark = PRIORITY_MARKS.get(row["priority"] or "", NO_PRIORITY)
            print_line(f"{mark} {row['text']}  [{row['kind'] or row['source']} {row['id']}]")
    return 0
