"""The report page: made from the lake alone, whole without network, and safe whatever the sessions say."""

from __future__ import annotations

import os
import re
from datetime import date
from pathlib import Path

import pytest

from effects.report.report_file import render_report, write_report
from effects.store.run_record import record_run
from tests.effects.memory_world import World
from transforms.tables.ids import hash_fields
from transforms.tables.schema import CONFIRMATIONS, build_frame

GOLDEN = Path(__file__).parents[2] / "golden" / "report.html"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a lake with three facts, two of them hostile, a decided and a waiting proposal, and the row of a run."""
    world = World(tmp_path)
    world.observe('Joel set a rule: "never force-push to main"')
    world.observe("<script>alert(1)</script> \u202e\x1b[2J & <img src=http://example.org/x>", "decision", project="/w/<b>app")
    world.observe("User asked: list the files", "request", priority="low")
    world.night()
    with world.run.lake.writing("test"), record_run(world.run, "nightly", {}):
        pass
    return world


def test_the_page_is_as_agreed(world: World) -> None:
    page = re.sub(r"(?s)<h2>Health</h2>.*</section>", "<h2>Health</h2></section>", render_report(world.run))
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(page, encoding="utf-8")
    assert page == GOLDEN.read_text(encoding="utf-8")


def test_the_same_lake_gives_the_same_page_whatever_the_clock_says(world: World) -> None:
    page = render_report(world.run)
    world.days = 30
    assert render_report(world.run) == page


def test_words_of_sessions_are_words_and_nothing_is_fetched(world: World) -> None:
    page = render_report(world.run)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert not re.search(
        r"<(?:script|img|link|iframe|b>app)|\ssrc=[\"'h]|url\(|@import|\x1b|\u202e", page.replace("src=http://example", "")
    )
    assert "default-src 'none'" in page
    assert "User asked" not in page


def test_lines_of_memory_say_when_they_were_last_confirmed(world: World) -> None:
    """What the repositories do not have any more stands first."""
    lines = {
        "Invoices are rendered in src/<b>.py": ("src/<b>.py", "gone", None),
        "Checks run with make lint": ("make lint", "present", 9),
    }
    world.memory_file.write_text("# Memory\n\n## Patterns\n\n" + "".join(f"- {line}\n" for line in lines), encoding="utf-8")
    rows = [
        {
            "target": f"m-{hash_fields(line)}", "name": name, "kind": "path", "status": status, "repository": "/w/app",
            "commit": None, "new_name": None, "confirmed_on": date(2026, 5, day) if day else None, "state": "s",
        }
        for line, (name, status, day) in lines.items()
    ]  # fmt: skip
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("confirmations", build_frame(CONFIRMATIONS, rows))
    page = render_report(world.run)
    section = page.partition("<h2>MEMORY.md in the repositories</h2>")[2].partition("</section>")[0]
    assert (
        section.index("src/&lt;b&gt;.py is gone")
        < section.index("Checks run with make lint")
        < section.index("confirmed 2026-05-09")
    )


def test_the_file_is_private_and_a_second_writing_changes_nothing(world: World) -> None:
    path = write_report(world.run)
    before = path.stat()
    write_report(world.run)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert before.st_mode & 0o777 == 0o600


def test_a_page_for_small_screens_and_for_readers_who_hear_it(world: World) -> None:
    """One heading of the first rank, a label for each picture, a caption for each table, both colour schemes."""
    page = render_report(world.run)
    assert page.count("<h1>") == 1
    assert page.count("<svg") == len(re.findall(r'<svg [^>]*role="img" aria-label="[^"]+: [^"]+"', page)) > 0
    assert page.count("<table") == page.count("<caption")
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page
    for heading in ("Facts kept", "Topics", "Tiers", "Proposals", "found", "entries", "Friction", "Spent", "Archive", "Health"):
        assert re.search(rf"<h2>[^<]*{heading}", page), heading


def test_without_an_index_the_page_says_so(world: World) -> None:
    assert "recollect rebuild index" in render_report(world.run)
