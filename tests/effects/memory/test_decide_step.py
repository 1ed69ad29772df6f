"""Taking decisions back: what the owner wrote into MEMORY.md by hand stays there, whatever was ticked."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from effects.memory.decide_step import decide, undo_last
from effects.memory.remember import remember
from effects.memory.review_step import approve
from tests.effects.memory_world import World, copy_proposing_world

FIRST, SECOND = "p-20260517-001", "p-20260517-002"
PAGE = "# Mine\r\n\r\n## Hard Rules\r\n\r\n{}\r\n- tea\r\n\r\n## Patterns\r\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Three proposals on the page, of which the first is a hard rule."""
    return copy_proposing_world(tmp_path, days=1)


@pytest.mark.parametrize(
    "line",
    [
        "- (2026-05-16) Never force-push to main",
        "- Never force-push to main",
        "* (2026-01-01) **Never force-push** to main.",
        "1. Never force-push to\r\n   main",
    ],
)
def test_a_line_that_the_owner_wrote_is_not_doubled_by_a_tick_and_stays_when_it_is_taken_back(world: World, line: str) -> None:
    mine = PAGE.format(line).encode()
    world.memory_file.write_bytes(mine)
    with world.run.lake.writing("test"):
        assert approve(world.run, [FIRST])["promoted"] == 1
        assert world.memory_file.read_bytes() == mine
        undone = undo_last(world.run)
        assert (undone["undone"], len(undone["problems"])) == (1, 1)
        assert world.memory_file.read_bytes() == mine
        world.days = 2
        approve(world.run, [FIRST])
        world.memory_file.write_bytes(PAGE.format("- coffee").encode())
        world.days = 3
        assert undo_last(world.run)["undone"] == 1
    assert world.statuses()[FIRST] == "pending"
    assert world.memory_file.read_bytes() == PAGE.format("- coffee").encode()


def _change_into(world: World, operation: str, old: str) -> None:
    frame = world.run.lake.read("proposals").drop("schema_version")
    rows = frame.to_dicts()
    row = next(row for row in rows if row["proposal_id"] == FIRST)
    row["op"], row["old_text"] = operation, old
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("proposals", pl.DataFrame(rows, schema=frame.schema))


def test_a_replacement_that_the_owner_made_by_hand_is_taken_back_without_touching_the_new_line(world: World) -> None:
    """The old line, which the tick took out, comes back; where the owner took it out, it does not."""
    both = PAGE.format("- force-push at will\r\n- Never force-push to main").encode()
    world.memory_file.write_bytes(both)
    _change_into(world, "replace", "- force-push at will")
    with world.run.lake.writing("test"):
        approve(world.run, [FIRST])
        assert world.memory_file.read_bytes() == PAGE.format("- Never force-push to main").encode()
        undo_last(world.run)
        text = PAGE.format("- Never force-push to main").replace("- tea\r\n", "- tea\r\n- force-push at will\r\n")
        assert world.memory_file.read_bytes() == text.encode()
        mine = PAGE.format("- Never force-push to main").encode()
        world.memory_file.write_bytes(mine)
        world.days = 2
        approve(world.run, [FIRST])
        world.days = 3
        assert undo_last(world.run)["undone"] == 1
    assert world.memory_file.read_bytes() == mine


@pytest.mark.parametrize("operation", ["add", "replace", "both", "remove"])
def test_a_promotion_that_died_before_it_was_recorded_is_taken_back_like_any_other(
    world: World, operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its line counted as the owner's: taking it back left it, and the events differed from those of a calm night."""
    old = "- force-push at will" + ("\r\n- Never force-push to main" if operation == "both" else "")
    mine = PAGE.format("- coffee" if operation == "add" else old).encode()
    world.memory_file.write_bytes(mine)
    _change_into(world, "replace" if operation == "both" else operation, "- force-push at will" if operation != "add" else "")

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with world.run.lake.writing("test"):
        with monkeypatch.context() as patched:
            patched.setattr("effects.memory.review_step.save_proposals", die)
            with pytest.raises(KeyboardInterrupt):
                approve(world.run, [FIRST])
        written = world.memory_file.read_bytes()
        assert written != mine
        world.days = 2
        assert approve(world.run, [FIRST])["promoted"] == 1
        assert world.memory_file.read_bytes() == written
        assert bool(world.events("stood")) == (operation == "both")
        assert undo_last(world.run)["undone"] == 1
    assert sorted(world.memory_file.read_bytes().splitlines()) == sorted(mine.splitlines())


def test_a_line_that_the_owner_wrote_after_a_promotion_died_is_the_owners(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.memory_file.write_bytes(PAGE.format("- coffee").encode())
    with world.run.lake.writing("test"):
        with monkeypatch.context() as patched:
            patched.setattr("effects.memory.proposal_store.write_memory", lambda *_: None)
            patched.setattr("effects.memory.review_step.save_proposals", lambda *_: None)
            approve(world.run, [FIRST])
        mine = PAGE.format("- coffee\r\n- (2026-05-16) Never force-push to main").encode()
        world.memory_file.write_bytes(mine)
        approve(world.run, [FIRST])
        assert undo_last(world.run)["undone"] == 1
    assert world.memory_file.read_bytes() == mine


def test_a_removal_that_the_owner_made_by_hand_brings_nothing_back(world: World) -> None:
    mine = PAGE.format("- coffee").encode()
    world.memory_file.write_bytes(mine)
    _change_into(world, "remove", "- force-push at will")
    with world.run.lake.writing("test"):
        decide(world.run, [FIRST], [], {})
        assert undo_last(world.run) == {"undone": 1, "problems": []}
    assert world.memory_file.read_bytes() == mine


def test_taking_back_the_second_of_two_decisions_on_one_line_leaves_the_first(world: World) -> None:
    with world.run.lake.writing("test"):
        approve(world.run, [FIRST])
        world.days = 2
        saved = remember(world.run, "**Never** force-push to main", "Hard Rules", is_immediate=True)
        assert (saved["promoted"], world.memory().count("force-push")) == (1, 1)
        world.days = 3
        assert undo_last(world.run)["undone"] == 1
        assert world.memory().count("force-push") == 1
        world.days = 4
        assert undo_last(world.run) == {"undone": 1, "problems": []}
    assert "force-push" not in world.memory()


def test_what_expired_during_a_walk_may_still_be_approved_and_not_rejected(world: World) -> None:
    world.days = 9
    assert world.night()["review"]["expired"] == 3
    with world.run.lake.writing("test"):
        counts = decide(world.run, [FIRST], [SECOND], {FIRST: "Never force-push to trunk"})
    assert (counts["approved"], counts["promoted"], counts["rejected"], len(counts["problems"])) == (1, 1, 0, 1)
    assert "Never force-push to trunk" in world.memory()
