"""Lines of MEMORY.md that name the day until which they hold are offered for removal once it has passed."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.ground.ground_step import propose_ended_lines
from effects.memory.proposal_store import open_proposals, save_proposals
from tests.effects.memory_world import World
from transforms.pages.memory_md import parse_memory

FREEZE, OTHER = "- (2026-05-11) No deploys until friday", "- (2026-05-11) The depot is closed until 30 June"


def test_a_line_whose_end_has_passed_is_proposed_for_removal_once(tmp_path: Path) -> None:
    """Its own date tells which Friday is meant; what ends later stays, and what was decided is not offered again."""
    world = World(tmp_path)
    bullets = parse_memory(f"# Memory\n\n## Hard Rules\n\n{FREEZE}\n{OTHER}\n- Only until friday\n").bullets
    store = open_proposals(world.run)
    assert propose_ended_lines(store, bullets) == 1
    (results,) = store.rows.values()
    assert (results["op"], results["old_text"], results["pattern"]) == ("remove", FREEZE, "Ended on 2026-05-15")
    results["status"] = "rejected"
    save_proposals(store)
    world.days = 2
    assert propose_ended_lines(open_proposals(world.run), bullets) == 0


@pytest.mark.parametrize(
    "line",
    [
        "- (2026-05-11) Snapshots live in Postgres 17 (SQLite until 2026-04-30)",
        "- Snapshots live in Postgres 17 (SQLite until 2026-04-30)",
        "- (2026-05-11) The wifi was slow until 2026-04-30, since then we use the cable",
        "- The wifi was slow until 2026-04-30, since then we use the cable",
    ],
)
def test_a_line_that_tells_what_was_before_is_not_over(line: str, tmp_path: Path) -> None:
    """Each tells what holds now; only what it replaced has ended."""
    bullets = parse_memory(f"# Memory\n\n## Hard Rules\n\n{line}\n").bullets
    assert propose_ended_lines(open_proposals(World(tmp_path).run), bullets) == 0


def test_a_line_without_a_date_that_names_a_year_is_over_after_it(tmp_path: Path) -> None:
    bullets = parse_memory("# Memory\n\n## Hard Rules\n\n- No deploys until 2026-04-30.\n").bullets
    assert propose_ended_lines(open_proposals(World(tmp_path).run), bullets) == 1
