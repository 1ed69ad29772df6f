"""The trees of due periods: each day of a project in one, a key that every change of its inputs or rows changes."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl

from tests.each_case import each_case
from transforms.condensing.day_inputs import OBSERVATION_COLUMNS, SEGMENT_COLUMNS, DayInputs
from transforms.condensing.due_trees import DueTrees
from transforms.condensing.tiers import plan_tiers
from transforms.tables.schema import DISTILLATES, build_frame

AFTER, FIRST, TODAY = (1, 1, 3, 7), date(2025, 11, 20), date(2026, 3, 11)


def facts(count: int = 112) -> list[dict[str, Any]]:
    """Return a fact a day of two projects in turn; the third retired the first."""
    return [
        {
            "observation_id": f"o-{n}", "project": f"/code/{n % 2}", "day": (day := FIRST + timedelta(days=n)),
            "said_at": datetime(day.year, day.month, day.day, tzinfo=UTC), "session_id": f"s{n}", "kind": "decision",
            "priority": "high", "text": f"Use module {n} for storage", "ordinals": [1], "entry_ids": ["e1"], "files": ["a", "b"],
            "superseded_by": "o-2" if n == 0 else None, "also": [], "origin": "owner",
        }
        for n in range(count)
    ]  # fmt: skip


def topics(count: int = 112) -> list[dict[str, Any]]:
    """Return a narrative a day, of the sessions of the facts."""
    return [
        {
            "segment_id": f"t-{n}", "project": f"/code/{n % 2}", "day": FIRST + timedelta(days=n), "session_id": f"s{n}",
            "narrative": f"Module {n} was read.", "entry_ids": ["e1"], "first_ordinal": 1,
            "started_at": datetime(2026, 1, 1, tzinfo=UTC),
        }
        for n in range(count)
    ]  # fmt: skip


def plant(
    observations: list[dict[str, Any]], segments: list[dict[str, Any]], rows: pl.DataFrame, today: date = TODAY
) -> tuple[DayInputs, DueTrees]:
    """Return the inputs of days and their trees."""
    frames = (pl.DataFrame(part, infer_schema_length=None) for part in (observations, segments))
    days = DayInputs(*(frame.select(names) for frame, names in zip(frames, (OBSERVATION_COLUMNS, SEGMENT_COLUMNS), strict=True)))
    return days, DueTrees(days, AFTER, today, rows)


def row(tier: int, start: date, project: str, text: str = "A text.") -> dict[str, Any]:
    """Return a row of distillates."""
    return {"distillate_id": f"d-{tier}-{start}-{project}", "tier": tier, "project": project, "period_start": start, "text": text}


NO_ROWS = build_frame(DISTILLATES, [])


def test_the_trees_hold_every_due_period_once_and_leave_a_plan_of_nothing() -> None:
    """The last year, the months since, a week and single days."""
    days, trees = plant(facts(), topics(), NO_ROWS)
    whole = plan_tiers(days, AFTER, TODAY)
    assert trees.count_periods(trees.keys, NO_ROWS)[0] == len(whole.nodes)
    assert {name.split()[0] for name in trees.keys} == {"1", "2", "3", "4"}
    for name in trees.keys:
        rest = plan_tiers(days, AFTER, TODAY, trees.list_days({name}))
        assert len(rest.nodes) + trees.count_periods({name}, NO_ROWS)[0] == len(whole.nodes)
        kept = {(node.project, node.period): node.id for node in rest.nodes}
        assert kept.items() <= {(node.project, node.period): node.id for node in whole.nodes}.items(), (
            "others are planned as before"
        )
    assert plan_tiers(days, AFTER, TODAY, trees.list_days(trees.keys)).nodes == []


@each_case(
    ("column", "value"),
    [
        ("text", "Use no module"),
        ("files", ["ab"]),
        ("also", ["s9:e9"]),
        ("priority", "low"),
        ("superseded_by", "o-20"),
        ("session_id", "s31"),
    ],
)
def test_a_changed_fact_changes_the_key_of_its_tree_alone(column: str, value: object) -> None:
    """Whatever a period is made from counts."""
    changed = facts()
    changed[30][column] = value
    before, after = (plant(observations, topics(), NO_ROWS)[1].keys for observations in (facts(), changed))
    assert [name for name in before if before[name] != after[name]] == ["4 2025-01-01 /code/0"]


def test_what_is_retired_elsewhere_changes_the_key_of_the_day_that_tells_it() -> None:
    """A fact that retired another one tells it, and a narrative does not tell what a later fact of another day replaced."""
    changed = facts()
    changed[0]["text"] = "Use another module for storage"
    before, after = (plant(observations, topics(), NO_ROWS)[1] for observations in (facts(), changed))
    assert [name for name in before.keys if before.keys[name] != after.keys[name]] == ["4 2025-01-01 /code/0"]
    later = facts()
    later[90]["session_id"], later[90]["superseded_by"] = "s20", "o-92"
    after = plant(later, topics(), NO_ROWS)[1]
    assert "4 2025-01-01 /code/0" in {name for name in before.keys if before.keys[name] != after.keys[name]}


def test_a_row_belongs_to_the_tree_of_its_period_and_changes_its_key() -> None:
    """A day of last year to that year; a row of a project without days to no tree."""
    rows = build_frame(DISTILLATES, [row(1, FIRST, "/code/0"), row(1, FIRST, "/gone"), row(2, date(2026, 3, 2), "/code/1")])
    trees = plant(facts(), topics(), rows)[1]
    assert trees.list_rows({"4 2025-01-01 /code/0"}, rows) == {f"d-1-{FIRST}-/code/0"}
    total, missing = trees.count_periods({"4 2025-01-01 /code/0"}, rows)
    assert missing.total() == total - 1
    other = rows.with_columns(text=pl.lit("Another text."))
    differing = [name for name, key in trees.compute_keys(other).items() if key != trees.keys[name]]
    assert sorted(differing) == ["2 2026-03-02 /code/1", "4 2025-01-01 /code/0"]


def test_another_day_that_becomes_due_changes_only_the_trees_that_grow() -> None:
    """A night later: the trees of ended years and months stay."""
    trees = [plant(facts(), topics(), NO_ROWS, TODAY + timedelta(days=later))[1].keys for later in (0, 1)]
    assert trees[0].items() & trees[1].items() >= {item for item in trees[0].items() if item[0][0] in "34"}
