"""Answers the hooks of Claude Code: context at the start of a session, reading at its end.

A hook is a command that gets one JSON object on stdin and answers with one on stdout (Anthropic, "Hooks reference").
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict

import orjson

from effects.system.errors import UsageError

CONTEXT_EVENTS = ("SessionStart", "UserPromptSubmit")
READING_EVENTS = ("PreCompact", "SessionEnd")
TOLD_SOURCES = ("resume",)
"""Sources of a session's start at which its context holds the briefing already."""
LINES_SEARCHED = 400
"""Lines of a transcript that are searched for an earlier prompt: machine lines come first, and then the first prompt."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event of a session: `source` says how it started, `prompt` what was typed; both may be empty."""

    name: str
    folder: Path
    transcript: Path | None
    source: str = ""
    prompt: str = ""


class HookOutput(TypedDict):
    """What an event adds to the context of the session."""

    hookEventName: str
    additionalContext: str


class HookAnswer(TypedDict):
    """The answer of a hook."""

    hookSpecificOutput: HookOutput


def parse_hook_event(payload: bytes) -> HookEvent:
    """Return the event in a hook's payload.

    Raises:
        UsageError: when the payload is not a JSON object with the name of an event.
    """
    try:
        fields: Any = orjson.loads(payload)
        name = fields["hook_event_name"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise UsageError("stdin holds no event of a hook", "recollect hook --help") from error
    transcript = fields.get("transcript_path")
    return HookEvent(
        str(name),
        Path(fields.get("cwd") or Path.cwd()),
        Path(transcript).expanduser() if transcript else None,
        str(fields.get("source") or ""),
        str(fields.get("prompt") or ""),
    )


def make_hook_answer(event: HookEvent, context: str) -> HookAnswer:
    """Return the answer that adds `context` to the session of the event."""
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def is_first_prompt(event: HookEvent) -> bool:
    """Whether nobody typed anything in the transcript before the prompt of the event."""
    if event.transcript is None or not event.transcript.is_file():
        return True
    with event.transcript.open("rb") as lines:
        return not any(_is_earlier_prompt(line, event.prompt) for line in islice(lines, LINES_SEARCHED))


def start_reading(event: HookEvent) -> None:
    """Start `recollect session` on the transcript of the event, as a process that outlives this one and the client."""
    if event.transcript is None or not event.transcript.is_file():
        return
    closed = ["--closed"] if event.name == "SessionEnd" else []
    subprocess.Popen(
        [sys.executable, "-m", "recollect", "session", str(event.transcript), *closed, "--direct"],
        cwd=Path.home(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _is_earlier_prompt(line: bytes, prompt: str) -> bool:
    try:
        entry: Any = orjson.loads(line)
        content = entry["message"]["content"] if entry["type"] == "user" and not entry.get("isMeta") else None
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return False
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "\n".join(text for text in texts if isinstance(text, str)) or None
    return isinstance(content, str) and content.strip() != prompt.strip() and not content.lstrip().startswith("<")
