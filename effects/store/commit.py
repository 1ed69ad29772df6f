"""A commit: changes of tables and pages that reach the disk together."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from datetime import date
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from effects.store.layout import (
    DATA_FILE,
    EMPTY_FILE,
    MOST_WRITTEN,
    MOST_WRITTEN_BYTES,
    find_table,
    list_files,
    name_partition_folder,
    note_rows,
)
from effects.store.redo_log import TRANSACTIONS, StagedPage, apply_changes, check_page_folder, hash_file
from effects.store.table_files import write_rows
from effects.system.files import write_durably
from transforms.tables.definition import Table
from transforms.tables.schema import check_keys, conform

if TYPE_CHECKING:
    from effects.store.lake import Lake


class Commit:
    """The changes that `apply` makes durable together."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.folder = lake.root / TRANSACTIONS / f"{os.getpid()}-{id(self):x}"
        self._moves: dict[str, str] = {}
        self._deletes: set[str] = set()
        self._pages: dict[str, StagedPage] = {}
        self._rows: dict[Path, tuple[str, pl.DataFrame]] = {}
        """Table and rows of some small folders whose whole content is replaced."""
        self._numbers = count(1)

    def write_page(self, path: Path, data: bytes) -> None:
        """Write a page outside the lake in the same commit, unless somebody changes it before the commit is applied.

        Raises:
            PageError: when its folder cannot be written.
        """
        check_page_folder(path)
        staged = self._name_next_staged()
        write_durably(staged, data)
        self._pages[path.as_posix()] = {"staged": staged.name, "before": hash_file(path) if path.exists() else ""}

    def replace(self, table: str, frame: pl.DataFrame, day: date | None = None) -> None:
        """Make these rows the content of the partition; an empty frame empties it. Unchanged bytes are not written again."""
        definition = find_table(table)
        self._replace(definition, conform(definition, frame), day)

    def append(self, table: str, frame: pl.DataFrame, day: date | None = None) -> None:
        """Add the rows as a part file named by its content, so that adding the same rows twice is one file."""
        if not frame.is_empty():
            definition = find_table(table)
            self._append(definition, conform(definition, frame), day)

    def replace_days(self, table: str, frame: pl.DataFrame, days: Sequence[date]) -> None:
        """Make the rows of `frame` the content of `days`; a day without rows is emptied.

        Raises:
            ValueError: when a row lies on another day.
        """
        definition = find_table(table)
        rows_by_day = _split_days(definition, frame)
        if others := set(rows_by_day) - set(days):
            raise ValueError(f"`{table}`: rows of days that are not replaced: {sorted(others)}")
        no_rows = definition.make_empty()
        for day in sorted(set(days)):
            self._replace(definition, rows_by_day.get(day, no_rows), day)

    def add_days(self, table: str, frame: pl.DataFrame) -> None:
        """Add rows to the days that they lie on."""
        definition = find_table(table)
        for day, rows in sorted(_split_days(definition, frame).items()):
            if list_files(self.lake.root, table, [day]):
                self._append(definition, rows, day)
            else:
                self._replace(definition, rows, day)

    def adopt(self, table: str, path: Path, day: date, name: str) -> None:
        """Add a file to a day; its rows are in the table's schema and were written below the lake (`write_rows`).

        The only file of a day becomes its data file; any other is called `name`, which is derived from its content.
        """
        folder = name_partition_folder(self.lake.root, find_table(table), day)
        staged = self._name_next_staged()
        target = folder / DATA_FILE
        if self._relative(target) in self._moves or any(folder.glob("*.parquet")):
            target = folder / f"part-{name}.parquet"
        path.replace(staged)
        self._moves[self._relative(target)] = staged.name

    def join(self, table: str, day: date) -> None:
        """Merge the files of a day into one of the usual name.

        Raises:
            LakeError: when one cannot be read.
            ValueError: when a key repeats.
        """
        rows, definition = self.lake.read(table, [day]), find_table(table)
        check_keys(definition, rows)
        self._replace(definition, rows, day)

    def apply(self) -> None:
        """Make the changes durable. After the list of changes is on disk, the next writer finishes them after any crash.

        Raises:
            PageError: when a page cannot be written. The tables are complete then, and later runs try the page again.
        """
        if self._moves or self._deletes or self._pages:
            self.folder.mkdir(parents=True, exist_ok=True)
            deletes = sorted(self._deletes - set(self._moves))
            apply_changes(self.lake.root, self.folder, {"moves": self._moves, "deletes": deletes, "pages": self._pages})
            for folder, (table, rows) in self._rows.items():
                note_rows(self.lake.root, table, folder, rows)
        else:
            self.discard()

    def discard(self) -> None:
        """Remove the staged files; the lake stays as it was."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _replace(self, table: Table[Any], rows: pl.DataFrame, day: date | None) -> None:
        folder = name_partition_folder(self.lake.root, table, day)
        file_name = EMPTY_FILE if rows.is_empty() else DATA_FILE  # an emptied table is as one that never had rows
        present = {path.name for path in folder.glob("*.parquet")}
        if rows.is_empty() and table.is_daily:
            self._deletes |= {self._relative(folder / name) for name in present}
            return
        self._stage(folder / file_name, rows, table)
        self._deletes |= {self._relative(folder / name) for name in present - {file_name}}

    def _append(self, table: Table[Any], rows: pl.DataFrame, day: date | None) -> None:
        folder = name_partition_folder(self.lake.root, table, day)
        staged = self._write(rows, table)
        self._moves[self._relative(folder / f"part-{hash_file(staged)}.parquet")] = staged.name
        if not table.is_daily:
            self._deletes |= {self._relative(path) for path in folder.glob(EMPTY_FILE)}

    def _stage(self, target: Path, rows: pl.DataFrame, table: Table[Any]) -> None:
        staged = self._write(rows, table)
        if target.exists() and target.stat().st_size == staged.stat().st_size and hash_file(target) == hash_file(staged):
            staged.unlink()
            return
        self._moves[self._relative(target)] = staged.name
        if target.name == DATA_FILE and len(self._rows) < MOST_WRITTEN and rows.estimated_size() <= MOST_WRITTEN_BYTES:
            self._rows[target.parent] = table.name, rows
        else:
            self._rows.pop(target.parent, None)

    def _write(self, rows: pl.DataFrame, table: Table[Any]) -> Path:
        staged = self._name_next_staged()
        write_rows(rows, staged, table)
        return staged

    def _name_next_staged(self) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{next(self._numbers):06d}.staged"  # several threads may write at once

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.lake.root).as_posix()


def _split_days(table: Table[Any], frame: pl.DataFrame) -> dict[date, pl.DataFrame]:
    """Return the rows of each day. The frame is conformed once: day by day takes several times as long."""
    rows = conform(table, frame)
    return {day: part for (day,), part in rows.partition_by("day", as_dict=True, maintain_order=True).items()}
