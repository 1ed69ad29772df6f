"""Briefings are rendered again when anything that they are made of changed, and only then."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from effects.config.settings import Settings
from effects.pages import briefing_pages
from effects.pages.briefing_index import INDEX_FILE
from effects.pages.render_step import render
from effects.store.run import Run, open_run
from transforms.tables.schema import TABLES, build_frame

DAY = date(2026, 3, 2)
PAGE = "briefing/app.md"


def at(hour: int) -> datetime:
    return datetime(2026, 3, 2, hour, tzinfo=UTC)


def store(run: Run, table: str, row: dict[str, object]) -> None:
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace(table, build_frame(TABLES[table], [row]), DAY if TABLES[table].is_daily else None)


PLACE: dict[str, object] = {"session_id": "one", "project": "/w/app", "day": DAY}
FACT = PLACE | {
    "observation_id": "o-1", "segment_id": "s-1", "window_id": "w-1", "verdict": "allow", "kind": "decision",
    "priority": "high", "origin": "owner", "said_at": at(8), "text": "Jobs live in Postgres.",
}  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return the run of a night over one distilled window, whose pages are rendered."""
    settings = Settings(lake=tmp_path / "lake", workspace=tmp_path / "pages", timezone="UTC", owner="Mara")
    run = open_run(settings, at(20))
    session = {
        "session_id": "one",
        "title": "Queue",
        "project": "/w/app",
        "ended_at": at(9),
        "source_path": "/s/one.jsonl",
        "day": DAY,
    }
    window = {"window_id": "w-1", "session_id": "one", "kind": "closing", "status": "distilled", "started_at": at(8),
              "ended_at": at(9), "day": DAY, "user_message_count": 7}  # fmt: skip
    for table, row in {"sessions": session, "windows": window, "observations": FACT}.items():
        store(run, table, row)
    render_as_writer(run)
    return run


def render_as_writer(run: Run) -> None:
    with run.lake.writing("test"):
        render(run)


@pytest.fixture
def rendered(run: Run, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each rendering of a briefing from now on adds its project."""
    projects: list[str] = []
    make = briefing_pages.make_briefing

    def make_and_note(run: Run, frames: object, project: str, *rest: object) -> object:
        projects.append(project)
        return make(run, frames, project, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(briefing_pages, "make_briefing", make_and_note)
    return projects


def read_all(run: Run) -> tuple[bytes, bytes]:
    """Return the page and the index."""
    return (run.settings.workspace / PAGE).read_bytes(), (run.lake.root / INDEX_FILE).read_bytes()


def test_the_first_night_without_anything_new_renders_no_briefing(run: Run, rendered: list[str]) -> None:
    before = read_all(run)
    (run.lake.root / "_logs" / "settled.log").unlink(missing_ok=True)
    render_as_writer(run)
    assert (rendered, read_all(run)) == ([], before)


@pytest.mark.parametrize("change", ["fact", "memory", "page", "gone", "short form", "notes"])
def test_a_briefing_is_rendered_again_after_a_change(run: Run, rendered: list[str], change: str) -> None:
    """Of a fact, of MEMORY.md, of the page, and of the short form, which the index alone has; also without notes."""
    before = read_all(run)
    page, index = run.settings.workspace / PAGE, run.lake.root / INDEX_FILE
    if change == "fact":
        store(run, "observations", FACT | {"text": "Jobs live in Redis."})
    elif change == "memory":
        (run.settings.workspace / "MEMORY.md").write_text("# Memory\n\n## Mara\n\n- Writes small commits\n", encoding="utf-8")
    elif change == "page":
        page.write_text("a person's page", encoding="utf-8")
    elif change == "gone":
        page.unlink()
    elif change == "short form":
        index.write_text(
            json.dumps(json.loads(index.read_text("utf-8")) | {"short": {"/w/app": "other words"}}), encoding="utf-8"
        )
    else:
        (run.lake.root / "_logs" / "parts_briefings.log").write_bytes(b"damaged")
    render_as_writer(run)
    assert rendered == ["/w/app"]
    if change in ("gone", "short form", "notes"):
        assert read_all(run) == before
    elif change == "page":
        assert page.read_text(encoding="utf-8") == "a person's page"
        assert page.with_name("app.md.new").read_bytes() == before[0]
    else:
        assert read_all(run)[0] != before[0]


@pytest.mark.parametrize("ended_on", [10, 25])
def test_a_page_with_a_fact_that_has_an_end_is_the_same_on_each_night_and_after_a_rebuild(run: Run, ended_on: int) -> None:
    """Which facts are over is told by the tables, also where the clock of a session is ahead of the night."""
    ended_at = datetime(2026, 3, ended_on, tzinfo=UTC)
    store(run, "observations", FACT | {"text": "No deploys until 2026-03-20."})
    store(run, "sessions", {"session_id": "one", "project": "/w/app", "ended_at": ended_at, "source_path": "/s", "day": DAY})
    pages = []
    for day, is_rebuild in ((3, False), (15, False), (30, False), (15, True), (30, True)):
        later = open_run(run.settings, datetime(2026, 3, day, tzinfo=UTC))
        if is_rebuild:
            (run.settings.workspace / PAGE).unlink()
        render_as_writer(later)
        pages.append((run.settings.workspace / PAGE).read_bytes())
    assert set(pages) == {pages[0]}
    assert (b"No deploys" in pages[0]) == (ended_on <= 20)


def test_rendering_pages_prints_no_warning(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    """Polars printed each night that it could not check whether the messages of topics are sorted."""
    entry = {"session_id": "one", "day": DAY, "entry_id": "e1", "ordinal": 1, "entry_type": "message", "said_at": at(8),
             "text": "Where?"}  # fmt: skip
    store(run, "entries", entry)
    topic = {"segment_id": "s-1", "window_id": "w-1", "title": "Queue", "started_at": at(7), "ended_at": at(9),
             "first_ordinal": 0, "last_ordinal": 3}  # fmt: skip
    store(run, "segments", PLACE | topic)
    capfd.readouterr()
    render_as_writer(run)
    assert "Queue" in (run.settings.workspace / "memory" / "2026-03-02.md").read_text(encoding="utf-8")
    assert capfd.readouterr().err == ""
