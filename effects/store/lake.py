"""The lake: Parquet files under one folder, written in redo-logged commits by one writer. Only this module knows the layout."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from effects.system.errors import LakeError, LockedError
from effects.system.files import fsync_all, replace_file, write_durably
from effects.system.light_import import later

if TYPE_CHECKING:
    import polars as pl

    from transforms.tables import schema
    from transforms.tables.definition import Table
else:  # whoever only asks where files lie does not wait for polars
    pl, schema = later("polars"), later("transforms.tables.schema")

EMPTY_DAY = date(1970, 1, 1)
"""Day of the empty file that every daily table has, so that a glob over a fresh lake matches and types `day` as a date."""


ZSTD_LEVEL = 1
"""On the entries of 102 MB of sessions: 24 MB at 3.7 ms of CPU per MB, level 3 21 MB at 4.8 ms, lz4 38 MB at 3.4 ms."""


class Lake:
    """Reads and writes tables below `root`; readers never need the lock."""

    def __init__(self, root: Path) -> None:
        self.root = root

    # ---- reading

    def scan(self, table: str, days: Sequence[date] | None = None) -> pl.LazyFrame:
        """All rows of a table (or of some days), lazily, in the table's schema; without rows when nothing is stored."""
        spec = schema.TABLES[table]
        files = self.files(table, days)
        if not files:
            return spec.empty().lazy()
        return _scanned(files, spec)

    def read(self, table: str, days: Sequence[date] | None = None) -> pl.DataFrame:
        """All rows of a table (or of some days), sorted by key.

        Raises:
            LakeError: when a file cannot be read.
        """
        try:
            return self.scan(table, days).sort(schema.TABLES[table].key).collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise LakeError(
                f"table `{table}` in {self.root} cannot be read: {str(error).splitlines()[0]}", "recollect doctor"
            ) from error

    def files(self, table: str, days: Sequence[date] | None = None) -> list[Path]:
        """The Parquet files of a table, or of some of its days, sorted."""
        folder = self.root / table
        if days is None:
            return sorted(folder.glob("**/*.parquet"))
        return sorted(path for day in days for path in self._folder(schema.TABLES[table], day).glob("*.parquet"))

    def days(self, table: str) -> list[date]:
        """The days of a daily table that hold a file with rows or once did."""
        found = (path.name.removeprefix("day=") for path in (self.root / table).glob("day=*"))
        return sorted(day for name in found if (day := date.fromisoformat(name)) != EMPTY_DAY)

    def marks(self, table: str) -> dict[date | None, str]:
        """Names, sizes and times of a table's files, by day (None for a table without days): a mark changes when its files do."""
        root = self.root / table
        if not root.is_dir():
            return {}
        if not schema.TABLES[table].is_daily:
            return {None: _mark(root)}
        with os.scandir(root) as folders:  # half the time of pathlib's glob, for each of thousands of days
            found = [(folder.name.removeprefix("day="), folder.path) for folder in folders if folder.name.startswith("day=")]
        return {date.fromisoformat(day): _mark(path) for day, path in sorted(found) if day != EMPTY_DAY.isoformat()}

    def exists(self) -> bool:
        """Whether anything was ever written here."""
        return (self.root / "runs").is_dir() or (self.root / "sources").is_dir()

    # ---- writing

    @contextmanager
    def writing(self, what: str) -> Iterator[None]:
        """Holds the one writer's lock; first finishes or discards what an interrupted run left behind.

        Raises:
            LockedError: when another run holds it.
            LakeError: when the folder cannot be written.
        """
        from filelock import FileLock, Timeout

        try:
            self.root.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.root / "_lock")
            lock.acquire(timeout=0)
        except Timeout as error:
            holder = self._holder()
            raise LockedError(
                f"{self.root} is being written by {holder}", "wait for it to finish, then run the same command again"
            ) from error
        except OSError as error:
            raise LakeError(
                f"{self.root} cannot be written: {error.strerror or error}",
                "check its permissions or set RECOLLECT_LAKE, then `recollect config`",
            ) from error
        try:
            (self.root / "_holder").write_text(json.dumps({"what": what, "pid": os.getpid()}), encoding="utf-8")
            self._recover()
            self._create_empty_tables()
            yield
        finally:
            (self.root / "_holder").unlink(missing_ok=True)
            lock.release()

    @contextmanager
    def commit(self) -> Iterator[Commit]:
        """Collects changes and applies all of them or none: staged files, a COMMIT list with fsync, then the moves."""
        change = Commit(self)
        try:
            yield change
        except BaseException:
            shutil.rmtree(change.folder, ignore_errors=True)
            raise
        change.apply()

    def scratch(self, name: str) -> Path:
        """A folder for files that are adopted later; what is left in it after a crash is removed by the next writer."""
        return self.root / "_tx" / f"{os.getpid()}-{name}"

    def compact(self, table: str) -> int:
        """Makes each partition's part files one under the usual name, also a single one; how many partitions changed."""
        spec = schema.TABLES[table]
        changed = 0
        folders = [self._folder(spec, day) for day in self.days(table)] if spec.is_daily else [self.root / table]
        for folder in folders:
            parts = sorted(folder.glob("*.parquet"))
            if [path.name for path in parts] in ([], ["data.parquet"], ["empty.parquet"]):
                continue
            frame = _scanned(parts, spec).collect()
            # A rerun after a crash may have appended rows that an earlier compaction already took in.
            frame = frame.unique(spec.key, keep="first", maintain_order=True)
            day = date.fromisoformat(folder.name.removeprefix("day=")) if spec.is_daily else None
            with self.commit() as change:
                change.replace(table, frame.drop("schema_version"), day)
            changed += 1
        return changed

    def _holder(self) -> str:
        try:
            told = json.loads((self.root / "_holder").read_text(encoding="utf-8"))
            return f"`{told['what']}` (process {told['pid']})"
        except (OSError, ValueError, KeyError):  # the holder is just starting or stopping: say what is known
            return "another run"

    def _folder(self, spec: Table[Any], day: date | None) -> Path:
        if spec.is_daily != (day is not None):
            raise ValueError(f"`{spec.name}`: a day is {'needed' if spec.is_daily else 'not allowed'}")
        return self.root / spec.name / f"day={day.isoformat()}" if day else self.root / spec.name

    def _create_empty_tables(self) -> None:
        for spec in schema.TABLES.values():
            path = self._folder(spec, EMPTY_DAY if spec.is_daily else None) / "empty.parquet"
            if not path.exists() and (spec.is_daily or not self.files(spec.name)):
                path.parent.mkdir(parents=True, exist_ok=True)
                staged = path.with_suffix(".staged")
                write_rows(spec.empty(), staged)
                staged.replace(path)

    def _recover(self) -> None:
        for folder in sorted((self.root / "_tx").glob("*")):
            if (folder / "COMMIT").exists():
                _roll_forward(self.root, folder)
            else:
                shutil.rmtree(folder)


class Commit:
    """A set of changes that reach the lake together."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.folder = lake.root / "_tx" / f"{os.getpid()}-{id(self):x}"
        self._moves: dict[str, str] = {}
        self._deletes: set[str] = set()
        self._pages: dict[str, dict[str, str]] = {}
        self._numbers = count(1)

    def write_page(self, path: Path, data: bytes) -> None:
        """The page outside the lake gets these bytes in the same commit, unless somebody changes it before it is applied."""
        self.folder.mkdir(parents=True, exist_ok=True)
        staged = self._fresh()
        write_durably(staged, data)
        self._pages[path.as_posix()] = {"staged": staged.name, "before": _hash_file(path) if path.exists() else ""}

    def replace(self, table: str, frame: pl.DataFrame, day: date | None = None) -> None:
        """The partition becomes exactly these rows; an empty frame empties it. Unchanged bytes are not written again."""
        spec = schema.TABLES[table]
        self._replace(spec, schema.conform(spec, frame), day)

    def append(self, table: str, frame: pl.DataFrame, day: date | None = None) -> None:
        """Adds the rows as a part file named by its content, so that adding the same rows twice is one file."""
        if not frame.is_empty():
            spec = schema.TABLES[table]
            self._append(spec, schema.conform(spec, frame), day)

    def replace_days(self, table: str, frame: pl.DataFrame, days: Sequence[date]) -> None:
        """Each of `days` becomes exactly its rows of `frame`; rows of other days are an error."""
        groups = self._by_day(table, frame)
        if stray := set(groups) - set(days):
            raise ValueError(f"`{table}`: rows of days that are not replaced: {sorted(stray)}")
        spec = schema.TABLES[table]
        none = spec.empty()
        for day in sorted(set(days)):
            self._replace(spec, groups.get(day, none), day)

    def add_days(self, table: str, frame: pl.DataFrame) -> None:
        """Adds rows to the days that they lie on."""
        spec = schema.TABLES[table]
        for day, rows in sorted(self._by_day(table, frame).items()):
            if self.lake.files(table, [day]):
                self._append(spec, rows, day)
            else:
                self._replace(spec, rows, day)

    def adopt(self, table: str, path: Path, day: date, name: str) -> None:
        """Adds a file to a day; its rows are in the shape of the table and were written below the lake (`write_rows`).

        The only one becomes the day's file; any other is called `name`, which tells its content.
        """
        folder = self.lake._folder(schema.TABLES[table], day)
        self.folder.mkdir(parents=True, exist_ok=True)
        staged = self._fresh()
        target = folder / "data.parquet"
        if self._relative(target) in self._moves or any(folder.glob("*.parquet")):
            target = folder / f"part-{name}.parquet"
        path.replace(staged)
        self._moves[self._relative(target)] = staged.name

    def join(self, table: str, day: date) -> None:
        """Makes the files of a day one under the usual name.

        Raises:
            LakeError: when one cannot be read.
            ValueError: when a key repeats.
        """
        rows = self.lake.read(table, [day])
        schema.check_keys(schema.TABLES[table], rows)
        self._replace(schema.TABLES[table], rows, day)

    def _by_day(self, table: str, frame: pl.DataFrame) -> dict[date, pl.DataFrame]:
        """The rows of each day as the table wants them; brought there day by day they took 1.1 instead of 0.3 ms per MB read."""
        rows = schema.conform(schema.TABLES[table], frame)
        return {day: part for (day,), part in rows.partition_by("day", as_dict=True, maintain_order=True).items()}

    def _replace(self, spec: Table[Any], rows: pl.DataFrame, day: date | None) -> None:
        folder = self.lake._folder(spec, day)
        keep = "empty.parquet" if rows.is_empty() else "data.parquet"  # an emptied table is as one that never had rows
        present = {path.name for path in folder.glob("*.parquet")}
        if rows.is_empty() and spec.is_daily:
            self._deletes |= {self._relative(folder / name) for name in present}
            return
        self._stage(folder / keep, rows)
        self._deletes |= {self._relative(folder / name) for name in present - {keep}}

    def _append(self, spec: Table[Any], rows: pl.DataFrame, day: date | None) -> None:
        folder = self.lake._folder(spec, day)
        staged = self._write(rows)
        name = f"part-{_hash_file(staged)}.parquet"
        self._moves[self._relative(folder / name)] = staged.name
        self._deletes |= {self._relative(path) for path in folder.glob("empty.parquet")} if not spec.is_daily else set()

    def apply(self) -> None:
        """Makes the changes durable: after COMMIT is on disk a crash at any point is finished by the next writer."""
        if not self._moves and not self._deletes and not self._pages:
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        todo = {"moves": self._moves, "deletes": sorted(self._deletes - set(self._moves)), "pages": self._pages}
        fsync_all(self.folder / name for name in self._moves.values())
        write_durably(self.folder / "COMMIT", json.dumps(todo, sort_keys=True).encode())
        fsync_all([self.folder])
        _roll_forward(self.lake.root, self.folder)

    def _stage(self, target: Path, rows: pl.DataFrame) -> None:
        staged = self._write(rows)
        if target.exists() and target.stat().st_size == staged.stat().st_size and _hash_file(target) == _hash_file(staged):
            staged.unlink()
            return
        self._moves[self._relative(target)] = staged.name

    def _write(self, rows: pl.DataFrame) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        staged = self._fresh()
        write_rows(rows, staged)
        return staged

    def _fresh(self) -> Path:
        return self.folder / f"{next(self._numbers):06d}.staged"  # several threads may write at once

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.lake.root).as_posix()


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Writes rows in the shape of a table to a file, as all files of the lake are written."""
    rows.write_parquet(path, compression="zstd", compression_level=ZSTD_LEVEL, statistics=False)


def _scanned(files: list[Path], spec: Table[Any]) -> pl.LazyFrame:
    """The files in the table's schema: a column that came with a newer version is null in older files."""
    return pl.scan_parquet(files, schema=spec.schema, missing_columns="insert", hive_partitioning=False, glob=False)


def _mark(folder: str | Path) -> str:
    with os.scandir(folder) as files:
        told = sorted((file.name, file.stat()) for file in files if file.name.endswith(".parquet"))
    return ";".join(f"{name}:{stat.st_size}:{stat.st_mtime_ns}" for name, stat in told)


def _roll_forward(root: Path, folder: Path) -> None:
    todo = json.loads((folder / "COMMIT").read_bytes())
    touched = set()
    for target, staged in sorted(todo["moves"].items()):
        path = root / target
        path.parent.mkdir(parents=True, exist_ok=True)
        if (folder / staged).exists():
            (folder / staged).replace(path)
        touched.add(path.parent)
    for target in todo["deletes"]:
        (root / target).unlink(missing_ok=True)
        touched.add((root / target).parent)
    for target, page in sorted(todo["pages"].items()):
        _place_page(Path(target), folder / page["staged"], page["before"])
    fsync_all(parent for parent in touched if parent.exists())
    for parent in touched:
        if parent.exists() and parent.name.startswith("day=") and not any(parent.iterdir()):
            parent.rmdir()
    shutil.rmtree(folder)


def _place_page(path: Path, staged: Path, before: str) -> None:
    """Copies (the workspace may lie on another file system). A page that a person changed meanwhile keeps their text."""
    if not staged.exists():
        return
    data = staged.read_bytes()
    now = _hash_file(path) if path.exists() else ""
    target = path if now in (before, _hash_file(staged)) else path.with_name(path.name + ".new")
    if not target.exists() or target.read_bytes() != data:
        replace_file(target, data)
    staged.unlink()


def _hash_file(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=10).hexdigest()
