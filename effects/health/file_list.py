"""The files that the tables had when the last run ended, so that one that went since is damage, and no table with fewer rows.

`_logs/files.log` has them; a run removes the list before it changes anything and writes it again at its end. A run that was
killed leaves none, and a run of another machine or of an older version, which keeps no list, leaves a file of `runs` that the
list does not have: then nobody knows what was there, and nothing is missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import orjson

from effects.store.lake import Lake
from effects.store.layout import EMPTY_FILE, list_entries
from effects.store.redo_log import COMMIT_FILE, TRANSACTIONS
from effects.system.errors import LakeError
from effects.system.files import replace_file
from transforms.tables.schema import TABLES

FILE_LIST = "_logs/files.log"
RUNS = "runs"
NAMED = 3
"""Missing files that a message names."""


def find_missing_files(lake: Lake) -> list[Path]:
    """Return the files of tables that the last run left and that are gone, sorted; none while a run writes."""
    try:
        data = (lake.root / FILE_LIST).read_bytes()
        listed: dict[str, int] = orjson.loads(data)
        missing = [] if _is_outdated(lake, listed) else sorted(listed.keys() - _list_sizes(lake, TABLES).keys())
    except (OSError, ValueError, AttributeError, TypeError):  # none yet, or damaged: nobody knows
        return []
    if missing and _read_list(lake) != data:  # a run began meanwhile
        return []
    return [lake.root / name for name in missing]


@contextmanager
def keeping_file_list(lake: Lake, is_repair: bool = False) -> Iterator[None]:
    """Keep the list of files while the block, which holds the lake's lock, changes tables; a repair may begin without them.

    Until a repair ends, the list has what it misses and no other file: when it is killed, the next one finds the same loss.

    Raises:
        LakeError: when files are gone, before the block; it names them and the command that repairs the lake.
    """
    missing = find_missing_files(lake)
    if missing and not is_repair:
        raise LakeError(_describe_missing(missing), "put them back from a copy, else recollect rebuild lake")
    if missing:
        lost = {path.relative_to(lake.root).as_posix(): 0 for path in missing}
        replace_file(lake.root / FILE_LIST, orjson.dumps(_list_sizes(lake, {RUNS}) | lost))
    else:
        (lake.root / FILE_LIST).unlink(missing_ok=True)
    try:
        yield
    finally:
        with suppress(OSError):  # without a list nothing is missing, nor after a commit that the next writer has to finish
            if not any((lake.root / TRANSACTIONS).glob(f"*/{COMMIT_FILE}")):
                replace_file(lake.root / FILE_LIST, orjson.dumps(_list_sizes(lake, TABLES)))


def _describe_missing(missing: list[Path]) -> str:
    named = ", ".join(map(str, missing[:NAMED])) + (f" and {len(missing) - NAMED} more" if len(missing) > NAMED else "")
    return f"{named}: missing since the last run"


def _is_outdated(lake: Lake, listed: dict[str, int]) -> bool:
    """Whether a run that keeps no list wrote since: `runs` has a file that the list has not, or not of this size."""
    return any(listed.get(name) != size for name, size in _list_sizes(lake, {RUNS}).items())


def _list_sizes(lake: Lake, tables: Iterable[str]) -> dict[str, int]:
    """Return the size of each file of `runs`, and of the other tables their files with 0: only `runs` tells of other runs."""
    start = len(f"{lake.root}{os.sep}")
    return {
        entry.path[start:]: entry.stat().st_size if table == RUNS else 0
        for table in tables
        for _, entry in list_entries(lake.root, table)
        if entry.name != EMPTY_FILE
    }


def _read_list(lake: Lake) -> bytes:
    with suppress(OSError):
        return (lake.root / FILE_LIST).read_bytes()
    return b""
