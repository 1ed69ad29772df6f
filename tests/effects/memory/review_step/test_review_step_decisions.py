"""What becomes of a person's decision: no tick is lost on its way to MEMORY.md, and typed words have no secret and a limit."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from effects.index.index_step import index
from effects.memory import proposal_store
from effects.memory.decide_step import decide, undo_last
from effects.memory.remember import remember
from effects.memory.review_step import approve, reject, review
from effects.pages.render_step import render
from effects.store.memory_file import read_memory_bullets
from effects.store.run import Run
from effects.system.errors import PageError
from tests.effects.health.plain_scan import count_secrets
from tests.effects.memory_world import World, copy_proposing_world
from transforms.pages.memory_md import MAX_LINE_CHARS

FIRST, SECOND, THIRD = "p-20260517-001", "p-20260517-002", "p-20260517-003"
FENCE = "## Hard Rules\n\n```sh\nnever closed\n"
CONFLICT = "## Hard Rules\n\n<<<<<<< HEAD\n- mine\n=======\n- theirs\n>>>>>>> other\n"
MENDED = "## Hard Rules\n\n- mine\n"
WORDS = "Never force-push to main"
SECRET = "ghp_" + "A1b2C3d4E5" * 3 + "F6g7H8"
WAYS = ("an edit of the page", "an own line", "the walk", "remember")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Three proposals on the page, of which the first is a hard rule."""
    return copy_proposing_world(tmp_path, days=1)


@pytest.mark.parametrize("page", [FENCE, CONFLICT])
def test_a_tick_that_memory_cannot_take_is_kept_told_each_night_and_written_when_it_can(world: World, page: str) -> None:
    world.memory_file.write_text(page, encoding="utf-8")
    world.mark(FIRST, "x")
    counts = world.night()["review"]
    assert (counts["approved"], counts["promoted"]) == (1, 0)
    assert f"{FIRST} is approved and waits to be written" in counts["problems"][0]
    assert world.statuses()[FIRST] == "approved"
    text = world.review_file.read_text(encoding="utf-8")
    assert "Approved, not yet in MEMORY.md: “Never force-push to main”" in text
    assert f"`{FIRST}`" not in text
    for world.days in (8, 9):
        assert f"{FIRST} is approved and waits to be written" in world.night()["review"]["problems"][0]
    assert world.memory() == page
    decided_at = world.proposals()[FIRST]["decided_at"]
    world.memory_file.write_text(MENDED, encoding="utf-8")
    world.days = 10
    counts = world.night()["review"]
    assert (counts["promoted"], counts["problems"]) == (1, [])
    assert world.memory() == MENDED + "- (2026-05-16) Never force-push to main\n"
    assert world.proposals()[FIRST]["decided_at"] == decided_at
    assert [len(world.events(event)) for event in ("approved", "unwritten", "promoted")] == [1, 1, 1]
    assert "not yet in MEMORY.md" not in world.review_file.read_text(encoding="utf-8")
    world.memory_file.write_text(MENDED, encoding="utf-8")
    world.days = 11
    assert world.night()["review"]["promoted"] == 0, "a line that its owner deletes stays deleted"


def test_a_change_of_a_line_that_an_open_fence_hides_waits_as_the_change_that_it_is(world: World) -> None:
    """It becomes no addition, and a removal does not count as done."""
    line = "- (2026-05-16) Never force-push to main"
    with world.run.lake.writing("test"):
        approve(world.run, [FIRST])
    schema, rows = world.run.lake.read("proposals").schema, world.run.lake.read("proposals").to_dicts()
    for proposal_id, operation in ((SECOND, "replace"), (THIRD, "remove")):
        row = next(row for row in rows if row["proposal_id"] == proposal_id)
        row["op"], row["old_text"], row["section"] = operation, line, "Hard Rules"
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("proposals", pl.DataFrame(rows, schema=schema).drop("schema_version"))
    mine = world.memory()
    hidden = mine.replace("## Hard Rules\n", "## Hard Rules\n\n```sh\n")
    world.memory_file.write_text(hidden, encoding="utf-8")
    world.days = 2
    world.night()
    assert world.proposals()[SECOND]["op"] == "replace"
    with world.run.lake.writing("test"):
        assert decide(world.run, [THIRD], [], {})["promoted"] == 0
    assert world.memory() == hidden
    world.memory_file.write_text(mine, encoding="utf-8")
    world.days = 3
    world.night()
    assert line not in world.memory()


def test_what_waits_to_be_written_can_be_rejected_taken_back_and_is_not_saved_twice(world: World) -> None:
    world.memory_file.write_text(CONFLICT, encoding="utf-8")
    run = world.run
    with run.lake.writing("test"):
        approve(run, [FIRST, SECOND])
        assert reject(run, [SECOND])["rejected"] == 1
        world.days = 2
        saved = [remember(world.run, "Tea, not coffee", "Hard Rules", is_immediate=True) for _ in range(2)]
        assert saved[0]["proposal_id"] == saved[1]["proposal_id"]
        world.days = 3
        assert undo_last(world.run)["undone"] == 1
        world.days = 4
        world.memory_file.write_text(MENDED, encoding="utf-8")
    world.night()
    assert world.memory() == MENDED + "- (2026-05-16) Never force-push to main\n"
    assert world.statuses() | {saved[0]["proposal_id"]: ""} == {
        FIRST: "approved", SECOND: "rejected", THIRD: "pending", saved[0]["proposal_id"]: "",
    }  # fmt: skip
    assert world.statuses()[saved[0]["proposal_id"]] == "pending"


@pytest.mark.parametrize("failures", [1, 2])
def test_the_answers_of_a_walk_outlive_a_memory_that_cannot_be_written(
    world: World, monkeypatch: pytest.MonkeyPatch, failures: int
) -> None:
    """Somebody saves MEMORY.md at the same moment, or the file is read-only: the night goes on, and the next one writes."""
    write, left = proposal_store.write_memory, [failures]

    def write_later(run: Run, before: str, after: str) -> None:
        if left[0]:
            left[0] -= 1
            raise PageError(f"{world.memory_file} cannot be written: Permission denied", "check its permissions")
        write(run, before, after)

    monkeypatch.setattr(proposal_store, "write_memory", write_later)
    with world.run.lake.writing("test"):
        counts = decide(world.run, [FIRST], [SECOND], {FIRST: "Never force-push to trunk"})
    assert (counts["promoted"], len(counts["problems"])) == (2 - failures, failures - 1)
    assert (world.statuses()[FIRST], world.statuses()[SECOND]) == ("approved", "rejected")
    world.days = 2
    world.night()
    assert world.memory().count("Never force-push to trunk") == 1


def test_a_tick_that_comes_a_moment_too_late_counts_for_an_expired_line_and_is_told_for_another(world: World) -> None:
    """The owner saves the page between the reading and the rendering of a night."""
    page = world.review_file.read_text(encoding="utf-8")
    with world.run.lake.writing("test"):
        reject(world.run, [SECOND])
        world.days = 9
        assert review(world.run, is_night=True)["expired"] == 2
    ticked = page.replace(f"[ ] `{FIRST}` Never force-push to main", f"[x] `{FIRST}` Never force-push to trunk")
    world.review_file.write_text(ticked.replace(f"[ ] `{SECOND}`", f"[x] `{SECOND}`"), encoding="utf-8")
    world.render()
    world.days = 10
    counts = world.night()["review"]
    assert (counts["approved"], counts["promoted"]) == (1, 1)
    assert "- (2026-05-16) Never force-push to trunk" in world.memory()
    assert [problem for problem in counts["problems"] if f"{SECOND} was ticked, but it is rejected by now" in problem]
    assert world.statuses() | {THIRD: ""} == {FIRST: "approved", SECOND: "rejected", THIRD: ""}


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
