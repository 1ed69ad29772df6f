"""Inputs of days: a plan names them without reading them, and what a finished day read is forgotten."""

from __future__ import annotations

from datetime import date

import pytest

from tests.transforms.condensing.test_tiers import AFTER, FILLER, LATER, MONDAY, day_inputs, observation, segment
from transforms.condensing.day_inputs import DayInputs
from transforms.condensing.tiers import build_distillate_row, plan_tiers, release_inputs
from transforms.tables.periods import DAY


def test_a_plan_reads_no_text_and_a_row_only_those_of_its_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ids of all periods follow from names and citations: a night reads the days that it makes, and no others."""
    read: list[tuple[str, date]] = []
    original = DayInputs.read
    monkeypatch.setattr(DayInputs, "read", lambda self, *place: (read.append(place), original(self, *place))[1])
    rows = [*FILLER, observation(1, "Use pnpm", day=date(2026, 3, 3)), observation(2, "Use vitest", day=date(2026, 3, 4))]
    plan = plan_tiers(day_inputs(rows, [segment(1, "The parser reads headers.")]), AFTER, LATER)
    assert not read
    first = plan.nodes[0]
    build_distillate_row(first)
    assert read == [("/code/app", MONDAY)]
    release_inputs(first)
    assert first.read is None


def test_each_year_of_a_project_is_a_plan_of_its_own() -> None:
    """No period takes in one of another year, so that the texts of one year are held at a time."""
    rows = [observation(n, f"Use tool {n}", day=day) for n, day in enumerate((date(2025, 12, 31), date(2026, 1, 2), MONDAY))]
    plan = plan_tiers(day_inputs([*rows, observation(9, "Use pnpm", project="/code/other")], []), AFTER, LATER)
    years = plan.split_by_year()
    assert sorted(node.id for year in years for node in year.nodes) == sorted(node.id for node in plan.nodes)
    for year in years:
        assert {child.id for node in year.nodes for child in node.below} <= {node.id for node in year.nodes}
    assert sorted(len([node for node in year.nodes if node.period.tier == DAY]) for year in years) == [1, 3]


def test_a_finished_request_is_no_former_claim_and_its_story_stays() -> None:
    """What was asked for was asked for: the sentence that tells it stays, and the outcome names no earlier claim."""
    told = "The owner asked for an importer that reads tables in parallel."
    rows = [
        *FILLER,
        observation(1, "Build an importer that reads tables in parallel", "request", superseded_by="o-0002"),
        observation(2, "The importer is built", "completion"),
        observation(3, "Tables live in Postgres", superseded_by="o-0004"),
        observation(4, "Tables live in DuckDB"),
    ]
    inputs = day_inputs(rows, [segment(1, f"{told} Tables live in Postgres.")])
    items = {item.text: item.earlier for item in (leaf.item for leaf in inputs.read("/code/app", MONDAY))}
    assert items["The importer is built"] == ""
    assert items["Tables live in DuckDB"] == "Tables live in Postgres"
    narrative = next(leaf for leaf in inputs.read("/code/app", MONDAY) if leaf.item.kind == "narrative")
    assert narrative.session_facts is not None
    assert narrative.session_facts.replaced == ["Tables live in Postgres"]
