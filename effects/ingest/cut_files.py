"""Keeps the entries that a session file has lost: a client that crashed while it wrote, a full disk, a sync tool that stopped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import polars as pl

from effects.ingest.read_file import EPOCH_DAY, SessionUpdate
from effects.ingest.session_files import hash_prefix, open_session
from effects.store.lake import Lake
from transforms.patterns.late_pattern import compile_late
from transforms.reading.kept_entries import COMPARED, count_missing, find_cut
from transforms.reading.session_row import NARROW
from transforms.tables.rows import SourceRow

KEPT_WORDS = "memory keeps what it said"
"""End of the reason of a file of which the lake has more than the file: its status is `read`."""
FORMER = compile_late(r"; before, its first (\d+) bytes had the hash (\w+)\Z")


def keep_lost_entries(lake: Lake, update: SessionUpdate, known: Mapping[str, SourceRow]) -> None:
    """Make an update of a whole file that was cut one that adds to the stored entries, and name the loss in its row of `sources`.

    A file that was only cut keeps the offset and hash of what was read (more bytes than it has now), so that it is known again
    when it is restored. `known` are the rows of `sources` so far, by path.

    Raises:
        LakeError: when the stored rows cannot be read.
    """
    if not (update.is_whole and update.old_days and update.source):
        return
    columns = list(dict.fromkeys([*NARROW, *COMPARED]))
    scan = lake.scan("entries", update.old_days).filter(pl.col("session_id") == update.session_id)
    stored = lake.collect(scan.select(columns).sort("ordinal"), "entries")
    cut = find_cut(stored, update.fresh)
    if cut is None:
        missing = 0 if update.only_grew else count_missing(stored, update.fresh)
        update.lost = max(missing, stored.height - update.fresh.height)
        return
    source, old = update.source, known.get(update.source["path"])
    first_ordinal = stored["ordinal"][-1] + 1
    fresh = update.fresh.slice(cut.first_new)
    update.fresh = fresh.with_columns(ordinal=pl.Series(range(first_ordinal, first_ordinal + fresh.height), dtype=pl.Int32))
    update.stored, update.is_whole = stored.select(NARROW), False
    source["days"] = sorted({*stored["day"], *fresh["day"]})
    update.days = {(day - EPOCH_DAY).days for day in source["days"]}
    if old and fresh.is_empty() and old["session_id"] == update.session_id and old["consumed_bytes"]:
        for name in ("consumed_bytes", "prefix_hash", "line_count"):
            source[name] = old[name]
    source["reason"] = word_loss(cut.lost)


def word_loss(lost: int) -> str:
    """Return the reason of a file that lacks some of the entries that were read from it."""
    words = "1 entry that was read is" if lost == 1 else f"{lost} entries that were read are"
    return f"{words} no longer in the file; {KEPT_WORDS}"


def word_rewritten(lost: int, before: int, former: SourceRow | None) -> str:
    """Return the detail in `quarantine` of a file that was written anew; `former` is the file from which the entries were read.

    It ends with what tells the former file again: the length and the hash of what was read.
    """
    detail = f"{lost} of {before} entries that were read are no longer in the file"
    return (
        f"{detail}; before, its first {former['consumed_bytes']} bytes had the hash {former['prefix_hash']}" if former else detail
    )


def is_restored(path: str, details: Iterable[str]) -> bool:
    """Return whether a file begins with what one of these details of its quarantine tells of the former file."""
    formers = [(int(match[1]), match[2]) for detail in details if (match := FORMER.search(detail))]
    if not formers:
        return False
    try:
        with open_session(Path(path)) as handle:
            return any(hash_prefix(handle, consumed) == prefix_hash for consumed, prefix_hash in formers)
    except OSError:  # it vanished meanwhile: the next night looks again
        return False
