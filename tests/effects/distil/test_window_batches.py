"""What a summary sums up is read from the days of its session only."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from effects.config.settings import Settings
from effects.distil import window_batches
from effects.ingest.ingest_step import ingest
from effects.store.lake import Lake
from effects.store.run import Run
from tests.transforms.conversations import agent, user
from transforms.conversation.entries import build_entries


def write_session(folder: Path, name: str, kinds: str) -> None:
    """Write a session with one entry a day: said by the owner (u), by the agent (a), or a summary (s)."""
    folder.mkdir(parents=True, exist_ok=True)
    raw: dict[str, dict[str, Any]] = {
        "u": user(f"build {name}"),
        "a": agent("built"),
        "s": {"type": "compaction", "summary": "so far"},
    }
    header = {"type": "session", "version": 3, "id": name, "timestamp": "2026-03-01T09:00:00.000Z", "cwd": "/work/demo"}
    lines = [header]
    for at, kind in enumerate(kinds):
        parent = f"{name}-{at - 1}" if at else None
        lines.append(raw[kind] | {"id": f"{name}-{at}", "parentId": parent, "timestamp": f"2026-03-{at + 1:02d}T09:00:00.000Z"})
    (folder / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))


@pytest.mark.parametrize(
    ("first", "summarised"),
    [(0, None), (2, [0, 1]), (3, None), (4, [3]), (6, [5]), (7, None)],
    ids=["no summary", "the first one", "none in the window", "since the first one", "a later one", "the end"],
)
def test_a_window_with_a_summary_gets_the_entries_since_the_summary_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int, summarised: list[int] | None
) -> None:
    """They lie on other days than the window; days on which the session said nothing are not read."""
    write_session(tmp_path / "sessions", "one", "uasusasu")
    write_session(tmp_path / "sessions", "two", "uauauauauauaua")
    settings = Settings(sessions=(tmp_path / "sessions",), lake=tmp_path / "lake", workspace=tmp_path / "work", timezone="UTC")
    run = Run(settings, Lake(settings.lake), datetime(2026, 6, 1, tzinfo=UTC))
    with run.lake.writing("test"):
        ingest(run)
    frame = run.lake.scan("entries").filter(pl.col("session_id") == "one").sort("ordinal").collect()
    members = build_entries(frame)[first : first + 1]
    scanned: list[Any] = []
    scan = run.lake.scan

    def note_days(table: str, days: Any = None) -> pl.LazyFrame:
        """Scan and note which days were asked for."""
        scanned.append(days)
        return scan(table, days)

    monkeypatch.setattr(run.lake, "scan", note_days)
    found = window_batches._read_summarised(run.lake, {"w": members})
    assert {window: [entry.ordinal for entry in entries] for window, entries in found.items()} == (
        {} if summarised is None else {"w": summarised}
    )
    assert [len(days) for days in scanned[1:]] == ([] if summarised is None else [len(summarised)])
