"""A history of years renders: polars must not infer the schema of the pages from the first hundred of them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from effects.config.settings import Settings
from effects.pages.render_step import render
from effects.store.lake import Lake
from effects.store.run import Run
from transforms.tables.rows import WindowRow
from transforms.tables.schema import WINDOWS, build_frame

FIRST = date(2022, 3, 1)


def window(day: date, number: int) -> WindowRow:
    """Return a distilled window at eight in the morning."""
    at = datetime.combine(day, time(8), UTC)
    return {
        "window_id": f"w-{number:04d}", "session_id": f"session-{number}", "kind": "closing", "first_ordinal": 0,
        "last_ordinal": 9, "entry_count": 10, "user_message_count": 5, "token_count": 900, "started_at": at, "ended_at": at,
        "files_read": [], "files_modified": [], "current_task": f"Task {number}", "suggested_response": "", "status": "distilled",
        "reason": "", "attempts": 1, "engine": "offline", "template_hash": "1", "content_hash": f"{number}",
        "session_hash": None, "day": day,
    }  # fmt: skip


def render_night(folder: Path, windows: list[WindowRow], as_of: date) -> dict[str, object]:
    """Add the windows and render the workspace."""
    settings = Settings(lake=folder / "lake", workspace=folder / "work", timezone="UTC", owner="joel")
    run = Run(settings, Lake(settings.lake), datetime.combine(as_of, time(4), UTC))
    with run.lake.writing("test"):
        with run.lake.commit() as change:
            change.replace_days("windows", build_frame(WINDOWS, windows), [row["day"] for row in windows])
        return render(run)


def test_every_active_day_gets_a_page_however_long_the_history_is(tmp_path: Path) -> None:
    """`render_id` is null on all daily logs and set on REVIEW.md, which comes after them."""
    written = 0
    for count in (150, 151, 400):
        days = [FIRST + timedelta(days=number) for number in range(written, count)]
        windows = [window(day, number) for number, day in enumerate(days, written)]
        counts = render_night(tmp_path, windows, days[-1] + timedelta(days=1))
        pages = Lake(tmp_path / "lake").read("pages")
        assert counts["pages"] == pages.height == count + 1
        assert counts["written"] == len(days) + (written == 0)
        assert pages["render_id"].drop_nulls().len() == 1
        assert f"Task {count - 1}" in (tmp_path / "work" / "memory" / f"{days[-1]}.md").read_text(encoding="utf-8")
        written = count
