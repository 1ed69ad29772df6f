"""REVIEW.md proves each line with the words that decide."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from effects.memory.proposal_store import open_proposals
from effects.memory.remember import add_own_lines, remember
from effects.memory.review_page import list_evidence
from effects.memory.review_step import approve
from effects.system.errors import NotFoundError, UsageError
from tests.effects.memory_world import World
from transforms.pages.review.read_review import read_review


def store_messages(world: World, texts: list[tuple[str, str]]) -> None:
    """Store messages of one session, each with its role, said six hours before the run."""
    said_at = world.run.as_of - timedelta(hours=6)
    entries = [
        {
            "session_id": "s", "entry_id": f"e{place}", "ordinal": place, "entry_type": "message", "role": role, "text": text,
            "said_at": said_at, "day": said_at.date(), "speaker": "owner" if role == "user" else "agent", "speaker_reason": "",
            "speaker_parts": None,
        }
        for place, (role, text) in enumerate(texts)
    ]  # fmt: skip
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("entries", pl.DataFrame(entries, schema_overrides={"said_at": pl.Datetime("us", "UTC")}), said_at.date())


def test_the_page_proves_a_line_with_the_owners_words_and_the_option_that_they_picked_each_message_once(tmp_path: Path) -> None:
    """Two facts rest on one message; the first one cites the agent's menu, too."""
    world = World(tmp_path)
    texts = [("assistant", "Which store?\n1. SQLite, one file\n2. Postgres, on the server"), ("user", "the 1")]
    store_messages(world, texts)
    facts = [world.observe(f"Cases are kept in SQLite {place}", session_id="s", ordinals=[0, 1]) for place in ("here", "there")]
    row = {"evidence_ids": facts, "text": "Cases are kept in SQLite, one file"}
    sources = list_evidence(world.run, row)  # type: ignore[arg-type]
    assert [source.quoted for source in sources] == [
        "“the 1”, answering “Which store? 1. SQLite, one file 2. Postgres, on the server”"
    ]


def test_an_answer_is_shown_with_its_own_menu_also_where_another_fact_cites_one_more_like_the_line(
    tmp_path: Path,
) -> None:
    """Both lines of a page have the project's name, and so had the menu of the other one."""
    world = World(tmp_path)
    texts = [
        ("assistant", "In tide/scan.py of tide:\n1. keep the product of tide\n2. keep a sum per tide run"), ("user", "the 2"),
        ("assistant", "Files:\n1. all steps\n2. best and last"), ("user", "the 2, I never looked at them"),
    ]  # fmt: skip
    store_messages(world, texts)
    facts = [
        world.observe("tide keeps a sum per run", session_id="s", ordinals=[0, 1]),
        world.observe("tide keeps best and last per run", session_id="s", ordinals=[2, 3]),
    ]
    row = {"evidence_ids": facts, "text": "tide: keep best and last per tide run"}
    shown = [source.quoted for source in list_evidence(world.run, row)]  # type: ignore[arg-type]
    assert any("best and last" in quoted for quoted in shown if "never looked" in quoted), shown
    assert not any("product" in quoted for quoted in shown if "never looked" in quoted), shown


def test_the_page_proves_a_line_with_the_owners_part_of_a_message_and_a_paste_only_as_what_it_answers(tmp_path: Path) -> None:
    """A mail asks for three decimals, and the owner for two; a short assent comes with what it takes over."""
    mail, wish = "the tables with 3 decimals, always, says Marta", "never mind the decimals she wants, the tables get 2"
    for number, (own, line, quoted) in enumerate(
        (
            (wish, "The tables always get 2 decimals", f"“{wish}”"),
            ("ok", "The tables get 3 decimals", f"“ok”, answering “{mail}”"),
        )
    ):
        world = World(tmp_path / str(number))
        said_at, text = world.run.as_of - timedelta(hours=6), f"{mail}\n{own}"
        parts = [
            {"start": 0, "end": len(mail), "speaker": "paste", "reason": "learned"},
            {"start": len(mail), "end": len(text), "speaker": "owner", "reason": "format:user_text"},
        ]
        entry = {
            "session_id": "s", "entry_id": "e0", "ordinal": 0, "entry_type": "message", "role": "user", "text": text,
            "said_at": said_at, "day": said_at.date(), "speaker": "owner", "speaker_reason": "", "speaker_parts": parts,
        }  # fmt: skip
        with world.run.lake.writing("test"), world.run.lake.commit() as change:
            change.replace(
                "entries", pl.DataFrame([entry], schema_overrides={"said_at": pl.Datetime("us", "UTC")}), said_at.date()
            )
        row = {"evidence_ids": [world.observe(line, session_id="s", ordinals=[0])], "text": line}
        assert [source.quoted for source in list_evidence(world.run, row)] == [quoted]  # type: ignore[arg-type]


def test_the_foot_of_the_page_tells_the_time_as_its_lines_do(tmp_path: Path) -> None:
    """In the owner's zone; it was UTC, an hour off the lines above it."""
    world = World(tmp_path, settings={"timezone": "Europe/Vienna"})
    world.observe('Joel set a rule: "never force-push to main"')
    world.night()
    page = world.review_file.read_text(encoding="utf-8")
    assert page.count("2026-05-16 23:30") == 2
    assert "_1 proposal pending | newest evidence 2026-05-16 23:30_" in page


def test_the_page_says_that_a_line_has_the_words_of_a_summary_also_of_a_later_day(tmp_path: Path) -> None:
    """The owner's "nice, push" of the first day proves the convention of the next day's compaction to nobody."""
    world = World(tmp_path)
    said_at, line = world.run.as_of - timedelta(days=3), "Commit and push in pi.dev after each new skill"
    said = ("message", "user", "nice, push it", "owner", said_at)
    summary = ("compaction", "compaction", f"- {line}", "agent", said_at + timedelta(days=1))
    session = {"session_id": "s", "title": "Skills", "project": None, "started_at": said_at, "ended_at": summary[-1]}
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("sessions", pl.DataFrame([session]), said_at.date())
        for place, (entry_type, role, text, speaker, at) in enumerate((said, summary)):
            entry = {
                "session_id": "s", "entry_id": f"e{place}", "ordinal": place, "entry_type": entry_type, "role": role,
                "text": text, "said_at": at, "day": at.date(), "speaker": speaker, "speaker_reason": "", "speaker_parts": None,
            }  # fmt: skip
            change.replace("entries", pl.DataFrame([entry], schema_overrides={"said_at": pl.Datetime("us", "UTC")}), at.date())
    row = {"evidence_ids": [world.observe(line, session_id="s", ordinals=[0, 1], said_at=said_at)], "text": line}
    (source,) = list_evidence(world.run, row)  # type: ignore[arg-type]
    assert source.quoted == "“Commit and push in pi.dev after each new skill”, in the words of an agent's summary"


def test_what_was_held_back_is_shown_whole_for_a_week_and_taken_over_by_its_id(tmp_path: Path) -> None:
    """One night's held-back words were cut at ten words, and gone with the next night."""
    world = World(tmp_path)
    said = "it's the small bell while we're baking, forty seconds or so, and the big one only before the shop opens on a Monday"
    key = world.observe(f'Joel set a rule: "{said}"', origin="owner")
    world.night()
    assert f"- `{key}` {said}\n" in world.review_file.read_text(encoding="utf-8")
    world.days = 3
    world.observe('Joel set a rule: "that one over there, the way it was"', origin="owner")
    world.night()
    assert f"{said}" in world.review_file.read_text(encoding="utf-8")
    with world.run.lake.writing("test"):
        assert approve(world.run, [key])["promoted"] == 1
    assert f") {said}\n" in world.memory()
    world.render()
    assert f"`{key}`" not in world.review_file.read_text(encoding="utf-8")
    assert world.proposals()["p-20260520-001"]["evidence_ids"] == [key]


def test_an_answer_is_shown_with_what_was_chosen_and_one_that_names_nothing_is_left_out(tmp_path: Path) -> None:
    """ "Add that dep" and "let's do that" came into MEMORY.md as lines."""
    world, owner = World(tmp_path), {"kind": "decision", "origin": "owner"}
    world.observe('Joel decided: "let\'s do it like that" (asked: Next I’d update the docs)', **owner)
    world.observe('Joel decided: "add that dep now" (about: "We need another dependency and a flag.")', **owner)
    key = world.observe('Joel said: "5. that skill will load on our android projects in the evening"', **owner)
    world.night()
    page = world.review_file.read_text(encoding="utf-8")
    assert "add that" not in page
    assert "like that" not in page
    assert f"- `{key}` 5. that skill will load" in page


def test_the_id_of_no_fact_takes_nothing_over(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.night()
    with world.run.lake.writing("test"), pytest.raises(NotFoundError):
        approve(world.run, ["o-12345678"])
    assert world.memory() == ""


@pytest.mark.parametrize(
    ("ticked", "line"), [(None, "it is the *small* bell while we are baking"), ("The small bell rings", "The small bell rings")]
)
def test_a_tick_on_what_was_held_back_takes_it_over(tmp_path: Path, ticked: str | None, line: str) -> None:
    """The id came into MEMORY.md as a word of the line, and the item stayed on the page."""
    world = World(tmp_path)
    key = world.observe('Joel set a rule: "it is the *small* bell while we are baking"', origin="owner", project="/w/shop")
    world.night()
    world.edit(f"- `{key}`", f"- [x] `{key}`")
    if ticked is not None:
        world.edit(line_of(world, key), f"- [x] `{key}` {ticked}")
    world.days = 1
    world.night()
    assert f") {line}\n" in world.memory()
    assert key not in world.memory()
    (row,) = world.proposals().values()
    assert (row["evidence_ids"], row["project"], row["origin"]) == ([key], "/w/shop", "owner")
    assert f"`{key}`" not in world.review_file.read_text(encoding="utf-8")


def test_a_tick_on_what_was_forgotten_brings_nothing_back(tmp_path: Path) -> None:
    world = World(tmp_path)
    key = world.observe('Joel set a rule: "it is the small bell while we are baking"', origin="owner")
    world.night()
    world.edit(f"- `{key}`", f"- [x] `{key}`")
    store = open_proposals(world.run)
    store.forgotten = frozenset({key})
    (line,) = read_review(world.review_file.read_text(encoding="utf-8"), "").own
    assert add_own_lines(store, [line]) == []
    assert "forgotten" in store.problems[0]


def test_what_its_owner_saved_in_the_same_words_is_not_held_back_any_more(tmp_path: Path) -> None:
    world = World(tmp_path)
    key = world.observe('Joel set a rule: "it is the small bell while we are baking"', origin="owner")
    world.night()
    assert f"`{key}`" in world.review_file.read_text(encoding="utf-8")
    with world.run.lake.writing("test"):
        remember(world.run, "It is the small bell while we are baking.", is_immediate=True)
        world.render()
    assert f"`{key}`" not in world.review_file.read_text(encoding="utf-8")


def line_of(world: World, key: str) -> str:
    return next(row for row in world.review_file.read_text(encoding="utf-8").splitlines() if key in row)


def test_a_fact_that_another_took_the_place_of_is_not_taken_over(tmp_path: Path) -> None:
    world = World(tmp_path)
    heir = world.observe('Joel decided: "the queue lives in port 6200"', "decision")
    key = world.observe('Joel decided: "the queue lives in port 6100"', "decision", superseded_by=heir)
    with world.run.lake.writing("test"), pytest.raises(UsageError, match=heir):
        approve(world.run, [key])
    assert world.memory() == ""


def test_what_is_taken_over_keeps_the_origin_of_its_fact(tmp_path: Path) -> None:
    """An agent's finding passed for the owner's words."""
    world = World(tmp_path)
    key = world.observe("The gateway answers 500 on an empty body", "fact", origin="agent")
    with world.run.lake.writing("test"):
        assert approve(world.run, [key])["promoted"] == 1
    (row,) = world.proposals().values()
    assert row["origin"] == "agent"


def test_held_back_words_leave_the_page_with_the_days_of_a_proposal(tmp_path: Path) -> None:
    world = World(tmp_path)
    key = world.observe('Joel set a rule: "it is the small bell while we are baking, forty seconds or so"', origin="owner")
    world.night()
    assert f"`{key}`" in world.review_file.read_text(encoding="utf-8")
    world.days = 8
    world.observe('Joel set a rule: "that one over there, the way it was"', origin="owner")
    world.night()
    assert f"`{key}`" not in world.review_file.read_text(encoding="utf-8")
