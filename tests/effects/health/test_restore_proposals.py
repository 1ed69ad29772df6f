"""Lost tables of proposals: what a person decided, and what waits for a decision, comes back from the other tables and pages."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from effects.health.restore_proposals import read_shown_items, restore_events, restore_proposals
from effects.memory.decide_step import undo_last
from effects.memory.proposal_store import open_proposals, propose_removals, save_proposals
from effects.memory.remember import remember
from effects.memory.review_step import approve, reject
from effects.store.memory_file import read_memory
from tests.effects.memory_world import World, copy_proposing_world
from transforms.pages.memory_md import parse_memory
from transforms.tables.ids import allocate_ids

FIRST, SECOND, THIRD = "p-20260517-001", "p-20260517-002", "p-20260517-003"
NOT_RESTORED = ("evidence_sources", "schema_version", "origin")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """The rule was promoted, the preference turned down, the decision waits; so do a line by hand, a change and a removal."""
    world = copy_proposing_world(tmp_path, days=1)
    world.mark(FIRST, "x")
    world.mark(SECOND, "-")
    world.night()
    world.days = 2
    with world.run.lake.writing("test"):
        remember(world.run, "Deploys of the shop are announced in the channel first")
        remember(world.run, "The queue lives in port 6100", is_immediate=True)
        remember(world.run, "The queue lives in port 6200")
        store = open_proposals(world.run)
        (rule,) = [bullet for bullet in parse_memory(read_memory(world.run)).bullets if "force-push" in bullet.text]
        propose_removals(store, [(rule, "its end has passed:")])
        save_proposals(store)
        world.render()
    return world


def lose(world: World, table: str) -> dict[str, dict[str, object]]:
    """Remove a table's files; return its rows before."""
    rows = world.run.lake.read(table).to_dicts()
    for path in world.run.lake.list_files(table):
        path.unlink()
    return {row["proposal_id"]: {key: row[key] for key in row if key not in NOT_RESTORED} for row in rows}


def restore(world: World) -> dict[str, dict[str, object]]:
    """Make the proposals again; return their rows."""
    with world.run.lake.writing("test"):
        restore_proposals(world.run)
    rows = world.run.lake.read("proposals").to_dicts()
    return {row["proposal_id"]: {key: row[key] for key in row if key not in NOT_RESTORED} for row in rows}


def test_a_lost_table_comes_back_with_decisions_and_with_what_waits(world: World) -> None:
    """Each has its words, its outcome and its times again; the page stays what it was, to the byte."""
    page, before = world.review_file.read_bytes(), lose(world, "proposals")
    after = restore(world)
    assert after.keys() == before.keys()
    told = ("kind", "op", "text", "old_text", "status", "created_at", "decided_at", "first_shown_at")
    assert {key: [row[name] for name in told] for key, row in after.items()} == {
        key: [row[name] for name in told] for key, row in before.items()
    }
    pending = {key for key, row in before.items() if row["status"] == "pending"}
    assert len(pending) == 4
    assert {key: after[key] | {"said_at": 0} for key in pending} == {key: before[key] | {"said_at": 0} for key in pending}
    with world.run.lake.writing("test"):
        world.render()
    assert world.review_file.read_bytes() == page


def test_what_was_turned_down_stays_so_and_no_id_is_used_twice(world: World) -> None:
    lose(world, "proposals")
    before = restore(world)
    store = open_proposals(world.run)
    assert allocate_ids(store.rows, store.past["proposal_id"].to_list(), world.run.today, 1)[0] not in before
    world.days = 3
    world.observe('Joel wants: "i prefer uv over pip"', "preference", category="preferences", observation_id="o-again")
    world.night()
    assert {row["text"] for key, row in world.proposals().items() if key not in before} == set()


def test_a_decision_on_the_page_counts_after_the_repair(world: World) -> None:
    """The owner ticked lines while the table was lost."""
    world.mark(THIRD, "x")
    lose(world, "proposals")
    restore(world)
    world.days = 3
    assert world.night()["review"]["promoted"] == 1
    assert "The cache lives in Redis" in world.memory()


def test_a_decided_change_is_undone_with_the_line_that_the_daily_log_names(world: World) -> None:
    """REVIEW.md does not show it any more."""
    (change,) = [key for key, row in world.proposals().items() if row["op"] == "replace"]
    world.mark(change, "x")
    world.days = 3
    world.night()
    old = "- (2026-05-19) The queue lives in port 6100"
    log = f"### 📋 Reviewed\n\n* ✅ promoted `{change}` (Patterns): The queue lives in port 6200 — was: {old}\n"
    row = {"path": "memory/2026-05-20.md", "render_id": None, "text_hash": "", "text": log, "at": world.run.as_of}
    with world.run.lake.writing("test"), world.run.lake.commit() as commit:
        pages = world.run.lake.read("pages").drop("schema_version")
        commit.replace("pages", pl.concat([pages, pl.DataFrame([row], schema=pages.schema)]))
    lose(world, "proposals")
    restore(world)
    assert (world.proposals()[change]["op"], world.proposals()[change]["old_text"]) == ("replace", old)
    with world.run.lake.writing("test"):
        undo_last(world.run)
    assert old in world.memory()
    assert "6200" not in world.memory()


def _keep_what_changes(rows: dict[str, dict[str, object]]) -> dict[str, tuple[object, ...]]:
    return {key: tuple(row[name] for name in ("op", "text", "old_text", "status")) for key, row in rows.items()}


@pytest.mark.parametrize("fate", ["pending", "rejected", "expired", "approved"])
def test_an_addition_that_was_taken_back_is_still_an_addition(tmp_path: Path, fate: str) -> None:
    """It came back as the removal of its own line, and the next night ended it."""
    world = copy_proposing_world(tmp_path, days=1)
    world.mark(FIRST, "x")
    world.night()
    world.days = 2
    with world.run.lake.writing("test"):
        undo_last(world.run)
        world.render()
        world.days = 60 if fate == "expired" else 3
        if fate in ("rejected", "approved"):
            (reject if fate == "rejected" else approve)(world.run, [FIRST])
            world.render()
    if fate == "expired":
        world.night()
    assert world.statuses()[FIRST] == fate
    before = lose(world, "proposals")
    assert _keep_what_changes(restore(world)) == _keep_what_changes(before)
    world.days += 1
    world.night()
    assert world.statuses()[FIRST] == fate


def test_a_removal_stays_one_when_it_is_done_or_taken_back(world: World) -> None:
    """Its line stands in MEMORY.md exactly when nothing was removed."""
    (removal,) = [key for key, row in world.proposals().items() if row["op"] == "remove"]
    world.days = 3
    with world.run.lake.writing("test"):
        approve(world.run, [removal])
        world.render()
    before = lose(world, "proposals")
    after = restore(world)[removal]
    assert (after["op"], after["status"], after["text"]) == ("remove", "approved", before[removal]["text"])
    world.days = 4
    with world.run.lake.writing("test"):
        undo_last(world.run)
        world.days = 5
        reject(world.run, [removal])
        world.render()
    lose(world, "proposals")
    after = restore(world)[removal]
    assert (after["op"], after["status"]) == ("remove", "rejected")
    assert str(after["old_text"]) in world.memory().splitlines()


def test_without_the_promoted_lines_what_stands_in_memory_was_added(world: World) -> None:
    """Each line that had come into MEMORY.md was taken for an approved removal of itself."""
    before = lose(world, "proposals")
    lose(world, "memory_lines")
    assert _keep_what_changes(restore(world)) == _keep_what_changes(before)


def test_a_replacement_whose_words_stood_there_stays_a_replacement_when_it_is_taken_back(world: World) -> None:
    (change,) = [key for key, row in world.proposals().items() if row["op"] == "replace"]
    world.memory_file.write_text(f"{world.memory()}- The queue lives in port 6200\n", encoding="utf-8")
    world.days = 3
    with world.run.lake.writing("test"):
        approve(world.run, [change])
        assert world.events("stood") != []
        undo_last(world.run)
        world.days = 4
        reject(world.run, [change])
        world.render()
    before = lose(world, "proposals")
    assert _keep_what_changes(restore(world))[change] == _keep_what_changes(before)[change]


def test_a_line_saved_on_purpose_keeps_who_saved_it_and_where_it_holds(world: World) -> None:
    """It came back as nobody's, and one of a folder without a session as a line that holds everywhere."""
    with world.run.lake.writing("test"):
        remember(world.run, "Tests of the bakery need a running clock", project="bakery")
        remember(world.run, "The oven answers in port 6300", actor="agent")
        world.render()
    page, rows = world.review_file.read_bytes(), world.proposals()
    lose(world, "proposals")
    restore(world)
    saved = [key for key, row in rows.items() if row["text"].startswith(("Tests of", "The oven", "Deploys of"))]
    assert len(saved) == 3
    for key in saved:
        restored = world.proposals()[key]
        assert [restored[name] for name in ("origin", "project")] == [rows[key][name] for name in ("origin", "project")]
    with world.run.lake.writing("test"):
        world.render()
    assert world.review_file.read_bytes() == page


def test_without_the_record_of_decisions_the_page_and_the_promoted_lines_tell(world: World) -> None:
    lose(world, "proposals")
    lose(world, "proposal_events")
    after = restore(world)
    assert (after[FIRST]["status"], after[THIRD]["status"]) == ("approved", "pending")
    assert SECOND not in after  # nothing tells of it


def test_a_lost_record_of_decisions_is_made_again_from_the_proposals(world: World) -> None:
    """A decision can be taken back, and a second repair adds nothing."""
    world.days = 3
    with world.run.lake.writing("test"):
        reject(world.run, [THIRD])
    lose(world, "proposal_events")
    with world.run.lake.writing("test"):
        assert restore_events(world.run) > 0
        assert restore_events(world.run) == 0
        assert world.events("rejected") != []
        assert undo_last(world.run)["undone"] == 1
    assert world.statuses()[THIRD] == "pending"


def test_a_fix_of_friction_is_read_with_its_file_and_cost() -> None:
    page = (
        "## Friction Fixes\n\n- [ ] `f-20260517-001` Run the tests with uv\n  - Target: `/w/app/AGENTS.md`, section Commands\n"
        "  - Failing command, severity 7.5 (sessions × minutes that each lost)\n"
        "  - 2026-05-16 09:00, “tests”: “No module” (`recollect show 5ab01234:e0`)\n"
    )
    (item,) = read_shown_items(page).values()
    assert (item.target, item.section, item.pattern, item.severity) == ("/w/app/AGENTS.md", "Commands", "failing command", 7.5)
    assert item.short_ids == ["5ab01234:e0"]
