"""The report in a real browser: it fits a telephone and a desk, whatever the sessions say, and its picture is not blank."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from benchmarks.pages.report_pictures import find_browser, measure_view, take_picture
from effects.report.report_file import write_report
from tests.effects.memory_world import World

BROWSER = find_browser() or ""
pytestmark = pytest.mark.skipif(not BROWSER, reason="there is no Chromium: apt-get install chromium")
LONG_WORD = "averylongnamewithoutanyplacetobreakit" * 12


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of a lake of half a year with long words, long project names and markup."""
    world = World(tmp_path_factory.mktemp("report"))
    for place in range(0, 180, 3):
        day = date(2026, 5, 16) - timedelta(days=place)
        world.observe(f"Joel set a rule: number {place} of {LONG_WORD if not place else 'many'}", day=day)
    world.observe(f"`{LONG_WORD}` <table width=4000><tr><td>x</table>", "decision", project=f"/w/{LONG_WORD}")
    world.night()
    return write_report(world.run)


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nobody_scrolls_sideways(page: Path, width: int) -> None:
    view = measure_view(BROWSER, page, width)
    assert view.overflow_px <= 0
    assert view.outside == []
    assert view.headings >= 10


def test_a_page_that_does_not_fit_is_found(tmp_path: Path) -> None:
    """The measure can fail: a table wider than the screen is named."""
    wide = tmp_path / "wide.html"
    wide.write_text("<!doctype html><h1>t</h1><p style='width:900px'>broad</p>")
    view = measure_view(BROWSER, wide, 390)
    assert view.overflow_px > 400
    assert view.outside == ["P broad"]
    assert not view.fits


def test_the_picture_shows_something(page: Path, tmp_path: Path) -> None:
    """A blank PNG of this size has a few kilobytes."""
    picture = tmp_path / "phone.png"
    take_picture(BROWSER, page, measure_view(BROWSER, page, 390), picture)
    assert picture.stat().st_size > 50_000
