"""`recollect export`: the kept memory, one row per fact, narrative or condensed period."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from effects.config.stated_times import parse_day
from effects.system.errors import NotFoundError, UsageError
from recollect.arguments import add_example, add_json, complete_files
from recollect.result_table import print_csv
from recollect.terminal import NO_PRIORITY, open_reading_run, print_json, print_line, print_note
from transforms.pages.run_page import count_things
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
    parser.add_argument("--all", action="store_true", help="include superseded rows, and periods that a longer one covers")
    add_json(parser)
    parser.add_argument("--csv", action="store_true", help="comma-separated values with a header")
    complete_files(parser.add_argument("--parquet", metavar="FILE", help="write the rows to this Parquet file, print nothing"))
    add_example(parser, "recollect export --since 2026-05-01 --json", "recollect export --parquet memory.parquet")


def run_command(arguments: Namespace) -> int:
    """Print the kept rows of a tier."""
    import polars as pl

    from effects.recall.export_rows import EXPORT_SCHEMA, check_export_folder, select_export_rows, write_export_file

    if arguments.json + arguments.csv + (arguments.parquet is not None) > 1:
        raise UsageError("--json, --csv and --parquet are three forms of the same rows", "recollect export --csv")
    if arguments.parquet is not None:  # before the rows are read: of a memory of years that takes long
        check_export_folder(Path(arguments.parquet).absolute())
    run = open_reading_run()
    session = arguments.session
    if session and run.lake.scan("sessions").filter(pl.col("session_id") == session).collect().is_empty():
        raise NotFoundError(f"no session `{session}` in the lake", "recollect sql 'SELECT session_id, title FROM sessions'")
    rows = select_export_rows(run.lake, int(arguments.tier), session, arguments.since, arguments.all)
    if arguments.parquet is not None:
        write_export_file(rows, Path(arguments.parquet).absolute())
        print_note(f"{count_things(len(rows), 'row')} in {arguments.parquet}")
        return 0
    if arguments.csv:
        print_csv(list(EXPORT_SCHEMA), (list({**dict.fromkeys(EXPORT_SCHEMA), **row}.values()) for row in rows))
        return 0
    for row in rows:
        if arguments.json:
            print_json(row)
        else:
            mark = PRIORITY_MARKS.get(row["priority"] or "", NO_PRIORITY)
            behind = f" (turned down: {'; '.join(row['turned_down'])})" if row["turned_down"] else ""
            print_line(f"{mark} {row['text']}{behind}  [{row['kind'] or row['source']} {row['id']}]")
    return 0
