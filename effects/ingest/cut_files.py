"""Keeps the entries that a session file has lost: a client that crashed while it wrote, a full disk, a sync tool that stopped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path

import polars as pl

from effects.ingest.plan import COPY_REASON
from effects.ingest.read_file import EPOCH_DAY, SessionUpdate
from effects.ingest.session_files import hash_prefix, open_session
from effects.store.lake import Lake
from transforms.patterns.late_pattern import compile_late
from transforms.reading.kept_entries import COMPARED, count_missing, find_cut, find_redacted_since
from transforms.reading.session_row import NARROW
from transforms.tables.rows import SourceRow

KEPT_WORDS = "memory keeps what it said"
"""End of the reason of a file of which the lake has more than the file: its status is `read`."""
FORMER = compile_late(r"; before, its first (\d+) bytes had the hash (\w+)\Z")


def keep_lost_entries(lake: Lake, update: SessionUpdate, known: Mapping[str, SourceRow], speaker: str | None) -> None:
    """Make an update of a whole file that was cut one that adds to the stored entries, and name the loss in its row of `sources`.

    A file that was only cut keeps the offset and hash of what was read (more bytes than it has now), so that it is known again
    when it is restored. `known` are the rows of `sources` so far, by path; `speaker` is the file that spoke for the session. What
    other files of it say besides is no loss: they are there. Where an entry gave a secret away that a stored one holds, the rows
    are written anew.

    Raises:
        LakeError: when the stored rows cannot be read.
    """
    if not (update.is_whole and update.old_days and update.source):
        return
    stored = load_compared_rows(lake, update.session_id, update.old_days)
    path = update.source["path"]
    cut = find_cut(stored, update.fresh)
    if cut is None:
        beside = [name for name in stored["source_path"].unique() if name != speaker and _is_copy(known.get(name))]
        former = stored.filter(~pl.col("source_path").is_in(beside))
        is_all_its_own = update.only_grew and (stored["source_path"] == path).all()
        missing = 0 if is_all_its_own else count_missing(former, update.fresh)
        update.lost = max(missing, former.height - update.fresh.height)
        return
    source, old = update.source, known.get(path)
    lost = sum(not _is_copy(known.get(stored["source_path"][row])) for row in cut.lost)
    first_ordinal = stored["ordinal"][-1] + 1
    fresh = update.fresh.slice(cut.first_new)
    redacted = find_redacted_since(stored, update.fresh, cut)
    kept = _load_kept_rows(lake, update, [*redacted]) if redacted else None
    places = pl.Series([stored["ordinal"][place] for place in redacted], dtype=pl.Int32)
    without_secrets = update.fresh[[*redacted.values()]].with_columns(ordinal=places)
    update.fresh = fresh.with_columns(ordinal=pl.Series(range(first_ordinal, first_ordinal + fresh.height), dtype=pl.Int32))
    if kept is None:
        update.stored, update.is_whole = stored.select(NARROW), False
    else:
        update.fresh = pl.concat([kept, without_secrets, update.fresh]).sort("ordinal")
    source["days"] = sorted({*stored["day"], *fresh["day"]})
    update.days = {(day - EPOCH_DAY).days for day in source["days"]}
    if lost and old and fresh.is_empty() and old["session_id"] == update.session_id and old["consumed_bytes"]:
        for name in ("consumed_bytes", "prefix_hash", "line_count"):
            source[name] = old[name]
    source["reason"] = word_loss(lost) if lost else ""


def _load_kept_rows(lake: Lake, update: SessionUpdate, left_out: Sequence[int]) -> pl.DataFrame:
    """Return the stored rows of a session as they are, without those of these numbers in ordinal order."""
    scan = lake.scan("entries", update.old_days or None).filter(pl.col("session_id") == update.session_id)
    rows = lake.collect(scan.drop("schema_version").sort("ordinal"), "entries")
    return rows.with_row_index("row").filter(~pl.col("row").is_in([*left_out])).drop("row")


def load_compared_rows(lake: Lake, session_id: str, days: Sequence[date]) -> pl.DataFrame:
    """Return the stored rows of a session in ordinal order, with the columns that tell entries again, and their files."""
    columns = list(dict.fromkeys([*NARROW, *COMPARED, "source_path"]))
    scan = lake.scan("entries", days or None).filter(pl.col("session_id") == session_id)
    return lake.collect(scan.select(columns).sort("ordinal"), "entries")


def _is_copy(row: SourceRow | None) -> bool:
    """Whether this is the row of a file that is there, beside the one that speaks for its session."""
    return row is not None and row["status"] == "refused" and row["reason"].startswith(COPY_REASON)


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
        f"{detail}; before, its first {former['consumed_bytes']} bytes had the hash {former['prefix_hash']}"
        if former and former["prefix_hash"]  # a file that speaks for the session no longer has none
        else detail
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
