"""Gives the lines of a session of Claude Code their ids, parents, times, and columns that depend on the lines around them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from transforms.conversation.claude_form import list_results, read_claude_form
from transforms.conversation.serialize import list_parts
from transforms.reading.claude.line_order import find_parents, move_lines, order_lines, read_uuid
from transforms.reading.claude.message_parts import PART_TYPE, JoinedMessages, join_messages
from transforms.reading.claude.speaker import (
    find_marked_versions,
    find_silent_prompts,
    find_voice,
    is_prompt,
    list_queued_texts,
)
from transforms.reading.pi.entry_text import read_usage
from transforms.reading.pi.session_versions import make_synthetic_id
from transforms.reading.placed_entry import REPLAYED, Context, EntryGroup, PlacedEntry
from transforms.reading.timestamps import fill_missing_times, parse_time
from transforms.tables.json_object import JsonObject
from transforms.tables.surrogates import replace_surrogates


def place_entries(group: EntryGroup) -> Iterator[PlacedEntry]:
    """Yield the lines of a whole file with their places, in the order of the tree.

    A prompt that only the queue holds stands where the agent got it: what the agent says before answers others. It keeps its id.
    """
    position = group.position
    objects = order_lines(group.objects)
    lines = [parsed.value for parsed in objects]
    written_ids, written_twice = _read_ids(lines)
    silent = find_silent_prompts(lines)
    order = move_lines(len(lines), silent)
    objects, ids = [objects[index] for index in order], [written_ids[index] for index in order]
    lines = [parsed.value for parsed in objects]
    replayed, prompts = ({at for at, index in enumerate(order) if index in of} for of in (written_twice, silent))
    joined = join_messages(lines, replayed)
    parents = find_parents(lines, ids, [is_prompt(line) and index not in replayed for index, line in enumerate(lines)])
    times = [parse_time(line.get("timestamp"), position.latest) for line in lines]
    known = position.list_known_times(objects)
    said_at = fill_missing_times(times, parse_time(position.header.timestamp, position.latest), position.file_time, known)
    contexts = _find_contexts(lines, joined, prompts)
    for index, parsed in enumerate(objects):
        value, line = joined.whole.get(index, lines[index]), b"" if index in joined.whole else parsed.line
        if b'"base64"' in parsed.line or not parsed.line:
            value, line = cut_images(value), b""
        is_sidechain = lines[index].get("isSidechain") is True
        flags = (*parsed.flags, *((REPLAYED,) if index in replayed else ()), *(("sidechain",) if is_sidechain else ()))
        yield PlacedEntry(
            value, line, flags, times[index] is not None, position.header.session_id, position.source_path,
            position.first_ordinal + index, parsed.line_no, ids[index], parents[index], ids[index] != read_uuid(lines[index]),
            said_at[index], contexts[index],
        )  # fmt: skip


def _read_ids(lines: Sequence[JsonObject]) -> tuple[list[str], set[int]]:
    """Return the id of each line, made from its position when it has none or repeats one, and the lines that repeat one."""
    ids: list[str] = []
    seen: set[str] = set()
    replayed: set[int] = set()
    for index, line in enumerate(lines):
        uuid = read_uuid(line)
        if uuid in seen:
            replayed.add(index)
        ids.append(replace_surrogates(uuid) if uuid and uuid not in seen else make_synthetic_id(index))
        seen.add(uuid or "")
    return ids, replayed


def _find_contexts(lines: Sequence[JsonObject], joined: JoinedMessages, silent: Collection[int]) -> list[Context]:
    tool_names = _list_tool_names(lines)
    marked_versions, queued = find_marked_versions(lines), list_queued_texts(lines)
    uuids = {read_uuid(line) for line in lines} - {None}
    is_titled = any(line.get("type") == "custom-title" for line in lines)
    contexts = []
    for index, line in enumerate(lines):
        line_type = line.get("type")
        if index in joined.last:
            form = read_claude_form(joined.last[index])
            contexts.append(Context(stop_reason=form["message"]["stopReason"], usage=read_usage(form)))
        elif index in joined.parts:
            contexts.append(Context(entry_type=PART_TYPE))
        elif (line_type == "summary" and str(line.get("leafUuid")) not in uuids) or (
            line_type in ("ai-title", "summary") and is_titled
        ):
            contexts.append(Context(entry_type=str(line_type)))  # the title of another session, or one that the owner replaced
        elif line_type == "queue-operation" and index not in silent:
            contexts.append(Context(entry_type=line_type))
        elif line_type in ("user", "attachment"):
            results = list_results(line)
            tool_name = tool_names.get(str(results[0].get("tool_use_id"))) if results else None
            voice = find_voice(line, marked_versions, queued, tool_name)
            kind, attribution = voice or (None, None)
            role = "user" if results and kind == "typed" else None
            contexts.append(Context(role=role, turn_kind=kind, attribution=attribution, tool_name=tool_name))
        else:
            contexts.append(Context())
    return contexts


def _list_tool_names(lines: Sequence[JsonObject]) -> dict[str, str]:
    """Return the name of the tool of each call, as the client names it."""
    names: dict[str, str] = {}
    for line in lines:
        if line.get("type") == "assistant" and isinstance(message := line.get("message"), dict):
            for part in list_parts(message.get("content")):
                if part.get("type") == "tool_use" and isinstance(part.get("name"), str):
                    names[str(part.get("id"))] = part["name"]
    return names


def cut_images(value: Any) -> Any:
    """Return a JSON value without the data of images, which hold no words."""
    if isinstance(value, list):
        return [cut_images(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "base64" and isinstance(data := value.get("data"), str):
        return value | {"data": f"[cut: {len(data)} base64 characters]"}
    return {name: cut_images(item) for name, item in value.items()}
