"""The views over the tables: typed items, and sessions that are counted once."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl

from effects.store.lake import Lake
from effects.store.sql_console import connect
from tests.effects.store.sql_query import run_query
from transforms.tables.enums import KINDS
from transforms.views.item_types import ITEM_TYPES, list_tags

DAY = date(2026, 5, 17)
AT = datetime(2026, 5, 17, 10, tzinfo=UTC)


def ask(lake: Lake, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with connect(lake) as connection:
        return list(run_query(connection, query)[1])


def observation(name: str, kind: str, **columns: Any) -> dict[str, Any]:
    """Return an allowed fact of a project."""
    return {
        "observation_id": name, "session_id": "s-1", "project": "/code/shop", "day": DAY, "said_at": AT, "kind": kind,
        "priority": "high", "category": "rules", "text": f"text of {name}", "files": ["src/a.py"], "verdict": "allow",
        "superseded_by": None,
    } | columns  # fmt: skip


def session(name: str, parent: str | None = None, **columns: Any) -> dict[str, Any]:
    """Return a session that cost one dollar."""
    return {
        "session_id": name, "source_path": f"/s/{name}.jsonl", "parent_session": parent, "is_subagent": False, "opened_by": None,
        "user_message_count": 3, "input_tokens": 100, "output_tokens": 10, "cost_usd": 1.0, "day": DAY,
    } | columns  # fmt: skip


def test_every_kind_of_fact_has_a_type() -> None:
    assert set(ITEM_TYPES) == set(KINDS)
    assert list_tags("rule", "rules", "/code/shop/", ["src/a.py", "test/a.py"]) == ["rule", "rules", "shop", "a.py"]


def test_items_are_kept_facts_and_lines_that_were_proposed(tmp_path: Path) -> None:
    """A proposal has the type of most of its evidence; what was held, replaced, rejected or removed is not an item."""
    lake = Lake(tmp_path)
    facts = [
        observation("o-1", "rule"),
        observation("o-2", "fix"),
        observation("o-3", "fact", verdict="hold"),
        observation("o-4", "decision", superseded_by="o-1"),
        observation("o-5", "state_change", files=None),
    ]
    proposal = {
        "kind": "memory", "op": "add", "section": "Patterns", "text": "Restart the worker first", "project": "/code/shop",
        "said_at": AT, "evidence_ids": ["o-2"],
    }  # fmt: skip
    proposals = [
        proposal | {"proposal_id": "p-1", "status": "pending"},
        proposal | {"proposal_id": "p-2", "status": "rejected"},
        proposal | {"proposal_id": "p-3", "status": "approved", "op": "remove"},
    ]
    with lake.writing("test"), lake.commit() as change:
        change.replace("observations", pl.DataFrame(facts, infer_schema_length=None), DAY)
        change.replace("proposals", pl.DataFrame(proposals))
    assert ask(lake, "SELECT item_id, source, type, status FROM items ORDER BY item_id") == [
        ("o-1", "observation", "behavior", None),
        ("o-2", "observation", "skill", None),
        ("o-5", "observation", "event", None),
        ("p-1", "proposal", "skill", "pending"),
    ]
    tags = dict(ask(lake, "SELECT item_id, list_sort(tags) FROM items"))
    assert tags["o-1"] == sorted(list_tags("rule", "rules", "/code/shop", ["src/a.py"]))
    assert tags["p-1"] == ["Patterns", "memory", "shop"]


def test_an_owners_sessions_are_counted_without_sub_agents_and_usage_once(tmp_path: Path) -> None:
    """Sub-agents of sub-agents belong to the session that a person opened. A fork counts when somebody typed in it."""
    lake = Lake(tmp_path)
    sessions = [
        session("main"),
        session("helper", "main", is_subagent=True),
        session("nested", "helper", is_subagent=True),
        session("pi-helper", "/s/main.jsonl", is_subagent=True),
        session("opened", None, is_subagent=True, opened_by="main"),
        session("fork", "/s/main.jsonl"),
        session("replay", "main", user_message_count=0, input_tokens=0, output_tokens=0, cost_usd=0.0),
        session("older", None, is_subagent=None),
    ]
    with lake.writing("test"), lake.commit() as change:
        change.replace("sessions", pl.DataFrame(sessions, infer_schema_length=None), DAY)
    assert ask(lake, "SELECT session_id, sub_agents, whole_cost_usd, whole_input_tokens FROM own_sessions ORDER BY 1") == [
        ("fork", 0, 1.0, 100),
        ("main", 4, 5.0, 500),
        ("older", 0, 1.0, 100),
    ]
    [(whole,)] = ask(lake, "SELECT sum(whole_cost_usd) FROM own_sessions")
    [(every,)] = ask(lake, "SELECT sum(cost_usd) FROM sessions")
    assert whole == every


def test_a_fact_that_was_repeated_is_told_from_one_that_was_replaced(tmp_path: Path) -> None:
    """Both have `superseded_by`; whoever counts changed minds by that column counts repetitions."""
    lake = Lake(tmp_path)
    facts = [
        observation("o-1", "decision", entry_ids=["e-1"], superseded_by="o-2"),
        observation("o-2", "decision", entry_ids=["e-2"], also=["s-1:e-1"], superseded_by="o-3"),
        observation("o-3", "decision", entry_ids=["e-3"]),
        observation("o-4", "decision", entry_ids=["e-4"], verdict="hold", superseded_by="o-3"),
    ]
    with lake.writing("test"), lake.commit() as change:
        change.replace("observations", pl.DataFrame(facts, infer_schema_length=None), DAY)
    assert ask(lake, "SELECT older_id, newer_id, how FROM replaced ORDER BY older_id") == [
        ("o-1", "o-2", "merged"),
        ("o-2", "o-3", "replaced"),
    ]
