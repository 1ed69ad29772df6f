"""The README's table of tables, made from the data dictionary so that it cannot drift."""

from __future__ import annotations

from transforms.tables.schema import TABLES


def tables_page() -> str:
    """A Markdown table: one row per table with what a row is, its key, who makes it, and how it lies on disk."""
    lines = ["| table | one row is | key | made by | on disk |", "|---|---|---|---|---|"]
    for table in TABLES.values():
        disk = f"{table.layout}, {'a folder per day' if table.is_daily else 'one folder'}"
        key = ", ".join(table.key)
        lines.append(f"| `{table.name}` | {table.row} | {key} | {table.made_by} | {disk} |")
    return "\n".join(lines) + "\n"
