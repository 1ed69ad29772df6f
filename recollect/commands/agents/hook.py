"""`recollect hook`: the answer to a hook of Claude Code or Codex; `recollect init` enters it in their settings."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from effects.config.configuration import load_settings
from effects.projects.resolve_project import resolve_project
from recollect.arguments import add_example, complete_files, parse_number, parse_path
from recollect.terminal import open_command_run, print_json
from transforms.tables.tokens import BRIEFING_TOKENS, count_tokens

if TYPE_CHECKING:
    from effects.config.settings import Settings
    from effects.opening.client_hooks import HookEvent

REQUEST_TOKENS = 600
"""Tokens that a session gets with its first prompt, of those for the whole: facts about it, then the rest of the briefing."""
WAIT_SECONDS = 0.9
"""Seconds from the start of this process to its answer; a person waits a second without noticing."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect hook` to its parser, with help and examples."""
    parser.description = "Answer a hook of Claude Code or Codex: read its event on stdin and print the context to add."
    parser.add_argument(
        "--max-tokens",
        metavar="N",
        type=parse_number,
        default=BRIEFING_TOKENS,
        help=f"most tokens of the briefing (default: {BRIEFING_TOKENS})",
    )
    complete_files(parser.add_argument(
        "--loaded", metavar="FILE", type=parse_path, action="append", default=[],
        help="leave out this file, which the client shows itself; may be repeated",
    ))  # fmt: skip
    parser.add_argument(
        "--wait", metavar="SECONDS", type=float, default=WAIT_SECONDS,
        help=f"when it takes longer, give the page of the last night and log that (default: {WAIT_SECONDS})",
    )  # fmt: skip
    add_example(parser, "recollect hook <event.json")


def run_command(arguments: Namespace) -> int:
    """Print the context for a session's start or its first prompt; start reading a session that is compacted or ends."""
    from effects.opening.client_hooks import READING_EVENTS, has_whole_page, parse_hook_event, start_reading

    settings = load_settings()  # `recollect.cli` logs what is wrong with them, and ends with 0
    event = parse_hook_event(b"" if sys.stdin.isatty() else sys.stdin.buffer.read())
    is_whole = has_whole_page(event)
    if event.name in READING_EVENTS:
        start_reading(event)
    elif _is_context_wanted(event) and settings.lake.is_dir():
        _answer(event, arguments, settings, is_whole)
    return 0


def _answer(event: HookEvent, arguments: Namespace, settings: Settings, is_whole: bool) -> None:
    """Print the context that the event adds; when it is not there in time, the page of the last night for a session's start."""
    from effects.opening.client_hooks import make_hook_answer, note_whole_page
    from effects.opening.hooks_log import log_miss, log_silence
    from effects.opening.late_opening import compose_in_time, end_process, read_last_opening

    context = compose_in_time(lambda: _compose_context(event, arguments.max_tokens, arguments.loaded, is_whole), arguments.wait)
    is_late = context is None
    if context is None:
        context = read_last_opening(settings.lake, settings.workspace, event.folder) if event.name == "SessionStart" else ""
        if context:
            note_whole_page(event)
        log_miss(event.name, arguments.wait, "the page of the last night was given" if context else "nothing was given")
    elif not context and event.name == "UserPromptSubmit":
        log_silence(event.name)
    if context:
        print_json(make_hook_answer(event, context))
    if is_late:
        end_process()


def _is_context_wanted(event: HookEvent) -> bool:
    """Whether the event is the start of a session that has no briefing yet, or its first prompt."""
    from effects.opening.client_hooks import TOLD_SOURCES, expect_first_prompt, take_first_prompt

    if event.name != "SessionStart":
        return event.name == "UserPromptSubmit" and take_first_prompt(event)
    if event.source in TOLD_SOURCES:
        return False
    expect_first_prompt(event)  # before anything slow: a client may send the prompt meanwhile
    return True


def _compose_context(event: HookEvent, max_tokens: int, loaded: list[Path], is_whole: bool) -> str:
    """Return the text that the event adds to the session; empty before the first night.

    What facts about the first prompt leave of their room goes to the lines of the briefing that the start had no room for, unless
    it gave the whole page (`is_whole`).
    """
    run = open_command_run()
    if not run.lake.exists():
        return ""
    from effects.opening.opening_files import read_current_opening, read_rest_of_briefing

    if event.name == "SessionStart":
        if text := read_current_opening(run, event.folder, max_tokens - REQUEST_TOKENS, loaded):
            return text
        from effects.opening.session_opening import render_session_opening

        project = resolve_project(run, None, is_new_allowed=True, folder=event.folder)
        return render_session_opening(run, project, max_tokens - REQUEST_TOKENS, loaded)
    from effects.opening.request_recall import read_current_facts, render_request_recall

    if (facts := read_current_facts(run, event.folder, event.prompt, REQUEST_TOKENS)) is None:
        project = resolve_project(run, None, is_new_allowed=True, folder=event.folder)
        return render_request_recall(run, project, event.prompt, REQUEST_TOKENS)
    if is_whole:
        return facts
    room = REQUEST_TOKENS - count_tokens(facts)
    return facts + read_rest_of_briefing(run, event.folder, max_tokens - REQUEST_TOKENS, facts, room)
