"""The sheets of first requests: a night makes the lines of new facts, and takes the others from the former sheets."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from effects.config.settings import Settings
from effects.pages import fact_sheets
from effects.pages.fact_sheet_file import EMPTY_SHEET, SHEETS_FILE, compute_sheets_key, format_fact_sheets
from effects.pages.fact_sheets import find_shown_projects, make_fact_sheets
from effects.store.content_key import compute_basis
from effects.store.run import Run, open_run
from transforms.opening.fact_sheet import FactSheet
from transforms.opening.request_facts import RequestFact
from transforms.tables.schema import TABLES, build_frame

DAY = date(2026, 3, 2)
TEXTS = [f"The gateway of part {number} listens on port {9500 + number}." for number in range(5)]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a run over an empty lake."""
    settings = Settings(lake=tmp_path / "lake", workspace=tmp_path / "pages", timezone="UTC", owner="Mara")
    return open_run(settings, datetime(2026, 3, 2, 20, tzinfo=UTC))


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each line that is rendered from now on adds the id of its fact."""
    names, render = list[str](), fact_sheets._render_lines

    def render_and_note(facts: list[RequestFact]) -> list[str]:
        names.extend(fact.observation_id for fact in facts)
        return render(facts)

    monkeypatch.setattr(fact_sheets, "_render_lines", render_and_note)
    return names


def make_sheet(run: Run, texts: list[str], basis: str) -> FactSheet:
    """Return the sheet of facts of these texts, and store it as a night does."""
    rows = [
        {
            "observation_id": f"o-{text}", "project": "/w/app", "verdict": "allow", "kind": "decision", "origin": "agent",
            "priority": "high", "said_at": datetime(2026, 3, 2, 8, tzinfo=UTC), "text": text, "day": DAY,
        }
        for text in texts
    ]  # fmt: skip
    sheets = make_fact_sheets(run, build_frame(TABLES["observations"], rows), ["/w/app"])
    run.lake.root.mkdir(exist_ok=True)
    (run.lake.root / SHEETS_FILE).write_bytes(format_fact_sheets(compute_sheets_key(run), sheets, "", basis))
    return sheets["/w/app"]


def test_a_night_renders_the_lines_of_new_facts_alone(run: Run, rendered: list[str]) -> None:
    make_sheet(run, TEXTS[1:], compute_basis(run))
    rendered.clear()
    sheet = make_sheet(run, TEXTS[:4], compute_basis(run))
    assert rendered == [f"o-{TEXTS[0]}"]
    (run.lake.root / SHEETS_FILE).unlink()
    assert make_sheet(run, TEXTS[:4], "") == sheet, "the same as without a former sheet"


def test_lines_that_other_code_made_are_made_again(run: Run, rendered: list[str]) -> None:
    """A template or a rule of words may have changed without a new version of the sheets."""
    make_sheet(run, TEXTS, "other code")
    rendered.clear()
    make_sheet(run, TEXTS, compute_basis(run))
    assert len(rendered) == len(TEXTS)


def test_a_fact_told_about_makes_the_sheets_of_all_that_stands_for_it_or_gave_way_to_it() -> None:
    """Also over several projects, and of no other one."""
    facts = [("o-1", "/w/app", "o-2"), ("o-2", "/w/shop", "o-3"), ("o-3", "/w/mail", None), ("o-4", "/w/blog", None)]
    rows = [{"observation_id": key, "project": project, "superseded_by": heir} for key, project, heir in facts]
    observations = build_frame(TABLES["observations"], rows)
    for key in ("o-1", "o-2", "o-3"):
        assert find_shown_projects(observations, [key]) == {"/w/app", "/w/shop", "/w/mail"}
    assert find_shown_projects(observations, ["o-4"]) == {"/w/blog"}
    assert find_shown_projects(observations, ["o-5"]) == set()


def test_sheets_that_are_not_due_stay_as_they_are_stored(run: Run, rendered: list[str]) -> None:
    sheet = make_sheet(run, TEXTS[:2], compute_basis(run))
    rendered.clear()
    none = build_frame(TABLES["observations"], [])
    assert make_fact_sheets(run, none, ["/w/app"], [], due=["/w/shop"]) == {"/w/app": sheet}
    assert make_fact_sheets(run, none, ["/w/app"], [], due=["/w/app"]) == {"/w/app": EMPTY_SHEET}
    assert rendered == []
