"""In how many wordings something was said."""

from __future__ import annotations

from pathlib import Path

from effects.memory.dedupe_step import count_wordings
from tests.effects.memory_world import World
from transforms.tables.schema import OBSERVATIONS, read_rows

WISH = 'Joel wants: "the lid stays closed while the pump runs"'


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
