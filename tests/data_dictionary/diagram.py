"""Draws the tables and their references as an SVG picture: a column per group of tables, a line per reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from transforms.tables.definition import Table

TABLE_GROUPS = ("session_tables", "window_tables", "memory_tables", "task_tables", "run_tables")
"""Modules of row types, from left to right in the order in which a night fills them."""
LETTER, ROW, TITLE, MARGIN = 6.6, 16, 22, 12
"""Width of a letter, height of a row and of a title, and space inside a box and around the picture, in pixels."""
GAP_ACROSS, GAP_DOWN = 110, 18
"""Space between columns and between boxes."""
_STYLE = (
    "text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#24292f}.title{font-weight:bold}.key{text-decoration:underline}"
    ".box{fill:#fff;stroke:#8c959f}.head{fill:#ddf4ff;stroke:#8c959f}.line{fill:none;stroke:#0969da;stroke-opacity:.55}"
)


@dataclass(frozen=True, slots=True)
class _Box:
    """A table in the picture: its place, and the columns that it shows (its key and its references)."""

    table: Table[Any]
    columns: tuple[str, ...]
    left: float
    top: float
    width: float

    def find_row(self, column: str) -> float:
        """Return the height at which a column stands."""
        return self.top + TITLE + ROW * (self.columns.index(column) + 0.5)


def draw_tables(tables: Iterable[Table[Any]]) -> str:
    """Return the picture: every table with its key (underlined) and its references, each with a line to the other table."""
    boxes = _place_boxes(list(tables))
    lines = [
        _draw_reference(box, name, boxes[column.column.references])
        for box in boxes.values()
        for name, column in box.table.columns.items()
        if column.column.references
    ]
    width = max(box.left + box.width for box in boxes.values()) + MARGIN + 24
    height = max(box.top + TITLE + ROW * len(box.columns) for box in boxes.values()) + MARGIN
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img">'
    shapes = [*lines, *(_draw_box(box) for box in boxes.values())]
    return "\n".join(
        [head, "<title>Tables of the lake and their references</title>", f"<style>{_STYLE}</style>", *shapes, "</svg>\n"]
    )


def _place_boxes(tables: Sequence[Table[Any]]) -> dict[str, _Box]:
    boxes: dict[str, _Box] = {}
    left_edge: float = MARGIN
    for group in TABLE_GROUPS:
        members = [table for table in tables if table.row.__module__.endswith(f".{group}")]
        shown = [_list_shown_columns(table) for table in members]
        longest = max(len(text) for table, names in zip(members, shown, strict=True) for text in (table.name, *names))
        width, top = LETTER * longest + 2 * MARGIN, float(MARGIN)
        for table, names in zip(members, shown, strict=True):
            boxes[table.name] = _Box(table, names, left_edge, top, width)
            top += TITLE + ROW * len(names) + GAP_DOWN
        left_edge += width + GAP_ACROSS
    return boxes


def _list_shown_columns(table: Table[Any]) -> tuple[str, ...]:
    references = (name for name, column in table.columns.items() if column.column.references)
    return tuple(dict.fromkeys([*table.key, *references]))


def _draw_reference(box: _Box, column: str, other: _Box) -> str:
    """Return the line from a column to the title of the table that it refers to; within one column of boxes it is an arc."""
    row, title = box.find_row(column), other.top + TITLE / 2
    if box.left == other.left:
        right = box.left + box.width
        bend = right + 20 + abs(row - title) / 12
        path = f"M{right:.0f},{row:.0f} C{bend:.0f},{row:.0f} {bend:.0f},{title:.0f} {right:.0f},{title:.0f}"
    else:
        start, end = box.left, other.left + other.width
        middle = (start + end) / 2
        path = f"M{start:.0f},{row:.0f} C{middle:.0f},{row:.0f} {middle:.0f},{title:.0f} {end:.0f},{title:.0f}"
    return f'<path class="line" d="{path}"/>'


def _draw_box(box: _Box) -> str:
    place = f'x="{box.left:.0f}" width="{box.width:.0f}"'
    text_left = f"{box.left + MARGIN:.0f}"
    shapes = [
        f'<rect class="head" {place} y="{box.top:.0f}" height="{TITLE}"/>',
        f'<rect class="box" {place} y="{box.top + TITLE:.0f}" height="{ROW * len(box.columns)}"/>',
        f'<text class="title" x="{text_left}" y="{box.top + 15:.0f}">{box.table.name}</text>',
    ]
    for name in box.columns:
        style = ' class="key"' if name in box.table.key else ""
        shapes.append(f'<text{style} x="{text_left}" y="{box.find_row(name) + 4:.0f}">{name}</text>')
    return "\n".join(shapes)
