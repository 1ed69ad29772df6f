"""`recollect sql`: DuckDB over the lake, from an argument, from stdin, or at a prompt."""

from __future__ import annotations

import csv as csv_format
import sys
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from effects.system.errors import RecollectError, UsageError
from recollect.terminal import open_command, say, say_json, tell

Format = Literal["table", "json", "csv"]

WIDEST_CELL = 60
"""Characters of a cell in a terminal; piped output and the other formats are whole."""


def sql(
    query: str | None = None,
    /,
    *,
    json: Annotated[bool, Parameter(name="--json", help="One JSON object per row.")] = False,
    csv: Annotated[bool, Parameter(name="--csv", help="Comma-separated values with a header.")] = False,
) -> int:
    """Query the lake with DuckDB, one view per table.

    Parameters
    ----------
    query
        One or more statements; left out, they are read from stdin, in a terminal at a prompt.
    """
    from effects.store.sql_console import connect

    if json and csv:
        raise UsageError("--json and --csv cannot both be", "choose one")
    shape: Format = "json" if json else "csv" if csv else "table"
    run = open_command()
    with connect(run.lake, run.settings.timezone) as connection:
        if query is None and sys.stdin.isatty():
            _prompt(connection, shape)
        else:
            _answer(connection, sys.stdin.read() if query is None else query, shape)
    return 0


def _prompt(connection: Any, shape: Format) -> None:
    """Statements end with a semicolon; an error does not end the prompt."""
    import readline  # noqa: F401 - line editing and history for input()

    tell("DuckDB over the lake. End a statement with ; and leave with Ctrl-D. SHOW TABLES; and DESCRIBE entries; help.")
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
                _answer(connection, "\n".join(lines), shape)
            except RecollectError as error:
                tell(error.message)
            lines = []


def _answer(connection: Any, query: str, shape: Format) -> None:
    from effects.store.sql_console import rows

    if not query.strip():
        raise UsageError("there is no query", "recollect sql 'SELECT count(*) FROM observations'")
    names, found = rows(connection, query)
    if not names:
        return
    if shape == "json":
        for row in found:
            say_json(dict(zip(names, row, strict=True)))
    elif shape == "csv":
        writer = csv_format.writer(sys.stdout, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(found)
    else:
        _table(names, list(found))


def _table(names: list[str], found: list[tuple[Any, ...]]) -> None:
    """Columns with one space of air, widths from the content; a piped table is not cut."""
    limit = WIDEST_CELL if sys.stdout.isatty() else None
    cells = [[_cell(value, limit) for value in row] for row in found]
    widths = [max([len(name), *(len(row[i]) for row in cells)]) for i, name in enumerate(names)]
    say("  ".join(f"{name:<{width}}" for name, width in zip(names, widths, strict=True)).rstrip())
    say("  ".join("-" * width for width in widths))
    for row in cells:
        say("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
    tell(f"{len(cells)} rows")


def _cell(value: Any, limit: int | None) -> str:
    text = "" if value is None else " ".join(str(value).split())
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
