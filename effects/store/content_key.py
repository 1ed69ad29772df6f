"""Keys of content, from the checksums that the files of tables carry: equal keys, equal rows. They read no rows.

A search for due work that found nothing is not repeated over the same content: `_logs/settled.log` in the lake has the key
of all that it looked at, and its counts. The file is no truth. Without it, or with another key, the search is done.
So it is with the parts of a step, as the logs of days: `_logs/parts_STEP.log` has the key of each that needs no work.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import orjson

from effects.store.layout import find_held, list_entries
from effects.system.files import replace_file
from transforms.tables.ids import hash_fields, hash_text

if TYPE_CHECKING:
    from effects.store.run import Counts, Run

SETTLED_FILE = "_logs/settled.log"
"""A second run over nothing new changes only `runs` and the logs. No table's folder has it: polars wants Parquet alone."""
FORMER_SETTLED_FILES = ("_settled.json", "runs/_settled.json")
PARTS_FILE = "_logs/parts_{}.log"
CODE_FOLDERS = ("effects", "transforms", "prompts")
"""Folders whose files decide the result of a step for the same input: modules, weights, templates."""

CHECKSUM, BLANK = "recollect_checksum", b"0" * 32
"""Key of a file's checksum in its own metadata, and the placeholder while it is computed."""
FOOTER_BYTES = 8
"""At the end of a Parquet file: the length of the footer in four bytes, and `PAR1`."""
END_BYTES = 16_384
"""Read at once from the end of a file: most footers are shorter."""


def compute_content_key(root: Path, tables: Iterable[str]) -> str:
    """Return the key of some tables below a lake's root; empty when a file cannot be read."""
    keys = [_compute_table_key(root, table) for table in tables]
    return hash_text("\n".join(keys)) if all(keys) else ""


def _compute_table_key(root: Path, table: str) -> str:
    """Return the key of a table; a writer, whose steps ask again and again, computes it once for the same files."""
    held = find_held(root, table)
    if held is not None and held.content_key:
        return held.content_key
    parts, start = [], f"{root}{os.sep}"
    for folder, entry in list_entries(root, table):
        try:
            stat = entry.stat()
            checksum = read_checksum(entry.path, (stat.st_ino, stat.st_size, stat.st_mtime_ns))
        except OSError:
            return ""
        parts.append(f"{folder.removeprefix(start)}/{entry.name} {checksum}")
    key = hash_text("\n".join(parts))
    if held is not None:
        held.content_key = key
    return key


class _Settled(TypedDict):
    """A search that found nothing: the key of its input, and its counts."""

    key: str
    counts: Counts


def compute_search_key(run: Run, tables: Iterable[str], *values: str) -> str:
    """Return the key of all that a search for due work looks at; empty when the lake cannot tell.

    That is the content of these tables, the settings, our own code with its templates, and further `values`.
    """
    content = compute_content_key(run.lake.root, tables)
    return hash_fields(content, repr(run.settings), _hash_code(), *values) if content else ""


def hash_files(paths: Iterable[Path]) -> str:
    """Return a hash of the names and contents of files; a missing one, or a folder, counts as such."""
    digest = blake2b(digest_size=16)
    for path in paths:
        try:
            content = blake2b(path.read_bytes(), digest_size=16).digest()
        except (OSError, ValueError):
            content = b""
        digest.update(blake2b(os.fsencode(path), digest_size=16).digest() + content)
    return digest.hexdigest()


def find_settled(run: Run, step: str, key: str) -> Counts | None:
    """Return the counts of the last search of `step` if it found nothing to do at this key."""
    stored = _read_settled(run).get(step)
    return stored["counts"] if stored and key and stored["key"] == key else None


def settle(run: Run, step: str, key: str, counts: Counts) -> None:
    """Note that `step` found nothing to do at this key, with its counts."""
    if key:
        settled = _read_settled(run) | {step: _Settled(key=key, counts=counts)}
        replace_file(run.lake.root / SETTLED_FILE, orjson.dumps(settled, option=orjson.OPT_SORT_KEYS))
        for former in FORMER_SETTLED_FILES:  # where earlier versions put it
            (run.lake.root / former).unlink(missing_ok=True)


def _read_settled(run: Run) -> dict[str, _Settled]:
    try:
        settled: dict[str, _Settled] = orjson.loads((run.lake.root / SETTLED_FILE).read_bytes())
        return {step: row for step, row in settled.items() if {"key", "counts"} <= row.keys()}
    except (OSError, ValueError, AttributeError):  # none yet, or damaged: everything is searched
        return {}


def read_part_keys(run: Run, step: str) -> dict[str, str]:
    """Return the stored key of each part of a step; none of another version of code or settings, or of a damaged file."""
    try:
        stored = orjson.loads((run.lake.root / PARTS_FILE.format(step)).read_bytes())
        return dict(stored["keys"]) if stored["basis"] == compute_basis(run) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def write_part_keys(run: Run, step: str, keys: Mapping[str, str]) -> None:
    """Store the keys of a step's parts in place of the stored ones."""
    if keys != read_part_keys(run, step):
        stored = {"basis": compute_basis(run), "keys": dict(keys)}
        replace_file(run.lake.root / PARTS_FILE.format(step), orjson.dumps(stored, option=orjson.OPT_SORT_KEYS))


def compute_basis(run: Run) -> str:
    """Return the key of what parts are made by: the settings, our own code, and polars, whose hashes may be in their keys."""
    return hash_fields(repr(run.settings), _hash_code(), find_polars_version(), size=16)


@cache
def find_polars_version() -> str:
    """Return the version of the installed polars: each look into a package's description parses all of it (1 to 5 ms)."""
    return version("polars")


@cache
def _hash_code() -> str:
    root = Path(__file__).parents[2]
    places = [place for folder in CODE_FOLDERS for place in os.walk(root / folder) if not place[0].endswith("__pycache__")]
    return hash_files(sorted(Path(folder, name) for folder, _, names in places for name in names))


def find_checksum(data: bytes) -> int:
    """Return the position of the checksum in a file or in its footer; -1 when there is none."""
    position = data.rfind(CHECKSUM.encode())
    return position if position < 0 else position + len(CHECKSUM) + 2  # Thrift puts a type and a length, a byte each, before it


@lru_cache(maxsize=65_536)
def read_checksum(path: str, stamp: tuple[int, int, int]) -> str:
    """Return the checksum that a file carries; that of all its bytes when an older version wrote it.

    Several steps of a run ask for it; `stamp` has the file's inode, size and time, so that a file of another step is read again.
    """
    descriptor = os.open(path, os.O_RDONLY)  # a lake of years has thousands of files: a Path and a reader cost more than reading
    try:
        size = os.fstat(descriptor).st_size
        end = os.pread(descriptor, END_BYTES, max(0, size - END_BYTES))
        length = int.from_bytes(end[-FOOTER_BYTES : 4 - FOOTER_BYTES], "little") + FOOTER_BYTES
        footer = end[-length:] if length <= len(end) else os.pread(descriptor, length, max(0, size - length))
    finally:
        os.close(descriptor)
    start = find_checksum(footer)
    if start < 0:
        return blake2b(Path(path).read_bytes(), digest_size=len(BLANK) // 2).hexdigest()
    return footer[start : start + len(BLANK)].decode("ascii", "replace")
