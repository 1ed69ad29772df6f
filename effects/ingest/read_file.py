"""Reads one session file into an update: new rows, damaged lines, and its new row in `sources`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from os import SEEK_END
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zoneinfo import ZoneInfo

import polars as pl

from effects.ingest.plan import ReadTask, make_source_row
from effects.ingest.session_files import hash_prefix, open_session, read_pieces
from effects.ingest.wrong_times import FUTURE_TIME_RULE, UNREAD_TIME_RULE
from effects.store.lake import Lake
from effects.store.run import AHEAD
from effects.system.work_tally import add_done
from transforms.reading.asked_entries import MOST_BACK, MOST_BYTES
from transforms.reading.entry_rows import make_entry_rows
from transforms.reading.json_lines import DamagedLine, ParsedObject, parse_chunk
from transforms.reading.pi.entry_text import read_entry_time
from transforms.reading.pi.session_header import is_header
from transforms.reading.pi.session_versions import CURRENT_VERSION
from transforms.reading.placed_entry import EntryGroup, FilePosition
from transforms.reading.redact_entries import find_followed
from transforms.reading.session_header import SessionHeader
from transforms.reading.session_row import NARROW
from transforms.reading.timestamps import EPOCH, parse_time, read_file_time
from transforms.redaction.apart.spread_secrets import choose_followed
from transforms.redaction.redact import NO_SECRETS, redact
from transforms.tables.rows import QuarantineRow, SourceRow
from transforms.tables.schema import ENTRIES
from transforms.tables.surrogates import replace_surrogates

DAMAGE_DETAIL_CHARS = 200
MOST_NAMED = 5
"""Files with unreadable times that a night names."""
EPOCH_DAY = date(1970, 1, 1)
NO_ENTRIES = ENTRIES.make_empty().drop("schema_version")
NO_NARROW = NO_ENTRIES.select(NARROW)


@dataclass(slots=True)
class SessionUpdate:
    """The update from a file: `fresh` rows to add, behind `stored` ones (narrow) or, when `is_whole`, instead of all of them.

    `fresh`, `secrets` and `days` (counted from 1970) are complete when `make_pending_rows` has made the rows of the `pending`
    entries (`pending_bytes` of the file). `given_away` are the secrets that entries of the session gave away, with their
    placeholders; they are kept in memory only. `must_read_again`: entries that are rows already may hold one of them.
    """

    session_id: str
    stored: pl.DataFrame
    fresh: pl.DataFrame
    header: SessionHeader | None = None
    began_at: datetime = EPOCH
    source: SourceRow | None = None
    is_whole: bool = False
    only_grew: bool = False
    """Whether the file begins with the bytes that were read from it, also where it is read whole."""
    lost: int = 0
    """Entries of which the words are no longer in a file that was written anew."""
    is_restored: bool = False
    """Whether the file has again what an earlier night missed in it."""
    old_days: list[date] = field(default_factory=list)
    damage: list[QuarantineRow] = field(default_factory=list)
    secrets: int = 0
    pending: EntryGroup | None = None
    pending_bytes: int = 0
    days: set[int] = field(default_factory=set)
    given_away: Mapping[str, str] = field(default_factory=dict)
    must_read_again: bool = False


class SecretsBefore(NamedTuple):
    """Secrets that are known before a file is read, with their placeholders: those of files made for them, and those that entries
    of the session gave away in a reading before this one."""

    stored: Mapping[str, str] = NO_SECRETS
    given_away: Mapping[str, str] = NO_SECRETS


def load_stored_rows(lake: Lake, session_id: str, days: list[date]) -> pl.DataFrame:
    """Return the narrow rows of a session in ordinal order.

    Raises:
        LakeError: when they cannot be read.
    """
    scan = lake.scan("entries", days or None).filter(pl.col("session_id") == session_id)
    return lake.collect(scan.select(NARROW).sort("ordinal"), "entries")


def read_session_update(
    task: ReadTask,
    old: SourceRow | None,
    is_speaker: bool,
    lake: Lake,
    zone: ZoneInfo,
    days: list[date],
    secrets: SecretsBefore,
) -> SessionUpdate:
    """Read on where the last run stopped when the file only grew, else read the whole file.

    `is_speaker`: whether the stored rows of the session came from this file; `days` are those of its stored rows. A file is read
    whole, too, when a reading of it found that its entries gave secrets away, and when stored ones did: what they are stands in
    the file alone.

    Raises:
        OSError: when the file cannot be read.
    """
    path = Path(task.file.path)
    with open_session(path) as handle:
        size = handle.seek(0, SEEK_END) if path.suffix == ".html" else task.file.size
        only_grew = old is not None and is_speaker and _begins_as_read(handle, task, old)
        grew = old is not None and only_grew and not secrets.given_away and _stands_alone(task, old)
        stored = load_stored_rows(lake, task.header.session_id, days) if grew else NO_NARROW
        if grew and stored["flags"].list.contains("redacted").any():
            grew, stored = False, NO_NARROW
        if grew and old:
            add_done(old["consumed_bytes"])
        known_times = _load_known_times(task, lake, days) if only_grew and not grew else {}
        began_at = parse_time(task.header.timestamp, task.latest) or next(
            iter(known_times.values()), _find_file_time(task) or EPOCH
        )
        update = SessionUpdate(
            task.header.session_id,
            stored,
            NO_ENTRIES,
            task.header,
            began_at,
            is_whole=not grew,
            only_grew=only_grew,
            old_days=days,
            given_away=secrets.given_away,
        )
        update.days = set(stored["day"].to_physical().to_list()) if stored.height else set()
        reader = _Reader(update, task, zone, secrets.stored, old["line_count"] if grew and old else 0, known_times)
        consumed = reader.read(handle, old["consumed_bytes"] if grew and old else 0, size)
        row = make_source_row(task.file, "read")
        row["session_id"], row["header_version"] = task.header.session_id, task.header.version
        row["consumed_bytes"], row["line_count"] = consumed, reader.line_no
        row["prefix_hash"] = hash_prefix(handle, consumed)
        if grew and old and old["consumed_bytes"] <= old["size"]:  # else a file that was cut is whole again
            row["reason"] = old["reason"]
        update.source = row
    return update


def make_pending_rows(updates: list[SessionUpdate], known_secrets: Mapping[str, str]) -> None:
    """Make the pending rows of all updates at once, and set their days; `known_secrets` go wherever they stand."""
    pending = [(update, update.pending) for update in updates if update.pending]
    frame, secrets, given_away = make_entry_rows([group for _, group in pending], known_secrets)
    days = frame["day"].to_physical().to_list()
    start = 0
    for (update, group), count, given in zip(pending, secrets, given_away, strict=True):
        size = len(group.objects)
        rows = frame.slice(start, size)
        if choose_followed(given.keys() - update.given_away.keys()):
            update.must_read_again |= not update.is_whole or bool(find_followed(update.fresh["raw_json"], given))
        update.given_away = given
        update.fresh = pl.concat([update.fresh, rows]) if update.fresh.height else rows
        update.days |= set(days[start : start + size])
        update.secrets += count
        add_done(update.pending_bytes)
        update.pending, update.pending_bytes = None, 0
        start += size
    for update in updates:
        if update.source is not None:
            update.source["days"] = sorted(EPOCH_DAY + timedelta(days=day) for day in update.days)


def _begins_as_read(handle: BinaryIO, task: ReadTask, old: SourceRow) -> bool:
    """Return whether the bytes that were read are unchanged."""
    return bool(
        old["session_id"] == task.header.session_id
        and not task.file.path.endswith(".html")
        and 0 < old["consumed_bytes"] <= task.file.size
        and hash_prefix(handle, old["consumed_bytes"]) == old["prefix_hash"]
    )


def _stands_alone(task: ReadTask, old: SourceRow) -> bool:
    """Return whether the rest of a file that only grew can be read on its own.

    Entries of old versions refer to each other by position, those of other agents than pi by their messages, and without a
    header time a time can hang on later lines.
    """
    has_time = parse_time(task.header.timestamp, task.latest) is not None
    stands_alone = task.header.version >= CURRENT_VERSION and has_time
    return old["status"] in ("read", "gone") and not task.is_mistimed and (stands_alone or task.file.size == old["size"])


def _load_known_times(task: ReadTask, lake: Lake, days: list[date]) -> dict[int, datetime]:
    """Return by line the times that entries of a file without a time of its own have in the lake; it only grew.

    Such a file is read whole whenever it grows: else each night would date anew what was said in it days ago.
    """
    if task.is_mistimed or parse_time(task.header.timestamp, task.latest) is not None:
        return {}
    scan = lake.scan("entries", days or None).filter(
        (pl.col("session_id") == task.header.session_id) & (pl.col("said_at") > EPOCH)
    )
    return dict(lake.collect(scan.select("line_no", "said_at").sort("line_no", "said_at"), "entries").iter_rows())


class _Reader:
    """Collects entries piece by piece; ordinals, lines and times continue from piece to piece. The last piece stays pending."""

    def __init__(
        self,
        update: SessionUpdate,
        task: ReadTask,
        zone: ZoneInfo,
        known_secrets: Mapping[str, str],
        first_line: int,
        known_times: Mapping[int, datetime],
    ) -> None:
        stored = update.stored
        self.known_times = known_times
        self.known_secrets = known_secrets
        self.update, self.task, self.zone, self.line_no = update, task, zone, first_line
        self.next_ordinal = int(stored["ordinal"][-1]) + 1 if stored.height else 0
        self.time_before: datetime | None = stored["said_at"][-1] if stored.height else None
        self.before: tuple[ParsedObject, ...] = ()

    def read(self, handle: BinaryIO, offset: int, size: int) -> int:
        """Read from `offset` to `size`, which the plan saw, and return the offset behind the last complete line or object."""
        is_old = self.task.header.version < CURRENT_VERSION
        self.before = _read_before(handle, offset) if offset else ()
        for data, is_line_start in read_pieces(handle, offset, size, is_old):
            self._make_rows()
            chunk = parse_chunk(data, self.line_no, is_line_start)
            self._collect_entries(chunk.objects, len(data))
            self._add_damage(chunk.damage)
            offset += chunk.consumed
            self.line_no += chunk.line_count
        return offset

    def _make_rows(self) -> None:
        if self.update.pending:
            make_pending_rows([self.update], self.known_secrets)
            self.time_before = self.update.fresh["said_at"][-1]

    def _collect_entries(self, objects: list[ParsedObject], size: int) -> None:
        is_pi = self.task.header.agent == "pi"
        entries = [parsed for parsed in objects if not is_header(parsed)] if is_pi else objects
        if len(entries) != len(objects):
            header_line = self.task.header.line_no
            extra = [parsed for parsed in objects if is_header(parsed) and parsed.line_no != header_line]
            self._add_damage([DamagedLine(parsed.line_no, "extra_header", str(parsed.value.get("id"))) for parsed in extra])
        self._add_damage(find_unread_times(objects, self.task.latest))
        if entries:
            task, file_time = self.task, _find_file_time(self.task)
            position = FilePosition(
                task.header,
                task.file.path,
                self.zone,
                self.next_ordinal,
                self.time_before,
                file_time,
                task.latest,
                self.known_times,
            )
            self.update.pending, self.update.pending_bytes = (
                EntryGroup(position, entries, self.before, self.update.given_away),
                size,
            )
            self.before = (*self.before, *entries[-MOST_BACK:])[-MOST_BACK:]
            self.next_ordinal += len(entries)

    def _add_damage(self, damage: list[DamagedLine]) -> None:
        self.update.damage += [make_quarantine_row(self.task.file.path, line.line_no, line.rule, line.excerpt) for line in damage]


def _find_file_time(task: ReadTask) -> datetime | None:
    """Return when the file was written; when that is in the future, too, it is as old as this night."""
    file_time = read_file_time(task.file.mtime_ns)
    return min(file_time, task.latest - AHEAD) if file_time else None


def find_unread_times(objects: list[ParsedObject], latest: datetime) -> list[DamagedLine]:
    """Return the lines with a time that is none, or of the future: they are read, and take the time of their neighbours.

    A line without any time is as its client wrote it; it is no damage.
    """
    return [
        DamagedLine(
            parsed.line_no,
            FUTURE_TIME_RULE if read_entry_time(parsed.value) else UNREAD_TIME_RULE,
            str(parsed.value["timestamp"]),
        )
        for parsed in objects
        if parsed.value.get("timestamp") is not None and read_entry_time(parsed.value, latest) is None
    ]


def word_unread_times(damage: Iterable[QuarantineRow]) -> list[str]:
    """Return a sentence for each of the first files with times that are none or of the future, and one for the rest of them."""
    faults = {UNREAD_TIME_RULE: "cannot be read", FUTURE_TIME_RULE: "is in the future (a clock was set wrong)"}
    counts = Counter((row["path"], faults[row["rule"]]) for row in damage if row["rule"] in faults)
    sentences = [
        f"{path}: the time of {count} {'line' if count == 1 else 'lines'} {fault}; that of its neighbours counts"
        for (path, fault), count in sorted(counts.items())
    ]
    more = [f"and so in {len(sentences) - MOST_NAMED} more files (recollect sql 'FROM quarantine')"]
    return sentences[:MOST_NAMED] + (more if len(sentences) > MOST_NAMED else [])


def _read_before(handle: BinaryIO, offset: int) -> tuple[ParsedObject, ...]:
    """Return the last entries before a place at which a line begins: an answer behind it may be to what they ask."""
    start = max(0, offset - MOST_BYTES)
    handle.seek(start)
    data = handle.read(offset - start)
    lines = data.split(b"\n")[1 if start else 0 :]
    objects = parse_chunk(b"\n".join(lines[-MOST_BACK - 1 :]), 0).objects
    return tuple(parsed for parsed in objects if not is_header(parsed))[-MOST_BACK:]


def make_quarantine_row(path: str, line_no: int, rule: str, excerpt: str) -> QuarantineRow:
    """Return a row of `quarantine`; the excerpt is redacted before it is cut. The id of a second header was typed by nobody."""
    detail = redact(replace_surrogates(excerpt), is_user=rule != "extra_header")[:DAMAGE_DETAIL_CHARS]
    return {"path": path, "line_no": line_no, "rule": rule, "detail": detail}
