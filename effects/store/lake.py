"""The lake: Parquet files under one folder, written in redo-logged commits by one writer at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from effects.remote.remote_lake import RemoteLake, open_remote
from effects.store.layout import (
    DATA_FILE,
    EMPTY_DAY,
    EMPTY_FILE,
    find_table,
    fingerprint_partitions,
    holding_tables,
    list_days,
    list_files,
    list_held,
    name_partition_folder,
)
from effects.store.redo_log import COMMIT_FILE, TRANSACTIONS, recover
from effects.system.disk_errors import DiskError, advise_on_disk, explaining_disk_errors
from effects.system.errors import LakeError, LockedError
from effects.system.files import private_files

if TYPE_CHECKING:
    import polars as pl
    from filelock import BaseFileLock

    from effects.store.commit import Commit
    from transforms.tables.definition import Table

# Polars, and modules that import it, are imported in functions: `recollect ask` opens the lake and reads only the index.

LOCK_FILE, HOLDER_FILE = "_lock", "_holder"
COPY_LOCK_FILE = "_copy_lock"
"""Held by whoever changes the copy of a lake in an object store: a reader that downloads, or the writer beside its own lock."""
LONGEST_DOWNLOAD_S = 900.0
"""Seconds that a writer waits for a reader's download of the lake."""


class Lake:
    """Reads and writes the tables below `root`; readers never need the lock."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.note = ""
        self.store_problem: LakeError | None = None
        """Why the object store could not be read, so that this is the copy of an earlier time."""
        """Notice about the copy of a lake in an object store; empty for a folder, and when all is well."""
        self._remote: RemoteLake | None = None

    def scan(self, table: str, days: Sequence[date] | None = None) -> pl.LazyFrame:
        """Return all rows of a table (or of some days), lazily, in the table's schema; without rows when nothing is stored."""
        from effects.store.table_files import scan_files

        definition = find_table(table)
        if (rows := self._read_held(definition, days)) is not None:
            return rows.lazy()
        files = self.list_files(table, days)
        return scan_files(files, definition) if files else definition.make_empty().lazy()

    def read(self, table: str, days: Sequence[date] | None = None) -> pl.DataFrame:
        """Return all rows of a table (or of some days), sorted by key.

        Raises:
            LakeError: when a file cannot be read.
        """
        definition = find_table(table)
        if (rows := self._read_held(definition, days)) is not None:
            return rows.sort(definition.key) if rows.height > 1 else rows
        return self.collect(self.scan(table, days).sort(definition.key), table)

    def _read_held(self, table: Table[Any], days: Sequence[date] | None) -> pl.DataFrame | None:
        """Return rows that this process, which writes the lake, holds or may hold; None where files have to be read."""
        from effects.store.table_files import read_held_days, read_held_rows

        return read_held_rows(self.root, table) if days is None else read_held_days(self.root, table, days)

    def collect(self, rows: pl.LazyFrame, table: str) -> pl.DataFrame:
        """Return the rows of a scan of a table.

        Raises:
            LakeError: when a file cannot be read.
        """
        import polars as pl

        try:
            return rows.collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise LakeError(
                f"table `{table}` in {self.root} cannot be read: {str(error).splitlines()[0]}", "recollect doctor"
            ) from error

    def list_files(self, table: str, days: Sequence[date] | None = None) -> list[Path]:
        """Return the Parquet files of a table, or of some of its days, sorted."""
        return list_files(self.root, table, days)

    def list_days(self, table: str) -> list[date]:
        """Return the days of a daily table that hold a file with rows or once did."""
        return list_days(self.root, table)

    def list_fingerprints(self, table: str) -> dict[date | None, str]:
        """Return a fingerprint of each partition, by day (None for a table without days): it changes when a file changes."""
        return fingerprint_partitions(self.root, table)

    def exists(self) -> bool:
        """Return whether anything was ever written here."""
        return (self.root / "runs").is_dir() or (self.root / "sources").is_dir()

    @contextmanager
    def writing(self, command: str) -> Iterator[None]:
        """Hold the one writer's lock; first finish or discard the commits that an interrupted run left behind.

        Files that are made meanwhile are private under any umask of the process.

        Raises:
            LockedError: when another run holds it.
            LakeError: when the folder cannot be written.
            DiskError: when the disk is full, read-only or broken while the block writes.
        """
        with private_files(), explaining_disk_errors(self.root):
            lock = self._acquire_lock()
            try:
                (self.root / HOLDER_FILE).write_text(json.dumps({"what": command, "pid": os.getpid()}), encoding="utf-8")
                with self._holding_copy():
                    recover(self.root)
                    with self._publishing(command):
                        self._create_empty_files()
                        with holding_tables(self.root):
                            yield
                            self._keep_rows()
            finally:
                try:
                    with suppress(OSError):  # a name that stays harms nobody: the lock decides, and the next writer replaces it
                        (self.root / HOLDER_FILE).unlink(missing_ok=True)
                finally:
                    lock.release()

    @contextmanager
    def repairing(self) -> Iterator[None]:
        """Hold the one writer's lock without looking at the remains of an interrupted run, which may be damaged.

        Raises:
            LockedError: when another run holds it.
        """
        with private_files(), explaining_disk_errors(self.root):
            lock = self._acquire_lock()
            try:
                with self._holding_copy():
                    yield
            finally:
                lock.release()

    @contextmanager
    def commit(self) -> Iterator[Commit]:
        """Yield a commit; apply its changes when the block ends, and none of them when the block raises.

        Raises:
            DiskError: when the disk refuses them; the next writer finishes or discards them.
        """
        from effects.store.commit import Commit

        change = Commit(self)
        with explaining_disk_errors(self.root):
            try:
                yield change
            except BaseException:
                change.discard()
                raise
            try:
                change.apply()
            finally:
                if self._remote is not None:
                    self._remote.publish()

    def refresh(self) -> None:
        """Bring this machine's copy of a lake in an object store up to date, for readers; in a folder finish half-done commits.

        A copy that is being written, or whose store cannot be reached, stays as it is; `note` says so.
        """
        remote = open_remote(self.root)
        if remote is None:
            self._finish_commits()
            return
        from filelock import FileLock, Timeout

        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with private_files(), FileLock(self.root / COPY_LOCK_FILE, timeout=0):
                remote.refresh()
        except Timeout:
            return
        except LakeError as error:
            self.note, self.store_problem = f"{error.message}; this is the copy of this machine", error

    def _finish_commits(self) -> None:
        """Finish the commits that an interrupted run left half done, unless a run writes now: readers would find rows twice."""
        if any((self.root / TRANSACTIONS).glob(f"*/{COMMIT_FILE}")):
            with suppress(LockedError, LakeError, DiskError, OSError), self.repairing():  # the next run says what is wrong
                recover(self.root)

    @contextmanager
    def _holding_copy(self) -> Iterator[None]:
        """Hold the copy of a lake in an object store; wait for a reader that downloads into it: a night comes once.

        Raises:
            LockedError: when the download does not end.
        """
        if open_remote(self.root) is None:
            yield
            return
        from filelock import FileLock, Timeout

        lock = FileLock(self.root / COPY_LOCK_FILE)
        try:
            lock.acquire(timeout=LONGEST_DOWNLOAD_S)
        except Timeout as error:
            raise LockedError(f"{self.root} is being downloaded by a reader", "run the same command again") from error
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _publishing(self, command: str) -> Iterator[None]:
        """Hold the lease of a lake in an object store, publish each commit, and the rest at the end."""
        remote = open_remote(self.root)
        if remote is None:
            yield
            return
        with remote.holding_lease(command):
            self._check_copy(remote)
            self.note = remote.synchronise()
            self._remote = remote
            try:
                yield
            except BaseException:
                with suppress(LakeError):  # the error of the run is the one to report; the next run publishes
                    remote.publish()
                raise
            finally:
                self._remote = None
            remote.publish()

    def _check_copy(self, remote: RemoteLake) -> None:
        """Refuse to publish damage: the store still has the file as it was.

        Raises:
            LakeError: when a file of the copy that the store holds cannot be read.
        """
        from effects.store.table_files import find_fault

        for name in remote.list_changed():
            table, _, rest = name.partition("/")
            day = rest.removeprefix("day=").partition("/")[0] if rest.startswith("day=") else None
            if fault := find_fault(self.root / name, find_table(table), date.fromisoformat(day) if day else None):
                raise LakeError(f"{self.root / name} {fault}; the store has it", "recollect rebuild lake")

    def restore_copy(self, paths: Iterable[Path]) -> int:
        """Fetch these damaged files of the copy of a lake in an object store again; return how many. A folder has no other copy.

        Raises:
            LockedError: when another run holds the lake.
        """
        remote = open_remote(self.root)
        if remote is None:
            return 0
        with self.repairing():
            return remote.fetch_again(path.relative_to(self.root).as_posix() for path in paths)

    def scratch(self, name: str) -> Path:
        """Return a folder for files that are adopted later; the next writer removes its remains after a crash."""
        return self.root / TRANSACTIONS / f"{os.getpid()}-{name}"

    def compact(self, table: str) -> int:
        """Merge the files of each partition into one of the usual name; return the number of partitions that changed."""
        from effects.store.table_files import scan_files

        definition = find_table(table)
        changed = 0
        for day in self.list_days(table) if definition.is_daily else [None]:
            files = sorted(name_partition_folder(self.root, definition, day).glob("*.parquet"))
            if [path.name for path in files] in ([], [DATA_FILE], [EMPTY_FILE]):
                continue
            frame = scan_files(files, definition).collect()
            # A rerun after a crash may have appended rows that an earlier compaction already took in.
            frame = frame.unique(definition.key, keep="first", maintain_order=True)
            with self.commit() as change:
                change.replace(table, frame.drop("schema_version"), day)
            changed += 1
        return changed

    def _acquire_lock(self) -> BaseFileLock:
        from filelock import FileLock, Timeout

        try:
            self.root.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.root / LOCK_FILE)
            lock.acquire(timeout=0)
        except Timeout as error:
            holder = self._describe_holder()
            raise LockedError(
                f"{self.root} is being written by {holder}", "wait for it to finish, then run the same command again"
            ) from error
        except IsADirectoryError as error:
            place = self.root / LOCK_FILE
            raise LakeError(
                f"{place} must be the lock file, but it is a folder", f"mv {place} {place}.moved, then run the same command again"
            ) from error
        except OSError as error:
            raise LakeError(
                f"{self.root} cannot be written: {error.strerror or error}",
                advise_on_disk(error, self.root) or "set RECOLLECT_LAKE, then `recollect config`",
            ) from error
        return lock

    def check_writer(self) -> None:
        """Refuse early where another run holds the lake: before a command loads what it needs to write.

        Raises:
            LockedError: when another run holds it.
        """
        if self.find_writer():  # a name may outlive its run, and its process be another one by now: the lock decides
            self._acquire_lock().release()

    def find_writer(self) -> str:
        """Return the command and the process of the run that writes the lake now; empty when none does."""
        try:
            holder = json.loads((self.root / HOLDER_FILE).read_text(encoding="utf-8"))
            os.kill(holder["pid"], 0)  # a killed run leaves its name
        except PermissionError:  # a process of another user
            pass
        except (OSError, ValueError, KeyError, TypeError):
            return ""
        return self._describe_holder()

    def _describe_holder(self) -> str:
        try:
            holder = json.loads((self.root / HOLDER_FILE).read_text(encoding="utf-8"))
            return f"`{holder['what']}` (process {holder['pid']})"
        except (OSError, ValueError, KeyError):  # the holder is just starting or stopping
            return "another run"

    def _keep_rows(self) -> None:
        """Keep the rows that this run held for the next one."""
        if list_held(self.root):
            from effects.store.table_files import keep_held_rows

            keep_held_rows(self.root)

    def _create_empty_files(self) -> None:
        from effects.store.table_files import has_older_words, write_no_rows
        from transforms.tables.schema import TABLES

        for table in TABLES.values():
            path = name_partition_folder(self.root, table, EMPTY_DAY if table.is_daily else None) / EMPTY_FILE
            is_missing = not path.exists() and (table.is_daily or not self.list_files(table.name))
            if is_missing or (path.exists() and has_older_words(path, table)):
                path.parent.mkdir(parents=True, exist_ok=True)
                staged = path.with_suffix(".staged")
                write_no_rows(staged, table)
                staged.replace(path)
