"""The index of the briefings: which project a folder's opening is about."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

from effects.config.settings import Settings
from effects.pages.briefing_index import BriefingIndex, compute_inputs_key
from effects.store.run import open_run
from transforms.tables.rows import RelationRow
from transforms.tables.schema import RELATIONS, build_frame


def test_a_new_folder_below_home_does_not_open_with_the_briefing_of_home() -> None:
    home = str(Path.home())
    index = BriefingIndex(projects={home: home, f"{home}/work/shop": "/w/shop"})
    assert index.find_project(f"{home}/new") == ""
    assert index.find_project(home) == home
    assert index.find_project(f"{home}/work/shop/src") == "/w/shop"


def test_a_briefing_is_not_current_once_a_model_told_what_belongs_together(tmp_path: Path) -> None:
    """It says of a fact which part of it a later one replaced."""
    run = open_run(
        Settings(lake=tmp_path / "lake", workspace=tmp_path / "pages", timezone="UTC"), datetime(2026, 3, 4, tzinfo=UTC)
    )
    row: RelationRow = {
        "older_id": "o-1", "newer_id": "o-2", "relation": "replaces_part", "engine": "m", "template_hash": "t",
        "asked_on": date(2026, 3, 4), "reports_asked_on": None, "keeps": [], "older_source": None, "newer_source": None,
    }  # fmt: skip
    keys = []
    with run.lake.writing("test"):
        for rows in ([], [row]):
            with run.lake.commit() as change:
                change.replace("relations", build_frame(RELATIONS, rows))
            keys.append(compute_inputs_key(run))
    assert keys[0]
    assert keys[0] != keys[1]
