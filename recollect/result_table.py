"""Result tables of `recollect sql`: boxed and as wide as the terminal, or plain and whole in a pipe. A row is always one line."""

from __future__ import annotations

import csv
import shutil
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal

from recollect.terminal import print_line, print_note
from transforms.pages.nested_text import format_value
from transforms.pages.visible_text import make_visible

WIDEST_PADDED = 120
"""Longest cell in a pipe to which the others of its column are padded: one long text must not make every line as long."""
Row = Sequence[object]

NARROWEST = 8
"""Characters that every column keeps; a table with more columns than fit is shown row by row, one line per column."""
EDGES, BETWEEN = 4, 3
"""Characters of the box around the cells of a row, and between two of them."""


def print_table(names: Sequence[str], rows: Sequence[Row]) -> None:
    """Print a result; in a terminal long cells are cut with …, in a pipe nothing is."""
    cells = [[_format_cell(value) for value in row] for row in rows]
    headers = [_format_cell(name) for name in names]
    if not sys.stdout.isatty():
        _print_plain(headers, cells)
    elif widths := fit_widths(_measure(headers, cells), shutil.get_terminal_size().columns - EDGES - BETWEEN * (len(names) - 1)):
        numbers = [all(_is_number(row[place]) for row in rows) for place in range(len(names))]
        _print_box(headers, cells, widths, numbers)
    else:
        _print_records(headers, cells)
    print_note(f"{len(cells)} row{'s' if len(cells) != 1 else ''}")


def print_csv(names: Sequence[str], rows: Iterable[Row]) -> None:
    """Print a result as comma-separated values with a header; nested values are JSON."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    for row in rows:  # a file gets the cells as they are, a terminal only visible characters
        cells = ["" if cell is None else format_value(cell) for cell in row]
        writer.writerow(map(make_visible, cells) if sys.stdout.isatty() else cells)


def fit_widths(wanted: Sequence[int], room: int) -> list[int]:
    """Return the width of each column, the widest ones cut until all fit; nothing when too many columns are left for the room."""
    if sum(min(width, NARROWEST) for width in wanted) > room:
        return []
    low, high = NARROWEST, max(wanted, default=NARROWEST)
    while low < high:  # the largest limit whose columns fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(min(width, middle) for width in wanted) <= room else (low, middle - 1)
    widths = [min(width, low) for width in wanted]
    spare = room - sum(widths)
    for place, width in enumerate(wanted):
        if widths[place] < width and spare:
            widths[place], spare = widths[place] + 1, spare - 1
    return widths


def _measure(headers: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len

    return [max([cell_len(header), *(cell_len(row[place]) for row in cells)]) for place, header in enumerate(headers)]


def _print_plain(headers: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    usual = [["" if len(cell) > WIDEST_PADDED else cell for cell in row] for row in cells]
    widths = _measure(headers, usual)
    print_line("  ".join(_pad(name, width) for name, width in zip(headers, widths, strict=True)).rstrip())
    print_line("  ".join("-" * width for width in widths))
    for row in cells:
        print_line("  ".join(_pad(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _print_box(
    headers: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int], numbers: Sequence[bool], title: str = ""
) -> None:
    from rich.box import ROUNDED
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=ROUNDED, title=title or None, title_justify="left", title_style="dim", header_style="bold")
    table.show_header = any(headers)
    for header, width, is_number in zip(headers, widths, numbers, strict=True):
        table.add_column(Text(header), width=width, no_wrap=True, overflow="ellipsis", justify="right" if is_number else "left")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    size = shutil.get_terminal_size()  # both sides: with one alone rich takes 80 columns for a terminal that it does not know
    Console(file=sys.stdout, width=size.columns, height=size.lines, highlight=False).print(table)


def _print_records(headers: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    """Print each row as a table of its own, a column in each line; in a terminal too narrow for that as plain lines."""
    columns = shutil.get_terminal_size().columns
    room = columns - EDGES - BETWEEN
    if room < 2 * NARROWEST:  # no room for a name beside a value: lines of text, which a terminal breaks where it must
        for number, row in enumerate(cells, 1):
            print_line(
                "\n".join(
                    [f"row {number} of {len(cells)}", *(f"{name}: {cell}" for name, cell in zip(headers, row, strict=True))]
                )
            )
        return
    name_width = min(max(_measure(["", *headers], [])), 30, room - NARROWEST)
    room -= name_width
    for number, row in enumerate(cells, 1):
        pairs = list(zip(headers, row, strict=True))
        _print_box(["", ""], pairs, [name_width, room], [False, False], f"row {number} of {len(cells)}")


def _format_cell(value: object) -> str:
    return "" if value is None else " ".join(make_visible(format_value(value)).split())


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float | Decimal) and not isinstance(value, bool))


def _pad(text: str, width: int) -> str:
    from rich.cells import cell_len

    return text + " " * (width - cell_len(text))
