"""Words of a person on their way into memory: without secrets and with a limit, whichever way they come in."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.health.secret_scan import count_secrets
from effects.index.index_step import index
from effects.memory.decide_step import decide
from effects.memory.remember import remember
from effects.memory.review_step import review
from effects.pages.render_step import render
from effects.store.memory_file import read_memory_bullets
from tests.effects.memory_world import World, copy_proposing_world
from transforms.pages.memory_md import MAX_LINE_CHARS

FIRST = "p-20260517-001"
WORDS = "Never force-push to main"
SECRET = "ghp_" + "A1b2C3d4E5" * 3 + "F6g7H8"
WAYS = ("an edit of the page", "an own line", "the walk", "remember")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Three proposals on the page, of which the first is a hard rule."""
    return copy_proposing_world(tmp_path, days=1)


def bring_in(world: World, way: str, words: str) -> None:
    """Let a person approve a line of these words."""
    if way == "an edit of the page":
        world.edit(f"[ ] `{FIRST}` {WORDS}", f"[x] `{FIRST}` {words}")
    elif way == "an own line":
        world.edit(f"- [ ] `{FIRST}`", f"- [x] {words}\n- [ ] `{FIRST}`")
    with world.run.lake.writing("test"):
        if way == "the walk":
            decide(world.run, [FIRST], [], {FIRST: words})
        elif way == "remember":
            remember(world.run, words, is_immediate=True)
    world.night()


@pytest.mark.parametrize("way", WAYS)
def test_a_secret_that_a_person_types_into_a_line_stands_nowhere(world: World, way: str) -> None:
    bring_in(world, way, f"{WORDS}, the token is {SECRET}")
    assert f"{WORDS}, the token is [redacted:" in world.memory()
    files = [path for path in world.folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert files == []
    assert not count_secrets(world.run.lake, world.run.settings.workspace)


@pytest.mark.parametrize("size", [MAX_LINE_CHARS + 1, 60_000])
@pytest.mark.parametrize("way", ["an edit of the page", "the walk"])
def test_too_long_an_edit_promotes_nothing_and_is_told(world: World, way: str, size: int) -> None:
    words = "word " * (size // 5) + "!"
    if way == "the walk":
        with world.run.lake.writing("test"):
            counts = decide(world.run, [FIRST], [], {FIRST: words})
    else:
        world.edit(f"[ ] `{FIRST}` {WORDS}", f"[x] `{FIRST}` {words}")
        counts = world.night()["review"]
    assert (counts["approved"], counts["promoted"]) == (0, 0)
    assert f"at most {MAX_LINE_CHARS}" in counts["problems"][0]
    assert world.memory() == ""
    assert (world.proposals()[FIRST]["status"], world.proposals()[FIRST]["text"]) == ("pending", WORDS)
    backup = world.review_file.with_name(".REVIEW.md.bak")
    assert way == "the walk" or (words[:100] in backup.read_text(encoding="utf-8") and ".REVIEW.md.bak" in counts["problems"][1])


def test_secrets_in_files_of_the_owner_stay_in_these_alone(world: World) -> None:
    """A note on REVIEW.md and a line of MEMORY.md keep every byte; tables, index, vectors and briefings have placeholders."""
    world.memory_file.write_text(f"# Mine\n\n## Joel\n\n- the token of the mirror is {SECRET}\n", encoding="utf-8")
    mine = world.memory()
    world.edit(f"- [ ] `{FIRST}`", f"A note of mine with {SECRET}\n\n- [ ] `{FIRST}`")
    run = world.run
    with run.lake.writing("test"):
        for _ in range(2):
            review(run)
            render(run)
        index(run)
    assert set(count_secrets(run.lake, run.settings.workspace)) == {"MEMORY.md", "REVIEW.md"}
    assert world.memory() == mine
    assert world.review_file.read_text(encoding="utf-8").count(f"A note of mine with {SECRET}") == 1
    assert read_memory_bullets(run)[0].startswith("the token of the mirror is [redacted:")
