"""One session file → what changes: new rows, damaged lines, and its new row in `sources`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from os import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

import polars as pl

from effects.ingest.plan import ReadTask, SourceRow, source_row
from effects.ingest.session_files import is_header, open_session, pieces, prefix_hash
from effects.store.lake import Lake
from transforms.conversation.session_versions import CURRENT_VERSION
from transforms.reading.entry_batches import Group, Place
from transforms.reading.entry_rows import rows_of_groups
from transforms.reading.entry_text import parse_time
from transforms.reading.fast_parse import Plain, parse_plain
from transforms.reading.parse import Damage, Header, Parsed, parse_chunk
from transforms.reading.session_row import NARROW
from transforms.redaction.redact import redact
from transforms.tables.schema import ENTRIES
from transforms.tables.surrogates import storable

DETAIL_CHARS = 200
EPOCH_DAY = date(1970, 1, 1)
NO_ENTRIES = ENTRIES.empty().drop("schema_version")
NO_NARROW = NO_ENTRIES.select(NARROW)


@dataclass(slots=True)
class Update:
    """What a file brings: `fresh` rows to add, behind `stored` ones (narrow) or, when `is_whole`, instead of all of them.

    `fresh`, `secrets` and `days` (counted from 1970) are complete when `fill` has made the rows of what is `pending` (of
    `pending_bytes` in the file).
    """

    session_id: str
    stored: pl.DataFrame
    fresh: pl.DataFrame
    header: Header | None = None
    source: SourceRow | None = None
    is_whole: bool = False
    old_days: list[date] = field(default_factory=list)
    damage: list[dict[str, Any]] = field(default_factory=list)
    secrets: int = 0
    pending: Group | None = None
    pending_bytes: int = 0
    days: set[int] = field(default_factory=set)


def stored_rows(lake: Lake, session_id: str, days: list[date]) -> pl.DataFrame:
    """The narrow rows of a session in ordinal order."""
    scan = lake.scan("entries", days or None).filter(pl.col("session_id") == session_id)
    return scan.select(NARROW).sort("ordinal").collect()


def read_update(task: ReadTask, old: SourceRow | None, is_speaker: bool, lake: Lake, zone: ZoneInfo, days: list[date]) -> Update:
    """Reads on where the last run stopped when the file only grew, else the whole file.

    `is_speaker` tells whether the stored rows of the session came from this file; `days` are those of its stored rows.

    Raises:
        OSError: when the file cannot be read.
    """
    path = Path(task.file.path)
    with open_session(path) as handle:
        size = handle.seek(0, SEEK_END) if path.suffix == ".html" else task.file.size
        grew = old is not None and is_speaker and _only_grew(handle, task, old)
        stored = stored_rows(lake, task.header.session_id, days) if grew else NO_NARROW
        update = Update(task.header.session_id, stored, NO_ENTRIES, task.header, is_whole=not grew, old_days=days)
        update.days = set(stored["day"].to_physical().to_list()) if stored.height else set()
        reader = _Reader(update, task, zone, old["line_count"] if grew and old else 0)
        consumed = reader.read(handle, old["consumed_bytes"] if grew and old else 0, size)
        update.source = source_row(
            task.file, "read", session_id=task.header.session_id, consumed_bytes=consumed, line_count=reader.line_no,
            prefix_hash=prefix_hash(handle, consumed), header_version=task.header.version,
        )  # fmt: skip
    return update


def fill(updates: list[Update]) -> None:
    """Makes the rows of what is pending in all of `updates` at once, and tells their days."""
    waiting = [(update, update.pending) for update in updates if update.pending]
    frame, secrets = rows_of_groups([group for _, group in waiting])
    days = frame["day"].to_physical().to_list()
    at = 0
    for (update, (_, entries)), count in zip(waiting, secrets, strict=True):
        size = len(entries)
        rows = frame.slice(at, size)
        update.fresh = pl.concat([update.fresh, rows]) if update.fresh.height else rows
        update.days |= set(days[at : at + size])
        update.secrets += count
        update.pending, update.pending_bytes = None, 0
        at += size
    for update in updates:
        if update.source is not None:
            update.source["days"] = sorted(EPOCH_DAY + timedelta(days=day) for day in update.days)


def _only_grew(handle: BinaryIO, task: ReadTask, old: SourceRow) -> bool:
    """Whether the bytes that were read are still there and what follows can be read on its own.

    Entries of old versions refer to each other by position, and without a header time a time can hang on later lines.
    """
    if old["status"] not in ("read", "gone") or old["session_id"] != task.header.session_id:
        return False
    stands_alone = task.header.version >= CURRENT_VERSION and parse_time(task.header.timestamp) is not None
    return bool(
        not task.file.path.endswith(".html")
        and (stands_alone or task.file.size == old["size"])
        and 0 < old["consumed_bytes"] <= task.file.size
        and prefix_hash(handle, old["consumed_bytes"]) == old["prefix_hash"]
    )


class _Reader:
    """Collects rows piece by piece; ordinals, lines and times continue from piece to piece. The last piece stays pending."""

    def __init__(self, update: Update, task: ReadTask, zone: ZoneInfo, first_line: int) -> None:
        stored = update.stored
        self.update, self.task, self.zone, self.line_no = update, task, zone, first_line
        self.next_ordinal = int(stored["ordinal"][-1]) + 1 if stored.height else 0
        self.time_before: datetime | None = stored["said_at"][-1] if stored.height else None

    def read(self, handle: BinaryIO, offset: int, size: int) -> int:
        """Reads from `offset` to `size`, which the plan saw; returns the offset behind what was consumed."""
        is_old = self.task.header.version < CURRENT_VERSION
        for data, is_line_start in pieces(handle, offset, size, is_old):
            self._make_rows()
            plain = parse_plain(data, self.line_no) if is_line_start else None
            if plain and self._take_plain(plain):
                offset, self.line_no = offset + len(data), self.line_no + plain.line_count
                continue
            chunk = parse_chunk(data, self.line_no, is_line_start)
            self._take(chunk.objects, len(data))
            self._note(chunk.damage)
            offset += chunk.consumed
            self.line_no += chunk.line_count
        return offset

    def _make_rows(self) -> None:
        if self.update.pending:
            fill([self.update])
            self.time_before = self.update.fresh["said_at"][-1]

    def _take_plain(self, plain: Plain) -> bool:
        """Takes lines that are all sound; not when there is a header among them elsewhere than in front."""
        headers = plain.headers
        if headers and (headers != [0] or plain.first_line != self.task.header.line_no):
            return False
        self._wait(plain.without_first() if headers else plain, len(plain.data))
        return True

    def _take(self, objects: list[Parsed], size: int) -> None:
        entries = [parsed for parsed in objects if not is_header(parsed)]
        if len(entries) != len(objects):
            header_line = self.task.header.line_no
            extra = [parsed for parsed in objects if is_header(parsed) and parsed.line_no != header_line]
            self._note([Damage(parsed.line_no, "extra_header", str(parsed.value.get("id"))) for parsed in extra])
        self._wait(entries, size)

    def _wait(self, entries: Plain | list[Parsed], size: int) -> None:
        count = len(entries)
        if count:
            place = Place(self.task.header, self.task.file.path, self.zone, self.next_ordinal, self.time_before)
            self.update.pending, self.update.pending_bytes = (place, entries), size
            self.next_ordinal += count

    def _note(self, damage: list[Damage]) -> None:
        self.update.damage += [quarantine_row(self.task.file.path, one.line_no, one.rule, one.excerpt) for one in damage]


def quarantine_row(path: str, line_no: int, rule: str, excerpt: str) -> dict[str, Any]:
    """A row of `quarantine`; the excerpt is redacted before it is cut."""
    detail = redact(storable(excerpt), is_user=True)[:DETAIL_CHARS]
    return {"path": path, "line_no": line_no, "rule": rule, "detail": detail}
