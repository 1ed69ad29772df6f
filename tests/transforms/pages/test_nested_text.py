"""Cells of `recollect sql`: nested values read as DuckDB writes them, and no column or number is lost in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.pages.nested_text import encode_value, format_value, name_columns


@pytest.fixture(scope="module")
def duckdb() -> Iterator[Any]:
    """A connection in memory."""
    import duckdb

    with duckdb.connect() as connection:
        yield connection


@pytest.mark.parametrize(
    "literal",
    [
        "[DATE '2026-02-10', NULL]",
        "[TIMESTAMP '2026-02-10 08:00:00', TIMESTAMP '2026-02-10 08:00:00.5', TIMESTAMP '2026-02-10 08:00:00.120003']",
        "[TIMESTAMPTZ '2026-02-10 08:00:00+00']",
        "[TIME '08:00:01.5', TIME '20:00:00']",
        "[true, false]", "[1, 2]", "[1.50::DECIMAL(4,2)]", "[[1,2],[]]", "array_value('a', 'b')::VARCHAR[]",
        "{'a': 1, 'b c': 'x y', 'd': {'e': true}, 'f': NULL}",
        "MAP {DATE '2026-01-01': [true, false]}",
        "[170141183460469231731687303715884105727]",
        "['a', 'b c', 'd,e', '', 'NULL', 'null', 'it''s', 'x\\y', '[a]', '{b', 'k:v', 'k=v', ' lead', 'trail ', '(p)', 'a;b']",
    ],
)  # fmt: skip
def test_a_nested_value_reads_as_duckdb_writes_it(duckdb: Any, literal: str) -> None:
    value, text = duckdb.execute(f"SELECT {literal}, CAST({literal} AS VARCHAR)").fetchall()[0]
    assert format_value(value) == text


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"))))
def test_any_list_of_words_reads_as_duckdb_writes_it(duckdb: Any, words: list[str]) -> None:
    text = duckdb.execute("SELECT CAST(?::VARCHAR[] AS VARCHAR)", [words]).fetchall()[0][0]
    assert format_value(words) == text


@given(st.lists(st.sampled_from(["a", "a_1", "a_2", "b", "A"])))
def test_no_two_columns_share_a_name_and_a_single_one_keeps_its_own(names: list[str]) -> None:
    unique = name_columns(names)
    assert len(set(unique)) == len(names)
    assert all(fresh == name for name, fresh in zip(names, unique, strict=True) if names.count(name) == 1)
    assert all(fresh.startswith(name) for name, fresh in zip(names, unique, strict=True))


def test_whole_numbers_beyond_64_bits_and_keys_that_are_no_words_can_be_json() -> None:
    assert orjson.loads(orjson.dumps(encode_value([2**64 - 1, -(2**63), 2**64, {1: -(2**127)}], ), default=str)) == [
        2**64 - 1, -(2**63), str(2**64), {"1": str(-(2**127))},
    ]  # fmt: skip
