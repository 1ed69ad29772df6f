"""Show: every kind of id leads down to the original entries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from effects.recall.show_record import show_record
from effects.system.errors import NotFoundError
from tests.effects.recall_world import SHOP, START, filled, write
from transforms.answers.show_page import render_record
from transforms.pages.fact_marks import make_memory_id


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the world of recall_world, without an index: show reads the lake."""
    return filled(tmp_path_factory.mktemp("world"), is_indexed=False)


@pytest.mark.parametrize(
    ("target", "record_type", "entries"),
    [
        ("o-ttl", "observation", ["00000003"]),
        ("s-1", "segment", ["00000000", "00000001", "00000002", "00000003"]),
        ("w-1", "window", [f"{number:08x}" for number in range(8)]),
        ("d-1", "distillate", ["00000005"]),
        ("shop-1", "session", [f"{number:08}" for number in range(8)]),
        ("shop-1:00000003", "entry", ["00000001", "00000002", "00000003", "00000004", "00000005"]),
        (make_memory_id("Session cache TTL stays below 20 minutes"), "memory", []),
    ],
)
def test_each_id_leads_to_its_entries(world: Any, target: str, record_type: str, entries: list[str]) -> None:
    """The entries have the order of the citation, and the whole result is JSON."""
    shown = show_record(world, target)
    assert (shown.id, shown.record_type) == (target, record_type)
    assert [entry.entry_id for entry in shown.entries] == entries
    assert json.loads(json.dumps(shown.as_json()))["entries"] == shown.as_json()["entries"]
    assert render_record(shown).startswith(f"{record_type} {target}\n")


def test_an_observation_names_what_it_belongs_to_and_replaced(world: Any) -> None:
    """Segment, window and session above; the superseded fact below; file, line and time of the entry."""
    shown = show_record(world, "o-ttl")
    assert [link.id for link in shown.parents] == ["s-1", "w-1", "shop-1"]
    assert [(link.relation, link.id) for link in shown.children] == [("supersedes", "o-old")]
    entry = shown.entries[0]
    assert (entry.source_path, entry.line) == ("/sessions/shop-1.jsonl", 4)
    assert "line 5  2026-02-09T10:03:00Z  assistant  shop-1:00000003" in render_record(shown)
    assert [link.relation for link in show_record(world, "o-old").parents][-1] == "superseded by"


def test_a_proposal_leads_to_its_evidence_and_its_events(world: Any) -> None:
    """The record has its events, the facts that prove it, and their entries."""
    row = {"proposal_id": "p-20260210-001", "kind": "memory", "op": "add", "section": "Patterns", "text": "Keep TTLs short"}
    write(world, "proposals", [row | {"evidence_ids": ["o-ttl"], "status": "pending", "project": SHOP}])
    write(world, "proposal_events", [{"proposal_id": "p-20260210-001", "event": "proposed", "at": START, "actor": "recollect"}])
    shown = show_record(world, "p-20260210-001")
    assert [link.relation for link in shown.parents] == ["proposed"]
    assert [link.id for link in shown.children] == ["o-ttl"]
    assert [entry.entry_id for entry in shown.entries] == ["00000003"]


def test_the_beginning_of_an_id_is_enough_when_it_is_the_only_one(world: Any) -> None:
    """Several matches are listed, and no match is an error."""
    assert show_record(world, "o-tt").id == "o-ttl"
    assert show_record(world, "shop").id == "shop-1"
    for target, message in (
        ("o-", "ids begin with"),
        ("o-zzz", "nothing has the id"),
        ("shop-1:beef", "no entry"),
        ("m-0", "no line"),
    ):
        with pytest.raises(NotFoundError, match=message):
            show_record(world, target)


def test_what_was_forgotten_is_not_shown(tmp_path: Path) -> None:
    """Neither its id nor another record leads to it."""
    run = filled(tmp_path, is_indexed=False)
    targets = {"o-old": "id o-old", "shop-1:00000001": "session shop-1"}
    rows = [{"target": target, "reason": reason, "is_undone": False, "at": START} for target, reason in targets.items()]
    write(run, "tombstones", rows)
    hints = ("recollect forget o-old --undo", "recollect forget --session shop-1 --undo")
    for target, hint in zip(targets, hints, strict=True):
        with pytest.raises(NotFoundError, match="was forgotten") as raised:
            show_record(run, target)
        assert raised.value.hint == hint
    assert show_record(run, "o-ttl").children == ()
    assert "00000001" not in [entry.entry_id for entry in show_record(run, "w-1").entries]
    with pytest.raises(NotFoundError, match="nothing has the id"):
        show_record(run, "")


def test_the_beginnings_of_session_and_entry_are_enough(world: Any) -> None:
    """Answers show ids short; what begins alike is named."""
    assert show_record(world, "shop-1:00000003").id == show_record(world, "sho:00000003").id == "shop-1:00000003"
    with pytest.raises(NotFoundError, match="entries begin with") as raised:
        show_record(world, "shop-1:0000000")
    assert "shop-1:00000000, shop-1:00000001" in raised.value.hint


def test_a_line_copied_from_a_daily_log_leads_to_its_fact_and_a_window_lists_its_facts(world: Any) -> None:
    """Pages carry no ids of facts, so their lines are as good as ids."""
    fact = show_record(world, "o-ttl")
    text = str(fact.row["text"])
    for line in (f"* 🔴 (10:05) {text}", f"- {text} — replaced 2026-02-10", f"*  🟢 (9:05) **{text}** ⚠️ gone since", text):
        assert show_record(world, line).id == "o-ttl"
    window = next(link.id for link in fact.parents if link.relation == "window")
    assert "o-ttl" in [link.id for link in show_record(world, window).children]
    with pytest.raises(NotFoundError, match="nothing has the id"):
        show_record(world, "no fact has these words at all")
