"""Generates `docs/tables.md` from the definitions of the tables."""

from __future__ import annotations

from typing import Any, is_typeddict

from transforms.dictionary.comments import describe_column, describe_row
from transforms.tables.definition import ColumnType, Table
from transforms.tables.schema import TABLES

_INTRODUCTION = """\
# Tables

This page is generated from the row types in `transforms/tables/`; `UPDATE_GOLDEN=1 .venv/bin/pytest tests/test_docs.py`
writes it again. The files lie in `LAKE/<table>/**/*.parquet`. Every row also carries `schema_version` (Int16).

- A *state* table has one file per partition, which is rewritten whole. An *append* table has part files named by their content.
- A *daily* table has one folder `day=YYYY-MM-DD` per local day; every other table has one folder.
- Times are UTC with microseconds. A `day` is a calendar date in the owner's zone on the night that read the line; it stays when
  the zone changes. Columns named `at` hold the run's logical time.
- `at` is a reserved word of DuckDB: write `"at"`, or `e.at` with the name of the table.
- `tokens` are pi's estimate: UTF-16 code units divided by four, rounded up.
- A type with `?` may be null. Files of an older version lack newer columns; these read as null.
- The same words stand in the files: a table's as `description` in the metadata of each file, its columns' as `comment` of the
  Arrow fields; in a daily table only in the first file (`day=1970-01-01`), from which pyarrow takes the schema of the folder.
  `recollect sql "FROM duckdb_columns() SELECT column_name, comment WHERE table_name = 'entries'"` shows them, too.
- Each of these lines reads the folder of any table (a test runs them); `LAKE/<table>/**/*.parquet` as a glob does, too:

      pandas.read_parquet(folder, partitioning=None)
      pyarrow.parquet.read_table(folder, partitioning=None)
      pyarrow.dataset.dataset(folder).to_table()
      polars.read_parquet(folder)
      duckdb.sql(f"FROM read_parquet('{folder}/**/*.parquet')")

  Without `partitioning=None` pandas and `read_table` take `day` from the folders' names as well, as a text, and fail on daily
  tables (`ArrowTypeError: Unable to merge: Field day has incompatible types`). To read only some days, say that it is a date:
  `partitioning=dataset.partitioning(pyarrow.schema([("day", pyarrow.date32())]), flavor="hive")`.
"""

_PICTURE = """\
![Tables of the lake and their references](tables.svg)

Each box shows the key of a table (underlined) and the columns that refer to another one; a line leads to that table.
"""


def render_dictionary_page() -> str:
    """Return the data dictionary in Markdown: a list of the tables, a picture of the keys, then every table with its columns."""
    sections = [_INTRODUCTION, _list_tables(), _PICTURE, *(_render_section(table) for table in TABLES.values())]
    return "\n".join(sections)


def _list_tables() -> str:
    lines = ["| table | one row is | key |", "|---|---|---|"]
    lines += [f"| `{table.name}` | {describe_row(table)} | {', '.join(table.key)} |" for table in TABLES.values()]
    return "\n".join(lines) + "\n"


def _render_section(table: Table[Any]) -> str:
    makers = ", ".join(f"`{module}`" for module in table.made_by) or "no step yet"
    layout = f"{table.layout}, {'daily' if table.is_daily else 'one folder'}"
    keys = ", ".join(f"`{name}`" for name in table.key)
    head = [f"## {table.name}", "", f"One row is {describe_row(table)}.", ""]
    facts = [f"Key: {keys}. Written by: {makers}. On disk: {layout}.", ""]
    columns = ["| column | type | Parquet | unit | meaning |", "|---|---|---|---|---|"]
    for name, column in table.columns.items():
        references = f" (→ `{column.column.references}`)" if column.column.references else ""
        dtype = _format_parquet_type(table, name)
        cells = (f"`{name}`", _format_type(column), dtype, column.column.unit, describe_column(column) + references)
        columns.append("| " + " | ".join(cells) + " |")
    return "\n".join([*head, *facts, *columns, ""])


def _format_type(column: ColumnType) -> str:
    name = "enum" if column.choices else "struct" if is_typeddict(column.value_type) else column.value_type.__name__
    return (f"list of {name}" if column.is_list else name) + ("?" if column.is_nullable else "")


def _format_parquet_type(table: Table[Any], name: str) -> str:
    dtype = str(table.row_schema[name])
    return "Datetime UTC" if dtype.startswith("Datetime") else "List(Struct)" if dtype.startswith("List(Struct") else dtype
