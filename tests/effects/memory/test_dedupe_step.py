"""What the step holds at once while it writes what it decided."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from effects.memory import dedupe_step
from effects.memory.dedupe_step import dedupe
from tests.effects.memory_world import World
from transforms.merging.update_merges import enter_keys

TEXTS = ("the lid stays closed while the pump runs", "The tank port is 8100", "The tank port is 8200 now")


def test_decisions_are_written_some_days_at_a_time_and_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine facts of nine days, three in each wording: keys are never joined with the facts of more than two days."""
    world, heights = World(tmp_path), list[int]()

    def enter_watched(rows: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
        heights.append(rows.height)
        return enter_keys(rows, keys)

    monkeypatch.setattr(dedupe_step, "enter_keys", enter_watched)
    monkeypatch.setattr(dedupe_step, "_DAYS_AT_ONCE", 2, raising=False)
    moments = [world.run.as_of - timedelta(days=9 - n) for n in range(9)]
    world.observe_all(
        [
            world.observation(TEXTS[n // 3], "decision", observation_id=f"o-{n}", said_at=moment, project="/w/tank")
            for n, moment in enumerate(moments)
        ]
    )
    with world.run.lake.writing("test"):
        counts = dedupe(world.run)
        again = dedupe(world.run)
    assert heights == [2, 2, 2, 2, 1]
    assert {name: counts[name] for name in ("read", "kept", "merged", "retired", "days_rewritten")} == {
        "read": 9, "kept": 2, "merged": 6, "retired": 1, "days_rewritten": 9,
    }  # fmt: skip
    assert again == counts | {"compared": 0, "days_rewritten": 0}
    stored = world.run.lake.read("observations").sort("observation_id")
    assert stored["merged_count"].to_list() == [1, 1, 3, 1, 1, 3, 1, 1, 3]
    assert stored["compared_keys"].null_count() == 0
