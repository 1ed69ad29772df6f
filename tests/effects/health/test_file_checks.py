"""What `doctor` says about links, access and privacy of memory files, and that its command mends it."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from effects.config.settings import Settings
from effects.health import file_checks
from effects.health.check import Check
from effects.health.file_checks import MIB, check_files
from effects.health.health_checks import check_installation
from effects.store.lake import Lake
from effects.store.memory_file import locate_memory
from effects.store.run import Run, open_run
from effects.system.disk_errors import measure_room
from flows.owner_pipelines import remember_pipeline
from flows.runner import run_pipeline
from tests.effects.memory_world import World
from transforms.tables.ids import hash_text
from transforms.tables.rows import PageRow
from transforms.tables.schema import PAGES, build_frame


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return an installation whose folders only their owner reads."""
    run = open_run(Settings(lake=tmp_path / "lake", workspace=tmp_path / "workspace"))
    run.settings.workspace.mkdir(mode=0o700)
    with Lake(run.settings.lake).writing("test"):
        pass
    return run


def check(run: Run) -> list[tuple[str, str]]:
    return [(finding.name, finding.level) for finding in check_files(run)]


def test_a_plain_memory_is_fine_and_a_link_is_shown_with_its_target(run: Run, tmp_path: Path) -> None:
    memory = locate_memory(run)
    assert check(run) == [("memory files", "ok")]
    (tmp_path / "brain.md").write_text("# Memory\n", encoding="utf-8")
    memory.symlink_to(tmp_path / "brain.md")
    assert [finding.detail.partition("a link to ")[2] for finding in check_files(run)] == [str(tmp_path / "brain.md")]


def test_a_link_into_a_missing_folder_is_wrong_until_the_named_command_ran(run: Run, tmp_path: Path) -> None:
    locate_memory(run).symlink_to(tmp_path / "gone away" / "MEMORY.md")
    assert check(run) == [("memory files", "wrong")]
    run_next(next(check_files(run)))
    assert check(run) == [("memory files", "note")]


def test_links_in_a_circle_are_wrong_until_the_named_command_ran(run: Run) -> None:
    locate_memory(run).symlink_to("MEMORY.md")
    assert check(run) == [("memory files", "wrong")]
    run_next(next(check_files(run)))
    assert check(run) == [("memory files", "ok")]


def test_a_folder_in_place_of_the_page_is_wrong_until_the_named_command_ran(run: Run) -> None:
    locate_memory(run).mkdir()
    assert check(run) == [("memory files", "wrong")]
    run_next(next(check_files(run)))
    assert check(run) == [("memory files", "ok")]


def test_a_file_system_that_is_read_only_is_named_as_that(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other permissions would not help."""
    locate_memory(run).write_text("# Memory\n", encoding="utf-8")
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    findings = [finding for finding in check_files(run) if finding.level == "wrong"]
    assert [finding.name for finding in findings] == ["lake files", "memory files"]
    assert all("read-only" in finding.detail and "chmod" not in finding.next for finding in findings)


def test_a_second_name_is_noted(run: Run, tmp_path: Path) -> None:
    """Replacing a file separates it from its hard links."""
    locate_memory(run).write_text("# Memory\n", encoding="utf-8")
    (tmp_path / "other.md").hardlink_to(locate_memory(run))
    assert check(run) == [("memory files", "note")]


def test_folders_that_others_may_enter_are_noted_until_the_named_command_ran(run: Run) -> None:
    run.lake.root.chmod(0o755)
    above = [folder for folder in run.lake.root.parents if not folder.stat().st_mode & 0o011]
    assert ("privacy", "note") not in check(run) if above else ("privacy", "note") in check(run)
    for folder in above:
        if folder.stat().st_uid != os.getuid():
            pytest.skip("a folder of the system is private")
    modes = {folder: folder.stat().st_mode for folder in above}
    try:
        for folder in above:
            folder.chmod(0o755)
        findings = [finding for finding in check_files(run) if finding.name == "privacy"]
        assert [finding.level for finding in findings] == ["note"]
        run_next(findings[0])
        assert ("privacy", "note") not in check(run)
    finally:
        for folder, mode in modes.items():
            folder.chmod(mode)


def run_next(finding: Check) -> None:
    """Run the shell part of the next command of a finding."""
    assert os.system(finding.next.partition(", then")[0]) == 0


def test_pages_of_another_memory_in_the_workspace_are_named_until_the_named_command_ran(run: Run) -> None:
    """Two machines with a lake each write into one synchronised folder: the second one writes beside the pages of the first."""
    other = run.settings.workspace / "briefing" / "shop.md"
    other.parent.mkdir()
    other.write_text("the other machine's", encoding="utf-8")
    other.with_name("shop.md.new").write_text("ours", encoding="utf-8")
    finding = next(finding for finding in check_files(run) if finding.name == "pages")
    assert finding.level == "note"
    assert "1 page in" in finding.detail
    assert "of another machine" in finding.detail
    assert "RECOLLECT_WORKSPACE" in finding.next
    other.with_name("shop.md.new").replace(other)
    assert ("pages", "note") not in check(run)


def test_an_edited_page_is_named_while_the_text_of_the_night_lies_beside_it(run: Run) -> None:
    page = run.settings.workspace / "briefing" / "shop.md"
    page.parent.mkdir()
    page.write_text("edited", encoding="utf-8")
    page.with_name("shop.md.new").write_text("rendered", encoding="utf-8")
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace("pages", build_frame(PAGES, [build_page_row("briefing/shop.md", "rendered before")]))
    assert "1 page edited by hand, for example briefing/shop.md" in next(
        finding.detail for finding in check_files(run) if finding.name == "pages"
    )
    page.write_text("rendered before", encoding="utf-8")
    assert "may hold words of yours" in next(finding.detail for finding in check_files(run) if finding.name == "pages")


def test_an_old_text_beside_a_good_page_is_named_until_the_named_command_ran(run: Run) -> None:
    """MEMORY.md is of no other memory; a copy of it goes with the next night, any other text only with its owner."""
    memory, new = locate_memory(run), run.settings.workspace / "MEMORY.md.new"
    memory.write_text("- a line\n", encoding="utf-8")
    new.write_text("- a line\n", encoding="utf-8")
    finding = next(finding for finding in check_files(run) if finding.name == "pages")
    assert (finding.detail.partition(", for example ")[2], finding.next.partition(",")[0]) == (str(new), "recollect nightly")
    new.write_text("- another line\n", encoding="utf-8")
    finding = next(finding for finding in check_files(run) if finding.name == "pages")
    assert "no night removes it" in finding.detail
    os.system(f"{finding.next.partition('; then ')[2]}")
    assert ("pages", "note") not in check(run)


def build_page_row(name: str, text: str) -> PageRow:
    """Return the row of a page as a night left it."""
    return {"path": name, "render_id": None, "text_hash": hash_text(text), "text": text, "at": datetime(2026, 5, 18, tzinfo=UTC)}


def test_a_memory_that_lost_its_lines_at_once_is_named(tmp_path: Path) -> None:
    """Empty, gone, or cut within a line by a full disk or an editor; not when its owner took lines out."""
    world = World(tmp_path)
    run = world.run
    for line in ("Prices are kept in cents", "Tests run on port 5433"):
        run_pipeline(run, remember_pipeline(line, None, True, "owner"))
    memory = locate_memory(run)
    whole = memory.read_text(encoding="utf-8")
    lost = [
        ("", "is empty"),
        (whole[: whole.index("in cents")], "breaks off"),
        (whole, ""),
        ("# Memory\n\n## Patterns\n", ""),
    ]
    for text, words in lost:
        memory.write_text(text, encoding="utf-8")
        details = [finding.detail for finding in check_files(run) if finding.name == "memory lines"]
        assert [words in detail for detail in details] == ([True] if words else [])
    memory.unlink()
    assert [finding.level for finding in check_files(run) if "is gone" in finding.detail] == ["wrong"]


@pytest.mark.parametrize(("room", "levels"), [(0, ["wrong"]), (20 * MIB, ["note"]), (1024 * MIB, []), (None, [])])
def test_a_disk_that_is_full_or_nearly_so_is_named_once(
    room: int | None, levels: list[str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A night without room cannot record that it failed; lake and workspace on one disk are one finding."""
    monkeypatch.setattr(file_checks, "measure_room", lambda path: room)
    findings = [finding for finding in check_installation(run) if finding.name == "disk"]
    assert [finding.level for finding in findings] == levels
    assert all(str(run.lake.root) in finding.detail and "df -h" in finding.next for finding in findings)


def test_room_is_that_of_the_nearest_folder_that_is_there(tmp_path: Path) -> None:
    assert measure_room(tmp_path / "not" / "yet") is not None
