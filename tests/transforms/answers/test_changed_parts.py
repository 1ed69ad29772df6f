"""Which facts lost a part, and the words beside them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from transforms.answers.changed_parts import RelatedFact, describe_changed_parts, find_changed_parts

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


def fact(key: str, text: str, days: int = 0) -> RelatedFact:
    return {
        "observation_id": key, "session_id": "s", "entry_ids": [key], "also": [], "superseded_by": None,
        "said_at": AT + timedelta(days=days), "text": text,
    }  # fmt: skip


PAIRS = [("o-1", "o-2"), ("o-1", "o-3"), ("o-3", "o-1"), ("o-1", "o-9"), ("o-9", "o-1")]


def test_each_later_fact_is_one_part_in_the_order_of_their_days_and_ends_no_citation() -> None:
    """A pair the wrong way round, or with a fact that is gone, says nothing."""
    rows = [
        fact("o-1", "CSV on Fridays"),
        fact("o-2", "Parquet [zstd] " + "and so on " * 40, 5),
        fact("o-3", "On Mondays (rejected: Sundays)", 3),
    ]
    facts = {row["observation_id"]: row for row in rows}
    marks = describe_changed_parts(find_changed_parts(dict.fromkeys(PAIRS, "replaces_part"), facts, UTC))
    assert list(marks) == ["o-1"]
    first, second = marks["o-1"].split("; ")
    assert first == "in part replaced 2026-03-05: On Mondays (o-3)"
    assert second.startswith("in part replaced 2026-03-07: Parquet (zstd) and so on")
    assert len(second) < 200
