"""The definitions of the tables yield schemas; frames of rows follow them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_type_hints

import polars as pl
import pytest

from tests.each_case import each_case
from transforms.tables import rows
from transforms.tables.definition import Table
from transforms.tables.rows import PageRow
from transforms.tables.schema import (
    CONFIRMATIONS,
    ENTRIES,
    OBSERVATIONS,
    PAGES,
    PROPOSALS,
    SESSIONS,
    TABLES,
    build_frame,
    conform,
    hash_groups,
    read_rows,
)

AT = datetime(2026, 3, 1, 4, tzinfo=UTC)


def page(number: int, render_id: str | None) -> PageRow:
    """Return a row of `pages`."""
    return {"path": f"memory/{number:04d}.md", "render_id": render_id, "text_hash": "h", "text": "", "at": AT}


@each_case("table", TABLES.values())
def test_every_table_has_a_sound_definition(table: Table[object]) -> None:
    """Keys and references exist, daily tables have a day, booleans and times are named as such."""
    assert set(table.key) <= set(table.columns)
    assert table.is_daily == ("day" in table.columns)
    assert table.row.__name__ in rows.__all__
    assert list(get_type_hints(table.row)) == list(table.columns)
    for name, column in table.columns.items():
        assert column.column.meaning
        assert column.column.references in {"", *TABLES}
        assert (column.value_type is bool) == name.startswith(("is_", "has_", "on_")), name
        assert (column.value_type is datetime) == (name == "at" or name.endswith("_at") or name == "as_of"), name


def test_types_become_parquet_types() -> None:
    """Numbers have the size of the definition, enums are strings, times are UTC."""
    schema = OBSERVATIONS.schema
    assert schema["kind"] == pl.String
    assert schema["lines"] == pl.List(pl.Int32)
    assert schema["confidence"] == pl.Float32
    assert schema["said_at"] == pl.Datetime("us", "UTC")
    assert list(schema)[-1] == "schema_version"
    assert OBSERVATIONS.columns["priority"].choices == ("high", "medium", "low")
    assert (ENTRIES.columns["turn_kind"].is_nullable, PROPOSALS.schema["severity"]) == (True, pl.Float32)


@each_case("count", [0, 1, 150, 1000])
def test_a_value_may_come_after_hundreds_of_nulls(count: int) -> None:
    """Without a schema polars fails at the first value behind the 100 rows that it looks at."""
    frame = build_frame(PAGES, [*(page(number, None) for number in range(count)), page(count, "r-1")])
    assert frame.schema == PAGES.row_schema
    assert conform(PAGES, frame)["render_id"].to_list() == [None] * count + ["r-1"]


def test_no_rows_give_an_empty_frame_of_the_table() -> None:
    """This holds for a generator as well."""
    assert build_frame(SESSIONS, iter(())).schema == SESSIONS.row_schema


def test_a_row_with_an_unknown_column_is_refused() -> None:
    """Polars would drop the value without a word."""
    with pytest.raises(ValueError, match=r"`pages`: unknown columns \['titel'\]"):
        build_frame(PAGES, [page(1, None), {**page(2, None), "titel": "x"}])


def test_rows_come_back_as_they_were() -> None:
    """`schema_version` is not part of a row."""
    stored = conform(PAGES, build_frame(PAGES, [page(1, "r-1")]))
    assert list(read_rows(PAGES, stored)) == [page(1, "r-1")]


def test_a_value_outside_of_a_closed_set_is_not_written() -> None:
    """The message names table, column and value; null in a nullable column is no value."""
    row = {
        "target": "o-1", "name": "src/a.py", "kind": "path", "status": "present", "repository": "/r", "commit": None,
        "new_name": None, "confirmed_on": None, "state": "x",
    }  # fmt: skip
    assert build_frame(CONFIRMATIONS, [row]).height == 1
    with pytest.raises(ValueError, match=r"`confirmations\.status`: \['lost'\] not among \['present'"):
        build_frame(CONFIRMATIONS, [row, {**row, "name": "b", "status": "lost"}])


def test_a_group_has_the_hash_of_its_rows_in_any_order_and_of_every_value() -> None:
    """Also where lists hold the same letters, and where nothing stands in the place of an empty text."""
    rows = pl.DataFrame({"day": [1, 1, 2], "text": ["a", "", "c"], "files": [["ab"], ["a", "b"], []]})
    hashes = hash_groups(rows, ["day"])
    assert hash_groups(rows.reverse(), ["day"]) == hashes
    assert hashes.keys() == {(1,), (2,)}
    for column, values in (("text", ["a", None, "c"]), ("files", [["a", "b"], ["a", "b"], []]), ("text", ["a", "", ""])):
        changed = hash_groups(rows.with_columns(pl.Series(column, values)), ["day"])
        assert changed != hashes
        assert sum(changed[day] != hashes[day] for day in hashes) == 1
    assert hash_groups(rows.clear(), ["day"]) == {}
