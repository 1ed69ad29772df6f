"""Lines that were forgotten and come back: MEMORY.md has every other byte as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.distil.distil_step import distil
from effects.memory.forget import forget, undo_forget
from effects.memory.forget_targets import ForgetRequest
from effects.system.errors import PageError
from tests.effects.distil.test_distil_step import Fragile, prepared, run_with, write_session
from tests.effects.memory_world import World

REQUEST = ForgetRequest(match="harbour kiosk")


def forget_lines(folder: Path, page: str) -> World:
    """Return a world after the owner forgot the lines about the harbour kiosk."""
    world = World(folder)
    world.memory_file.parent.mkdir(parents=True)
    world.memory_file.write_bytes(page.encode())
    with world.run.lake.writing("test"):
        forget(world.run, REQUEST)
    return world


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_line_with_lines_below_it_goes_and_comes_back_whole(tmp_path: Path, newline: str) -> None:
    """Also when a longer line begins with its words, and when both it and a line below it are meant."""
    kept = "# Mine\n\n## Joel\n\n- the harbour\n- tea\n".replace("\n", newline)
    lines = "- the harbour kiosk\n  - the harbour kiosk closes at six\n  - by tram\n".replace("\n", newline)
    end = "\n## Patterns\n\n- last\n".replace("\n", newline)
    world = forget_lines(tmp_path, kept + lines + end)
    assert world.memory_file.read_bytes() == (kept + end).encode()
    mine = (kept.replace("- the harbour", "- not the harbour kiosks: - the harbour kiosk is another thing") + end).encode()
    world.memory_file.write_bytes(mine)
    with world.run.lake.writing("test"):
        undo_forget(world.run, REQUEST)
    assert world.memory_file.read_bytes() == mine.replace(end.encode(), (lines + end).encode())


def test_a_line_that_cannot_come_back_is_told_and_stays_forgotten_until_it_can(tmp_path: Path) -> None:
    page = "## Joel\n\n- tea\n- the harbour kiosk\n"
    world = forget_lines(tmp_path, page)
    world.memory_file.write_text("## Joel\n\n```\nopen\n", encoding="utf-8")
    with world.run.lake.writing("test"):
        with pytest.raises(PageError, match="cannot come back"):
            undo_forget(world.run, REQUEST)
        world.memory_file.write_text("## Joel\n\n- tea\n", encoding="utf-8")
        assert undo_forget(world.run, REQUEST)["lines_restored"] == 1
    assert world.memory() == page


def test_a_window_that_failed_without_its_forgotten_entries_is_due_again_when_the_forgetting_is_undone(tmp_path: Path) -> None:
    """A model tells nothing of what it cannot see: after three nights the window was given up, also once it could see again."""
    write_session(tmp_path / "sessions", "two", 2)
    run, request = run_with(tmp_path), ForgetRequest(record_id="two")
    prepared(run, Fragile("two"))
    restored: set[str] = set()
    with run.lake.writing("test"):
        forget(run, request)
        assert [distil(run, Fragile("two"))["failed"] for _ in range(2)] == [1, 1]
        assert distil(run, Fragile("two"))["due"] == 0
        undo_forget(run, request, restored)
    assert restored == {"two"}
    row = run.lake.read("windows").row(0, named=True)
    assert (row["status"], row["reason"], row["attempts"]) == ("pending", "", 0)
