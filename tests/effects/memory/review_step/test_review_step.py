"""The review loop as its owner lives it: edits of REVIEW.md, one night after the other."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from effects.memory import review_step
from effects.memory.decide_step import undo_last
from effects.memory.remember import remember
from effects.memory.review_page import render_review
from effects.memory.review_step import approve, list_pending, reject, review
from effects.store.run import AHEAD
from effects.system.errors import NotFoundError, UsageError
from tests.effects.memory_world import START, TWICE, World, copy_proposing_world
from transforms.pages.memory_md import MAX_LINE_CHARS

FIRST, SECOND, THIRD = "p-20260517-001", "p-20260517-002", "p-20260517-003"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Three proposals on the page: a hard rule (001), a preference (002) and a decision (003)."""
    return copy_proposing_world(tmp_path, days=1)


def test_a_ticked_line_is_promoted_once_and_leaves_the_page(world: World) -> None:
    world.mark(FIRST, "x")
    assert world.night()["review"]["promoted"] == 1
    assert world.memory().count("- (2026-05-16) Never force-push to main\n") == 1
    assert FIRST not in world.review_file.read_text(encoding="utf-8")
    assert world.statuses()[FIRST] == "approved"
    lines = world.run.lake.read("memory_lines").to_dicts()
    assert [(line["proposal_id"], line["section"]) for line in lines] == [(FIRST, "Hard Rules")]
    before = world.memory()
    world.days = 2
    world.night()
    assert world.memory() == before


def test_edited_text_is_what_gets_promoted_and_an_edit_alone_is_kept(world: World) -> None:
    world.edit("[ ] `p-20260517-001` Never force-push to main", "[X] `p-20260517-001` Never force-push to main or release/*")
    world.edit("Prefers uv over pip", "Prefers uv over pip and poetry")
    world.night()
    assert "- (2026-05-16) Never force-push to main or release/*\n" in world.memory()
    assert world.proposals()[SECOND]["text"] == "Prefers uv over pip and poetry"
    assert world.statuses()[SECOND] == "pending"
    assert world.events("edited") == [
        (FIRST, "Never force-push to main or release/*"),
        (SECOND, "Prefers uv over pip and poetry"),
    ]


def test_a_marked_or_deleted_line_is_rejected(world: World) -> None:
    world.mark(FIRST, "-")
    world.delete_line(SECOND)
    assert world.night()["review"]["rejected"] == 2
    assert world.statuses() == {FIRST: "rejected", SECOND: "rejected", THIRD: "pending"}


def test_one_unchanged_page_is_read_as_no_decision_and_nothing_is_written_twice(world: World) -> None:
    page = world.review_file.read_bytes()
    events = world.run.lake.list_files("proposal_events")
    world.night()
    world.night()
    assert world.review_file.read_bytes() == page
    assert world.run.lake.list_files("proposal_events") == events


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: "   \n\n",
        lambda text: text[: len(text) // 2],
        lambda text: text.split("<!-- /recollect")[0],
        lambda text: "# My own page\n\nsomething else\n",
        lambda text: text.replace("recollect:review ", "recollect:review 0"),
    ],
    ids=["empty", "blank", "half", "no end", "foreign", "older rendering"],
)
def test_an_empty_truncated_or_foreign_page_rejects_nothing_and_is_reported(world: World, damage: object) -> None:
    damaged = damage(world.review_file.read_text(encoding="utf-8"))  # type: ignore[operator]
    world.review_file.write_text(damaged, encoding="utf-8")
    counts = world.night()["review"]
    assert set(world.statuses().values()) == {"pending"}
    assert any("REVIEW.md" in problem for problem in counts["problems"])
    if damaged.strip():
        assert world.review_file.read_text(encoding="utf-8") == damaged, "a person's text is not written over"
        assert FIRST in world.review_file.with_name("REVIEW.md.new").read_text(encoding="utf-8")
        world.days = 30
        world.night()
        assert set(world.statuses().values()) == {"pending"}, "nothing expires while the page cannot be read"
    else:
        assert FIRST in world.review_file.read_text(encoding="utf-8"), "an empty page holds no text to lose"


def test_a_deleted_page_decides_nothing_and_comes_back(world: World) -> None:
    world.review_file.unlink()
    world.night()
    assert set(world.statuses().values()) == {"pending"}
    assert FIRST in world.review_file.read_text(encoding="utf-8")


def test_rejecting_most_of_the_page_waits_for_a_confirmation(world: World) -> None:
    for key in (FIRST, SECOND, THIRD):
        world.mark(key, "-")
    page = world.review_file.read_bytes()
    counts = world.night()["review"]
    assert (counts["held"], counts["rejected"]) == (3, 0)
    assert "recollect review apply --yes" in counts["problems"][0]
    assert world.review_file.read_bytes() == page, "the marks are still there"
    world.days = 20
    assert world.night()["review"]["expired"] == 0
    assert world.night(is_confirmed=True)["review"]["rejected"] == 3
    assert set(world.statuses().values()) == {"rejected"}
    assert "No proposal waits for you" in world.review_file.read_text(encoding="utf-8")


def test_a_crash_between_promoting_and_recording_does_not_double_the_line(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.mark(FIRST, "x")

    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("effects.memory.review_step.save_proposals", crash)
        with pytest.raises(KeyboardInterrupt):
            world.night()
    assert "Never force-push" in world.memory()
    assert world.statuses()[FIRST] == "pending"
    world.night()
    assert world.memory().count("Never force-push") == 1
    assert world.statuses()[FIRST] == "approved"


def test_the_owners_memory_keeps_every_byte_and_a_backup(world: World) -> None:
    mine = b"\xef\xbb\xbf# Mine\r\n\r\n## Joel\r\n- likes tea \xff\r\n\r\n## Hard Rules\r\n* no rm -rf"
    world.memory_file.write_bytes(mine)
    world.mark(FIRST, "x")
    world.night()
    assert world.memory_file.read_bytes() == mine + b"\r\n- (2026-05-16) Never force-push to main"
    assert world.memory_file.with_name(".MEMORY.md.bak").read_bytes() == mine


def test_an_open_code_fence_in_memory_keeps_the_page_as_it_is(world: World) -> None:
    world.memory_file.write_text("## Hard Rules\n\n```\nopen\n", encoding="utf-8")
    world.mark(FIRST, "x")
    counts = world.night()["review"]
    assert world.statuses()[FIRST] == "approved"
    assert "not closed" in counts["problems"][0]
    assert world.memory() == "## Hard Rules\n\n```\nopen\n"


def test_untouched_proposals_are_marked_on_day_five_and_expire_on_day_seven_with_their_text(world: World) -> None:
    for day in range(1, 7):
        world.days = day
        world.night()
        assert ("⏳ Expires soon, on 2026-05-24" in world.review_file.read_text(encoding="utf-8")) is (day >= 5)
    world.edit("Prefers uv over pip", "Prefers uv")
    world.days = 7
    assert world.night()["review"]["expired"] == 2
    assert world.statuses() == {FIRST: "expired", SECOND: "pending", THIRD: "expired"}, "an edit is a touch"
    assert dict(world.events("expired"))[FIRST] == "Never force-push to main"
    world.days = 14
    assert world.night()["review"]["expired"] == 1


def _trust_the_time_of_the_run(patch: pytest.MonkeyPatch, least: float = 0) -> None:
    """Let the clock say what the runs of a world say, or the day `least` of it when that is later."""
    patch.setattr(review_step, "find_latest_time", lambda run: max(run.as_of, START + timedelta(days=least)) + AHEAD)


def test_what_expired_by_a_clock_that_was_ahead_waits_again_as_long_as_it_would_have(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines of the owner, too, which have no evidence."""
    _trust_the_time_of_the_run(monkeypatch)
    with world.run.lake.writing("test"):
        own = str(remember(world.run, "Deploys happen on Tuesdays")["proposal_id"])
        world.render()
    page = world.review_file.read_bytes()
    world.days = 365
    assert world.night()["review"]["expired"] == 4
    world.days = 0.5
    assert world.night()["review"]["waiting_again"] == 4
    assert set(world.statuses().values()) == {"pending"}
    assert own in world.statuses()
    assert world.review_file.read_bytes() == page
    assert "waiting_again" not in world.night()["review"]
    world.days = 7
    assert world.night()["review"]["expired"] == 3
    world.days = 8
    assert world.night()["review"]["expired"] == 1, "it was shown a day later"
    assert "waiting_again" not in world.night()["review"]
    assert set(world.statuses().values()) == {"expired"}


@pytest.mark.parametrize("is_ahead", [False, True])
def test_the_second_offer_comes_though_a_clock_was_ahead(world: World, is_ahead: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The taking back counted as an offer as soon as the time of the wrong clock had passed."""
    _trust_the_time_of_the_run(monkeypatch)
    offered = 0
    for day in (*((20, 2) if is_ahead else ()), 9, 10, 41, 42, 43):
        world.days = day
        offered += world.night()["review"]["offered_again"]
    assert offered == 3


def test_a_missed_night_that_is_made_up_for_opens_nothing_that_expired_since(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _trust_the_time_of_the_run(monkeypatch, least=10)
    world.days = 10
    assert world.night()["review"]["expired"] == 3
    world.days = 5
    assert "waiting_again" not in world.night()["review"]
    assert set(world.statuses().values()) == {"expired"}


def test_a_decision_expires_no_other_line_and_what_waited_for_an_absent_owner_waits_as_long_again(world: World) -> None:
    world.days = 9
    run = world.run
    with run.lake.writing("test"):
        approve(run, [FIRST])
        assert review(run)["expired"] == 0
        world.render()
    assert world.statuses() == {FIRST: "approved", SECOND: "pending", THIRD: "pending"}
    assert all(key in world.review_file.read_text(encoding="utf-8") for key in (SECOND, THIRD))
    world.days = 10
    assert world.night()["review"]["expired"] == 0, "the owner is back since yesterday"
    world.days = 15
    assert world.night()["review"]["expired"] == 0
    assert "⏳ Expires soon, on 2026-06-02" in world.review_file.read_text(encoding="utf-8")
    world.days = 16
    assert world.night()["review"]["expired"] == 2


@pytest.mark.parametrize("has_looked", [False, True])
def test_overdue_lines_expire_at_the_next_night_when_nobody_came_or_somebody_passed_them_over(
    world: World, has_looked: bool
) -> None:
    if has_looked:
        world.mark(FIRST, "x")
        world.days = 2
        world.night()
    world.days = 9
    assert world.night()["review"]["expired"] == (2 if has_looked else 3)


def test_every_byte_of_the_page_is_the_same_on_another_day_without_news(world: World) -> None:
    first, _ = render_review(world.run)
    world.days = 3
    assert render_review(world.run)[0] == first


def test_notes_between_the_lines_stay_and_are_not_taken_for_proposals(world: World) -> None:
    world.edit("## Proposed for: Joel", "Talked about this with Kris.\n\n- [ ] ask Kris again\n\n## Proposed for: Joel")
    world.edit("Prefers uv over pip\n", "Prefers uv over pip\nnot sure about this one\n")
    world.night()
    page = world.review_file.read_text(encoding="utf-8")
    assert world.proposals()[SECOND]["text"] == "Prefers uv over pip"
    for note in ("Talked about this with Kris.", "- [ ] ask Kris again", "not sure about this one"):
        assert page.count(note) == 1
    world.days = 2
    world.night()
    assert world.review_file.read_text(encoding="utf-8") == page
    world.edit("Talked about this with Kris.\n\n", "")
    world.night()
    assert "Kris." not in world.review_file.read_text(encoding="utf-8"), "a note that its writer deletes is gone"


def test_the_owners_version_of_the_page_is_backed_up(world: World) -> None:
    world.mark(FIRST, "x")
    world.edit("## Proposed for: Joel", "> my own words\n\n## Proposed for: Joel")
    mine = world.review_file.read_bytes()
    world.night()
    assert world.review_file.with_name(".REVIEW.md.bak").read_bytes() == mine


def test_what_a_killed_run_left_of_a_backup_goes_with_the_next_one(world: World) -> None:
    """No commit names the copies, so nothing else removes them."""
    folder, dead = world.review_file.parent, 2**22 + 1  # beyond the largest process id of Linux
    for name in ("..REVIEW.md.bak", "..MEMORY.md.bak", ".MEMORY.md"):
        (folder / f"{name}.{dead}.tmp").write_bytes(b"half")
    world.memory_file.write_bytes(b"## Joel\n- likes tea\n")
    world.mark(FIRST, "x")
    world.night()
    assert not list(folder.glob(".*.tmp"))


def test_a_line_moved_below_another_heading_goes_to_that_section(world: World) -> None:
    page = world.review_file.read_text(encoding="utf-8")
    line = next(line for line in page.split("\n") if SECOND in line)
    moved = page.replace(line + "\n", "").replace("## Proposed for: Hard Rules\n", f"## Proposed for: Hard Rules\n\n{line}\n")
    world.review_file.write_text(moved.replace(f"[ ] `{SECOND}`", f"[x] `{SECOND}`"), encoding="utf-8")
    world.night()
    assert "## Hard Rules" in world.memory().split("Prefers uv over pip", maxsplit=1)[0]


def _with_memory_line(world: World) -> str:
    """Write a MEMORY.md with a line that a newer decision replaces; return the id of that proposal."""
    world.memory_file.write_text(
        "## System Architecture\n\n- (2026-01-01) Redis listens on port 6379 in Docker\n", encoding="utf-8"
    )
    world.observe("Redis listens on port 6380 in Docker", "state_change", category="operations", also=TWICE)
    world.night()
    (proposals,) = [key for key, row in world.proposals().items() if row["op"] == "replace"]
    return proposals


def test_a_replacement_quotes_one_line_and_changes_only_that_one(world: World) -> None:
    proposal = _with_memory_line(world)
    page = world.review_file.read_text(encoding="utf-8")
    assert "Replaces in MEMORY.md: `- (2026-01-01) Redis listens on port 6379 in Docker`" in page
    world.mark(proposal, "x")
    world.night()
    assert world.memory() == "## System Architecture\n\n- (2026-05-17) Redis listens on port 6380 in Docker\n"


def test_a_replacement_whose_line_vanished_is_told_and_waits_as_an_addition(world: World) -> None:
    proposal = _with_memory_line(world)
    world.memory_file.write_text("## System Architecture\n\n- gone\n", encoding="utf-8")
    world.mark(proposal, "x")
    counts = world.night()["review"]
    assert "gone from MEMORY.md" in counts["problems"][0]
    assert world.memory() == "## System Architecture\n\n- gone\n"
    assert (world.statuses()[proposal], world.proposals()[proposal]["op"]) == ("pending", "add")
    assert "is gone from MEMORY.md, so approving adds a new line" in world.review_file.read_text(encoding="utf-8")
    world.mark(proposal, "x")
    world.night()
    assert world.memory() == "## System Architecture\n\n- gone\n- (2026-05-17) Redis listens on port 6380 in Docker\n"


def test_ids_decide_without_the_page_and_unknown_or_closed_ones_are_errors(world: World) -> None:
    run = world.run
    with run.lake.writing("test"):
        assert approve(run, [FIRST, FIRST]) == {"approved": 1, "promoted": 1, "already": 0, "problems": []}
        assert approve(run, [FIRST])["already"] == 1
        assert reject(run, [SECOND]) == {"rejected": 1, "already": 0}
        with pytest.raises(NotFoundError, match="p-20260517-999"):
            approve(run, ["p-20260517-999"])
        with pytest.raises(NotFoundError, match="none of the 2 was approved"):
            approve(world.run, [THIRD, "999"])
        with pytest.raises(UsageError, match="is already rejected"):
            approve(run, [SECOND])
    assert [row["proposal_id"] for row in list_pending(run)] == [THIRD]
    world.delete_line(FIRST)
    world.night()
    assert world.statuses()[FIRST] == "approved", "a line that was decided may be deleted from the page"


def test_a_ticked_line_of_the_owner_stands_in_memory_as_the_owners(world: World) -> None:
    """Below a heading in that section, with the events of a proposal; it leaves the page, and secrets in it stay nowhere."""
    secret = "sk-ant-" + "yK7" * 14
    world.edit("## Proposed for: Joel", f"* [X] Answers in British English\n- [x] key {secret}\n\n## Proposed for: Joel")
    counts = world.night()["review"]
    assert (counts["own"], counts["promoted"], counts["rejected"]) == (2, 2, 0)
    assert (
        "- (2026-05-18) Answers in British English\n"
        in world.memory().split("## System")[0].split("## Hard Rules")[-1] + world.memory()
    )
    row = next(row for row in world.proposals().values() if row["text"] == "Answers in British English")
    assert (row["origin"], row["status"]) == ("owner", "approved")
    page = world.review_file.read_text(encoding="utf-8")
    assert "British" not in page
    assert secret not in world.memory() + page + str(world.proposals())
    world.days = 2
    before = world.memory()
    world.edit("## Proposed for: Joel", "- [x] Answers in British English\n\n## Proposed for: Joel")
    assert world.night()["review"]["own"] == 0
    assert world.memory() == before


def test_a_ticked_line_that_lost_its_id_is_approved_and_a_struck_one_rejected(world: World) -> None:
    world.edit("- [ ] `p-20260517-001` Never", "- [x] Never")
    world.edit("- [ ] `p-20260517-002` Prefers uv over pip", "- [ ] ~~`p-20260517-002` Prefers uv over pip~~")
    world.night()
    assert world.statuses() == {FIRST: "approved", SECOND: "rejected", THIRD: "pending"}
    assert "Never force-push to main" in world.memory()


def test_the_last_decisions_are_taken_back_one_time_after_the_other(world: World) -> None:
    """Their lines leave MEMORY.md byte for byte; a line that the owner changed meanwhile stays."""
    with world.run.lake.writing("test"):
        reject(world.run, [THIRD])
    world.days = 2
    with world.run.lake.writing("test"):
        approve(world.run, [FIRST])
        approve(world.run, [SECOND])
        world.memory_file.write_text(world.memory().replace("uv over pip", "uv over poetry"), encoding="utf-8")
        mine = world.memory()
        world.days = 3
        first = undo_last(world.run)
        assert (first["undone"], len(first["problems"])) == (1, 1)
        assert world.statuses() == {FIRST: "pending", SECOND: "approved", THIRD: "rejected"}
        assert world.memory() == mine.replace("\n- (2026-05-16) Never force-push to main\n", ""), "its blank line, too"
        assert undo_last(world.run)["undone"] == 0, "the changed line is still the last decision"
        world.memory_file.write_text(world.memory().replace("uv over poetry", "uv over pip"), encoding="utf-8")
        assert undo_last(world.run)["undone"] == 1
        assert undo_last(world.run)["undone"] == 1
        assert undo_last(world.run)["undone"] == 0
    assert set(world.statuses().values()) == {"pending"}
    assert "force-push" not in world.memory()
    assert world.run.lake.read("memory_lines").is_empty()
    assert [key for key, _ in world.events("undone")] == [FIRST, SECOND, THIRD]


def test_deciding_and_taking_back_at_one_time_keeps_every_event_in_order(world: World) -> None:
    """Commands with one `--as-of` follow each other all the same: no key repeats, and the last decision is undone."""
    run = world.run
    with run.lake.writing("test"):
        for _ in range(3):
            approve(run, [FIRST])
            assert "force-push" in world.memory()
            assert undo_last(run)["undone"] == 1
            assert "force-push" not in world.memory()
        reject(run, [SECOND, FIRST])
        assert undo_last(run)["undone"] == 2
        assert undo_last(run)["undone"] == 0
    events = run.lake.read("proposal_events").filter(pl.col("proposal_id") == FIRST, pl.col("actor") == "owner").sort("at")
    assert events["event"].to_list() == ["approved", "undone"] * 3 + ["rejected", "undone"]
    assert events["at"].n_unique() == 8
    assert run.lake.read("proposal_events").select("proposal_id", "event", "at").is_unique().all()


def test_a_replaced_and_a_removed_line_come_back(world: World) -> None:
    proposal = _with_memory_line(world)
    before = world.memory()
    with world.run.lake.writing("test"):
        approve(world.run, [proposal])
        assert "6380" in world.memory()
        undo_last(world.run)
    assert world.memory() == before


def test_remembering_goes_through_review_or_straight_into_memory(world: World) -> None:
    run = world.run
    with run.lake.writing("test"):
        waits = remember(run, "Kris owns  the design system", "Patterns")
        done = remember(run, "Tea, not coffee", is_immediate=True)
        with pytest.raises(UsageError):
            remember(run, "  ")
    assert (waits["proposal_id"], done["proposal_id"]) == ("p-20260518-001", "p-20260518-002")
    assert world.statuses()[waits["proposal_id"]] == "pending"
    assert "## Joel" in world.memory().split("- (2026-05-18) Tea, not coffee")[0]


def test_the_same_words_are_not_remembered_twice_and_secrets_not_at_all(world: World) -> None:
    """An agent that saves the same thing in every session leaves one proposal."""
    run = world.run
    secret = "sk-ant-" + "xK7" * 14
    with run.lake.writing("test"):
        first = remember(run, f"The deploy key is {secret}", "patterns", actor="agent")
        again = remember(run, f"The  deploy key is {secret}", "Patterns")
        done = remember(run, "Tea, not coffee", is_immediate=True)
        known = remember(run, "Tea, not coffee")
        promoted = remember(run, f"The deploy key is {secret}", is_immediate=True)
    assert secret not in first["text"]
    assert (again["proposal_id"], again["already"]) == (first["proposal_id"], "review")
    assert (done["promoted"], known["already"], known["proposal_id"]) == (1, "memory", None)
    assert (promoted["proposal_id"], promoted["promoted"]) == (first["proposal_id"], 1)
    assert secret not in world.memory()
    events = run.lake.read("proposal_events").filter(pl.col("proposal_id") == first["proposal_id"])
    assert dict(events.select("event", "actor").iter_rows())["proposed"] == "agent"


def test_a_section_named_with_words_that_wait_moves_them_there(world: World) -> None:
    """The outcome names the section that the proposal has, not the one that a first try would have given it."""
    run = world.run
    with run.lake.writing("test"):
        first = remember(run, "Deploy only on Tuesdays")
        moved = remember(run, "Deploy only on Tuesdays", "Hard Rules")
        again = remember(run, "Deploy only on Tuesdays")
        remember(run, "Deploy only on Tuesdays", is_immediate=True)
    assert [counts["section"] for counts in (first, moved, again)] == ["Joel", "Hard Rules", "Hard Rules"]
    assert "## Hard Rules" in world.memory().split("- (2026-05-18) Deploy only on Tuesdays")[0]


@pytest.mark.parametrize(("text", "section"), [(" \n ", None), ("word " * MAX_LINE_CHARS, None), ("Tea", "Teapots")])
def test_unfit_lines_of_memory_are_refused(world: World, text: str, section: str | None) -> None:
    """Before anything is written."""
    with pytest.raises(UsageError):
        remember(world.run, text, section)
    assert sorted(world.statuses()) == [FIRST, SECOND, THIRD]


def test_a_friction_fix_for_another_file_is_recorded_and_that_file_left_alone(world: World) -> None:
    run = world.run
    row = world.proposals()[FIRST] | {
        "proposal_id": "f-20260517-001",
        "kind": "friction",
        "target": "~/.pi/agent/AGENTS.md",
        "text": "**uv only** — pip was used in 3 sessions",
    }
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace(
            "proposals", pl.concat([run.lake.read("proposals"), pl.DataFrame([row], schema=run.lake.read("proposals").schema)])
        )
    world.night()
    assert "## Friction Fixes" in world.review_file.read_text(encoding="utf-8")
    world.mark("f-20260517-001", "x")
    world.night()
    assert world.statuses()["f-20260517-001"] == "approved"
    assert "uv only" not in world.memory()


def test_memory_and_review_that_are_links_stay_links_and_their_targets_change(world: World) -> None:
    """The clients of other agents read the target, so the link must stay."""
    brain = world.memory_file.parent.parent / "brain"
    brain.mkdir()
    world.memory_file.write_text("# Memory\n", encoding="utf-8")
    for page, mode in ((world.memory_file, 0o600), (world.review_file, 0o644)):
        page.rename(brain / page.name)
        (brain / page.name).chmod(mode)
        page.symlink_to(brain / page.name)
    world.mark(FIRST, "x")
    world.night()
    assert "Never force-push to main" in (brain / "MEMORY.md").read_text(encoding="utf-8")
    assert FIRST not in (brain / "REVIEW.md").read_text(encoding="utf-8")
    assert world.memory_file.is_symlink()
    assert world.review_file.is_symlink()
    modes = [(brain / name).stat().st_mode & 0o777 for name in ("MEMORY.md", "REVIEW.md")]
    assert modes == [0o600, 0o644]
    backup = world.memory_file.with_name(".MEMORY.md.bak")
    assert backup.stat().st_mode & 0o777 == 0o600
