"""`recollect hook`: the answer to a hook of Claude Code or Codex; `recollect init` enters it in their settings."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from effects.config.configuration import load_settings
from recollect.arguments import add_example, parse_number, parse_path
from recollect.commands.briefing import MAX_TOKENS, resolve_project
from recollect.terminal import open_command_run, print_json

if TYPE_CHECKING:
    from effects.opening.client_hooks import HookEvent

REQUEST_TOKENS = 600
"""Tokens for facts about the first prompt; the briefing gets the rest."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Answer a hook of Claude Code or Codex: reads its event on stdin, prints the context that it adds."
    parser.add_argument(
        "--max-tokens", metavar="N", type=parse_number, default=MAX_TOKENS, help=f"bound on the briefing; {MAX_TOKENS}"
    )
    parser.add_argument(
        "--loaded", metavar="FILE", type=parse_path, action="append", default=[],
        help="a file that the client shows already; may be given again",
    )  # fmt: skip
    add_example(parser, "recollect hook <event.json")


def run_command(arguments: Namespace) -> int:
    """Print the context for a session's start or its first prompt; start reading a session that is compacted or ends."""
    from effects.opening.client_hooks import READING_EVENTS, make_hook_answer, parse_hook_event, start_reading

    load_settings()  # a wrong setting is named at the start of a session, not swallowed at its end
    event = parse_hook_event(b"" if sys.stdin.isatty() else sys.stdin.buffer.read())
    if event.name in READING_EVENTS:
        start_reading(event)
    elif context := _compose_context(event, arguments.max_tokens, arguments.loaded):
        print_json(make_hook_answer(event, context))
    return 0


def _compose_context(event: HookEvent, max_tokens: int, loaded: list[Path]) -> str:
    """Return the text that the event adds to the session; empty for other events, and before the first night."""
    from effects.opening.client_hooks import TOLD_SOURCES, expect_first_prompt, take_first_prompt
    from effects.opening.session_opening import render_request_recall, render_session_opening

    is_start = event.name == "SessionStart" and event.source not in TOLD_SOURCES
    if is_start:
        expect_first_prompt(event)  # before anything slow: a client may send the prompt meanwhile
    elif not (event.name == "UserPromptSubmit" and take_first_prompt(event)):
        return ""
    run = open_command_run()
    if not run.lake.exists():
        return ""
    project = resolve_project(run, None, is_new_allowed=True, folder=event.folder)
    if not is_start:
        return render_request_recall(run, project, event.prompt, REQUEST_TOKENS)
    return render_session_opening(run, project, max_tokens - REQUEST_TOKENS, loaded)
