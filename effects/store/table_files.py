"""Reads and writes the Parquet files of a table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from functools import partial
from hashlib import blake2b
from io import BytesIO
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from effects.store.content_key import BLANK, CHECKSUM, find_checksum, read_checksum
from effects.store.layout import (
    DATA_FILE,
    EMPTY_DAY,
    EMPTY_FILE,
    HELD_LOCK,
    Entries,
    HeldTable,
    find_held,
    find_table,
    list_held,
    name_kept_file,
    name_partition_folder,
)
from transforms.dictionary.comments import DESCRIPTION, annotate_schema, describe_table, hash_comments
from transforms.tables.definition import Table

ZSTD_LEVEL = 1
"""Higher levels save little space and cost more time than everything else that a commit does."""

HELD_BYTES = 12_000_000
"""Bytes of the rows of a table that a writer holds in memory: a thousand small days, whose files cost more than their rows."""
FOOTER_BYTES = 5_000
"""About what describes the columns at the end of a file of a wide table; in a file of a small day half of the bytes are that."""
KEPT_FROM = 100
"""Folders of a table from which on its rows are kept for the next writer; reading fewer costs some hundredths of a second."""
_FILE = "_file"
"""Column with the file of a row, while the rows are read."""

PANIC = "PanicException"
"""Name of the exception that polars raises when its own code fails at a damaged file; it is not an `Exception`."""


WORDS_METADATA_KEY = "recollect_words"
"""Key of a hash of the columns' words, in the metadata of files that hold them."""
FIRST_DAY = f"day={EMPTY_DAY.isoformat()}"
"""Folder of the first file of a daily table, which has no rows."""
_first_files: dict[str, bytes] = {}
"""The bytes of the first file of a table, by the hash of its words."""


def scan_files(files: list[Path] | list[str], table: Table[Any], include_file_paths: str | None = None) -> pl.LazyFrame:
    """Return the rows of these files in the table's schema, from any earlier version of recollect.

    A column that an older version did not know is null; a column that only a newer version knows is left out.
    """
    return pl.scan_parquet(
        files,
        schema=table.schema,
        missing_columns="insert",
        extra_columns="ignore",
        hive_partitioning=False,
        glob=False,
        include_file_paths=include_file_paths,
    )


def read_held_rows(root: Path, table: Table[Any]) -> pl.DataFrame | None:
    """Return all rows of a small table of a lake that this process writes, read once; only changed folders are read again.

    None where nobody holds the lake, where the table is larger, or where a file cannot be read: whoever scans it finds out why.
    """
    with HELD_LOCK:
        held = find_held(root, table.name)
        if held is None:
            return None
        try:
            sizes = (entry.stat().st_size for entries in held.entries.values() for entry in entries)
            is_small = sum(max(0, size - FOOTER_BYTES) for size in sizes) <= HELD_BYTES
            if is_small and held.rows is None and len(held.entries) >= KEPT_FROM:
                _take_kept_rows(root, table, held)
            rows = _join_rows(held, table) if is_small else None
        except (pl.exceptions.PolarsError, OSError):
            rows = None
        if rows is None:
            held.rows, held.heights, held.written = None, {}, {}
        return rows


def read_held_days(root: Path, table: Table[Any], days: Sequence[date]) -> pl.DataFrame | None:
    """Return the rows of some days of a table whose rows this process holds, without a look at a file.

    None where it holds none, or where one of the days changed since: to read its file takes less than to join all rows again.
    """
    with HELD_LOCK:
        held = find_held(root, table.name)
        if held is None or held.rows is None:
            return None
        wanted = sorted({str(name_partition_folder(root, table, day)) for day in days})
        if not all(folder not in held.unread or _is_written(held, folder) for folder in wanted):
            return None
        starts = dict(zip(held.heights, accumulate(held.heights.values(), initial=0), strict=False))
        pieces = [table.make_empty()]
        for folder in wanted:
            if folder in held.unread:
                pieces.append(held.written[folder])
            elif folder in starts:
                pieces.append(held.rows[starts[folder] : starts[folder] + held.heights[folder]])
    return pl.concat(pieces, rechunk=True)


def _is_written(held: HeldTable, folder: str) -> bool:
    """Whether the only file of a folder is the one whose rows this process noted when it wrote it."""
    return folder in held.written and [entry.name for entry in held.entries.get(folder, [])] == [DATA_FILE]


def _join_rows(held: HeldTable, table: Table[Any]) -> pl.DataFrame:
    """Return the rows of a held table in the order of its files; those of folders that did not change are taken over."""
    known_rows = table.make_empty() if held.rows is None else held.rows
    if held.rows is not None and not held.unread:
        return known_rows
    ends = dict(zip(held.heights, accumulate(held.heights.values()), strict=True))
    pieces, heights = [table.make_empty()], dict[str, int]()

    def is_there(folder: str) -> tuple[bool, bool]:
        """Whether the rows of a folder are known, and whether they were written since."""
        return folder in ends and folder not in held.unread, _is_written(held, folder)

    for (is_known, is_written), group in groupby(sorted(held.entries), key=is_there):
        folders = list(group)
        if is_known:
            own = {folder: held.heights[folder] for folder in folders}
            if ends[folders[-1]] - ends[folders[0]] + own[folders[0]] == sum(own.values()):  # no folder between them is gone
                pieces.append(known_rows[ends[folders[0]] - own[folders[0]] : ends[folders[-1]]])
            else:
                pieces += [known_rows[ends[folder] - own[folder] : ends[folder]] for folder in folders]
            heights |= own
        elif is_written:
            pieces += [held.written[folder] for folder in folders]
            heights |= {folder: held.written[folder].height for folder in folders}
        else:
            heights |= dict.fromkeys(folders, 0)
            files = [entry.path for folder in folders for entry in held.entries[folder] if not _is_first_file(entry)]
            if len(files) == 1:
                pieces.append(scan_files(files, table).collect())
                heights[files[0].rpartition(os.sep)[0]] = pieces[-1].height
            elif files:
                piece = scan_files(files, table, include_file_paths=_FILE).collect()
                pieces.append(piece.drop(_FILE))
                for file, height in piece[_FILE].rle().struct.unnest().select("value", "len").iter_rows():
                    heights[file.rpartition(os.sep)[0]] += height
    held.rows, held.heights = pl.concat(pieces, rechunk=True), heights
    held.unread.clear()
    held.written.clear()
    return held.rows


def keep_held_rows(root: Path) -> None:
    """Write down the rows that this process holds of tables of many files: the next writer reads one file in their place."""
    for name, held in list_held(root).items():
        path = name_kept_file(root, name)
        if len(held.entries) < KEPT_FROM or path.exists() or (rows := read_held_rows(root, find_table(name))) is None:
            continue
        start = len(str(root)) + 1
        folders = [(folder[start:], height, _mark_folder(held.entries[folder])) for folder, height in held.heights.items()]
        with BytesIO() as buffer, suppress(OSError):  # without the file the next writer reads the others
            rows.write_ipc(buffer, compression="lz4")
            head = orjson.dumps({"folders": folders, "digest": _compute_checksum(buffer.getbuffer()).decode()})
            path.parent.mkdir(exist_ok=True)
            staged = path.with_suffix(".staged")
            staged.write_bytes(b"".join((head, b"\n", buffer.getbuffer())))
            staged.replace(path)


def _take_kept_rows(root: Path, table: Table[Any], held: HeldTable) -> None:
    """Hold the rows that the last writer kept; folders whose files differ from those of then are unread.

    The file goes when a folder differs, or when it is damaged: where one is, it has the rows of the table.
    """
    path = name_kept_file(root, table.name)
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        kept = orjson.loads(head)
        if kept["digest"].encode() != _compute_checksum(body):
            raise ValueError(f"{path} has other bytes than were written")
        rows = pl.read_ipc(body)
        if rows.schema != pl.Schema(table.schema) or rows.height != sum(height for _, height, _ in kept["folders"]):
            raise ValueError(f"{path} has rows of another version")
        marks = {f"{root}{os.sep}{folder}": mark for folder, _, mark in kept["folders"]}
        held.unread = {folder for folder, entries in held.entries.items() if marks.get(folder) != _mark_folder(entries)}
        held.unread |= marks.keys() - held.entries.keys()
        held.heights = {f"{root}{os.sep}{folder}": height for folder, height, _ in kept["folders"]}
        held.rows = rows
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, pl.exceptions.PolarsError):
        held.rows, held.heights, held.unread = None, {}, set()
    if held.rows is None or held.unread:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _mark_folder(entries: Entries) -> str:
    """Return what tells the files of a folder from other ones: their names, sizes, times and checksums."""
    marks = []
    for entry in entries:
        stat = entry.stat()
        checksum = read_checksum(entry.path, (stat.st_ino, stat.st_size, stat.st_mtime_ns))
        marks.append(f"{entry.name} {stat.st_size} {stat.st_mtime_ns} {checksum}")
    return ";".join(marks)


def _is_first_file(entry: os.DirEntry[str]) -> bool:
    """Return whether a file is one without rows as it was written: its checksum is looked at in a tenth of the time of a read."""
    if entry.name != EMPTY_FILE:
        return False
    data = Path(entry.path).read_bytes()
    return find_checksum(data) >= 0 and not _find_foreign_bytes(data)


def write_rows(rows: pl.DataFrame, path: Path, table: Table[Any]) -> None:
    """Write rows in the table's schema to a file, with a checksum of its bytes. All files of the lake are written here.

    Its metadata describes a row. The words of the columns stand in the files of tables without days, and in the
    first file of a daily table: in every file they would take 2 KB, and readers of a folder take the schema from the first one.
    """
    notes, schema = {DESCRIPTION: describe_table(table), CHECKSUM: BLANK.decode()}, None
    if not table.is_daily or path.parent.name == FIRST_DAY:
        notes[WORDS_METADATA_KEY], schema = hash_comments(table), annotate_schema(table.name)
    write = partial(
        rows.write_parquet,
        compression="zstd",
        compression_level=ZSTD_LEVEL,
        statistics=False,
        metadata=notes,
        arrow_schema=schema,
    )
    try:
        write(path)
    except pl.exceptions.PolarsError:  # of a disk that fills up at the end of the file it says "Invalid thrift"
        buffer = BytesIO()
        write(buffer)
        path.write_bytes(buffer.getbuffer())  # the system's own error has its number
    data = path.read_bytes()
    position = data.rindex(BLANK)
    with path.open("r+b") as handle:
        handle.seek(position)
        handle.write(_compute_checksum(data))


def write_no_rows(path: Path, table: Table[Any]) -> None:
    """Write the first file of a table, which has no rows. It has the same bytes in every lake: they are made once a process."""
    if (data := _first_files.get(hash_comments(table))) is None:
        write_rows(table.make_empty(), path, table)
        _first_files[hash_comments(table)] = path.read_bytes()
    else:
        path.write_bytes(data)


def has_older_words(path: Path, table: Table[Any]) -> bool:
    """Return whether a file without rows is whole, and tells the columns in the words of another version or not at all."""
    return hash_comments(table).encode() not in path.read_bytes() and not find_fault(path, table, None)


def find_fault(path: Path, table: Table[Any], day: date | None) -> str:
    """Return why a file is not as it was written, in words that follow its path; empty when it is whole.

    `day` is that of its folder. A file of an older version, or of another program, has no checksum and must only be readable.
    """
    try:
        data = path.read_bytes()
        if (fault := _find_foreign_bytes(data)) or not data:  # polars may end the process at a damaged file: it comes second
            return fault or "is empty"
        rows = scan_files([path], table).collect()
    except Exception as error:  # noqa: BLE001  each library raises its own classes for a file that is not Parquet
        return f"cannot be read: {str(error).splitlines()[0]}"
    except BaseException as error:
        if type(error).__name__ != PANIC:
            raise
        return "cannot be read"
    if day is not None and rows.height and set(rows["day"].unique()) != {day}:
        return f"holds rows of another day than {day}"
    return ""


def _find_foreign_bytes(data: bytes) -> str:
    """Return in words that a file does not have the bytes of its checksum; empty when it has them, or no checksum."""
    start = find_checksum(data)
    if start < 0:
        return "" if data.endswith(b"PAR1") or not data else "is cut off"
    stored = data[start : start + len(BLANK)]
    is_same = _compute_checksum(data[:start] + BLANK + data[start + len(BLANK) :]) == stored
    return "" if is_same else "has other bytes than were written"


def _compute_checksum(data: bytes | memoryview) -> bytes:
    return blake2b(data, digest_size=len(BLANK) // 2).hexdigest().encode()
