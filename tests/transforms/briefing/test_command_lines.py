"""A briefing shows the commands that are the present habit of its project."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from transforms.briefing.command_lines import MOST_LINES, list_command_lines
from transforms.habits.command_row import RanCommand, write_command_row
from transforms.tables.schema import TABLES, build_frame

ZONE = ZoneInfo("UTC")
START = datetime(2026, 3, 2, 8, tzinfo=UTC)


def observe(*rows: dict[str, Any]) -> pl.DataFrame:
    common = {"project": "/p", "verdict": "allow", "kind": "command", "origin": "tool", "entry_ids": ["e"], "session_id": "s"}
    return build_frame(
        TABLES["observations"],
        [
            common | {"observation_id": f"o-{place}", "said_at": (at := START + timedelta(days=place)), "day": at.date()} | row
            for place, row in enumerate(rows)
        ],
    )


def ran(command: str, times: int = 2, **changed: Any) -> dict[str, Any]:
    return {"text": write_command_row(RanCommand(command)), "entry_ids": [f"e{number}" for number in range(times)]} | changed


def list_texts(*rows: dict[str, Any]) -> list[str]:
    return [line.text for line in list_command_lines(observe(*rows), "/p", ZONE)]


def test_a_line_counts_the_rows_of_a_command_also_those_that_were_merged() -> None:
    rows = observe(ran("make test", 3, superseded_by="o-1"), ran("make test", 2))
    (line,) = list_command_lines(rows, "/p", ZONE)
    assert line.text == "`make test`: 5 times with success on 2 days, last 2026-03-03"
    assert line.observation_id == "o-1"


def test_what_ran_once_or_in_another_project_or_was_held_is_no_habit() -> None:
    assert list_texts(ran("make once", 1), ran("make far", project="/q"), ran("make held", verdict="hold")) == []


def test_what_the_owner_denied_leaves_the_page() -> None:
    denied = {"kind": "rule", "origin": "owner", "text": 'User set a rule: "never use poetry here"'}
    assert list_texts(ran("poetry build"), denied) == []
    assert list_texts(ran("poetry build"), denied | {"superseded_by": "o-9"}) != []


def test_a_page_has_few_lines_the_most_frequent_first() -> None:
    texts = list_texts(*(ran(f"make part{number}", 2 + number, session_id=f"s{number}") for number in range(8)))
    assert len(texts) == MOST_LINES
    assert texts[0].startswith("`make part7`: 9 times")
