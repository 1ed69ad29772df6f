"""The words of the data dictionary as short comments, for `docs/tables.md`, Parquet files and DuckDB's views."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, is_typeddict

from transforms.tables.definition import ColumnType, Table, derive_column
from transforms.tables.ids import hash_text

if TYPE_CHECKING:
    import pyarrow as pa

COMMENT = "comment"
"""Key of a column's words in the metadata of its Arrow field."""
DESCRIPTION = "description"
"""Key of a table's words in the metadata of a Parquet file."""
VERSION_COMMENT = "version of the schema that the row was written with"


def describe_row(table: Table[Any]) -> str:
    """Return the words that complete "one row is …"."""
    return (table.row.__doc__ or "").strip()


def describe_table(table: Table[Any]) -> str:
    """Return a table in a sentence, with its key."""
    return f"One row is {describe_row(table)}. Key: {', '.join(table.key)}."


def describe_column(column: ColumnType) -> str:
    """Return the meaning of a column, with the members of a struct or the values of an enum."""
    if is_typeddict(column.value_type):
        members = {name: derive_column(member) for name, member in column.value_type.__annotations__.items()}
        return f"{column.column.meaning}: " + ", ".join(f"`{name}` ({member.column.meaning})" for name, member in members.items())
    choices = ", ".join(f"`{choice}`" for choice in column.choices)
    return column.column.meaning + (f": {choices}" if choices else "")


def list_comments(table: Table[Any]) -> dict[str, str]:
    """Return column → meaning, unit in brackets, and the table that it refers to; `schema_version` last."""
    comments = {}
    for name, column in table.columns.items():
        unit = f" [{column.column.unit}]" if column.column.unit else ""
        reference = f" (→ {column.column.references})" if column.column.references else ""
        comments[name] = describe_column(column) + unit + reference
    return {**comments, "schema_version": VERSION_COMMENT}


@cache
def hash_comments(table: Table[Any]) -> str:
    """Return a hash of all words of a table."""
    return hash_text(repr([describe_table(table), *list_comments(table).items()]))


@cache
def annotate_schema(name: str) -> pa.Schema:
    """Return the Arrow schema of a table's files; each field carries its words."""
    import pyarrow as pa

    from transforms.tables.schema import TABLES

    table = TABLES[name]
    comments = list_comments(table)
    return pa.schema([field.with_metadata({COMMENT: comments[field.name]}) for field in table.make_empty().to_arrow().schema])
