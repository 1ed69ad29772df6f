"""Machines that share a lake have the same approved lines in MEMORY.md, and what the owner takes out stays out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from effects.config.settings import Settings
from effects.machines import shared_lines
from effects.memory.decide_step import undo_last
from effects.memory.proposal_store import open_proposals, propose_removals, save_proposals
from effects.memory.remember import remember
from effects.memory.review_step import approve, review
from effects.store.lake import Lake
from effects.store.run import Run
from tests.effects.memory_world import START
from transforms.pages.memory_md import parse_memory

OpenMachine = Callable[..., Run]


@pytest.fixture
def open_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenMachine:
    """Open a run on a machine of a name and day: a workspace of its own, and a lake that takes itself for shared."""
    monkeypatch.setattr(shared_lines, "is_shared", lambda run: run.settings.workspace.name != "folder")

    def open_run(name: str, day: float) -> Run:
        settings = Settings(lake=tmp_path / "lake", workspace=tmp_path / name, timezone="UTC", owner="joel")
        return Run(settings, Lake(settings.lake), START + timedelta(days=day))

    return open_run


def spend_night(run: Run) -> object:
    with run.lake.writing("test"):
        return review(run, is_night=True)


def save_line(run: Run, text: str) -> None:
    with run.lake.writing("test"):
        remember(run, text, is_immediate=True)


def read_lines(run: Run) -> list[str]:
    path = run.settings.workspace / "MEMORY.md"
    return [bullet.text for bullet in parse_memory(path.read_text(encoding="utf-8")).bullets] if path.exists() else []


def edit_memory(run: Run, old: str, new: str) -> None:
    path = run.settings.workspace / "MEMORY.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_next_night_writes_what_was_approved_on_another_machine_and_a_second_one_changes_nothing(
    open_machine: OpenMachine,
) -> None:
    save_line(open_machine("one", 0), "Deploys go through staging")
    counts = spend_night(open_machine("two", 1))
    assert isinstance(counts, dict)
    assert counts["from_other_machines"] == 1
    page = (open_machine("one", 0).settings.workspace / "MEMORY.md").read_bytes()
    assert (open_machine("two", 1).settings.workspace / "MEMORY.md").read_bytes() == page
    save_line(open_machine("two", 2), "The queue is NATS")
    for name in ("one", "two"):
        spend_night(open_machine(name, 3))
        assert read_lines(open_machine(name, 3)) == ["Deploys go through staging", "The queue is NATS"]
    assert open_machine("one", 3).lake.read("proposal_events").filter(pl.col("event") == "vanished").is_empty()


def test_a_lake_in_a_folder_leaves_memory_md_to_its_owner(open_machine: OpenMachine) -> None:
    save_line(open_machine("one", 0), "Deploys go through staging")
    spend_night(open_machine("folder", 1))
    assert read_lines(open_machine("folder", 1)) == []


def test_a_line_that_the_owner_took_out_where_it_stood_comes_back_on_no_machine(open_machine: OpenMachine) -> None:
    save_line(open_machine("one", 0), "Deploys go through staging")
    save_line(open_machine("one", 0), "The queue is NATS")
    spend_night(open_machine("two", 1))
    edit_memory(open_machine("one", 2), "- (2026-05-17) The queue is NATS\n", "")
    for name in ("one", "three"):
        spend_night(open_machine(name, 2))
        spend_night(open_machine(name, 3))
        assert read_lines(open_machine(name, 3)) == ["Deploys go through staging"]
    spend_night(open_machine("two", 3))
    assert read_lines(open_machine("two", 3)) == ["Deploys go through staging", "The queue is NATS"], (
        "a reworded one may be meant"
    )


def test_a_line_approved_here_and_taken_out_before_the_night_stays_out(open_machine: OpenMachine) -> None:
    save_line(open_machine("one", 0), "Deploys go through staging")
    save_line(open_machine("one", 0), "The queue is NATS")
    edit_memory(open_machine("one", 0), "- (2026-05-17) The queue is NATS\n", "")
    spend_night(open_machine("one", 1))
    assert read_lines(open_machine("one", 1)) == ["Deploys go through staging"]


def test_the_owners_own_form_of_a_line_is_that_line(open_machine: OpenMachine) -> None:
    save_line(open_machine("one", 0), "Deploys go through staging")
    spend_night(open_machine("two", 1))
    edit_memory(open_machine("two", 1), "- (2026-05-17) Deploys", "- **Deploys**")
    spend_night(open_machine("two", 2))
    spend_night(open_machine("three", 3))
    assert read_lines(open_machine("three", 3)) == ["Deploys go through staging"]


def test_replaced_and_removed_lines_go_on_the_other_machines(open_machine: OpenMachine) -> None:
    one = open_machine("one", 0)
    save_line(one, "The queue is NATS")
    save_line(one, "Lunch is at noon")
    spend_night(open_machine("two", 1))
    edit_memory(open_machine("two", 1), "## ", "Mine.\n\n## ")
    change_line(open_machine("one", 2), "The queue is NATS", "The queue is Kafka")
    change_line(open_machine("one", 3), "The queue is Kafka", "The queue is Pulsar")
    remove_line(open_machine("one", 4), "Lunch is at noon")
    for name in ("one", "two", "three"):
        spend_night(open_machine(name, 5))
        assert read_lines(open_machine(name, 5)) == ["The queue is Pulsar"]
    edit_memory(open_machine("two", 6), "The queue is Pulsar\n", "The queue is Pulsar\n- (2026-05-17) Lunch is at noon\n")
    spend_night(open_machine("two", 6))
    assert "Lunch is at noon" in read_lines(open_machine("two", 6)), "the owner wrote it again"


def test_a_line_taken_back_and_approved_elsewhere_is_written_again(open_machine: OpenMachine) -> None:
    save_line(open_machine("one", 0), "Deploys go through staging")
    save_line(open_machine("one", 1), "The queue is NATS")
    one = open_machine("one", 2)
    with one.lake.writing("test"):
        undo_last(one)
    two = open_machine("two", 3)
    with two.lake.writing("test"):
        approve(two, [key for key, row in open_proposals(two).rows.items() if row["status"] == "pending"])
    spend_night(open_machine("one", 4))
    assert read_lines(open_machine("one", 4)) == ["Deploys go through staging", "The queue is NATS"]


def test_a_lost_memory_md_is_written_again_and_an_open_fence_hides_nothing_for_good(open_machine: OpenMachine) -> None:
    save_line(open_machine("one", 0), "Deploys go through staging")
    path = open_machine("one", 1).settings.workspace / "MEMORY.md"
    text = path.read_text(encoding="utf-8")
    path.write_text("- mine\n\n```\n" + text, encoding="utf-8")
    spend_night(open_machine("one", 1))
    path.unlink()
    spend_night(open_machine("one", 2))
    assert read_lines(open_machine("one", 2)) == ["Deploys go through staging"]


def test_a_machine_of_an_older_version_keeps_what_its_owner_took_out_and_says_what_is_missing(
    open_machine: OpenMachine,
) -> None:
    save_line(open_machine("one", 0), "Deploys go through staging")
    save_line(open_machine("one", 0), "The queue is NATS")
    edit_memory(open_machine("one", 0), "- (2026-05-17) The queue is NATS\n", "")
    (open_machine("one", 0).settings.workspace / shared_lines.STATE).unlink()
    counts = spend_night(open_machine("one", 1))
    assert isinstance(counts, dict)
    assert counts["problems"][0].startswith("1 approved lines do not stand in MEMORY.md of this machine")
    spend_night(open_machine("one", 2))
    assert read_lines(open_machine("one", 2)) == ["Deploys go through staging"]
    spend_night(open_machine("two", 3))
    assert read_lines(open_machine("two", 3)) == ["Deploys go through staging", "The queue is NATS"]


def change_line(run: Run, old: str, new: str) -> None:
    """Approve a replacement of a line."""
    save_pending(run, old, new)


def remove_line(run: Run, old: str) -> None:
    """Approve a removal of a line."""
    save_pending(run, old, None)


def save_pending(run: Run, old: str, new: str | None) -> None:
    page = parse_memory((run.settings.workspace / "MEMORY.md").read_text(encoding="utf-8"))
    bullet = next(bullet for bullet in page.bullets if bullet.text == old)
    with run.lake.writing("test"):
        store = open_proposals(run)
        propose_removals(store, [(bullet, "ended")])
        (key,) = store.list_pending()
        if new is not None:
            store.rows[key] |= {"op": "replace", "text": new}
        save_proposals(store)
        approve(run, [key])
