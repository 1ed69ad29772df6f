"""The golden test on real sessions: something important is kept, no time is invented, no tool output is repeated."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from effects.config.settings import Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.health.sample_sessions import copy_sample_sessions
from effects.ingest.ingest_step import ingest
from effects.store.lake import Lake
from effects.store.run import Run
from tests.season import SAMPLES
from transforms.conversation.entries import Entry, build_entries

REAL = Path(__file__).resolve().parents[4] / "shared" / "sessions" / "real"
CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
RUN, ERROR_RUN = 16, 32
"""Words in a row: a little more than `transforms.distil.fact_grounding` allows, counted in another way."""


@dataclass(frozen=True)
class Memory:
    """The observations of some sessions, with their entries."""

    observations: list[dict[str, Any]]
    segments: list[dict[str, Any]]
    windows: list[dict[str, Any]]
    entries: dict[str, list[Entry]]
    zone: ZoneInfo


def _samples(target: Path) -> None:
    copy_sample_sessions(SAMPLES / "sessions", target)


def _real(target: Path) -> None:
    if not REAL.is_dir():
        pytest.skip(f"the real sessions are not here: {REAL}")
    target.symlink_to(REAL, target_is_directory=True)


@pytest.fixture(scope="module", params=[_samples, _real], ids=["samples", "real"])
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """Read, window and distil the sessions by the offline engine at the usual budget."""
    root = tmp_path_factory.mktemp("golden")
    bring: Callable[[Path], None] = request.param
    bring(root / "sessions")
    settings = Settings(
        sessions=(root / "sessions",), lake=root / "lake", workspace=root / "workspace", timezone="Europe/Berlin", owner="mara"
    )
    return distilled(settings)


def distilled(settings: Settings) -> Memory:
    """Return the memory of the sessions of these settings, made by the engine that they name."""
    run = Run(settings, Lake(settings.lake), datetime(2026, 12, 1, tzinfo=UTC))
    with run.lake.writing("golden test"):
        for step in (ingest, window, distil):
            step(run)
    kept = run.lake.read("observations").filter(pl.col("verdict") == "allow").to_dicts()
    segments, windows = (run.lake.read(name).to_dicts() for name in ("segments", "windows"))
    entries: dict[str, list[Entry]] = {}
    for entry in build_entries(run.lake.read("entries")):
        entries.setdefault(entry.session_id, []).append(entry)
    return Memory(kept, segments, windows, entries, ZoneInfo("Europe/Berlin"))


def test_every_distilled_window_keeps_an_observation(memory: Memory) -> None:
    """Of any priority: that a window says something important is not for an engine to decide."""
    distilled = {row["window_id"] for row in memory.windows if row["status"] == "distilled"}
    assert distilled
    assert not distilled - {row["window_id"] for row in memory.observations}


def test_every_time_of_day_stands_in_the_transcript(memory: Memory) -> None:
    """Either somebody wrote it, or it is the time of an entry of the session."""
    assert memory.observations
    named: dict[str, list[str]] = {}
    for row in [*memory.observations, *memory.segments]:
        named.setdefault(row["session_id"], []).extend(item[0] for item in CLOCK.finditer(_word_row(row)))
    for session, times in named.items():
        entries = memory.entries[session] if times else []
        words = "\n".join(entry.text + entry.raw_json for entry in entries)
        known = {entry.said_at.astimezone(zone).strftime("%H:%M") for entry in entries for zone in (memory.zone, UTC)}
        assert [time for time in times if time not in words and time.zfill(5) not in known] == [], session


def test_no_tool_output_is_repeated(memory: Memory) -> None:
    """No fact repeats many words in a row that only a tool printed, except for the text of an error."""
    assert memory.entries
    for session, entries in memory.entries.items():
        printed = _joined(entry.text for entry in entries if entry.role in ("toolResult", "bashExecution"))
        spoken = _joined(
            entry.text + (entry.raw_json if entry.role == "assistant" else "")
            for entry in entries
            if entry.role not in ("toolResult", "bashExecution")
        )
        for row in [*memory.observations, *memory.segments]:
            if row["session_id"] == session:
                results = _words(_word_row(row))
                size = ERROR_RUN if row.get("kind") in ("error", "root_cause", "fix") else RUN
                runs = (f" {' '.join(results[at : at + size])} " for at in range(len(results) - size + 1))
                assert not [run for run in runs if run in printed and run not in spoken], _word_row(row)


def test_nothing_quotes_an_aborted_request_or_the_memory_itself(memory: Memory) -> None:
    """Outcomes and contexts of facts contain none."""
    assert memory.observations
    for row in [*memory.observations, *memory.segments, *memory.windows]:
        low = _word_row(row).lower()
        assert "request was aborted" not in low
        assert "recollect:" not in low


def test_titles_are_short_and_narratives_are_there(memory: Memory) -> None:
    """A title fits into a line."""
    assert memory.segments
    for row in memory.segments:
        assert row["narrative"].strip()
        assert 1 <= len(row["title"]) <= 72, row["title"]


def _word_row(row: dict[str, Any]) -> str:
    fields = ("text", "title", "narrative", "current_task", "suggested_response")
    return "\n".join(row[name] for name in fields if row.get(name))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _joined(texts: Any) -> str:
    return f" {' '.join(_words(chr(10).join(texts)))} "
