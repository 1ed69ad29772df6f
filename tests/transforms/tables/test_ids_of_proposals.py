"""Ids of proposals count on through a day and are never used twice."""

from __future__ import annotations

from datetime import date

from transforms.tables.ids import allocate_ids

DAY = date(2026, 3, 2)


def test_ids_go_on_above_every_one_that_the_day_ever_had() -> None:
    """Also above those of proposals that are gone from the table; other days and letters do not count."""
    known, ever = ["p-20260302-002", "p-20260301-009", "f-20260302-008"], ["p-20260302-004", "p-20260302-99x"]
    assert allocate_ids(known, ever, DAY, 2) == ["p-20260302-005", "p-20260302-006"]
    assert allocate_ids(known, ever, DAY, 1, "f") == ["f-20260302-009"]


def test_the_first_id_of_a_day_is_one() -> None:
    assert allocate_ids([], [], DAY, 1) == ["p-20260302-001"]
    assert allocate_ids([], [], DAY, 0) == []
