"""A line of MEMORY.md whose words are gone is marked by the finding, whatever becomes of the proposal about it."""

from __future__ import annotations

from effects.pages.page_facts import read_marks
from effects.recall.repository_warnings import read_warnings
from tests.effects.ground.test_ground_step import check, commit, shop_of, world
from tests.effects.memory_world import World
from transforms.pages.fact_marks import make_memory_id

__all__ = ["world"]
LINE = "Checks run with make lint, slow ones with make slow"
FLAG = "The exporter is called with --legacy-dates"


def find_mark(world: World, text: str) -> str:
    """Return the mark of a line; pages and answers have the same."""
    key = make_memory_id(text)
    mark = read_marks(world.run).get(key, "")
    assert read_warnings(world.run, {key}).get(key, "") == mark
    return mark


def test_a_line_is_marked_before_while_and_after_its_proposal_waits(world: World) -> None:
    """Also when it expired, or was never made because a line of several rows gets none."""
    memory = world.memory().replace(FLAG, f"{FLAG}\n  and written by hand")
    world.memory_file.write_text(memory, encoding="utf-8")
    commit(shop_of(world), Makefile="lint:\n\tx\n", cli_DOT_py="flags = []\n")
    world.days = 1
    check(world)
    marked = find_mark(world, LINE)
    assert marked.startswith("make slow is gone since commit ")
    (proposal_id,) = world.proposals()
    world.render()
    for world.days in (9, 18, 27):
        world.night()
    assert world.statuses() == {proposal_id: "expired"}
    assert find_mark(world, LINE) == marked
    flagged = next(mark for mark in read_marks(world.run).values() if "--legacy-dates" in mark)
    assert flagged.startswith("--legacy-dates is gone since commit ")


def test_a_rejection_ends_the_mark_of_its_finding_and_a_change_that_of_the_line(world: World) -> None:
    """The owner keeps the line as it is; what a later commit removes of it is another finding, which is marked alone."""
    commit(shop_of(world), Makefile="lint:\n\tx\n", cli_DOT_py="flags = []\n")
    world.days = 1
    check(world)
    world.render()
    by_line = {row["text"]: key for key, row in world.proposals().items()}
    world.mark(by_line[LINE], "-")
    world.mark(by_line[FLAG], "x")
    world.night()
    assert find_mark(world, LINE) == ""
    commit(shop_of(world), Makefile="all:\n\tx\n\ty\n")
    world.days = 2
    assert check(world)["proposed"] == 0
    assert find_mark(world, FLAG) == ""
    assert find_mark(world, LINE).startswith("make lint is gone since commit ")
    assert "make slow" not in find_mark(world, LINE)


def test_one_word_that_changed_is_proposed_as_that_word(world: World) -> None:
    """The rule stays; of what else is gone the owner is asked."""
    commit(shop_of(world), Makefile="lint:\n\tx\nthorough:\n\ty\n", cli_DOT_py="flags = ['--iso-dates']\n")
    world.days = 1
    check(world)
    changes = {row["old_text"]: (row["op"], row["text"]) for row in world.proposals().values()}
    assert changes == {
        f"- {LINE}": ("replace", "Checks run with make lint, slow ones with make thorough"),
        f"- {FLAG}": ("replace", "The exporter is called with --iso-dates"),
    }
    reasons = " ".join(row["pattern"] for row in world.proposals().values())
    assert "the flag --legacy-dates is gone since commit" in reasons
    assert ", which added make thorough" in reasons
    assert "edit" not in reasons


def test_words_in_place_of_a_removal_keep_the_line(world: World) -> None:
    """Nothing shows what the flag became: the reason asks, and other words replace the line instead of removing it."""
    commit(shop_of(world), cli_DOT_py="flags = []\n")
    world.days = 1
    check(world)
    world.render()
    (proposal_id,) = world.proposals()
    assert world.proposals()[proposal_id]["op"] == "remove"
    assert "the flag --legacy-dates is gone" in world.review_file.read_text(encoding="utf-8")
    world.edit(f"Remove: {FLAG}", "The exporter is called with --iso")
    world.mark(proposal_id, "x")
    world.night()
    assert "The exporter is called with --iso" in world.memory()
    assert "--legacy-dates" not in world.memory()


def test_a_ticked_removal_removes_the_line(world: World) -> None:
    """Its own words, with "Remove:" before them, are no other words."""
    commit(shop_of(world), cli_DOT_py="flags = []\n")
    world.days = 1
    check(world)
    world.render()
    world.mark(next(iter(world.proposals())), "x")
    world.night()
    assert "The exporter" not in world.memory()
