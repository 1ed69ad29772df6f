"""The proposals during one step: whose lines are whose, and what is recorded once."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.memory.proposal_store import ProposalStore, open_proposals, propose_removals, save_proposals, set_words
from effects.memory.remember import remember
from effects.store.memory_file import read_memory
from tests.effects.memory_world import World
from transforms.pages.memory_md import parse_memory
from transforms.quoting.line_doubts import LineDoubt

STANDING = "Invoices are due in 30 days"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a workspace with one line by hand, and the proposal that it goes, for a reason of recollect's own."""
    world = World(tmp_path)
    world.memory_file.parent.mkdir(parents=True)
    world.memory_file.write_text(f"# Memory\n\n## Patterns\n\n- {STANDING}\n", encoding="utf-8")
    with world.run.lake.writing("test"):
        store = open_proposals(world.run)
        propose_removals(store, [(parse_memory(read_memory(world.run)).bullets[0], "It is over")])
        save_proposals(store)
    world.render()
    return world


def list_doubted(store: ProposalStore) -> list[str]:
    return [event["text"] for event in store.events if event["event"] == "doubted"]


def test_of_all_that_one_step_says_of_a_line_the_first_is_recorded_once(world: World) -> None:
    """Two events of one key and time broke the night; and a stored answer that comes each night changes nothing again."""
    key = next(iter(world.proposals()))
    first, second = LineDoubt(key, "reworded", ("o-1",), "Due in 20 days"), LineDoubt(key, "outdated", ("o-2",))
    with world.run.lake.writing("test"):
        for count in (1, 0):
            store = open_proposals(world.run)
            for doubt in (first, second, first):
                store.doubt(doubt)
            assert len(list_doubted(store)) == count
            save_proposals(store)
            world.days += 1
        store = open_proposals(world.run)
        store.doubt(second)
        assert len(list_doubted(store)) == 1, "another night says another thing"


def test_a_removal_of_recollect_is_nobodys_line_until_the_owner_words_it(world: World) -> None:
    """An agent's line without evidence is the owner's to decide on, and so are words that they wrote."""
    removal = next(iter(world.proposals()))
    with world.run.lake.writing("test"):
        remember(world.run, "The till closes at eight")
        asked = (world.proposals().keys() - {removal}).pop()
        assert open_proposals(world.run).list_owners_lines() == {asked}
        store = open_proposals(world.run)
        assert set_words(store, removal, "Invoices are due in 20 days")
        save_proposals(store)
        assert open_proposals(world.run).list_owners_lines() == {asked, removal}


def test_a_newer_statement_ends_the_removal_of_its_line(world: World) -> None:
    """The removal had no evidence, counted as the owner's and waited beside the replacement of the same line."""
    removal = next(iter(world.proposals()))
    world.days = 3
    world.observe('Joel decided: "Invoices are due in 20 days now"', "decision")
    world.night()
    others = [row for key, row in world.proposals().items() if key != removal]
    assert world.statuses()[removal] == "merged"
    assert [(row["op"], row["status"]) for row in others] == [("replace", "pending")]


@pytest.mark.parametrize(("words", "is_kept"), [(STANDING, True), (f"Remove: {STANDING}", False)])
def test_a_removal_without_its_word_keeps_the_line(world: World, words: str, is_kept: bool) -> None:
    """Who takes "Remove:" away and ticks what is left wants the line."""
    key = next(iter(world.proposals()))
    if is_kept:
        world.edit(f"Remove: {STANDING}", words)
    world.mark(key, "x")
    world.days = 1
    world.night()
    assert world.statuses()[key] == "approved"
    assert (STANDING in world.memory()) == is_kept
