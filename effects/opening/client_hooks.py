"""Answers the hooks of Claude Code and Codex: context at the start of a session, reading at its end.

A hook is a command that gets one JSON object on stdin and answers with one on stdout; both clients use the same events and the
same answer (Anthropic, "Hooks reference"; seen in Claude Code 2.1 and Codex 0.169).
"""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import orjson
from platformdirs import user_cache_path

from effects.opening.hooks_log import open_hooks_log
from effects.system.errors import UsageError
from effects.system.own_process import NEUTRAL_FOLDER, PYTHON
from transforms.tables.ids import hash_text
from transforms.tables.periods import SECONDS_PER_DAY

READING_EVENTS = ("PreCompact", "SessionEnd")
TOLD_SOURCES = ("resume",)
"""Sources of a session's start at which its context holds the briefing already."""
WHOLE_PAGE = "whole page"
MOST_PROMPTS = 3
"""Prompts of a session until one has facts: "hi" is about nothing, and each costs a tenth of a second."""
MARK_DAYS = 7
"""Days after which a session that never got a prompt is forgotten."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event of a session: `source` is the way it started, `prompt` the typed text; both may be empty."""

    name: str
    session_id: str
    folder: Path
    transcript: Path | None
    source: str = ""
    prompt: str = ""


class HookOutput(TypedDict):
    """The text that an event adds to the context of the session."""

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
        raise UsageError("stdin contains no hook event", "recollect hook --help") from error
    transcript = fields.get("transcript_path")
    return HookEvent(
        str(name),
        str(fields.get("session_id") or ""),
        Path(fields.get("cwd") or Path.cwd()),
        Path(transcript).expanduser() if transcript else None,
        str(fields.get("source") or ""),
        str(fields.get("prompt") or ""),
    )


def make_hook_answer(event: HookEvent, context: str) -> HookAnswer:
    """Return the answer that adds `context` to the session of the event."""
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def expect_first_prompt(event: HookEvent) -> None:
    """Note that the next prompt of this session is its first one."""
    mark = _mark_path(event)
    mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    oldest = time.time() - MARK_DAYS * SECONDS_PER_DAY
    for old in mark.parent.iterdir():
        if old.stat().st_mtime < oldest:
            old.unlink(missing_ok=True)
    mark.touch(mode=0o600)


@dataclass(frozen=True, slots=True)
class PromptMark:
    """What a session that waits for facts has got: `is_whole` all of its briefing, and `asked` prompts about which memory knew
    nothing."""

    is_whole: bool = False
    asked: int = 0


def take_prompt_mark(event: HookEvent) -> PromptMark | None:
    """Return the mark of the event's session and remove it; None when its prompts get nothing any more."""
    mark = _mark_path(event)
    try:
        words = mark.read_text(encoding="utf-8").split("\n")
        mark.unlink()
    except OSError:
        return None
    return PromptMark(words[0] == WHOLE_PAGE, len(words) - 1)


def expect_another_prompt(event: HookEvent, mark: PromptMark) -> None:
    """Note that the next prompt of a session gets the facts: about this one ("hi") memory knew nothing, MOST_PROMPTS at most."""
    if mark.asked + 1 < MOST_PROMPTS:
        with suppress(OSError):
            _mark_path(event).write_text(WHOLE_PAGE + "\n" * (mark.asked + 1), encoding="utf-8")


def note_whole_page(event: HookEvent) -> None:
    """Note that the session began with the whole page: its first prompt gets no rest of it. Without a mark that came too late."""
    with suppress(OSError), _mark_path(event).open("r+") as mark:
        mark.write(WHOLE_PAGE)


def start_reading(event: HookEvent) -> None:
    """Start `recollect session` on the transcript of the event, as a process that outlives this one and the client.

    Its complaints stand in `recollect/hooks.log` in the user's cache folder.
    """
    if event.transcript is None or not event.transcript.is_file():
        return
    closed = ["--closed"] if event.name == "SessionEnd" else []
    with open_hooks_log() as log:
        subprocess.Popen(
            [*PYTHON, "-m", "recollect", "session", str(event.transcript.absolute()), *closed, "--direct"],
            cwd=NEUTRAL_FOLDER,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )


def _find_cache_folder() -> Path:
    return user_cache_path("recollect", appauthor=False)


def _mark_path(event: HookEvent) -> Path:
    return _find_cache_folder() / "first_prompts" / hash_text(event.session_id)
