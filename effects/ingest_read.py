"""One session file → what changes: new rows, damaged lines, and its new row in `sources`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

import polars as pl

from effects.ingest_plan import ReadTask, SourceRow, source_row
from effects.lake import Lake
from effects.sessions import is_header, pieces, prefix_hash
from transforms.entry_text import parse_time
from transforms.migrate import CURRENT_VERSION
from transforms.parse import Damage, Header, Parsed, parse_chunk
from transforms.redact import redact
from transforms.rows import Place, entry_rows
from transforms.schema import ENTRIES
from transforms.session_row import NARROW

DETAIL_CHARS = 200


@dataclass(slots=True)
class Update:
    """What a file brings: `fresh` rows to add, behind `stored` ones (narrow) or, when `is_whole`, instead of all of them."""

    session_id: str
    stored: pl.DataFrame
    fresh: pl.DataFrame
    header: Header | None = None
    source: SourceRow | None = None
    is_whole: bool = False
    old_days: list[date] = field(default_factory=list)
    damage: list[dict[str, Any]] = field(default_factory=list)
    secrets: int = 0


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
    with path.open("rb") as handle:
        grew = old is not None and is_speaker and _only_grew(handle, task, old)
        stored = stored_rows(lake, task.header.session_id, days) if grew else ENTRIES.empty().select(NARROW)
        reader = _Reader(task, zone, stored, old["line_count"] if grew and old else 0)
        offset = old["consumed_bytes"] if grew and old else 0
        consumed = reader.read(handle, offset)
        update = reader.update
        update.is_whole, update.old_days = not grew, days
        update.source = source_row(
            task.file, "read", session_id=task.header.session_id, consumed_bytes=consumed, line_count=reader.line_no,
            prefix_hash=prefix_hash(handle, consumed), header_version=min(task.header.version, 2**15 - 1),
            days=sorted({*update.fresh["day"], *stored["day"]}),
        )  # fmt: skip
    return update


def _only_grew(handle: BinaryIO, task: ReadTask, old: SourceRow) -> bool:
    """Whether the bytes that were read are still there and what follows can be read on its own.

    Entries of old versions refer to each other by position, and without a header time a time can hang on later lines.
    """
    if old["status"] not in ("read", "gone") or old["session_id"] != task.header.session_id:
        return False
    stands_alone = task.header.version >= CURRENT_VERSION and parse_time(task.header.timestamp) is not None
    return bool(
        (stands_alone or task.file.size == old["size"])
        and 0 < old["consumed_bytes"] <= task.file.size
        and prefix_hash(handle, old["consumed_bytes"]) == old["prefix_hash"]
    )


class _Reader:
    """Collects rows piece by piece; ordinals, lines and times continue from piece to piece."""

    def __init__(self, task: ReadTask, zone: ZoneInfo, stored: pl.DataFrame, first_line: int) -> None:
        self.task, self.zone, self.line_no = task, zone, first_line
        self.next_ordinal = int(stored["ordinal"][-1]) + 1 if stored.height else 0
        last = stored["said_at"][-1] if stored.height else None
        self.time_before: datetime | None = last
        self.update = Update(task.header.session_id, stored, ENTRIES.empty().drop("schema_version"), task.header)
        self._frames: list[pl.DataFrame] = []

    def read(self, handle: BinaryIO, offset: int) -> int:
        """Reads from `offset` to the size that the plan saw; returns the offset behind what was consumed."""
        is_old = self.task.header.version < CURRENT_VERSION
        for data, is_line_start in pieces(handle, offset, self.task.file.size, is_old):
            chunk = parse_chunk(data, self.line_no, is_line_start)
            self._take(chunk.objects)
            self._note(chunk.damage)
            offset += chunk.consumed
            self.line_no += chunk.line_count
        if self._frames:
            self.update.fresh = pl.concat(self._frames)
        return offset

    def _take(self, objects: list[Parsed]) -> None:
        entries = [parsed for parsed in objects if not is_header(parsed)]
        header_line = self.task.header.line_no
        extra = [parsed for parsed in objects if is_header(parsed) and parsed.line_no != header_line]
        self._note([Damage(parsed.line_no, "extra_header", str(parsed.value.get("id"))) for parsed in extra])
        if not entries:
            return
        place = Place(self.task.header, self.task.file.path, self.zone, self.next_ordinal, self.time_before)
        frame, secrets = entry_rows(entries, place)
        self._frames.append(frame)
        self.update.secrets += secrets
        self.next_ordinal += frame.height
        self.time_before = frame["said_at"][-1]

    def _note(self, damage: list[Damage]) -> None:
        self.update.damage += [quarantine_row(self.task.file.path, one.line_no, one.rule, one.excerpt) for one in damage]


def quarantine_row(path: str, line_no: int, rule: str, excerpt: str) -> dict[str, Any]:
    """A row of `quarantine`; the excerpt is redacted before it is cut."""
    detail = redact(_printable(excerpt), is_user=True)[:DETAIL_CHARS]
    return {"path": path, "line_no": line_no, "rule": rule, "detail": detail}


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
