"""A week without nights: one run does what seven would have done, oldest session first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from effects.config.settings import EmbeddingSettings, Settings
from effects.distil import distil_step
from effects.store.lake import Lake
from effects.store.run import Run
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline
from tests.flows import test_runner_closing_together
from tests.flows.test_runner_closing_together import session_file

MONDAY = datetime(2026, 5, 11, 10, tzinfo=UTC)


def night_after(folder: Path, day: int) -> Run:
    """Return the run in the morning after a day; nothing is embedded."""
    settings = Settings(
        sessions=(folder.parent / "sessions",), lake=folder / "lake", workspace=folder / "workspace",
        owner="mara", timezone="UTC", embedding=EmbeddingSettings(model=str(folder / "no-model")),
    )  # fmt: skip
    return Run(settings, Lake(settings.lake), MONDAY + timedelta(days=day, hours=17))


def test_a_missed_week_heals_in_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same facts as with a night after every day, a log for each of them, and the oldest day is read first."""
    order: list[str] = []
    read_order = distil_step._order_windows

    def watch(lake: Lake, windows: pl.DataFrame) -> object:
        ordered = read_order(lake, windows)
        order.extend(row["session_id"] for row in ordered)
        return ordered

    for day in range(7):
        monkeypatch.setattr(test_runner_closing_together, "START", MONDAY + timedelta(days=day))
        session_file(tmp_path / "sessions", f"s-{7 - day}")
        run_pipeline(night_after(tmp_path / "every", day), nightly_pipeline(None))
    monkeypatch.setattr(distil_step, "_order_windows", watch)
    healed = night_after(tmp_path / "once", 6)
    run_pipeline(healed, nightly_pipeline(None))
    assert order == [f"s-{7 - day}" for day in range(7)]
    every = Lake(tmp_path / "every" / "lake")
    for table in ("entries", "coverage", "windows", "observations"):
        assert healed.lake.read(table).equals(every.read(table)), table
    logs = sorted(path.stem for path in (tmp_path / "once" / "workspace" / "memory").glob("2026-*.md"))
    assert logs[:7] == [f"2026-05-{11 + day}" for day in range(7)]
