"""Facts of which newer words of the owner name a number as the former one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from transforms.memory.former_values import find_former_facts

OLD = 'User decided: "upload limit: 100 files per hour per account"'
NEW = 'User asked: "raise the upload limit to 120 per hour, the shop hits the 100"'
LATER = 'User asked: "raise the upload limit from 120 to 150 per hour"'


def make_row(number: int, text: str, day: int, **other: Any) -> Any:
    """Return the row of a fact."""
    return {
        "observation_id": f"o-{number}", "project": "/p", "kind": "request", "superseded_by": None, "text": text,
        "said_at": datetime(2026, 5, day, tzinfo=UTC),
    } | other  # fmt: skip


def test_the_newest_words_name_the_former_value() -> None:
    """Each value is followed by the one that names it; in another project, or said before, nothing is."""
    rows = [make_row(1, OLD, 1, kind="decision"), make_row(2, NEW, 2), make_row(3, LATER, 3)]
    assert find_former_facts(rows) == {"o-1": "o-2", "o-2": "o-3"}
    assert find_former_facts([rows[0], make_row(2, NEW, 2, project="/other")]) == {}
    assert find_former_facts([make_row(1, OLD, 5, kind="decision"), rows[1]]) == {}


def test_only_the_owners_words_and_only_one_subject() -> None:
    """A report, a retired row and a number of something else replace nothing."""
    old = make_row(1, OLD, 1, kind="decision")
    assert find_former_facts([old, make_row(2, NEW, 2, kind="completion")]) == {}
    assert find_former_facts([old, make_row(2, NEW, 2, superseded_by="o-9")]) == {}
    assert find_former_facts([old, make_row(2, 'User asked: "lower the cache of pages from 100 to 50 MB"', 2)]) == {}


@given(st.permutations(range(4)))
def test_the_order_of_rows_does_not_matter(places: list[int]) -> None:
    """The same facts give the same pairs."""
    rows = [make_row(1, OLD, 1, kind="decision"), make_row(2, NEW, 2), make_row(3, LATER, 3), make_row(4, NEW, 2)]
    assert find_former_facts([rows[place] for place in places]) == find_former_facts(rows)
