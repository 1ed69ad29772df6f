"""Rows of memory for readers: without the forgotten ones, and facts without what only their comparison looks at."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

from effects.store.forgotten import COMPARISON_COLUMNS, read_facts, read_remembered
from effects.store.lake import Lake
from transforms.tables.schema import OBSERVATIONS, build_frame, read_rows

DAYS = (date(2026, 3, 2), date(2026, 3, 3))


def test_facts_are_the_rows_of_the_lake_and_what_their_comparison_keeps_is_null(tmp_path: Path) -> None:
    """A writer that holds the table in memory reads the same as anybody else, all days or some."""
    lake = Lake(tmp_path / "lake")
    rows = [
        {
            "observation_id": f"o-{number}", "day": day, "said_at": datetime(2026, 3, 2, tzinfo=UTC),
            "text": f"Use tool {number}", "verdict": "allow", "rests_on": ["o-9"], "compared_keys": [number, 7],
        }
        for number, day in enumerate((*DAYS, *DAYS))
    ]  # fmt: skip
    with lake.writing("test"):
        with lake.commit() as change:
            change.replace_days("observations", build_frame(OBSERVATIONS, rows), DAYS)
        held = read_facts(lake)
    facts = read_facts(lake)
    assert held.equals(facts)
    assert facts.drop(COMPARISON_COLUMNS).equals(lake.read("observations").drop(COMPARISON_COLUMNS))
    assert [row["compared_keys"] for row in read_rows(OBSERVATIONS, facts)] == [None] * len(rows)
    assert read_remembered(lake, "observations", DAYS[:1])["observation_id"].to_list() == ["o-0", "o-2"]
