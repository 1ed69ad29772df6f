"""Reflection: few proposals, nothing twice, nothing refused again. Numbers in brackets are the owner's regression cases."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from effects.memory.review_step import approve
from effects.store.memory_file import write_memory
from tests.effects.memory_world import START, TWICE, World

RULE = 'Joel set a rule: "never force-push to main"'


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def _texts(world: World) -> list[str]:
    return [row["text"] for row in world.proposals().values()]


def test_a_backfill_of_a_hundred_sessions_is_one_reflection_and_a_short_list(world: World) -> None:
    """[10]"""
    names = [
        f"{first}{second}"
        for first in ("amber", "birch", "cedar", "delta", "ember")
        for second in ("gate", "hall", "mill", "port")
    ]
    answer_text = [f'Joel set a rule: "never restart {name}{number} and {name} by hand"' for number, name in enumerate(names * 5)]
    world.observe_all(
        [world.observation(one_text, said_at=START - timedelta(days=at % 9, hours=1)) for at, one_text in enumerate(answer_text)]
    )
    for _ in range(3):
        world.night()
    assert len(world.proposals()) == 5
    assert [key for key, _ in world.events("reflected")] == ["r-20260517"]
    for day in (1, 3, 6):
        world.days = day
        world.night()
    assert len(world.proposals()) == 10, "never more than ten in seven days"


def test_an_owner_who_strikes_everything_is_offered_one_line_a_week_until_one_is_ticked(world: World) -> None:
    names = [f"{first}{second}" for first in ("amber", "birch", "cedar", "delta") for second in ("gate", "hall", "mill", "port")]
    world.observe_all([
        world.observation(f'Joel set a rule: "never restart {name} by hand"', said_at=START - timedelta(hours=number + 1))
        for number, name in enumerate(names)
    ])  # fmt: skip
    offered: list[int] = []
    for day in range(22):
        world.days = day
        known = set(world.statuses())
        world.night(is_confirmed=True)
        new = sorted(set(world.statuses()) - known)
        offered.append(len(new))
        for key in new:
            world.mark(key, "-")
    assert offered[0] == 5
    assert sum(offered[2:15]) <= 2, "the struck five left one a week"
    assert sum(offered) < len(names), "the others wait"


def test_evidence_of_the_same_day_is_seen_the_next_and_an_empty_day_is_not_redone(world: World) -> None:
    world.observe("Committed the refactoring", "completion")
    assert world.night()["reflect"]["proposed"] == 0
    world.observe(RULE)
    assert world.night()["reflect"] == {"proposed": 0, "reason": "reflected_today"}
    world.days = 1
    assert world.night()["reflect"]["proposed"] == 1
    world.days = 2
    assert world.night()["reflect"] == {"proposed": 0, "reason": "no_new_evidence"}


def test_an_id_is_not_used_again_after_its_proposal_is_gone(world: World) -> None:
    """[8]"""
    world.observe(RULE)
    world.night()
    run = world.run
    with run.lake.writing("test"):
        approve(run, ["p-20260517-001"])
        with run.lake.commit() as change:  # even if the table lost the row, the history of events has it
            change.replace("proposals", run.lake.read("proposals").clear())
            change.replace("proposal_events", run.lake.read("proposal_events").filter(pl.col("event") != "reflected"))
    world.memory_file.unlink()
    world.observe('Joel set a rule: "always run the migrations first"')
    world.night()
    assert "p-20260517-001" not in world.proposals()
    assert "p-20260517-002" in world.proposals()


@pytest.mark.parametrize(
    "again",
    [
        'Joel set a rule: "never force-push to main"',
        'Joel set a rule: "force-pushing to the main branch is never OK, never force-push main"',
        "The user said that one must never force-push to main",
    ],
)
def test_a_refused_proposal_is_not_proposed_again_in_other_words(world: World, again: str) -> None:
    """[9]"""
    world.observe(RULE)
    world.night()
    world.mark("p-20260517-001", "-")
    world.days = 1
    world.night()
    world.observe(again, observation_id="o-again")
    for day in (2, 10, 40):
        world.days = day
        world.night()
    assert list(world.statuses().values()) == ["rejected"]


@pytest.mark.parametrize(
    "other",
    ['Joel set a rule: "always force-push to release/1.0"', 'Joel set a rule: "never force-push to release/2.0"'],
)
def test_the_opposite_of_a_refused_line_or_another_path_is_something_else(world: World, other: str) -> None:
    world.observe('Joel set a rule: "never force-push to release/1.0"')
    world.night()
    world.mark("p-20260517-001", "-")
    world.days = 1
    world.night()
    world.observe(other)
    world.days = 2
    world.night()
    assert sorted(world.statuses().values()) == ["pending", "rejected"]


def test_a_duplicate_of_a_rejected_fact_by_vector_stays_rejected(world: World) -> None:
    """However differently worded: the new observation absorbed the evidence of the refused proposal."""
    old = world.observe(RULE, session_id="s1")
    world.night()
    world.mark("p-20260517-001", "-")
    world.days = 1
    world.night()
    heir = world.observe("Rewriting published history must always be avoided", "rule", also=["s1:e0"], merged_count=2)
    world.observe(RULE, observation_id=old, session_id="s1", said_at=START - timedelta(hours=6), superseded_by=heir)
    world.days = 2
    assert world.night()["reflect"]["dropped"] == {"rejected": 1}


@pytest.mark.parametrize(
    "words", ["i always prefer tabs, never spaces", "never spaces, i must have tabs", "i want only e2e tests, no mocks ever!"]
)
def test_a_preference_is_never_filed_as_a_hard_rule(world: World, words: str) -> None:
    """[11]"""
    world.observe(f'Joel wants: "{words}"', "preference")
    world.night()
    assert "Hard Rules" not in {row["section"] for row in world.proposals().values()}


def test_decided_proposals_are_not_decided_again(world: World) -> None:
    """[12] Held back by triage, refused as a duplicate or left without an answer: each observation is looked at once."""
    world.observe("Fixed a typo in README.md", "fix")
    world.observe('Joel wants: "can you look at this?"', "preference")
    world.night()
    world.days = 1
    assert world.night()["reflect"]["reason"] == "no_new_evidence"


def test_expired_text_is_kept_and_comes_back_only_with_new_evidence(world: World) -> None:
    """[13]"""
    world.observe(RULE)
    world.night()
    world.days = 7
    world.night()
    row = world.proposals()["p-20260517-001"]
    assert (row["status"], row["text"]) == ("expired", "Never force-push to main")
    world.observe(RULE, observation_id="o-old", said_at=START - timedelta(days=3))
    world.days = 8
    assert world.night()["reflect"]["dropped"] == {"expired": 1}, "older words are no new evidence"
    world.observe(RULE, observation_id="o-new")
    world.days = 9
    world.night()
    assert world.statuses() == {"p-20260517-001": "expired", "p-20260526-001": "pending"}


@pytest.mark.parametrize("stays", ["newer", "older"])
def test_a_line_that_expired_comes_back_when_its_owner_says_the_same_again(world: World, stays: str) -> None:
    """Also where both statements became one fact, whichever of the two stays."""
    old = world.observe(RULE)
    world.night()
    world.days = 7
    world.night()
    world.days = 8
    rows = [
        world.observation(RULE, observation_id=old, said_at=START - timedelta(hours=6)),
        world.observation(RULE, observation_id="o-new"),
    ]
    kept, gone = rows if stays == "older" else reversed(rows)
    kept["also"], gone["superseded_by"] = [f"{gone['session_id']}:e0"], kept["observation_id"]
    world.observe_all(rows)
    world.night()
    assert world.statuses() == {"p-20260517-001": "expired", "p-20260525-001": "pending"}


def test_several_sessions_that_say_the_same_make_one_proposal_with_all_evidence(world: World) -> None:
    keys = {world.observe(text) for text in (RULE, 'Joel set a rule: "you must never force-push to main!"')}
    keys.add(world.observe('Joel set a rule: "please never ever force-push anything to main"'))
    world.night()
    (row,) = world.proposals().values()
    assert set(row["evidence_ids"]) == keys
    late = world.observe(RULE, observation_id="o-late")
    world.days = 1
    world.night()
    (row,) = world.proposals().values()
    assert late in row["evidence_ids"]
    assert "and 1 more source (`recollect show p-20260517-001`)" in world.review_file.read_text(encoding="utf-8")


def test_lines_of_memory_are_not_proposed_again(world: World) -> None:
    run = world.run
    write_memory(run, "", "## Hard Rules\n\n- (2026-01-01) **Git**: never force-push to `main`\n")
    world.observe(RULE)
    assert world.night()["reflect"]["dropped"] == {"in_memory": 1}


def test_a_promoted_line_is_replaced_when_a_newer_observation_superseded_its_evidence(world: World) -> None:
    """However differently the new one is worded: dedupe linked them."""
    old = world.observe("The job queue lives in Redis because Postgres was slow", "decision", category="architecture", also=TWICE)
    world.night()
    world.mark("p-20260517-001", "x")
    world.days = 1
    world.night()
    newer = world.observe(
        "Background work is stored in SQLite instead of a server", "decision", category="architecture", also=TWICE
    )
    text = "The job queue lives in Redis because Postgres was slow"
    world.observe(text, "decision", observation_id=old, said_at=START - timedelta(hours=6), superseded_by=newer)
    world.days = 2
    world.night()
    proposals = world.proposals()["p-20260519-001"]
    assert (proposals["op"], proposals["old_text"]) == ("replace", f"- (2026-05-16) {text}")


def test_an_observation_that_retired_a_line_takes_its_place_in_its_own_words(world: World) -> None:
    """Also when it is no line by itself: that its subject matters was decided when the line was approved."""
    text = "The job queue lives in Redis because Postgres was slow"
    old = world.observe(text, "decision", category="architecture", also=TWICE)
    world.night()
    world.mark("p-20260517-001", "x")
    world.days = 1
    world.night()
    newer = world.observe("The job queue listens on port 6390 of the second host", "fact", priority="medium")
    newest = world.observe("Jobs are stored in a SQLite file on the second host", "fact", priority="medium")
    world.observe("The job queue listens on port 6390 of the second host", "fact", observation_id=newer, superseded_by=newest)
    world.observe(text, "decision", observation_id=old, said_at=START - timedelta(hours=6), superseded_by=newer)
    world.days = 2
    world.night()
    found = world.proposals()["p-20260519-001"]
    assert (found["op"], found["old_text"]) == ("replace", f"- (2026-05-16) {text}")
    assert "Jobs are stored in a SQLite file on the second host" in found["text"]


def test_a_retired_line_goes_when_its_successor_stands_beside_it(world: World) -> None:
    """The newer line was approved as an addition; the older one would contradict it for ever."""
    old = world.observe("The job queue lives in Redis because Postgres was slow", "decision", category="architecture", also=TWICE)
    newer = world.observe(
        "Background work is stored in SQLite instead of a server", "decision", category="architecture", also=TWICE
    )
    world.night()
    for proposal_id in ("p-20260517-001", "p-20260517-002"):
        world.mark(proposal_id, "x")
    world.days = 1
    world.night()
    text = "The job queue lives in Redis because Postgres was slow"
    world.observe(text, "decision", observation_id=old, said_at=START - timedelta(hours=6), superseded_by=newer)
    world.observe("The linter is ruff instead of flake8", "decision", category="rules", also=TWICE)
    world.days = 2
    world.night()
    found = [(row["op"], row["old_text"]) for row in world.proposals().values() if row["op"] != "add"]
    assert found == [("remove", f"- (2026-05-16) {text}")]


def test_a_claim_that_ends_soon_is_not_a_line(world: World) -> None:
    world.observe('Joel set a rule: "never deploy until friday"')
    assert world.night()["reflect"]["dropped"] == {"ends": 1}


def test_a_newer_word_on_the_same_thing_overtakes_a_waiting_proposal(world: World) -> None:
    world.observe("Redis listens on port 6379 in Docker", "state_change", category="operations", also=TWICE)
    world.night()
    world.days = 1
    world.observe("Redis listens on port 6380 in Docker", "state_change", category="operations", also=TWICE)
    world.night()
    assert world.statuses() == {"p-20260517-001": "merged", "p-20260518-001": "pending"}


def test_forgotten_observations_are_not_proposed(world: World) -> None:
    key = world.observe(RULE)
    run = world.run
    row = pl.DataFrame([{"target": key, "reason": "id", "actor": "owner", "at": run.as_of, "is_undone": False}])
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace("tombstones", row)
    world.night()
    assert world.proposals() == {}


def test_what_was_not_proposed_is_counted_on_the_page(world: World) -> None:
    """The owner sees how many candidates were left out, and why; an approved page keeps its notes."""
    world.observe("The worker runs from the monorepo instead of ~/code/bus", "decision", category="architecture")
    world.observe(RULE)
    counts = world.night()["reflect"]
    assert (counts["proposed"], counts["dropped"]) == (1, {"agent_alone": 1})
    assert "_Last reflection, not proposed: 1 said by an agent alone_" in world.review_file.read_text(encoding="utf-8")
    world.days = 1
    world.edit("# Pending Memory Proposals", "# Pending Memory Proposals\n\nback on Monday")
    world.night()
    assert world.review_file.read_text(encoding="utf-8").count("not proposed") == 1


@pytest.mark.parametrize(("origin", "dropped"), [("owner", {}), ("agent", {"agent_alone": 1})])
def test_what_the_owner_chose_when_a_tool_asked_is_no_word_of_the_agent_alone(
    world: World, origin: str, dropped: dict[str, int]
) -> None:
    """A model cites the result that holds the answer; what only the agent told of a result is none."""
    key = world.observe("The public page shows first names only", "decision", category="architecture", origin=origin)
    entry = {"session_id": f"session-{key}", "ordinal": 0, "entry_id": "e0", "entry_type": "message", "role": "toolResult"}
    entry |= {"turn_kind": "tool", "speaker": "tool", "day": START.date()}
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.append("entries", pl.DataFrame([entry]), START.date())
    assert world.night()["reflect"].get("dropped", {}) == dropped


def test_what_exceeds_the_limit_waits_by_name_and_what_exceeds_that_is_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is lost silently: the page names what is next, and every line comes, or is counted as too much."""
    monkeypatch.setattr("effects.memory.reflect_step.MAX_WAITING", 6)
    names = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "islet", "jetty", "knoll", "lagoon", "mill")
    world.observe_all([world.observation(f'Joel set a rule: "never restart {name} by hand"') for name in names])
    counts = world.night()["reflect"]
    assert (counts["proposed"], counts["dropped"]) == (5, {"beyond_waiting": 2, "over_limit": 8})
    page = world.review_file.read_text(encoding="utf-8")
    assert "8 beyond the limit of the week, 2 too many to wait for room" in page
    (named,) = re.findall(r"_Next, when there is room: (.+); and 3 more_", page)
    next_lines = re.findall(r"“(.+?)”", named)
    assert len(next_lines) == 3
    world.days = 1
    world.edit("_Next, when", "_next, when")
    world.night()
    assert set(next_lines) <= set(_texts(world))
    assert len(world.proposals()) == 10, "what was next came first"


def test_ten_days_with_an_owner_in_between(world: World) -> None:
    """The promoted lines are exactly the approved ones, every proposal has an end or waits, no line says a thing twice."""
    world.observe(RULE)
    world.observe('Joel wants: "i prefer uv over pip"', "preference")
    world.night()
    world.days = 1
    world.mark("p-20260517-001", "x")
    world.observe('Joel set a rule: "you must never force-push to main"', observation_id="o-dup")
    world.observe(
        "Inngest silently refuses two functions with the same event trigger", "root_cause", category="operations", also=TWICE
    )
    world.night()
    assert _texts(world)[-1] == "Inngest silently refuses two functions with the same event trigger"
    world.days = 2
    world.mark("p-20260517-002", "-")
    world.edit("`p-20260518-001` Inngest silently refuses", "`p-20260518-001` **Inngest** — silently refuses")
    world.night()
    world.days = 3
    world.mark("p-20260518-001", "x")
    world.observe('Joel wants: "i prefer uv to pip, really"', "preference", observation_id="o-uv")
    world.night()
    world.days = 4
    world.observe("The worker runs from the monorepo instead of ~/code/bus", "state_change", category="architecture", also=TWICE)
    world.night()
    world.days = 5
    world.edit("# Pending Memory Proposals", "# Pending Memory Proposals\r\n\r\nback on Monday")
    world.night()
    for day in range(6, 11):
        world.days = day
        world.night()
    assert world.statuses() == {
        "p-20260517-001": "approved", "p-20260517-002": "rejected", "p-20260518-001": "approved", "p-20260521-001": "pending",
    }  # fmt: skip
    bullets = [line for line in world.memory().split("\n") if line.startswith("- ")]
    assert bullets == [
        "- (2026-05-16) Never force-push to main",
        "- (2026-05-17) **Inngest** — silently refuses two functions with the same event trigger",
    ]
    page = world.review_file.read_text(encoding="utf-8")
    assert page.count("back on Monday") == 1
    assert "Expires soon, on 2026-05-28" in page
    world.days = 11
    world.night()
    assert world.statuses()["p-20260521-001"] == "expired"


_ACTS = st.lists(st.tuples(st.sampled_from(["x", "-", "delete", "edit", "note", "nothing", "?"]), st.integers(0, 3)), max_size=3)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(nights=st.lists(_ACTS, min_size=3, max_size=5))
def test_no_edit_of_the_owner_loses_a_proposal_or_a_foreign_line(
    tmp_path_factory: pytest.TempPathFactory, nights: list[list[tuple[str, int]]]
) -> None:
    world = World(tmp_path_factory.mktemp("world"))
    mine = "# Mine\n\nkeep this\n\n## Hard Rules\n\n- old one\n\n## Private\n\n- secret garden\n"
    write_memory(world.run, "", mine)
    ever: set[str] = set()
    for day, acts in enumerate(nights):
        world.days = day * 3
        world.observe(f'Joel set a rule: "never touch module{day} without asking team{day} first"')
        world.observe(f'Joel wants: "i prefer tool{day} over gadget{day}"', "preference")
        world.night()
        ever |= set(world.proposals())
        waiting = sorted(key for key, status in world.statuses().items() if status == "pending")
        for act, index in acts:
            if index >= len(waiting) or f"- [ ] `{waiting[index]}`" not in world.review_file.read_text(encoding="utf-8"):
                continue
            if act in ("x", "-", "?"):
                world.mark(waiting[index], act)
            elif act == "delete":
                world.delete_line(waiting[index])
            elif act == "edit":
                world.edit(f"`{waiting[index]}` ", f"`{waiting[index]}` Really: ")
            elif act == "note":
                world.edit("## ", "a note\n\n## ")
    world.days += 1
    world.night()
    statuses = world.statuses()
    assert set(statuses) >= ever
    assert set(statuses.values()) <= {"approved", "rejected", "expired", "pending", "merged"}
    promoted = {key for key, _ in world.events("promoted")}
    assert promoted == {key for key, status in statuses.items() if status == "approved"}
    kept = [line for line in world.memory().split("\n") if not line.startswith("- (")]
    assert [line for line in kept if line in mine.split("\n") and line] == [line for line in mine.split("\n") if line]
    lines = {row["text"] for row in world.run.lake.read("memory_lines").to_dicts()}
    assert lines == {line for line in world.memory().split("\n") if line.startswith("- (")}
    page, files = world.review_file.read_bytes(), world.run.lake.list_files("proposals")
    world.night()
    assert (world.review_file.read_bytes(), world.run.lake.list_files("proposals")) == (page, files)


def test_a_rule_in_another_language_is_proposed_by_the_vectors_of_its_words(world: World) -> None:
    """Its row says no more than that it was said; an order is none. What the owner said before tells the language."""
    rule = "никогда не клей этикетки на банки без моей проверки, даже если заказчик торопит"
    work = "посмотри пожалуйста лог весов и скажи, почему они сегодня ничего не показывают"
    world.observe_all([
        world.observation(f'Joel said: "{work} номер {number}"', "request", origin="owner", said_at=START - timedelta(hours=30))
        for number in "абвгд"
    ])  # fmt: skip
    world.night()
    assert not _texts(world)
    world.days = 1
    world.observe_all([world.observation(f'Joel said: "{rule}"', origin="owner")])
    world.night()
    assert len(_texts(world)) == 1
    assert "этикетки" in _texts(world)[0]


def test_typed_words_name_their_project_unless_they_hold_everywhere(world: World) -> None:
    """By its kind the preference named none, and by its words the rule named one."""
    said = {
        'Joel wants: "no plastic lids on the jars that leave the shop"': "preference",
        'Joel set a rule: "keep your answers short, no compliments ever"': "rule",
    }
    world.observe_all([world.observation(text, kind, project="/code/app", origin="owner") for text, kind in said.items()])
    world.night()
    assert sorted(_texts(world)) == [
        "**app** — No plastic lids on the jars that leave the shop",
        "Keep your answers short, no compliments ever",
    ]
