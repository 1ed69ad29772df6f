"""A value that a later message of the session replaced is history: within a window it is left out, across windows marked."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, edited, user
from transforms.exchanges.claims import split_claims
from transforms.exchanges.current_values import ValueHistory, find_assignments, find_superseding_text
from transforms.offline.engine import OfflineEngine


@each_case(
    ("text", "given"),
    [
        ("the timeout is 30 seconds", (("timeout", "30"),)),
        ("Changed `retries` from `3` (the default) to `5`.", (("retries", "5"),)),
        ("In limits.json: burst 10 → 20.", (("burst", "20"),)),
        ('User decided: "30 it is"', ()),
        ("the codec is lz4", ()),
    ],
)
def test_a_value_is_read_with_its_name(text: str, given: tuple[tuple[str, str], ...]) -> None:
    """In "from A to B" the value is B; the words before a quotation are not name."""
    assert find_assignments(text) == given


def test_a_newer_value_of_the_same_name_outdates_the_older() -> None:
    """The first later text with which half of the names changed."""
    assert find_superseding_text("the timeout is 30", ["retries = 3", "timeout: 60"]) == 1
    assert find_superseding_text("timeout: 30; retries: 3; burst: 9", ["timeout: 60"]) is None


def test_two_files_may_name_a_value_alike() -> None:
    """A change in one says nothing about the other; a text that names no file needs the very value to be replaced."""
    assert find_superseding_text("In dark.json: gray 1 → 222222.", ["In light.json: gray 1 → 333333."]) is None
    assert find_superseding_text("Changed `gray` to `222222`.", ["In light.json: gray 111111 → 333333."]) is None
    assert find_superseding_text("Changed `gray` to `222222`.", ["In dark.json: gray 222222 → 333333."]) == 0


def test_a_name_that_edits_took_out_everywhere_is_not_told_as_present() -> None:
    """Earlier statements about the name are history; those about its replacement are kept."""
    entries = conversation(
        user("give the heading a token of its own"),
        edited("src/theme.ts", "x", "headText: a", "c1"), edited("src/page.ts", "y", "headText: b", "c2"),
        agent("The heading uses `headText` in `src/page.ts` and `src/theme.ts` now."),
        user("call the token titleText please"),
        edited("src/theme.ts", "headText: a", "titleText: a", "c3"), edited("src/page.ts", "headText: b", "titleText: b", "c4"),
        agent("The heading uses `titleText` in `src/page.ts` and `src/theme.ts` now."),
    )  # fmt: skip
    result = OfflineEngine().distil(entries, [(0, len(entries) - 1)], [], 2000)
    facts = [fact.text for segment in result.segments for fact in segment.facts]
    assert any("`titleText`" in text for text in facts)
    assert not any("`headText`" in text for text in facts)


def test_a_value_that_later_work_took_out_of_the_file_is_not_told_as_present() -> None:
    """Nobody names the former value; the edit behind the next message replaces it."""
    entries = conversation(
        user("limit how long the greenhouse pump may run"),
        edited("pump.toml", "x = 1", "max_run_minutes = 45", "c1"),
        agent("The greenhouse pump in `pump.toml` runs at most 45 minutes without a break."),
        user("way too long for the pump, the tank holds for twenty"),
        edited("pump.toml", "max_run_minutes = 45", "max_run_minutes = 20", "c2"), agent("Shortened the greenhouse pump run."),
        user("next the lamps"), agent("I look at the lamps."),
    )  # fmt: skip
    result = OfflineEngine().distil(entries, [(0, len(entries) - 1)], [], 2000)
    told = " ".join([*(segment.narrative for segment in result.segments), *(f.text for s in result.segments for f in s.facts)])
    assert "45 minutes" not in told
    assert "limit how long the greenhouse pump may run" in told


def test_a_count_mended_in_passing_is_left_out_and_a_setting_is_not() -> None:
    """The next change makes the count wrong; a setting that was changed is what a reader looks for."""
    words = (
        "Changes made:\n\n1. Added codes to `errors.md`, updated the total from 37 to 42 codes\n2. Raised the retries from 3 to 5"
    )
    (claim,) = split_claims(words)
    assert claim.text == "Changes made: Added codes to `errors.md`; Raised the retries from 3 to 5"
    (alone,) = split_claims("Changes made:\n\n- Updated total from 43 to 44 codes")
    assert "44" in alone.text


@each_case(
    ("text", "current"),
    [
        ("Changes: the call of foo( stands; timeout: 30; retries: 3", "Changes: the call of foo( stands; retries: 3"),
        ("Changes: pump (timeout: 30; no links); retries: 3", "Changes: pump (no links); retries: 3"),
        ("Changes: it ran :( again; timeout: 30; retries: 3; a (b; c)", "Changes: it ran :( again; retries: 3; a (b; c)"),
    ],
)
def test_only_the_stale_part_of_a_list_goes_also_where_a_bracket_is_not_closed(text: str, current: str) -> None:
    """A bracket that nobody closes held all parts behind it together, and one stale value took them all."""
    assert ValueHistory({"timeout": {"": (3, "60")}}).remove_stale_clauses(text, 0) == current
