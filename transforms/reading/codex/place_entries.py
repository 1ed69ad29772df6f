"""Gives the lines of a rollout file of Codex their ids, parents, times, and columns that depend on the lines around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from transforms.conversation.codex_form import get_payload
from transforms.conversation.speakers import attribute_to
from transforms.reading.codex.replays import find_doubled, find_parents, find_replayed
from transforms.reading.codex.speaker import Prompts, find_prompts
from transforms.reading.pi.session_versions import make_synthetic_id
from transforms.reading.placed_entry import REPLAYED, Context, EntryGroup, PlacedEntry, Usage
from transforms.reading.session_header import SessionHeader
from transforms.reading.timestamps import fill_missing_times, parse_time
from transforms.tables.json_object import JsonObject, get_text_or_none


def place_entries(group: EntryGroup) -> Iterator[PlacedEntry]:
    """Yield the lines of a whole file with their places, in file order."""
    position, header = group.position, group.position.header
    lines = [parsed.value for parsed in group.objects]
    ids = [make_synthetic_id(number) for number in range(len(lines))]
    prompts = find_prompts(lines)
    parents = find_parents(lines, ids, prompts.typed)
    times = [parse_time(line.get("timestamp"), position.latest) for line in lines]
    replayed = find_replayed(lines, header.session_id) | find_doubled([parsed.line for parsed in group.objects], times)
    known = position.list_known_times(group.objects)
    said_at = fill_missing_times(times, parse_time(header.timestamp, position.latest), position.file_time, known)
    contexts = _find_contexts(lines, prompts, header)
    for index, parsed in enumerate(group.objects):
        value, line = parsed.value, parsed.line
        if b'"data:image/' in line or not line:
            value, line = cut_images(value), b""
        flags = (*parsed.flags, *((REPLAYED,) if index in replayed else ()))
        yield PlacedEntry(
            value, line, flags, times[index] is not None, header.session_id, position.source_path,
            position.first_ordinal + index, parsed.line_no, ids[index], parents[index], True, said_at[index], contexts[index],
        )  # fmt: skip


def _find_contexts(lines: Sequence[JsonObject], prompts: Prompts, header: SessionHeader) -> list[Context]:
    usages = read_usages(lines)
    tool_names: dict[str, str] = {}
    provider = model = None
    contexts = []
    for index, line in enumerate(lines):
        payload = get_payload(line)
        kind = payload.get("type")
        if line.get("type") == "session_meta":
            provider = payload.get("model_provider") or provider
        elif line.get("type") == "turn_context":
            model = payload.get("model") or model
        if isinstance(name := payload.get("name"), str):
            tool_names[str(payload.get("call_id"))] = name
        if index in prompts.repeats:
            contexts.append(Context(entry_type="user_message"))
        elif index in prompts.injected:
            contexts.append(Context(turn_kind="machine", attribution=attribute_to("system", "codex:no_prompt_event")))
        elif header.is_subagent and index in prompts.typed:
            contexts.append(Context(turn_kind="machine", attribution=attribute_to("parent_agent", "codex:subagent")))
        elif isinstance(kind, str) and kind.endswith("_output"):
            contexts.append(Context(tool_name=tool_names.get(str(payload.get("call_id")))))
        elif line.get("type") == "response_item" and payload.get("role") in (None, "assistant"):
            contexts.append(Context(provider=get_text_or_none(provider), model=get_text_or_none(model)))
        else:
            contexts.append(Context(usage=usages.get(index)))
    return contexts


def cut_images(value: Any) -> Any:
    """Return a JSON value without the data of images, which hold no words."""
    if isinstance(value, list):
        return [cut_images(item) for item in value]
    if isinstance(value, dict):
        return {name: cut_images(item) for name, item in value.items()}
    if isinstance(value, str) and value.startswith("data:image/"):
        return f"{value.split(',', 1)[0]},[cut: {len(value)} characters]"
    return value


def read_usages(lines: Sequence[JsonObject]) -> dict[int, Usage]:
    """Return (input with cache, output, no cost) of each report of usage that adds something, by line.

    Sums that become smaller began anew.
    """
    usages: dict[int, Usage] = {}
    before = (0, 0)
    for index, line in enumerate(lines):
        total = _read_total(line)
        if total is None or total == before:
            continue
        begins_anew = total[0] < before[0] or total[1] < before[1]
        usages[index] = (total[0], total[1], None) if begins_anew else (total[0] - before[0], total[1] - before[1], None)
        before = total
    return usages


def _read_total(line: JsonObject) -> tuple[int, int] | None:
    payload = get_payload(line)
    info = payload.get("info") if line.get("type") == "event_msg" and payload.get("type") == "token_count" else None
    total = info.get("total_token_usage") if isinstance(info, dict) else None
    if not isinstance(total, dict):
        return None
    counts = [total.get(name) for name in ("input_tokens", "output_tokens")]
    sums = [count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**53 else 0 for count in counts]
    return sums[0], sums[1]
