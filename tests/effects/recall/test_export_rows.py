"""Rows and formats of `recollect export`."""

from __future__ import annotations

import csv
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import polars as pl
import pytest

from effects.recall.export_rows import EXPORT_SCHEMA, select_export_rows, write_export_file
from effects.store.lake import Lake
from effects.system.errors import UsageError
from recollect.cli import run

DAY = date(2026, 5, 17)
AT = datetime(2026, 5, 17, 10, tzinfo=UTC)


def observation(name: str, **columns: Any) -> dict[str, Any]:
    """Return a fact of session s-1, allowed and not superseded unless `columns` say otherwise."""
    return {
        "observation_id": name, "segment_id": "s-x", "window_id": "w-x", "session_id": "s-1", "day": DAY, "said_at": AT,
        "kind": "decision", "priority": "high", "text": f"text of {name}", "ordinals": [7, 3], "entry_ids": ["e7", "e3"],
        "lines": [8, 4], "verdict": "allow", "tokens": 3, "superseded_by": None, "also": [], "origin": "owner",
    } | columns  # fmt: skip


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Four facts, a segment, an entry of another session, and a distillate."""
    lake = Lake(tmp_path)
    facts = [
        observation("o-1", also=["s-2:e9"], origin="agent"),
        observation("o-2", superseded_by="o-1"),
        observation("o-3", verdict="hold"),
        observation("o-4", session_id="s-2"),
    ]
    segment = {
        "segment_id": "s-x", "window_id": "w-x", "session_id": "s-1", "title": "Caching", "narrative": "It was tuned.",
        "first_line": 2, "last_line": 40, "entry_ids": ["e3"], "lines": [4], "tokens": 5, "day": DAY,
    }  # fmt: skip
    entry = {"session_id": "s-2", "ordinal": 0, "entry_id": "e9", "line_no": 12, "day": DAY}
    week = {
        "distillate_id": "d-1", "tier": 2, "project": "/p", "period_start": DAY, "period_end": DAY, "text": "a week",
        "entry_refs": ["s-1:e3", "s-2:e9", "s-1:e7"], "output_tokens": 2,
    }  # fmt: skip
    with lake.writing("test"), lake.commit() as change:
        change.replace("observations", pl.DataFrame(facts, infer_schema_length=None), DAY)
        change.replace("segments", pl.DataFrame([segment]), DAY)
        change.append("entries", pl.DataFrame([entry]), DAY)
        change.replace("distillates", pl.DataFrame([week]))
    return lake


def test_tier_0_of_a_session_is_its_allowed_facts_and_narratives(lake: Lake) -> None:
    """Held and superseded facts are left out; a narrative has the first and last line of its segment."""
    rows = select_export_rows(lake, session="s-1")
    assert [(row["id"], row["source"]) for row in rows] == [("s-x", "segment"), ("o-1", "observation")]
    assert (rows[0]["first_line"], rows[0]["last_line"], rows[0]["text"]) == (2, 40, "Caching. It was tuned.")
    assert (rows[1]["lines"], rows[1]["first_line"], rows[1]["last_line"]) == ([8, 4], 4, 8)
    assert set(rows[0]) == set(rows[1]) - {"also"}
    assert [row["origin"] for row in rows] == [None, "agent"], "a reader takes a rule without it for the owner's"


def test_every_row_says_its_project_and_its_day(lake: Lake) -> None:
    """A filter by day and project must be possible on the output; a fact has its time as well."""
    with lake.writing("test"), lake.commit() as change:
        change.replace("sessions", pl.DataFrame([{"session_id": "s-1", "project": "/p", "day": DAY}]), DAY)
    segment, fact = select_export_rows(lake, session="s-1")
    assert (segment["project"], segment["day"], segment["said_at"]) == ("/p", DAY, None)
    assert (fact["day"], fact["said_at"]) == (DAY, AT)
    (week,) = select_export_rows(lake, tier=2)
    assert (week["project"], week["day"]) == ("/p", DAY)


def test_what_a_fact_turns_down_stands_beside_its_text(lake: Lake) -> None:
    """Who reads the texts reads what holds."""
    fact = lake.read("observations").filter(pl.col("observation_id") == "o-1")
    told = fact.with_columns(text=pl.lit("Jobs live in Postgres (rejected: Redis: a second service)"))
    with lake.writing("test"), lake.commit() as change:
        change.replace("observations", told, DAY)
    (row,) = [row for row in select_export_rows(lake, session="s-1") if row["id"] == "o-1"]
    assert (row["text"], row["turned_down"]) == ("Jobs live in Postgres", ["Redis: a second service"])


def test_superseded_facts_come_when_everything_is_asked_for(lake: Lake) -> None:
    """Held facts still do not: they never passed the checks."""
    assert [row["id"] for row in select_export_rows(lake, session="s-1", is_complete=True)] == ["s-x", "o-1", "o-2"]


def test_evidence_from_other_sessions_has_its_lines_there(lake: Lake) -> None:
    """`also` names the session, the entries and where they stand."""
    facts = {row["id"]: row for row in select_export_rows(lake)}
    assert facts["o-1"]["also"] == [{"session_id": "s-2", "entry_ids": ["e9"], "lines": [12]}]
    assert "also" not in facts["o-4"]


def test_condensed_periods_come_only_with_their_tier(lake: Lake) -> None:
    """A distillate carries the citations of the session that was asked for, those first, with the lines that the lake knows."""
    assert all(row["source"] != "distillate" for row in select_export_rows(lake))
    (row,) = select_export_rows(lake, tier=2, session="s-2")
    assert (row["id"], row["tier"], row["entry_ids"]) == ("d-1", 2, ["e9"])
    assert (row["lines"], row["first_line"], row["last_line"]) == ([12], 12, 12)
    assert row["also"] == [{"session_id": "s-1", "entry_ids": ["e3", "e7"], "lines": []}]
    assert select_export_rows(lake, tier=3) == []


def test_only_from_a_day_on(lake: Lake) -> None:
    """Days are in the owner's zone, the first one included."""
    assert len(select_export_rows(lake, since=DAY)) == 3
    assert select_export_rows(lake, since=date(2026, 5, 18)) == []


def test_rows_are_written_as_parquet_and_printed_as_csv_with_the_same_columns(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Facts, narratives and periods, also none; nested values are JSON in CSV."""
    folder = tmp_path.with_name(f"{tmp_path.name}-out")
    folder.mkdir()
    path = folder / "memory.parquet"
    for name, value in {"LAKE": tmp_path, "WORKSPACE": folder / "ws", "OWNER": "mara", "TIMEZONE": "UTC"}.items():
        monkeypatch.setenv(f"RECOLLECT_{name}", str(value))
    for tier, count in (("0", 3), ("2", 1), ("3", 0)):
        assert run(["export", "--tier", tier, "--parquet", str(path)]) == 0
        stored = pl.read_parquet(path)
        assert (stored.columns, stored.height) == (list(EXPORT_SCHEMA), count)
        capsys.readouterr()
        assert run(["export", "--tier", tier, "--csv"]) == 0
        header, *rows = csv.reader(capsys.readouterr().out.splitlines())
        assert header == stored.columns
        assert [row[0] for row in rows] == stored["id"].to_list()
    assert run(["export", "--csv", "--json"]) == 2
    monkeypatch.setattr("effects.recall.export_rows.select_export_rows", Mock(side_effect=AssertionError("rows were read")))
    assert run(["export", "--parquet", str(folder / "nope" / "x.parquet")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_a_folder_that_does_not_exist_is_refused_and_not_made(tmp_path: Path) -> None:
    """A misspelt path would be a success, and its rows lie where nobody looks."""
    with pytest.raises(UsageError, match="there is no folder") as refused:
        write_export_file([], tmp_path / "nope" / "x.parquet")
    assert refused.value.hint.startswith(f"mkdir -p {tmp_path / 'nope'}")
    assert not (tmp_path / "nope").exists()
