"""Renders a window for an observing model: pi's serialization, with a time and a reference before each block, and topics.

Text that is not conversation is left out or cut, because a model believes its input: the pages of memory, reminders of the
system and skill blocks would come back as the owner's wishes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import tzinfo

from transforms.conversation.entries import SUMMARY_TYPES, Entry
from transforms.conversation.message_spans import split_into_spans
from transforms.conversation.serialize import (
    PiMessage,
    convert_to_llm,
    cut_tool_result,
    list_parts,
    list_texts,
    project_entry,
    serialize_conversation,
)
from transforms.distil.compact_blocks import SeenLines, compact_arguments, compact_result, cut_middle, render_arguments
from transforms.distil.window_evidence import find_answers
from transforms.patterns.late_pattern import compile_late
from transforms.tables.tokens import count_tokens

BLOCK_CHARS = 6_000
"""Longest answer or paste, about 1,500 tokens: a whole file makes a model lose the rest. Typed words are never cut."""
EARLIER_SUMMARY_CHARS = 8_000
SUMMARY_LABEL = "[Summary of the conversation before, made by a model; later blocks win]"
OWNER_LABEL = "[User]"
ANSWER_LABEL = "[User's answer]"
"""The result of a tool that put the agent's questions to the owner."""
_SENDERS = {
    "parent_agent": "a parent agent", "extension": "an extension", "skill": "a skill", "paste": "a paste of the user",
    "system": "the client", "agent": "an agent", "tool": "a tool", "command": "a command to the client",
}  # fmt: skip
_PROGRAMS = frozenset(f"[Not the user but {_SENDERS[name]}]" for name in ("extension", "system", "tool", "command"))
"""Labels of what programs write again and again: the folder's files, the day, what is open."""
_SENDERS_BY_REASON = {"claude:plan": "an agent, whose plan the user approved"}
_END_OF_TRANSCRIPT = compile_late(r"<(?=/?transcript\b)", re.I)


def render_transcript(entries: Sequence[Entry], topics: Sequence[tuple[int, int]], zone: tzinfo) -> str:
    """Return the blocks of all entries, `[HH:MM] #ordinal` before each, and a line for each topic and each new day in `zone`."""
    lines: list[str] = []
    seen = SeenLines()
    day, topic = "", 0
    answers = find_answers(entries)
    for entry in entries:
        while topic < len(topics) and entry.ordinal >= topics[topic][0]:
            topic += 1
            lines.append(f"=== topic {topic} ===")
        blocks = list(_list_blocks(entry, seen, is_answer=entry.ordinal in answers))
        local_time = entry.said_at.astimezone(zone)
        if blocks and day != (day := local_time.strftime("%Y-%m-%d")):
            lines.append(f"Date: {day}")
        lines += [f"[{local_time:%H:%M}] #{entry.ordinal} {block if entry.is_typed else _cut_block(block)}" for block in blocks]
    return _END_OF_TRANSCRIPT.sub("< ", "\n".join(lines))


def _list_blocks(entry: Entry, seen: SeenLines, *, is_answer: bool) -> Iterable[str]:
    """Yield the blocks of an entry as pi serialises them, but with tools' texts shortened and summaries labelled."""
    message = project_entry(entry.raw)
    if message is not None and entry.entry_type in SUMMARY_TYPES:
        if summary := _strip_unsaid_text(str(message.get("summary") or ""), is_user=False):
            yield f"{SUMMARY_LABEL}: {_cut_block(summary, EARLIER_SUMMARY_CHARS)}"
        return
    for converted in convert_to_llm([message]) if message is not None else []:
        content = converted.get("content")
        if converted.get("role") == "toolResult":
            yield from _list_result_blocks(entry, "".join(list_texts(content)), seen, is_answer=is_answer)
        elif converted.get("role") == "assistant":
            parts = list_parts(content)
            calls = [part for part in parts if part.get("type") == "toolCall"]
            if block := serialize_conversation([converted | {"content": [part for part in parts if part not in calls]}]):
                yield block
            if rendered_calls := "; ".join(_render_call(call, seen) for call in calls):
                yield f"[Tool calls]: {rendered_calls}"
        elif converted.get("role") == "user":
            whole = "".join(list_texts(content))
            text = _strip_unsaid_text(whole, is_user=entry.role == "user")
            label = _label_others(entry)
            if text and entry.stretches and whole == entry.text:
                yield "\n".join(f"{label}: {part}" for label, part in _list_stretches(entry, seen))
            elif text and label:
                yield f"{label}: {_shorten_program(label, text, seen)}"
            elif block := serialize_conversation([converted | {"content": text}]):
                yield block


def _list_result_blocks(entry: Entry, text: str, seen: SeenLines, *, is_answer: bool) -> Iterable[str]:
    """Yield the block of a tool's result, shortened; none when nothing is left of it. Answers of the owner are not shortened."""
    if is_answer:
        yield f"{ANSWER_LABEL}: {text}"
        return
    text = compact_result(text, entry.tool_name or "", seen, is_error=bool(entry.is_error))
    if text.strip():
        yield f"[Tool error]: {text}" if entry.is_error else f"[Tool result]: {text}"


def _list_stretches(entry: Entry, seen: SeenLines) -> Iterable[tuple[str, str]]:
    """Yield the label and the text of each part of an entry that several wrote."""
    for label, words in label_stretches(entry):
        if part := _strip_unsaid_text(words, is_user=True):
            yield label, part if label == OWNER_LABEL else _cut_block(_shorten_program(label, part, seen))


def _shorten_program(label: str, text: str, seen: SeenLines) -> str:
    """Return what a program wrote without the lines that it wrote before; words of people and agents as they are."""
    return seen.drop_repeated(text) if label in _PROGRAMS else text


def label_stretches(entry: Entry) -> list[tuple[str, str]]:
    """Return the label (`[User]`, `[Not the user but a paste of the user]`) and the words of each part of an entry that its owner
    and others share; none when one wrote all of it."""
    return [
        (_label_speaker(part.speaker, part.reason), words)
        for part in entry.stretches
        if (words := entry.text[part.start : part.end].strip())
    ]


def _label_speaker(speaker: str, reason: str) -> str:
    sender = _SENDERS_BY_REASON.get(reason) or _SENDERS.get(speaker, "")
    return f"[Not the user but {sender}]" if sender else OWNER_LABEL


def _label_others(entry: Entry) -> str:
    """Return the label of what a client hands to its model as a user's message; empty when the owner typed it."""
    if entry.role == "bashExecution":
        return "[Tool result]"  # the owner's command, but what it printed is nobody's words
    sender = label_sender(entry)
    return f"[Not the user but {sender}]" if sender else ""


def label_sender(entry: Entry) -> str:
    """Return who wrote what a model gets as a user's message when it was not the owner ("a parent agent", "an extension"); empty
    for the owner's words, and for what agents, tools and commands of a shell say."""
    if entry.role in ("assistant", "toolResult", "bashExecution"):
        return ""
    return _SENDERS_BY_REASON.get(entry.attribution.reason) or _SENDERS.get(entry.attribution.speaker, "")


def _render_call(call: PiMessage, seen: SeenLines) -> str:
    arguments = call.get("arguments")
    shown = compact_arguments(arguments, seen) if isinstance(arguments, dict) else {}
    return f"{call.get('name') or ''}({render_arguments(shown)})"


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


def _cut_block(block: str, limit: int = BLOCK_CHARS) -> str:
    return cut_middle(block, limit, 0.25)  # the beginning names the action, the end its outcome
