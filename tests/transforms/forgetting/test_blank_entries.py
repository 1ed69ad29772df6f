"""Forgotten entries keep their places and lose their words."""

from __future__ import annotations

import polars as pl

from tests.each_case import each_case
from transforms.forgetting.blank_entries import FORGOTTEN_FLAG, blank_forgotten_entries

ENTRIES = pl.DataFrame(
    {
        "session_id": ["s", "s", "t"], "entry_id": ["a", "b", "a"], "parent_id": [None, "a", None], "entry_type": ["message"] * 3,
        "role": ["user"] * 3, "text": ["one", "two", "three"], "thinking": [None] * 3, "raw_json": ["{}"] * 3,
        "flags": [[], ["image"], []],
    },
    schema_overrides={"parent_id": pl.String, "thinking": pl.String, "flags": pl.List(pl.String)},
)  # fmt: skip


@each_case(
    ("target", "kept"),
    [
        ("s:b", ["one", "", "three"]),
        ("turn:s:b", ["one", "", "three"]),
        ("s", ["", "", "three"]),
        ("o-1", ["one", "two", "three"]),
    ],
)
def test_an_entry_is_emptied_that_a_tombstone_names_alone_or_with_its_session(target: str, kept: list[str]) -> None:
    rows = blank_forgotten_entries(ENTRIES, [target])
    assert rows["text"].to_list() == kept
    assert [FORGOTTEN_FLAG in flags for flags in rows["flags"]] == [not text for text in kept]
