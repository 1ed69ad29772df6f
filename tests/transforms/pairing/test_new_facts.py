"""Facts that a model is to be asked about: which are new, and how many pairs a day may have."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from tests.each_case import each_case
from transforms.pairing.new_facts import MAX_BACKLOG_PAIRS, MAX_PAIRS, count_room, list_due, list_settled
from transforms.tables.enums import OFFLINE
from transforms.tables.rows import RelationRow

NOW = datetime(2026, 6, 1, tzinfo=UTC)
MODEL = "instructor:maker/model"


def frame(count: int, engine: str = MODEL, days: int = 200, **more: Any) -> pl.DataFrame:
    """Return facts that were said some days ago."""
    row = {"kind": "decision", "priority": "high", "origin": "owner", "engine": engine, "said_at": NOW - timedelta(days=days)}
    return pl.DataFrame([{"observation_id": f"o-{number:04}"} | row | more for number in range(count)])


def relation(older: str, newer: str) -> RelationRow:
    return {
        "older_id": older, "newer_id": newer, "relation": "unrelated", "engine": MODEL, "template_hash": "",
        "asked_on": NOW.date(), "reports_asked_on": None, "keeps": [], "older_source": None, "newer_source": None,
    }  # fmt: skip


@each_case(("engine", "days", "is_due"), [(MODEL, 200, True), (OFFLINE, 200, False), (OFFLINE, 20, True)])
def test_a_models_own_facts_are_new_whatever_their_age(engine: str, days: int, is_due: bool) -> None:
    """A history that a model reads at once is as old as it is; rules' facts of the past are not paid for when a model is set."""
    assert bool(list_due(frame(1, engine, days), set(), NOW)) is is_due


@each_case(
    ("kind", "origin", "engine", "is_due", "is_replacing"),
    [
        ("completion", "tool", MODEL, True, True),
        ("state_change", "tool", MODEL, True, True),
        ("fact", "tool", MODEL, True, False),
        ("status", "tool", OFFLINE, False, False),
        ("root_cause", "tool", MODEL, False, False),
        ("completion", "tool", OFFLINE, False, False),
        ("completion", "other", MODEL, False, False),
        ("state_change", "other", MODEL, True, True),
        ("state_change", "other", OFFLINE, False, False),
        ("completion", None, MODEL, True, True),
    ],
)
def test_what_a_command_showed_to_be_done_may_replace_something(
    kind: str, origin: str, engine: str, is_due: bool, is_replacing: bool
) -> None:
    """A state that it showed is asked about, too: it may end what somebody's words were bound to."""
    rows = frame(1, engine, 1, kind=kind, origin=origin)
    assert bool(list_due(rows, set(), NOW)) is is_due
    assert bool(list_settled(rows, [], [])) is is_replacing


def test_a_day_has_room_for_the_history_that_a_model_read_and_all_runs_share_it() -> None:
    """Facts of rules get no more than a night's pairs; what an earlier run of the day asked about counts."""
    rooms = [count_room(frame(count), list_due(frame(count), set(), NOW), [], NOW.date()) for count in (10, 100, 1000)]
    assert rooms == [MAX_PAIRS, 800, MAX_BACKLOG_PAIRS]
    assert count_room(frame(100, OFFLINE, 1), list_due(frame(100, OFFLINE, 1), set(), NOW), [], NOW.date()) == MAX_PAIRS
    asked = [relation("o-0000", f"o-{number:04}") for number in range(1, 61)]
    due = list_due(frame(100), {row["newer_id"] for row in asked}, NOW)
    assert count_room(frame(100), due, asked, NOW.date()) == 800 - 60
    assert count_room(frame(100), due, asked, NOW.date() + timedelta(days=1)) == MAX_PAIRS
