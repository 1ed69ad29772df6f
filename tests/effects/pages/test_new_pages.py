"""Texts of nights beside pages: the next night removes what nobody wrote into and nobody needs."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from effects.config.settings import Settings
from effects.memory.review_page import is_whole_rendering, render_review
from effects.pages.render_step import render
from effects.store.run import Counts, Run, open_run
from transforms.tables.ids import hash_fields

OLD = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return the run of a night whose pages are rendered."""
    run = open_run(Settings(lake=tmp_path / "lake", workspace=tmp_path / "pages", timezone="UTC", owner="Mara"), OLD)
    render_as_writer(run)
    return run


def render_as_writer(run: Run) -> Counts:
    with run.lake.writing("test"):
        return render(run)


def make_other_rendering(run: Run) -> str:
    """Return a REVIEW.md as another night, or another memory, rendered it."""
    text, render_id = render_review(run)
    other = text.replace(render_id, "-").replace("_No proposal waits for you.", "_Nothing waits for Ida.")
    rendered = other.replace("recollect:review -", f"recollect:review {hash_fields(other)}")
    assert is_whole_rendering(rendered)
    return rendered


def test_a_page_of_another_memory_is_not_called_edited(run: Run, tmp_path: Path) -> None:
    other = open_run(Settings(lake=tmp_path / "other", workspace=tmp_path / "pages", timezone="UTC", owner="Ida"), OLD)
    (tmp_path / "pages" / "REVIEW.md").write_text("of another lake", encoding="utf-8")
    counts = render_as_writer(other)
    assert (counts["kept_as_edited"], counts["kept_as_not_ours"]) == ([], ["REVIEW.md"])
    counts = render_as_writer(run)
    assert (counts["kept_as_edited"], counts["kept_as_not_ours"]) == (["REVIEW.md"], [])


def test_the_text_beside_an_edited_page_goes_when_the_page_is_ours_again(run: Run) -> None:
    page = run.settings.workspace / "REVIEW.md"
    new = page.with_name("REVIEW.md.new")
    page.write_text("edited", encoding="utf-8")
    assert render_as_writer(run)["superseded_removed"] == 0
    assert new.exists(), "the page is not ours: the owner may take the text"
    page.unlink()
    assert render_as_writer(run)["superseded_removed"] == 1
    assert not new.exists()


def test_an_old_rendering_of_the_review_is_known_by_its_own_hash_and_goes(run: Run) -> None:
    """As left by a version that noted nothing."""
    new = run.settings.workspace / "REVIEW.md.new"
    text = render_review(run)[0].replace("_No proposal waits for you.", "_Nothing waits for you.")
    assert not is_whole_rendering(text)
    new.write_text(text, encoding="utf-8")
    assert render_as_writer(run)["superseded_removed"] == 0
    assert new.exists(), "somebody wrote into it"
    new.write_text(make_other_rendering(run), encoding="utf-8")
    os.utime(new, ns=(0, new.with_suffix("").stat().st_mtime_ns - 1))
    assert render_as_writer(run)["superseded_removed"] == 1
    assert not new.exists()


def test_a_text_beside_memory_goes_only_when_it_is_a_copy(run: Run) -> None:
    memory = run.settings.workspace / "MEMORY.md"
    new = memory.with_name("MEMORY.md.new")
    new.write_text(memory.read_text(encoding="utf-8") + "- A line of mine\n", encoding="utf-8")
    render_as_writer(run)
    assert new.exists()
    new.write_bytes(memory.read_bytes())
    render_as_writer(run)
    assert not new.exists()


def test_the_review_of_another_memory_beside_ours_is_no_old_one(run: Run) -> None:
    """It was removed each night, and written again by the other memory, which has the same folder of pages."""
    new = run.settings.workspace / "REVIEW.md.new"
    new.write_text(make_other_rendering(run), encoding="utf-8")
    os.utime(new, ns=(0, new.with_suffix("").stat().st_mtime_ns + 1))
    assert render_as_writer(run)["superseded_removed"] == 0
    assert new.exists()


def test_a_folder_or_a_lost_link_with_the_name_of_such_a_text_stops_no_night(run: Run) -> None:
    (run.settings.workspace / "REVIEW.md.new").mkdir()
    (run.settings.workspace / "MEMORY.md.new").symlink_to("nowhere")
    assert render_as_writer(run)["superseded_removed"] == 0


def test_words_that_a_person_wrote_into_the_text_beside_a_page_stay(run: Run) -> None:
    """The next night with another text wrote over them."""
    page = run.settings.workspace / "REVIEW.md"
    new = page.with_name("REVIEW.md.new")
    page.write_text("edited", encoding="utf-8")
    render_as_writer(run)
    ours = new.read_text(encoding="utf-8")
    new.write_text(older := ours.replace("No proposal", "Nothing"), encoding="utf-8")
    render_as_writer(run)
    assert new.read_text(encoding="utf-8") == older
    new.unlink()
    render_as_writer(run)
    assert new.read_text(encoding="utf-8") == ours
