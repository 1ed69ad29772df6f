"""Renders a window for an observing model: pi's serialization, with a time and a reference before each block, and topics.

Text that is not conversation is left out or cut, because a model believes what it reads: the pages of memory, reminders of the
system and skill blocks would come back as the owner's wishes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import tzinfo

from transforms.conversation.entries import Entry
from transforms.conversation.message_spans import split_into_spans
from transforms.conversation.serialize import (
    Message,
    convert_to_llm,
    cut_tool_result,
    list_parts,
    list_texts,
    project_entry,
    serialize_conversation,
)
from transforms.tables.tokens import count_tokens

BLOCK_CHARS = 16_000
"""Longest call, answer or paste, about 4,000 tokens: a whole file makes a model lose the rest. Typed words are never cut."""
EARLIER_TOKENS = 1_500
"""Room for earlier observations: a twentieth of the largest window."""
_END_OF_TRANSCRIPT = re.compile(r"<(?=/?transcript\b)", re.I)


def render_transcript(entries: Sequence[Entry], topics: Sequence[tuple[int, int]], zone: tzinfo) -> str:
    """Return the blocks of all entries, `[HH:MM] #ordinal` before each, and a line for each topic and new day in `zone`."""
    lines: list[str] = []
    day, topic = "", 0
    for entry in entries:
        while topic < len(topics) and entry.ordinal >= topics[topic][0]:
            topic += 1
            lines.append(f"=== topic {topic} ===")
        blocks = list(_list_blocks(entry))
        local_time = entry.said_at.astimezone(zone)
        if blocks and day != (day := local_time.strftime("%Y-%m-%d")):
            lines.append(f"Date: {day}")
        lines += [f"[{local_time:%H:%M}] #{entry.ordinal} {block if entry.is_typed else _cut_block(block)}" for block in blocks]
    return _END_OF_TRANSCRIPT.sub("< ", "\n\n".join(lines))


def keep_newest_within(earlier: Iterable[str], limit: int = EARLIER_TOKENS) -> list[str]:
    """Return the newest of the earlier observations that fit within `limit` tokens, in their order."""
    kept: list[str] = []
    for text in reversed(list(earlier)):
        limit -= count_tokens(text) + 1
        if limit < 0:
            break
        kept.append(text)
    return kept[::-1]


def _list_blocks(entry: Entry) -> Iterable[str]:
    message = project_entry(entry.raw)
    for converted in convert_to_llm([message]) if message is not None else []:
        for part in _split_message(converted, is_user=entry.role == "user"):
            if block := serialize_conversation([part]):
                yield block


def _split_message(message: Message, *, is_user: bool) -> list[Message]:
    """Return an assistant's words and calls as two blocks, and a user's text without what nobody said."""
    content = message.get("content")
    if message.get("role") == "assistant":
        parts = list_parts(content)
        calls = [part for part in parts if part.get("type") == "toolCall"]
        return [message | {"content": [part for part in parts if part not in calls]}, message | {"content": calls}]
    if message.get("role") == "user":
        text = "".join(list_texts(content))
        return [message | {"content": _strip_unsaid_text(text, is_user=is_user)}]
    return [message]


def _strip_unsaid_text(text: str, *, is_user: bool) -> str:
    """Return a text without memory pages and reminders, with skills and long pastes cut."""
    parts = []
    for span in split_into_spans(text):
        part = text[span.start : span.end]
        if span.kind == "memory" or (span.kind == "machine" and is_user):
            continue
        if span.kind == "skill":
            part = f"[a skill's instructions, {count_tokens(part)} tokens, left out]\n"
        elif span.kind == "file":
            part = cut_tool_result(part)
        elif span.kind == "pasted":
            part = _cut_block(part)
        parts.append(part)
    return "".join(parts).strip()


def _cut_block(block: str) -> str:
    if len(block) <= BLOCK_CHARS:
        return block
    head = BLOCK_CHARS * 3 // 4  # the beginning says what it is, the end how it went
    tail = BLOCK_CHARS - head
    return f"{block[:head]}\n\n[... {len(block) - head - tail} characters left out ...]\n\n{block[-tail:]}"
