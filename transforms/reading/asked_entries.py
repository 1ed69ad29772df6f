"""Finds what the message before an entry asked for, so that an answer which is a secret and nothing else is known as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from transforms.conversation.codex_form import get_payload
from transforms.reading.redact_entries import is_agent_message, is_user_message
from transforms.redaction.apart.asked_answers import MOST_ANSWER, AskedBefore, may_answer, may_ask
from transforms.redaction.formats.command_answers import asks_for_secret
from transforms.tables.json_object import JsonObject

MOST_BACK, MOST_BYTES = 6, 262_144
"""Entries before an answer in which its request stands, and the bytes of their lines."""
LEAST_ANSWER, MOST_OUTPUT = 4, 1_200
"""Characters of the shortest answer, and of the longest output of a command that asks for a secret."""
AGENT, PERSON, OUTPUT = "agent", "person", "output"


class SaidBefore(NamedTuple):
    """An entry with its session and the bytes of its line."""

    value: JsonObject
    session_id: str
    size: int


def list_requests(entries: Sequence[SaidBefore], before: Mapping[str, Sequence[SaidBefore]]) -> dict[int, AskedBefore]:
    """Return for entries with a short text what was asked for right before them, by their place.

    `before` are the entries that come right before the first one of a session, when others of it were read earlier.
    """
    requests: dict[int, AskedBefore] = {}
    starts: dict[str, int] = {}
    for place, entry in enumerate(entries):
        start = starts.setdefault(entry.session_id, place)
        speaker = _name_speaker(entry.value)
        texts = list(_list_texts(entry.value))
        size = sum(map(len, texts))
        if speaker == OUTPUT:
            if not LEAST_ANSWER <= size <= MOST_OUTPUT:
                continue
        elif size > 2 * MOST_ANSWER or not any(map(may_answer, texts)):
            continue
        if speaker == AGENT and not any(map(str.isdigit, chain.from_iterable(texts))):  # words of an agent are no secret
            continue
        earlier = [*before.get(entry.session_id, ()), *entries[max(start, place - MOST_BACK) : place]][-MOST_BACK:]
        if request := _find_request(earlier, speaker, frozenset(texts)):
            requests[place] = request
    return requests


def _find_request(earlier: Sequence[SaidBefore], speaker: str, answers: frozenset[str]) -> AskedBefore | None:
    """Return the words that another speaker said last, or the command whose output an entry is."""
    size = 0
    for entry in reversed(earlier):
        size += entry.size
        if size > MOST_BYTES:
            return None
        other = _name_speaker(entry.value)
        if other == speaker:
            continue
        if speaker == OUTPUT:
            command = next(chain(_list_commands(entry.value), _list_texts(entry.value)), None)
            return AskedBefore(command, True, answers) if command is not None and asks_for_secret(command) else None
        if text := "\n".join(_list_texts(entry.value)):
            return AskedBefore(text, False, answers) if may_ask(text) else None
    return None


def _name_speaker(entry: JsonObject) -> str:
    return PERSON if is_user_message(entry) else AGENT if is_agent_message(entry) else OUTPUT


def _list_texts(entry: JsonObject) -> Iterator[str]:
    """Yield the texts that an entry says, in the format of any agent; thoughts and calls of tools are none."""
    payload = get_payload(entry)
    message = entry.get("message")
    for said in (message.get("content") if isinstance(message, dict) else None, payload.get("content"), payload.get("message"),
                 payload.get("output")):  # fmt: skip
        yield from _read_parts(said)


def _read_parts(said: Any) -> Iterator[str]:
    if isinstance(said, str):
        yield said
    for part in said if isinstance(said, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]
        elif isinstance(part, dict) and part.get("type") == "tool_result":
            yield from _read_parts(part.get("content"))


def _list_commands(entry: JsonObject) -> Iterator[str]:
    """Yield the commands that an agent's entry calls a shell with."""
    message = entry.get("message")
    parts = message.get("content") if isinstance(message, dict) else None
    for part in parts if isinstance(parts, list) else ():
        arguments = (part.get("arguments") or part.get("input")) if isinstance(part, dict) else None
        if isinstance(arguments, dict) and isinstance(command := arguments.get("command"), str):
            yield command
