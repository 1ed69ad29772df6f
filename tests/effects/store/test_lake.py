"""The lake: atomic commits, one writer, deterministic bytes."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from unittest.mock import Mock

import duckdb
import polars as pl
import pytest

from effects.store import commit
from effects.store import lake as lake_module
from effects.store.lake import Lake
from effects.system import files
from effects.system.disk_errors import DiskError
from effects.system.errors import LakeError, LockedError, PageError
from effects.system.files import write_durably
from transforms.tables.schema import TABLES

DAY = date(2026, 3, 1)
NEXT = date(2026, 3, 2)


class Killed(BaseException):
    """Stands for kill -9: nothing in the code may catch it."""


def coverage(window: str, day: date, count: int = 3) -> pl.DataFrame:
    return pl.DataFrame(
        {"session_id": ["s"] * count, "ordinal": list(range(count)), "window_id": [window] * count, "day": [day] * count}
    )


def bytes_of(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name not in {"_lock", "_holder"} and "_tx" not in path.parts
    }


def work(lake: Lake, page: Path) -> None:
    """Run a history of commits that moves, deletes and writes a page."""
    with lake.writing("test"):
        with lake.commit() as change:
            change.replace("coverage", coverage("w-1", DAY), DAY)
            change.replace("coverage", coverage("w-1", NEXT, 1), NEXT)
            change.append("runs", pl.DataFrame({"run_id": ["one"]}))
        with lake.commit() as change:
            change.replace("coverage", coverage("w-2", DAY), DAY)
            change.replace("coverage", coverage("w-1", NEXT).clear(), NEXT)
            change.append("runs", pl.DataFrame({"run_id": ["two"]}))
            change.write_page(page, b"hello\n")
        lake.compact("runs")


def test_a_fresh_lake_has_every_table_for_any_reader(tmp_path: Path) -> None:
    """After the first writer DuckDB reads each table through a glob, with its columns and without rows."""
    lake = Lake(tmp_path / "lake")
    with lake.writing("test"):
        pass
    for name, table in TABLES.items():
        columns = duckdb.sql(f"DESCRIBE SELECT * FROM '{lake.root}/{name}/**/*.parquet'").fetchall()
        assert set(table.columns) <= {row[0] for row in columns}, name
        assert duckdb.sql(f"SELECT count(*) FROM '{lake.root}/{name}/**/*.parquet'").fetchall() == [(0,)]


def test_days_are_dates_in_duckdb(tmp_path: Path) -> None:
    """The partition column arrives as a DATE, and a filter on it works."""
    lake = Lake(tmp_path / "lake")
    with lake.writing("test"), lake.commit() as change:
        change.replace("coverage", coverage("w-1", DAY), DAY)
    rows = duckdb.sql(f"SELECT day FROM '{lake.root}/coverage/**/*.parquet' WHERE day = DATE '2026-03-01'").fetchall()
    assert rows == [(DAY,)] * 3


def test_the_same_work_twice_changes_no_byte(tmp_path: Path) -> None:
    """Replacing with equal rows and appending equal rows are no-ops."""
    lake = Lake(tmp_path / "lake")
    work(lake, tmp_path / "page.md")
    before = {path: (tmp_path / "lake" / path).stat().st_mtime_ns for path in bytes_of(lake.root)}
    with lake.writing("test"), lake.commit() as change:
        change.replace("coverage", coverage("w-2", DAY).reverse(), DAY)
    assert {path: (lake.root / path).stat().st_mtime_ns for path in bytes_of(lake.root)} == before


@contextmanager
def dying_at(monkeypatch: pytest.MonkeyPatch, moment: int) -> Iterator[Callable[[], bool]]:
    """Kill the process at the n-th durable operation (write, rename, unlink or removal)."""
    count = 0

    def counted(original: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            nonlocal count
            count += 1
            if count == moment:
                raise Killed
            return original(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", counted(Path.replace))
        patch.setattr(Path, "unlink", counted(Path.unlink))
        for module in (commit, files):
            patch.setattr(module, "write_durably", counted(write_durably))
        patch.setattr(shutil, "rmtree", counted(shutil.rmtree))
        yield lambda: count >= moment


def test_a_kill_at_any_moment_and_a_rerun_give_the_lake_of_an_undisturbed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever operation is the last one, running the same work again ends in the same files."""
    work(Lake(tmp_path / "calm" / "lake"), tmp_path / "calm" / "page.md")
    expected = bytes_of(tmp_path / "calm" / "lake")
    kills = 0
    for moment in range(1, 60):
        root = tmp_path / f"kill-{moment}"
        with dying_at(monkeypatch, moment) as reached:
            try:
                work(Lake(root / "lake"), root / "page.md")
            except Killed:
                kills += 1
            died = reached()
        work(Lake(root / "lake"), root / "page.md")
        assert bytes_of(root / "lake") == expected, f"killed at operation {moment}"
        assert (root / "page.md").read_bytes() == b"hello\n"
        if not died:
            break
    assert kills >= 10


def test_a_reader_after_a_half_done_commit_finds_no_row_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts of a day became one file, and the disk failed before they were removed: nobody has to wait for the next run."""
    lake, day = Lake(tmp_path), date(2026, 3, 1)
    for name in "abc":
        with lake.writing("test"), lake.commit() as change:
            change.append("entries", pl.DataFrame({"session_id": [name], "ordinal": [0], "day": [day]}), day)
    with monkeypatch.context() as broken:
        broken.setattr(Path, "unlink", Mock(side_effect=OSError(errno.EIO, "the disk")))
        with pytest.raises(DiskError), lake.writing("test"):
            lake.compact("entries")
    assert lake.scan("entries").collect().height > 3
    reader = Lake(tmp_path)
    with lake.repairing():
        reader.refresh()
        assert list((tmp_path / "_tx").glob("*/COMMIT")), "it is left to the one who writes"
    reader.refresh()
    assert sorted(reader.scan("entries").collect()["session_id"]) == ["a", "b", "c"]


def test_a_second_writer_is_told_who_holds_the_lake(tmp_path: Path) -> None:
    """The message names the command and process of the holder; readers are not hindered."""
    lake = Lake(tmp_path / "lake")
    code = (
        "import sys; from pathlib import Path; from effects.store.lake import Lake\n"
        "with Lake(Path(sys.argv[1])).writing('nightly'): print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(lake.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(LockedError, match=f"`nightly` \\(process {holder.pid}\\)"), lake.writing("other"):
        pass
    assert lake.read("sessions").is_empty()
    holder.communicate("")
    with lake.writing("other"):
        pass


def test_a_damaged_file_is_a_clear_error(tmp_path: Path) -> None:
    """A file that is not Parquet names its table and the next command."""
    lake = Lake(tmp_path / "lake")
    with lake.writing("test"):
        pass
    (lake.root / "sources" / "empty.parquet").write_bytes(b"nonsense")
    with pytest.raises(LakeError, match="table `sources`"):
        lake.read("sources")


def test_a_repeated_key_or_unknown_column_is_refused(tmp_path: Path) -> None:
    """The data dictionary is the contract: rows that break it never reach a file."""
    lake = Lake(tmp_path / "lake")
    with lake.writing("test"):
        for wrong in (pl.concat([coverage("w", DAY, 1)] * 2), coverage("w", DAY).with_columns(extra=pl.lit(1))):
            with pytest.raises(ValueError, match="coverage"), lake.commit() as change:
                change.replace("coverage", wrong, DAY)
    assert lake.read("coverage").is_empty()


def test_a_page_that_a_person_changes_during_a_commit_keeps_their_text(tmp_path: Path) -> None:
    """Our text then lies beside it as NAME.new."""
    lake, page = Lake(tmp_path / "lake"), tmp_path / "page.md"
    page.write_text("old\n")
    with lake.writing("test"), lake.commit() as change:
        change.write_page(page, b"ours\n")
        page.write_text("theirs\n")
    assert page.read_text() == "theirs\n"
    assert page.with_name("page.md.new").read_text() == "ours\n"


def test_a_page_with_a_name_that_no_file_system_takes_does_not_hold_back_the_commit(tmp_path: Path) -> None:
    """This holds for the next writer too, when an older version left such a commit behind."""
    lake, page = Lake(tmp_path / "lake"), tmp_path / "page.md"
    with lake.writing("test"), lake.commit() as change:
        change.append("runs", pl.DataFrame({"run_id": ["one"]}))
        change.write_page(tmp_path / "a\0b.md", b"lost\n")
        change.write_page(page, b"kept\n")
    assert page.read_text() == "kept\n"
    assert lake.read("runs")["run_id"].to_list() == ["one"]
    assert not any((lake.root / "_tx").iterdir())


def test_a_page_in_a_folder_that_cannot_be_written_stops_its_commit_before_anything_is_listed(tmp_path: Path) -> None:
    """So the tables say nothing about a page that was never written."""
    lake = Lake(tmp_path / "lake")
    (tmp_path / "workspace").write_text("a file")

    def write() -> None:
        with lake.writing("test"), lake.commit() as change:
            change.append("runs", pl.DataFrame({"run_id": ["one"]}))
            change.write_page(tmp_path / "workspace" / "page.md", b"text\n")

    with pytest.raises(PageError, match="cannot be written"):
        write()
    assert lake.read("runs").is_empty()
    assert not any((lake.root / "_tx").iterdir())


def test_a_page_that_cannot_be_written_holds_back_no_table_and_is_tried_again(tmp_path: Path) -> None:
    """Later runs work, do not move the tables again, and write the page as soon as they can."""
    lake, page = Lake(tmp_path / "lake"), tmp_path / "workspace" / "page.md"

    def write() -> None:
        with lake.writing("test"), lake.commit() as change:
            change.replace("sources", pl.DataFrame({"path": ["a"]}))
            change.write_page(page, b"text\n")
            page.parent.rmdir()
            page.parent.write_text("a file")

    with pytest.raises(PageError, match="cannot be written"):
        write()
    assert lake.read("sources")["path"].to_list() == ["a"]
    for path in ("b", "c"):
        with lake.writing("test"), lake.commit() as change:
            change.replace("sources", pl.DataFrame({"path": [path]}))
    page.parent.unlink()
    with lake.writing("test"):
        assert page.read_text() == "text\n"
    assert lake.read("sources")["path"].to_list() == ["c"]
    assert not any((lake.root / "_tx").iterdir())


def test_files_of_an_older_version_lack_newer_columns_and_are_read_all_the_same(tmp_path: Path) -> None:
    """A column that the data dictionary gained since is null."""
    lake = Lake(tmp_path / "lake")
    with lake.writing("test"), lake.commit() as change:
        change.append("runs", pl.DataFrame({"run_id": ["old"]}))
    (file,) = (lake.root / "runs").glob("part-*.parquet")
    pl.read_parquet(file).drop("peak_rss_mb").write_parquet(file)
    assert lake.read("runs").select("run_id", "peak_rss_mb").rows() == [("old", None)]


def test_columns_of_a_newer_version_are_left_out(tmp_path: Path) -> None:
    """A lake that a newer version wrote can be read, compacted and written on."""
    lake = Lake(tmp_path / "lake")
    with lake.writing("test"):
        with lake.commit() as change:
            change.append("runs", pl.DataFrame({"run_id": ["new"]}))
            change.replace("coverage", coverage("w", DAY), DAY)
            change.replace("coverage", coverage("w", NEXT), NEXT)
        for file in [*lake.list_files("runs"), *lake.list_files("coverage", [DAY])]:
            newer = pl.read_parquet(file).with_columns(schema_version=pl.lit(9, pl.Int16), invented=pl.lit("x"))
            newer.select("invented", *newer.columns[:-1]).write_parquet(file)
        assert lake.read("runs").columns == list(TABLES["runs"].schema)
        assert lake.read("coverage").height == 6
        with lake.commit() as change:
            change.append("runs", pl.DataFrame({"run_id": ["own"]}))
        assert lake.compact("runs") == 1
    assert lake.read("runs")["run_id"].to_list() == ["new", "own"]


def test_a_lone_part_gets_the_usual_name_and_stays_as_it_is(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    with lake.writing("test"), lake.commit() as change:
        change.append("runs", pl.DataFrame({"run_id": ["one"]}))
    assert [path.name for path in lake.list_files("runs")] != ["data.parquet"]
    assert lake.compact("runs") == 1
    before = bytes_of(tmp_path / "runs")
    assert [path.name for path in lake.list_files("runs")] == ["data.parquet"]
    assert lake.read("runs")["run_id"].to_list() == ["one"]
    assert lake.compact("runs") == 0
    assert bytes_of(tmp_path / "runs") == before


def test_the_lock_is_released_although_the_holders_name_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that lives on, such as a worker, would otherwise lock itself out of the lake."""
    lake = Lake(tmp_path / "lake")
    with monkeypatch.context() as disk:

        def fail(self: Path, missing_ok: bool = False) -> None:
            raise OSError(28, "No space left on device")

        with lake.writing("nightly"):
            disk.setattr(Path, "unlink", fail)
    with lake.writing("next"):
        assert lake.read("entries").is_empty()


def test_the_next_writer_removes_what_a_killed_process_left_of_any_file_of_the_lake(tmp_path: Path) -> None:
    """Notes and lists beside the tables, too: `settled.log` of a night that was killed; a process that runs keeps its own."""
    lake = Lake(tmp_path / "lake")
    with lake.writing("first"):
        pass
    for name in ("_logs", "_calls"):
        (lake.root / name).mkdir(exist_ok=True)
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    left = [lake.root / "_logs" / f".settled.log.{killed.pid}.tmp", lake.root / "_calls" / f".a.json.{killed.pid}.tmp"]
    running = lake.root / f"._todoist.json.{os.getpid()}.tmp"
    for path in (*left, running):
        path.write_bytes(b"half")
    with lake.writing("second"):
        pass
    assert [path.exists() for path in left] == [False, False]
    assert running.exists()


class SlowStore:
    """A lake's side in an object store whose download lasts until it is let go."""

    def __init__(self) -> None:
        self.is_started, self.may_end = threading.Event(), threading.Event()
        self.downloads = 0

    def refresh(self) -> None:
        self.downloads += 1
        self.is_started.set()
        assert self.may_end.wait(20)

    @contextmanager
    def holding_lease(self, _command: str) -> Iterator[None]:
        yield

    def list_changed(self) -> list[str]:
        return []

    def synchronise(self) -> str:
        assert self.may_end.is_set(), "the copy is written while a reader downloads into it"
        return ""

    def publish(self) -> None:
        """Publish nothing."""


def test_a_writer_waits_for_a_reader_that_downloads_and_is_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A night beside `recollect ask` on a lake in an object store; while it writes, a reader keeps the copy as it is."""
    store = SlowStore()
    monkeypatch.setattr(lake_module, "open_remote", lambda _root: store)
    reader = threading.Thread(target=Lake(tmp_path / "lake").refresh)
    reader.start()
    assert store.is_started.wait(20)
    threading.Timer(0.3, store.may_end.set).start()
    with Lake(tmp_path / "lake").writing("recollect nightly"):
        Lake(tmp_path / "lake").refresh()
        assert store.downloads == 1
    reader.join()
    Lake(tmp_path / "lake").refresh()
    assert store.downloads == 2


def test_a_writer_tells_of_a_download_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SlowStore()
    monkeypatch.setattr(lake_module, "open_remote", lambda _root: store)
    monkeypatch.setattr(lake_module, "LONGEST_DOWNLOAD_S", 0.05)
    reader = threading.Thread(target=Lake(tmp_path / "lake").refresh)
    reader.start()
    assert store.is_started.wait(20)
    with pytest.raises(LockedError, match="is being downloaded by a reader"), Lake(tmp_path / "lake").writing("test"):
        pass
    store.may_end.set()
    reader.join()
    with Lake(tmp_path / "lake").writing("test"):
        pass


@pytest.mark.parametrize(
    ("number", "advice"), [(errno.EROFS, "findmnt -T"), (errno.ENOSPC, "df -h"), (errno.EACCES, "chmod u+rwX")]
)
def test_a_lake_that_the_disk_does_not_let_lock_names_what_the_disk_needs(
    number: int, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is mounted read-only, and a full one, were told to check permissions."""

    def refuse(self: object, timeout: float) -> None:
        """Stand for the disk."""
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    with pytest.raises(LakeError) as refused, Lake(tmp_path).writing("test"):
        pass
    assert advice in refused.value.hint
