"""Lines of MEMORY.md that name the day until which they hold are offered for removal once it has passed."""

from __future__ import annotations

from pathlib import Path

from effects.ground.ended_lines import propose_ended_lines
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
