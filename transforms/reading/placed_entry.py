"""An entry with its place in its file, as the reader of an agent hands it over to be cleaned and made a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from transforms.conversation.speakers import Attribution
from transforms.reading.json_lines import ParsedObject
from transforms.reading.session_header import SessionHeader
from transforms.reading.timestamps import LATEST
from transforms.tables.enums import EntryFlag, TurnKind
from transforms.tables.json_object import JsonObject

Usage = tuple[int | None, int | None, float | None]
"""Billed input tokens, billed output tokens, cost."""


REPLAYED: EntryFlag = "replayed"
"""Flag of a line that a client wrote again, of the same or of another session; it counts once."""


@dataclass(frozen=True, slots=True)
class FilePosition:
    """The place of entries: their file and its header, the ordinal of the first one, the time of the entry before it.

    `file_time` is when the file was written, for entries of which nothing else tells a time; one that is not before `latest` is
    of a clock that is set wrong. `known_times` are those that an earlier reading gave to lines, by number: a line of which
    nothing tells a time keeps it, however old the file is by now.
    """

    header: SessionHeader
    source_path: str
    zone: ZoneInfo
    first_ordinal: int = 0
    time_before: datetime | None = None
    file_time: datetime | None = None
    latest: datetime = LATEST
    known_times: Mapping[int, datetime] = field(default_factory=dict)

    def list_known_times(self, objects: Sequence[ParsedObject]) -> list[datetime | None]:
        """Return the known time of each line."""
        return [self.known_times.get(parsed.line_no) for parsed in objects]


@dataclass(frozen=True, slots=True)
class EntryGroup:
    """Entries of one file that follow each other, headers left out; `before` are the last ones that were read earlier.

    `given_away` are the secrets that earlier entries of the session gave away, each with its placeholder.
    """

    position: FilePosition
    objects: list[ParsedObject]
    before: tuple[ParsedObject, ...] = ()
    given_away: Mapping[str, str] = field(default_factory=dict)


class Context(NamedTuple):
    """Columns that depend on the lines around an entry; None keeps the entry's own value."""

    entry_type: str | None = None
    role: str | None = None
    turn_kind: TurnKind | None = None
    attribution: Attribution | None = None
    tool_name: str | None = None
    provider: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None


class PlacedEntry(NamedTuple):
    """An entry with its place in its file and its ids. `flags` are those of its line; `context` is None for pi."""

    value: JsonObject
    line: bytes
    flags: tuple[EntryFlag, ...]
    has_time: bool
    session_id: str
    source_path: str
    ordinal: int
    line_no: int
    entry_id: str
    parent_id: str | None
    is_synthetic_id: bool
    said_at: datetime
    context: Context | None = None
