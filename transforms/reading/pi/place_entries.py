"""Gives the entries of a session file of pi their ids, parents and times."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.reading.pi.entry_text import read_entry_time
from transforms.reading.pi.session_versions import LINEAR_VERSION, name_kept_entries, read_entry_ids
from transforms.reading.placed_entry import EntryGroup, PlacedEntry
from transforms.reading.timestamps import fill_missing_times, parse_time


def place_entries(group: EntryGroup) -> Iterator[PlacedEntry]:
    """Yield the entries of a group with their places, in file order."""
    position, header = group.position, group.position.header
    values = [parsed.value for parsed in group.objects]
    lines = [parsed.line for parsed in group.objects]
    ids = read_entry_ids(values, header.version, position.first_ordinal)
    if header.version <= LINEAR_VERSION:
        for index, value in name_kept_entries(group.objects, ids.own).items():
            values[index], lines[index] = value, b""
    times = [read_entry_time(value, position.latest) for value in values]
    before, known = (
        position.time_before or parse_time(header.timestamp, position.latest),
        position.list_known_times(group.objects),
    )
    said_at = fill_missing_times(times, before, position.file_time, known)
    for index, parsed in enumerate(group.objects):
        yield PlacedEntry(
            values[index], lines[index], parsed.flags, times[index] is not None, header.session_id, position.source_path,
            position.first_ordinal + index, parsed.line_no, ids.own[index], ids.parents[index], ids.is_synthetic[index],
            said_at[index],
        )  # fmt: skip
