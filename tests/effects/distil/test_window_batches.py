"""What a summary sums up is read from the days of its session only."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from effects.config.settings import Settings, WindowSettings
from effects.distil import window_batches
from effects.distil.attribute_step import attribute
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest
from effects.store.lake import Lake
from effects.store.run import Run
from tests.transforms.conversations import agent, user
from transforms.conversation.entries import build_entries


def write_session(folder: Path, name: str, kinds: str, typed: str = "build it") -> None:
    """Write a session with one entry a day: said by the owner (u), by the agent (a), or a summary (s)."""
    folder.mkdir(parents=True, exist_ok=True)
    raw: dict[str, dict[str, Any]] = {
        "u": user(typed),
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


def test_the_windows_of_a_long_session_are_read_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session of 300 MB has thousands; read together, their entries took more than a GB. Facts and topics stay the same."""
    write_session(tmp_path / "sessions", "one", "uauasuauauaua", "We decided to keep port 8080 for the gateway from now on.")
    results = []
    read: list[int] = []
    read_texts = window_batches._read_texts

    def note_windows(run: Run, batch: list[Any]) -> Any:
        """Read and note how many windows were asked for."""
        read.append(len(batch))
        return read_texts(run, batch)

    monkeypatch.setattr(window_batches, "_read_texts", note_windows)
    for name, at_once in (("whole", 200), ("pieces", 2)):
        monkeypatch.setattr(window_batches, "WINDOWS_AT_ONCE", at_once)
        settings = Settings(
            sessions=(tmp_path / "sessions",), lake=tmp_path / name, workspace=tmp_path / "work", timezone="UTC",
            window=WindowSettings(min_user_messages=1),
        )  # fmt: skip
        run = Run(settings, Lake(settings.lake), datetime(2026, 6, 1, tzinfo=UTC))
        read.clear()
        with run.lake.writing("test"):
            for step in (ingest, attribute, window, distil):
                step(run)
        results.append([run.lake.read(table).drop("schema_version") for table in ("windows", "segments", "observations")])
        windows = results[-1][0].filter(pl.col("status") == "distilled").height
        assert windows > 4
        assert read == ([windows] if at_once == 200 else [2] * (windows // 2) + [1] * (windows % 2))
    assert results[0][2].height > 0
    assert all(whole.equals(pieces) for whole, pieces in zip(*results, strict=True))
