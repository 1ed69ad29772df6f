"""`recollect sql`: DuckDB over the lake, from an argument, from stdin, or at a prompt."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Literal

from effects.system.errors import RecollectError, UsageError
from recollect.arguments import add_example
from recollect.result_table import print_csv, print_table
from recollect.terminal import open_command_run, print_json, print_line, print_note
from transforms.pages.nested_text import encode_value

if TYPE_CHECKING:
    import duckdb

Format = Literal["table", "json", "csv"]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect sql` to its parser, with help and examples."""
    parser.add_argument(
        "query", metavar="QUERY", nargs="?",
        help="one or more statements, each answered in turn; without it, stdin is read, or a prompt opens in a terminal",
    )  # fmt: skip
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="one JSON object per row")
    formats.add_argument("--csv", action="store_true", help="comma-separated values with a header")
    add_example(parser, 'recollect sql "SELECT kind, count(*) FROM observations GROUP BY kind"', "recollect sql < file.sql")


def run_command(arguments: Namespace) -> int:
    """Run the statements and print the rows of each."""
    from effects.store.sql_console import connect

    output: Format = "json" if arguments.json else "csv" if arguments.csv else "table"
    run = open_command_run()
    with connect(run.lake, run.settings.timezone) as connection:
        if arguments.query is None and sys.stdin.isatty():
            _read_prompt(connection, output)
        else:
            _run_query(connection, sys.stdin.read() if arguments.query is None else arguments.query, output)
    return 0


def _read_prompt(connection: duckdb.DuckDBPyConnection, output: Format) -> None:
    """Read statements, each up to a semicolon, until Ctrl-D; an error does not end the prompt."""
    import readline  # noqa: F401 - line editing and history for input()

    print_note("DuckDB over the lake. End a statement with ; and leave with Ctrl-D. SHOW TABLES; and DESCRIBE entries; help.")
    lines: list[str] = []
    while True:
        try:
            line = input("  ... " if lines else "sql> ")
        except EOFError:
            return
        except KeyboardInterrupt:
            lines = []
            continue
        if not lines and line.strip() in {"", ".quit", ".exit", "quit", "exit"}:
            if line.strip():
                return
            continue
        lines.append(line)
        if line.rstrip().endswith(";"):
            try:
                _run_query(connection, "\n".join(lines), output)
            except RecollectError as error:
                print_note(error.message)
            lines = []


def _run_query(connection: duckdb.DuckDBPyConnection, query: str, output: Format) -> None:
    from effects.store.sql_console import run_statements

    if not query.strip():
        raise UsageError("there is no query", "recollect sql 'SELECT count(*) FROM observations'")
    for number, (names, rows) in enumerate(run_statements(connection, query)):
        if output == "json":
            for row in rows:
                print_json(dict(zip(names, map(encode_value, row), strict=True)))
            continue
        if number:
            print_line()
        if output == "csv":
            print_csv(names, rows)
        else:
            print_table(names, list(rows))
