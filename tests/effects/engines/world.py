"""Two or three small sessions, distilled with a model at the other end of a loopback connection."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.config.settings import DistilSettings, EngineSettings, Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest
from effects.store.lake import Lake
from effects.store.run import Run
from tests.effects.distil.test_distil_step import write_session
from tests.transforms.conversations import agent, user

AS_OF = datetime(2026, 6, 1, tzinfo=UTC)
MODEL = "instructor:openai/gpt-4o-mini"


def run_on(folder: Path, observer: str = MODEL, as_of: datetime = AS_OF, second_reading: str = "off", **engine: Any) -> Run:
    """Return a run over the sessions of a folder, with its windows cut; writes a session when there is none."""
    if not (folder / "sessions").exists():
        written(folder, "one")
    chosen = {"concurrency": 1, "budget_day_usd": 10.0, "budget_run_usd": 10.0, **engine}
    settings = Settings(
        sessions=(folder / "sessions",), lake=folder / "lake", workspace=folder / "work", timezone="UTC", owner="joel",
        engine=EngineSettings(observer=observer, **chosen), distil=DistilSettings(second_reading=second_reading),
    )  # fmt: skip
    run = Run(settings, Lake(settings.lake), as_of)
    with run.lake.writing("test"):
        ingest(run)
        window(run)
    return run


def written(folder: Path, name: str) -> None:
    """Write a session that differs from all others in one sentence: requests about equal transcripts are equal."""
    write_session(folder / "sessions", name, 2, [user(f"that was the session called {name}"), agent("Noted.")])


def distilled(run: Run) -> dict[str, Any]:
    with run.lake.writing("test"):
        return distil(run)


def windows(run: Run) -> list[tuple[str, str, int]]:
    """Return (status, reason, attempts) of every window."""
    rows = run.lake.read("windows").sort("session_id", "first_ordinal")
    return [(row["status"], row["reason"], row["attempts"]) for row in rows.to_dicts()]


def calls(run: Run) -> list[dict[str, Any]]:
    return run.lake.read("model_calls").to_dicts()


def facts(run: Run) -> dict[str, tuple[str, str]]:
    """Return text → (verdict, reason)."""
    return {row["text"]: (row["verdict"], row["verdict_reason"]) for row in run.lake.read("observations").to_dicts()}


def kept(run: Run) -> pl.DataFrame:
    return run.lake.read("observations").filter(pl.col("verdict") == "allow")


def set_environment(monkeypatch: pytest.MonkeyPatch, folder: Path, base_url: str) -> None:
    """Give the commands the lake of `run_on`, with a model that this server plays."""
    settings = {
        "RECOLLECT_SESSIONS": str(folder / "sessions"), "RECOLLECT_LAKE": str(folder / "lake"),
        "RECOLLECT_WORKSPACE": str(folder / "work"), "RECOLLECT_TIMEZONE": "UTC", "RECOLLECT_OWNER": "joel",
        "RECOLLECT_ENGINE__OBSERVER": MODEL, "RECOLLECT_ENGINE__BASE_URL": base_url, "NO_PROXY": "127.0.0.1",
        "RECOLLECT_DISTIL__SECOND_READING": "off",
    }  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
