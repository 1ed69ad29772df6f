"""A refused change of a stale line leaves a way out: what the owner says later counts, and nothing is offered twice."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from effects.memory.decide_step import undo_last
from tests.effects.memory_world import World

LINE = "- Invoice timeout is 30 s"
MEMORY = f"# Memory\n\n## System Architecture\n\n{LINE}\n- the archive is kept for 10 years\n"
FIRST, REWORDED, OTHER = "Invoice timeout is 45 s now", "The invoice timeout has to be 45 s", "Invoice timeout is 60 s now"
WEEK = 8
"""Days between two statements: an owner who strikes everything is offered one line a week."""


def make_world(folder: Path, **fields: object) -> World:
    """Return a workspace whose MEMORY.md was written by hand."""
    world = World(folder, **fields)  # type: ignore[arg-type]
    world.memory_file.parent.mkdir(parents=True)
    world.memory_file.write_text(MEMORY, encoding="utf-8")
    world.night()
    return world


def say(world: World, text: str, origin: str = "owner", days: float = WEEK) -> None:
    """Let somebody say something in a session of its own, and a night pass."""
    world.days += days
    key = f"o-{world.days}"
    quoted = f'Joel decided: "{text}"' if origin == "owner" else text
    world.observe(quoted, "decision", project="/w/till", origin=origin, observation_id=key)
    world.night()


def list_open(world: World) -> list[tuple[str, str, str]]:
    """Return id, operation and text of the changes of the line that wait."""
    rows = world.proposals().values()
    return [(row["proposal_id"], row["op"], row["text"]) for row in rows if row["old_text"] and row["status"] == "pending"]


def refuse(world: World) -> None:
    """Strike what waits, and let a night pass."""
    for proposal_id, *_ in list_open(world):
        world.mark(proposal_id, "-")
    world.days += 1
    world.night()


def test_a_line_whose_correction_was_refused_is_offered_again_with_what_the_owner_says_later(tmp_path: Path) -> None:
    """In other words, or with another value; nothing that was turned down comes back word by word, and a tick ends it."""
    world = make_world(tmp_path)
    offered = []
    for text in (FIRST, REWORDED, OTHER):
        say(world, text)
        ((_, op, shown),) = list_open(world)
        offered.append((op, shown))
        if text != OTHER:
            refuse(world)
            assert list_open(world) == []
    assert offered == [("replace", FIRST), ("replace", REWORDED), ("replace", OTHER)]
    assert f"You turned down “{REWORDED}” on " in world.review_file.read_text(encoding="utf-8")
    world.mark(list_open(world)[0][0], "x")
    world.days += 1
    world.night()
    assert "60 s" in world.memory()
    assert LINE not in world.memory()


def test_the_same_words_again_offer_only_that_the_stale_line_goes(tmp_path: Path) -> None:
    """Once: the words that were turned down stay turned down, but the owner did say a second time that the line is wrong."""
    world = make_world(tmp_path)
    say(world, FIRST)
    refuse(world)
    say(world, FIRST)
    ((_, op, text),) = list_open(world)
    assert (op, text) == ("remove", LINE.removeprefix("- "))
    refuse(world)
    for _ in range(3):
        say(world, FIRST)
        assert list_open(world) == []


@pytest.mark.parametrize("days", [0.4, WEEK])
def test_a_refusal_holds_for_what_was_said_before_it_and_for_what_an_agent_repeats(tmp_path: Path, days: float) -> None:
    world = make_world(tmp_path)
    say(world, FIRST)
    refuse(world)
    said_at = world.run.as_of - timedelta(days=days)
    world.observe(f'Joel decided: "{REWORDED}"', "decision", project="/w/till", origin="owner", said_at=said_at)
    say(world, REWORDED, "agent")
    assert list_open(world) == []


def test_what_was_absorbed_by_an_earlier_fact_counts_as_said_again(tmp_path: Path) -> None:
    """Dedupe merges a restatement into the earlier row: the evidence looks old, and is not."""
    world = make_world(tmp_path)
    say(world, FIRST)
    refuse(world)
    first = f"o-{world.days - 1}"
    world.days += WEEK
    world.observe(f'Joel decided: "{REWORDED}"', "decision", observation_id="o-again", superseded_by=first, origin="owner")
    said_at = world.run.as_of - timedelta(days=WEEK + 1, hours=6)
    also = ["session-o-again:e0"]
    world.observe(f'Joel decided: "{FIRST}"', "decision", observation_id=first, said_at=said_at, also=also, merged_count=2)
    world.night()
    ((key, _, text),) = list_open(world)
    assert text == REWORDED
    assert world.proposals()[key]["evidence_ids"] == ["o-again", first]


def test_a_line_has_one_open_change_and_the_newest_statement_words_it(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    say(world, FIRST)
    say(world, OTHER, days=1)
    assert [text for _, _, text in list_open(world)] == [OTHER]
    assert sorted(world.statuses().values()) == ["merged", "pending"]


def test_an_expired_correction_does_not_come_back_over_a_later_refusal(tmp_path: Path) -> None:
    """The owner was away for the first one, and turned the second one down: the line stays, and that was decided last."""
    world = make_world(tmp_path)
    say(world, FIRST)
    world.days += WEEK
    world.night()
    say(world, OTHER, days=1)
    refuse(world)
    world.days += 1
    world.night()
    assert sorted(world.statuses().values()) == ["expired", "rejected"]


def test_a_refusal_that_is_taken_back_waits_alone(tmp_path: Path) -> None:
    """The owner wants to see the first change again, so the one that followed it ends."""
    world = make_world(tmp_path)
    say(world, FIRST)
    ((first, _, _),) = list_open(world)
    refuse(world)
    say(world, REWORDED)
    with world.run.lake.writing("test"):
        assert undo_last(world.run)["undone"] == 1
    assert [key for key, *_ in list_open(world)] == [first]


SAYINGS = (FIRST, REWORDED, OTHER, "Invoice timeout is no longer 30 s", "we set the invoice timeout to 90 s")
STEPS = st.tuples(st.sampled_from(SAYINGS), st.sampled_from(["owner", "owner", "agent"]), st.sampled_from(["refuse", "wait"]))


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, min_size=3, max_size=5))
def test_no_sequence_of_refusals_and_statements_offers_a_text_twice_or_two_changes_of_a_line(
    steps: list[tuple[str, str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = make_world(Path(folder))
        for text, origin, deed in steps:
            say(world, text, origin, 5 if deed == "wait" else WEEK)
            assert len(list_open(world)) <= 1
            if deed == "refuse":
                refuse(world)
            rows = world.proposals().values()
            refused = {(row["op"], row["text"]): row["decided_at"] for row in rows if row["status"] == "rejected"}
            again = [row["text"] for row in rows if row["created_at"] > refused.get((row["op"], row["text"]), row["created_at"])]
            assert again == []
            assert world.memory() == MEMORY
