"""What the step holds at once while it writes what it decided, and in how many wordings something was said."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from effects.memory import dedupe_step
from effects.memory.dedupe_step import count_wordings, dedupe
from effects.memory.reflect_step import reflect
from tests.effects.memory_world import World
from transforms.merging.update_merges import enter_keys
from transforms.tables.rows import RelationRow
from transforms.tables.schema import OBSERVATIONS, RELATIONS, build_frame, read_rows

TEXTS = ("the lid stays closed while the pump runs", "The tank port is 8100", "The tank port is 8200 now")
WISH = 'Joel wants: "the lid stays closed while the pump runs"'


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


def test_the_steps_that_compare_and_propose_say_how_many_facts_they_have_read(tmp_path: Path) -> None:
    world, said = World(tmp_path), list[tuple[str, int, int]]()
    world.observe_all([world.observation(f'Joel set a rule: "never restart pump {n} by hand"') for n in range(3)])
    watched = replace(world.run, progress=lambda unit, done=0, total=0, at_most=None: said.append((unit, done, total)))
    with world.run.lake.writing("test"):
        dedupe(watched)
        assert said[0] == ("observations", 0, 3)
        assert said[-1] == ("observations", 3, 3)
        said.clear()
        reflect(watched)
    assert ("observations", 0, 3) in said


def _count(world: World, key: str) -> int:
    rows = [row for row in read_rows(OBSERVATIONS, world.run.lake.read("observations")) if row["observation_id"] == key]
    return count_wordings(world.run, rows)[key]


def test_the_same_words_again_are_one_wording_and_other_words_two(tmp_path: Path) -> None:
    """Capitals, and what an observation adds to the quotation, do not count."""
    world = World(tmp_path)
    key = world.observe(WISH, session_id="s1", also=["s2:e0", "s3:e0"], merged_count=3)
    again = WISH.replace("the lid", "The lid") + " Outcome: It is closed."
    world.observe(again, observation_id="o-2", session_id="s2", superseded_by=key)
    world.observe(WISH, observation_id="o-3", session_id="s3", superseded_by=key)
    assert _count(world, key) == 1
    world.observe('Joel wants: "pump on, lid shut"', observation_id="o-3", session_id="s3", superseded_by=key)
    assert _count(world, key) == 2


def test_what_was_replaced_is_no_wording_and_a_merged_row_that_is_gone_is_one(tmp_path: Path) -> None:
    """Only a merged row stands among the citations of the one that took it in."""
    world = World(tmp_path)
    key = world.observe(WISH, session_id="s1")
    world.observe('Joel wants: "the lid stays open"', observation_id="o-2", session_id="s2", superseded_by=key)
    assert _count(world, key) == 1
    other = world.observe('Joel wants: "ring the bell twice"', session_id="s1", also=["gone:e0"], merged_count=2)
    assert _count(world, other) == 2


def test_a_pair_that_a_model_sees_later_and_calls_unrelated_is_taken_back(tmp_path: Path) -> None:
    """Words alone had retired the older fact; the next night compares nothing again."""
    world = World(tmp_path)
    for number, text in enumerate(("The tank port is 8100", "The tank port is 8200 now")):
        moment = world.run.as_of - timedelta(days=2 - number)
        world.observe(text, "decision", observation_id=f"o-{number}", said_at=moment, project="/w/tank")
    row: RelationRow = {
        "older_id": "o-0", "newer_id": "o-1", "relation": "unrelated", "engine": "m", "template_hash": "",
        "asked_on": world.run.today, "reports_asked_on": None, "keeps": [], "older_source": None, "newer_source": None,
    }  # fmt: skip
    with world.run.lake.writing("test"):
        assert dedupe(world.run)["retired"] == 1
        with world.run.lake.commit() as change:
            change.replace("relations", build_frame(RELATIONS, [row]))
        assert dedupe(world.run)["retired"] == 0
        assert dedupe(world.run)["compared"] == 0
    assert world.run.lake.read("observations")["superseded_by"].to_list() == [None, None]
