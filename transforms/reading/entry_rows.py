"""Turns parsed objects into rows of `entries`: typed columns, text per role, redacted raw JSON.

Rows are made for many sessions at once, because a frame takes longer to make than a small session to read.
`add_tree_columns` adds the columns that depend on the whole session: active branch and structural flags.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice

import polars as pl

from transforms.conversation.shared_form import read_shared_form
from transforms.conversation.speakers import Attribution, make_part_rows, read_part_rows
from transforms.reading.asked_entries import SaidBefore, list_requests
from transforms.reading.pi.entry_fields import EntryFields, read_entry_fields
from transforms.reading.pi.session_tree import STRUCTURAL_FLAGS, build_tree
from transforms.reading.placed_entry import REPLAYED, EntryGroup, PlacedEntry
from transforms.reading.readers import place_entries
from transforms.reading.redact_entries import clean_entries
from transforms.reading.session_row import find_repeated_rows
from transforms.reading.timestamps import make_time_column
from transforms.redaction.redact import NO_SECRETS
from transforms.tables.enums import EntryFlag
from transforms.tables.json_object import JsonObject
from transforms.tables.schema import ENTRIES

SCHEMA = ENTRIES.row_schema


_PLACE_COLUMNS = ("session_id", "source_path", "ordinal", "line_no", "entry_id", "parent_id", "is_synthetic_id")


def make_entry_rows(
    groups: Sequence[EntryGroup], known_secrets: Mapping[str, str] = NO_SECRETS
) -> tuple[pl.DataFrame, list[int], list[dict[str, str]]]:
    """Return the rows of `entries` of all groups in order, the number of secrets that were taken out of each group, and
    those that its session gave away so far, each with its placeholder.

    `known_secrets` (each with its placeholder) go wherever they stand, without name or form. The groups have the same zone.
    `on_active_branch` is false and the structural flags are missing until `add_tree_columns` has seen the whole session.
    """
    entries = [entry for group in groups for entry in place_entries(group)]
    if not entries:
        return pl.DataFrame(schema=SCHEMA), [0] * len(groups), [dict(group.given_away) for group in groups]
    requests = list_requests(
        [SaidBefore(entry.value, entry.session_id, len(entry.line)) for entry in entries],
        {own: [SaidBefore(parsed.value, own, len(parsed.line)) for parsed in group.before]
         for group in groups if (own := group.position.header.session_id) and group.before},
    )  # fmt: skip
    sessions = [(len(group.objects), group.given_away) for group in groups]
    clean = clean_entries(
        [entry.value for entry in entries], [entry.line for entry in entries], known_secrets, requests, sessions
    )
    fields = [_read_fields(entry, value) for entry, value in zip(entries, clean.entries, strict=True)]
    flags = map(_join_flags, entries, fields, clean.secret_counts)
    places = dict(zip(PlacedEntry._fields, zip(*entries, strict=True), strict=True))
    columns = dict(zip(EntryFields._fields, zip(*fields, strict=True), strict=True)) | {
        name: places[name] for name in _PLACE_COLUMNS
    }
    frame = pl.DataFrame(
        [
            *(pl.Series(name, column, SCHEMA[name]) for name, column in columns.items() if name != "flags"),
            _make_flag_column(list(flags)),
            make_time_column("said_at", places["said_at"]),
            clean.raw_json,
        ]
    )
    local_day = pl.col("said_at").dt.convert_time_zone(groups[0].position.zone.key).dt.date()
    counts = iter(clean.secret_counts)
    secrets = [sum(islice(counts, len(group.objects))) for group in groups]
    return frame.with_columns(on_active_branch=pl.lit(False), day=local_day).select(*SCHEMA), secrets, clean.given_away


def _read_fields(entry: PlacedEntry, value: JsonObject) -> EntryFields:
    """Return the columns of an entry: those that its clean value gives, and those that the lines around it tell."""
    context = entry.context
    if context is None:
        return read_entry_fields(value)
    form = read_shared_form(value, context.entry_type or "message", context.role)
    fields = read_entry_fields(form)
    attribution = context.attribution or Attribution(fields.speaker, fields.speaker_reason, read_part_rows(fields.speaker_parts))
    usage = context.usage or (fields.input_tokens, fields.output_tokens, fields.cost_usd)
    return fields._replace(
        entry_type=context.entry_type or fields.entry_type,
        turn_kind=context.turn_kind or fields.turn_kind,
        speaker=attribution.speaker,
        speaker_reason=attribution.reason,
        speaker_parts=make_part_rows(attribution),
        tool_name=context.tool_name or fields.tool_name,
        provider=context.provider or fields.provider,
        model=context.model or fields.model,
        stop_reason=context.stop_reason or fields.stop_reason,
        input_tokens=usage[0],
        output_tokens=usage[1],
        cost_usd=usage[2],
    )


def _join_flags(entry: PlacedEntry, fields: EntryFields, secret_count: int) -> tuple[EntryFlag, ...]:
    """Return the flags of an entry: those of its line and its form, and those for missing fields and redacted secrets."""
    if not entry.flags and not fields.flags and entry.has_time and not entry.is_synthetic_id and not secret_count:
        return ()
    states: dict[EntryFlag, bool] = {"no_id": entry.is_synthetic_id, "no_time": not entry.has_time, "redacted": secret_count > 0}
    return tuple(sorted({*entry.flags, *fields.flags, *(flag for flag, is_set in states.items() if is_set)}))


def add_tree_columns(
    frame: pl.DataFrame, sizes: Sequence[int] | None = None, copied: Collection[int] | None = None
) -> pl.DataFrame:
    """Return the rows of whole sessions below each other with `on_active_branch` and the structural flags set anew.

    Each session has as many rows as `sizes` says, in ordinal order; without `sizes` all rows are one session. `copied` are the
    numbers of the rows that a parent session has as well; None leaves that flag as it is. A replayed line is copied anyway, and
    so is an entry that stands in its file once more.
    """
    ids, parents = frame["entry_id"].to_list(), frame["parent_id"].to_list()
    is_active: list[bool] = []
    tree_flags: list[tuple[EntryFlag, ...]] = []
    for size in [frame.height] if sizes is None else sizes:
        session = slice(len(is_active), len(is_active) + size)
        tree = build_tree(ids[session], parents[session])
        is_active += tree.is_active
        tree_flags += tree.flags
    replaced: set[EntryFlag] = {*STRUCTURAL_FLAGS, *(() if copied is None else ("copied",))}
    old_flags: list[tuple[EntryFlag, ...]] = [tuple(flags or ()) for flags in frame["flags"].to_list()]
    copies = set(copied or ()) | {row for row, old in enumerate(old_flags) if REPLAYED in old}
    if any("duplicate_id" in new for new in tree_flags):
        copies |= find_repeated_rows(frame)
    copy_flag: frozenset[EntryFlag] = frozenset({"copied"})
    flags = [
        tuple(sorted({*old} - replaced | {*new} | (copy_flag if row in copies else frozenset()))) if old or new or copies else ()
        for row, (old, new) in enumerate(zip(old_flags, tree_flags, strict=True))
    ]
    return frame.with_columns(pl.Series("on_active_branch", is_active, pl.Boolean), _make_flag_column(flags))


def _make_flag_column(flags: Sequence[tuple[EntryFlag, ...]]) -> pl.Series:
    """Return the column of flags. Each different list is made once, because polars is slow to convert nested lists."""
    index_by_flags = {combination: index for index, combination in enumerate(dict.fromkeys(flags))}
    combinations = pl.Series("flags", [list(combination) for combination in index_by_flags], pl.List(pl.String))
    return combinations.gather([index_by_flags[combination] for combination in flags])
