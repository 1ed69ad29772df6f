"""Replaced files keep their links, mode and owner; new ones are private; nothing half-written is left."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from effects.system.files import encode_page, fsync_all, private_files, read_page, remove_leftovers, replace_file, write_durably
from tests.machine.disk import sync_to_disk


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_umask() -> object:
    """Let everybody read new files, as a careless system does."""
    former = os.umask(0)
    yield
    os.umask(former)


@pytest.mark.usefixtures("open_umask")
def test_a_new_file_is_private_and_a_known_one_keeps_its_mode(tmp_path: Path) -> None:
    new, shared, private = (tmp_path / name for name in ("new", "shared", "private"))
    for path, mode in ((shared, 0o664), (private, 0o600)):
        path.write_bytes(b"old")
        path.chmod(mode)
    for path in (new, shared, private):
        replace_file(path, b"text")
    write_durably(tmp_path / "staged", b"x")
    assert [mode_of(path) for path in (new, shared, private, tmp_path / "staged")] == [0o600, 0o664, 0o600, 0o600]


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("is_relative", [False, True])
def test_a_link_stays_one_and_its_target_gets_the_text(tmp_path: Path, steps: int, is_relative: bool) -> None:
    (tmp_path / "brain").mkdir()
    target, link = tmp_path / "brain" / "MEMORY.md", tmp_path / "MEMORY.md"
    target.write_bytes(b"old")
    target.chmod(0o640)
    goal = Path("brain/MEMORY.md") if is_relative else target
    if steps == 2:
        (tmp_path / "between").symlink_to(goal)
        goal = Path("between") if is_relative else tmp_path / "between"
    link.symlink_to(goal)
    replace_file(link, b"new")
    assert link.is_symlink()
    assert (target.read_bytes(), mode_of(target), target.is_symlink()) == (b"new", 0o640, False)
    assert sorted(path.name for path in target.parent.iterdir()) == ["MEMORY.md"]


def test_a_link_to_a_file_that_is_to_come_makes_it(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "later" / "page.md")
    replace_file(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "later" / "page.md").read_bytes() == b"new"


def test_links_in_a_circle_are_an_error_and_stay(tmp_path: Path) -> None:
    item, two = tmp_path / "one", tmp_path / "two"
    item.symlink_to(two)
    two.symlink_to(item)
    with pytest.raises(OSError, match=r"(?i)symbolic links"):
        replace_file(item, b"new")
    assert item.is_symlink()
    assert two.is_symlink()


def test_only_leftovers_of_a_dead_process_are_removed(tmp_path: Path) -> None:
    page = tmp_path / "p.0.md"
    dead = 2**22 + 1  # beyond the largest process id of Linux
    ours, lost = tmp_path / f".p.0.md.{os.getpid()}.tmp", tmp_path / f".p.0.md.{dead}.tmp"
    others = [tmp_path / name for name in (f".q.md.{dead}.tmp", ".p.0.md.draft.tmp", ".p.0.md.tmp", "p.0.md.1.tmp")]
    for path in (page, ours, lost, *others):
        path.write_bytes(b"")
    remove_leftovers(page)
    assert not lost.exists()
    assert all(path.exists() for path in (page, ours, *others))


def test_a_temporary_file_that_a_read_only_disk_kept_is_removed_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process still runs, so its number alone does not tell; the error names the file, not the temporary one."""

    def refuse(path: Path, *_arguments: object, **_named: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    page = tmp_path / "page.md"
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        patched.setattr(Path, "unlink", refuse)
        with pytest.raises(OSError, match=r"page\.md'$"):
            replace_file(page, b"x")
    assert list(tmp_path.iterdir())
    remove_leftovers(page)
    assert not list(tmp_path.iterdir())


def test_what_is_made_durable_is_synced_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All other tests leave that out."""
    synced = []

    def sync(descriptor: int) -> None:
        sync_to_disk(descriptor)
        synced.append(os.fstat(descriptor).st_ino)

    monkeypatch.setattr(os, "fsync", sync)
    written, replaced, others = tmp_path / "written", tmp_path / "replaced", [tmp_path / "folder", tmp_path / "other"]
    others[0].mkdir()
    others[1].write_bytes(b"x")
    write_durably(written, b"x")
    replace_file(replaced, b"x")
    fsync_all(others)
    assert {path.stat().st_ino for path in (written, replaced, *others)} <= set(synced)


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_text_and_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """And the error names the page, not the temporary file, which nobody knows."""
    page = tmp_path / "page.md"
    page.write_bytes(b"old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device", "elsewhere")

    monkeypatch.setattr(os if failing == "fsync" else Path, failing, refuse)
    with pytest.raises(OSError, match="No space left") as caught:
        replace_file(page, b"new")
    monkeypatch.undo()
    assert caught.value.filename == str(page)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"page.md": b"old"}


@pytest.mark.usefixtures("open_umask")
def test_folders_and_files_of_a_run_are_private_whoever_makes_them(tmp_path: Path) -> None:
    """Libraries create their own; afterwards the umask of the process is as it was."""
    with private_files():
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "file").write_bytes(b"x")
    (tmp_path / "later").write_bytes(b"x")
    assert [mode_of(tmp_path / name) for name in ("folder", "folder/file", "later")] == [0o700, 0o600, 0o666]


def test_a_link_to_a_file_of_another_user_is_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, link = tmp_path / "theirs.txt", tmp_path / "page.md"
    target.write_text("theirs")
    link.symlink_to(target)
    monkeypatch.setattr("os.geteuid", lambda: target.stat().st_uid + 1)
    with pytest.raises(OSError, match="a link to a file of another user"):
        replace_file(link, b"a conversation")
    assert target.read_text() == "theirs"
    replace_file(tmp_path / "own.md", b"own")


def test_a_page_that_is_no_utf8_comes_back_byte_for_byte(tmp_path: Path) -> None:
    """Somebody's page may be of any encoding; nothing of it is lost."""
    page = tmp_path / "MEMORY.md"
    page.write_bytes(b"- Gr\xfc\xdfe, \xe2\x9c\x85\n")
    assert encode_page(read_page(page)) == page.read_bytes()
