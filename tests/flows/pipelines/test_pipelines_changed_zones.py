"""An owner who travels: nights in other zones cover every entry once, and the first zone brings the first lake back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.safety.disturbing.worlds import START
from effects.config.settings import EmbeddingSettings, Settings
from effects.health.health_checks import check_installation
from effects.store.run import open_run
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline
from tests.flows.pipelines.test_pipelines_unusable_names import write_session


def test_a_zone_that_changes_between_nights_loses_nothing(tmp_path: Path) -> None:
    """A day stays the day of the zone in which its lines were read; doctor says so where the present zone has another one."""
    settings = Settings(
        sessions=(tmp_path / "sessions",), lake=tmp_path / "lake", workspace=tmp_path / "workspace", timezone="UTC",
        embedding=EmbeddingSettings(model=str(tmp_path / "none")),
    )  # fmt: skip
    noted: list[bool] = []
    for number, zone in enumerate(("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC")):
        write_session(tmp_path / "sessions", f"s{number}", f"s{number}", "/w/app")
        run = open_run(replace(settings, timezone=zone), START.replace(month=6, day=2 + number))
        run_pipeline(run, nightly_pipeline(None))
        key = ["session_id", "ordinal"]
        entries, coverage = run.lake.read("entries").select(key), run.lake.read("coverage").select(key)
        assert entries.equals(coverage), zone
        assert not coverage.is_duplicated().any(), zone
        assert [check.detail for check in check_installation(run) if check.level == "wrong"] == [], zone
        noted.append(any(check.name == "days" for check in check_installation(run)))
    assert noted[0] is False
    assert any(noted)
