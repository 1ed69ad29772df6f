"""A chapter tells a week that ended, and the same rows tell it in the same bytes."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import polars as pl

from effects.pages.timeline_step import timeline
from tests.effects.recall_world import AS_OF, filled
from transforms.tables.schema import OBSERVATIONS, SEGMENTS
from transforms.timeline.chapter import build_chapters, name_week

GOLDEN = Path(__file__).parents[2] / "golden" / "timeline.md"


def test_weeks_have_the_names_of_iso() -> None:
    """A week of January may belong to the year before."""
    assert [name_week(date(2026, 5, 17)), name_week(date(2027, 1, 3)), name_week(date(2026, 1, 1))] == [
        "2026-W20", "2026-W53", "2026-W01",
    ]  # fmt: skip


def test_the_page_of_a_week(tmp_path: Path) -> None:
    """Narratives, decisions and commits of each project; `UPDATE_GOLDEN=1` writes the golden page again."""
    run = filled(tmp_path, is_indexed=False)
    commit = run.lake.read("observations").filter(pl.col("observation_id") == "o-ttl").drop("schema_version").with_columns(
        observation_id=pl.lit("o-commit"), kind=pl.lit("completion"), text=pl.lit('Committed "Cache sessions in Redis"')
    )  # fmt: skip
    with run.lake.writing("test"):
        day = commit["day"][0]
        with run.lake.commit() as change:
            change.replace("observations", pl.concat([run.lake.read("observations", [day]).drop("schema_version"), commit]), day)
        assert timeline(run)["written"] == 1
        assert timeline(run)["written"] == 0
    page = (run.settings.workspace / "timeline" / "2026-W07.md").read_text(encoding="utf-8")
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(page, encoding="utf-8")
    assert page == GOLDEN.read_text(encoding="utf-8")


def test_the_week_that_goes_on_has_no_chapter(tmp_path: Path) -> None:
    """It is told when it has ended."""
    run = filled(tmp_path, is_indexed=False)
    frames = {"observations": run.lake.read("observations"), "segments": run.lake.read("segments")}
    assert build_chapters(frames, date(2026, 2, 15)) == []
    assert [chapter.name for chapter in build_chapters(frames, AS_OF.date())] == ["2026-W07"]
    assert build_chapters({"observations": OBSERVATIONS.make_empty(), "segments": SEGMENTS.make_empty()}, AS_OF.date()) == []
