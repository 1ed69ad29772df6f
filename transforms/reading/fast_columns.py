"""What plain entries give to their rows, column by column; a test holds every column against `fields_of`, entry by entry.

With reading its line an entry takes 8 µs this way and 21 as a dictionary with `fields_of`; a gigabyte of sessions has 600,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from transforms.conversation.js_json import js_length
from transforms.conversation.message_spans import turn_kind
from transforms.reading.entry_fields import MOST_TOKENS, Fields
from transforms.reading.entry_text import amount_of, count_of
from transforms.reading.pi_structs import Message, Part, PlainEntry
from transforms.tables.tokens import utf16_length

Columns = dict[str, list[Any]]

SETTINGS = frozenset({"model_change", "thinking_level_change"})
WRITTEN = ("id", "parentId", "timestamp")
USUAL_ROLES = frozenset({"user", "assistant", "toolResult"})
_NONE = Message()


def plain_columns(entries: Sequence[PlainEntry | None]) -> tuple[Columns, list[int]]:
    """The columns of `Fields`, WRITTEN as it is written, and the rows whose fields are blank: `put_fields` puts them in.

    Those are all but changes of settings, and messages of user, assistant and tools whose content is a list of parts without
    images.
    """
    messages = list(map(_usual_message, entries))
    known = [entry if entry is not None else _BLANK for entry in entries] if None in entries else entries
    columns: Columns = {"entry_type": ["message"] * len(messages)}
    columns["role"] = roles = list(map(_ROLE, messages))
    columns["text"], columns["thinking"], columns["token_count"], odd = _texts(messages)
    texts = columns["text"]
    columns["turn_kind"] = [turn_kind(texts[at]) if role == "user" else None for at, role in enumerate(roles)]
    columns["tool_name"], columns["tool_call_id"] = list(map(_TOOL, messages)), list(map(_CALL, messages))
    columns["provider"], columns["stop_reason"] = list(map(_PROVIDER, messages)), list(map(_STOP, messages))
    columns["model"] = [message.model or message.modelId for message in messages]
    columns["is_error"] = [
        message.isError is True if message.role == "toolResult" else message.role == "assistant" and message.stopReason == "error"
        for message in messages
    ]
    columns["input_tokens"], columns["output_tokens"], columns["cost_usd"] = _usages(messages)
    columns["flags"] = [()] * len(messages)
    columns |= {name: list(map(attrgetter(name), known)) for name in WRITTEN}
    return columns, [at for at in odd if not _put_setting(columns, at, entries[at])]


def _put_setting(columns: Columns, at: int, entry: PlainEntry | None) -> bool:
    """Puts a change of model or thinking level into its row; whether it is one as pi writes them."""
    if entry is None or entry.type not in SETTINGS or _has_more(entry):
        return False
    is_model = entry.type == "model_change"
    columns["entry_type"][at] = entry.type
    columns["provider"][at], columns["model"][at] = entry.provider, entry.modelId
    columns["text"][at] = "/".join(filter(None, (entry.provider, entry.modelId))) if is_model else entry.thinkingLevel or ""
    return True


def _has_more(entry: PlainEntry) -> bool:
    """Whether its text or tokens may come from other members than those of its type."""
    if entry.type == "thinking_level_change" and entry.thinkingLevel is None:
        return True
    members = (entry.usage, entry.model, entry.content, entry.summary, entry.label, entry.name)
    return any(member is not _UNSET for member in members)


def _usual_message(entry: PlainEntry | None) -> Message:
    if (
        entry is not None
        and (message := entry.message) is not None
        and entry.type == "message"
        and entry.usage is _UNSET
        and message.role in USUAL_ROLES
        and type(message.content) is list
    ):
        return message
    return _NONE


def put_fields(columns: Columns, at: int, fields: Fields) -> None:
    """Puts the fields of one entry into its row."""
    for name, value in zip(Fields._fields, fields, strict=True):
        columns[name][at] = value


def _texts(messages: list[Message]) -> tuple[list[str], list[str | None], list[int], list[int]]:
    """(texts, thinking, tokens, rows that are not usual)."""
    texts: list[str] = []
    thinking: list[str | None] = []
    counts: list[int] = []
    odd: list[int] = []
    for message in messages:
        parts = message.content
        if message is _NONE or type(parts) is not list:
            odd.append(len(texts))
            text, thoughts, units = "", None, 0
        elif len(parts) == 1 and (part := parts[0]).type == "text":
            text, thoughts = part.text or "", None
            units = len(text) if text.isascii() else utf16_length(text)
        else:
            read = _read_parts(parts, message.role == "assistant")
            if read is None:
                odd.append(len(texts))
                read = "", None, 0
            text, thoughts, units = read
        if not text and message.errorMessage and message.role == "assistant":
            text = message.errorMessage
        texts.append(text)
        thinking.append(thoughts)
        counts.append(min(-(-units // 4), MOST_TOKENS))
    return texts, thinking, counts, odd


def _read_parts(parts: list[Part], is_assistant: bool) -> tuple[str, str | None, int] | None:
    """(text, thinking, UTF-16 units of what counts) of a message's parts; None with an image among them."""
    texts, thoughts = [], []
    units = 0
    for part in parts:
        kind = part.type
        if kind == "text":
            text = part.text or ""
            texts.append(text)
            units += len(text) if text.isascii() else utf16_length(text)
        elif kind == "image":
            return None
        elif not is_assistant:
            continue
        elif kind == "toolCall":
            units += js_length(part.arguments or {}) + utf16_length(part.name or "")
        elif kind == "thinking" and (thought := part.thinking):
            thoughts.append(thought)
            units += len(thought) if thought.isascii() else utf16_length(thought)
    return texts[0] if len(texts) == 1 else "\n".join(texts), "\n".join(thoughts) or None, units


def _usages(messages: list[Message]) -> tuple[list[int | None], list[int | None], list[float | None]]:
    """(billed input with cache, billed output, cost in USD), as `usage_of` reads them."""
    inputs: list[int | None] = []
    outputs: list[int | None] = []
    costs: list[float | None] = []
    for message in messages:
        usage = message.usage
        if usage is None:
            inputs.append(None)
            outputs.append(None)
            costs.append(None)
            continue
        inputs.append(count_of(usage.input) + count_of(usage.cacheRead) + count_of(usage.cacheWrite))
        outputs.append(count_of(usage.output))
        cost = usage.cost
        costs.append(amount_of(cost.total) if cost is not None else None)
    return inputs, outputs, costs


_BLANK = PlainEntry()
_UNSET = _BLANK.usage
_ROLE, _TOOL, _CALL = attrgetter("role"), attrgetter("toolName"), attrgetter("toolCallId")
_PROVIDER, _STOP = attrgetter("provider"), attrgetter("stopReason")
