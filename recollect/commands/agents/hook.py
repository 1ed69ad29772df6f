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
    from effects.opening.client_hooks import HookEvent, PromptMark

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
    from effects.opening.client_hooks import READING_EVENTS, parse_hook_event, start_reading, take_prompt_mark

    settings = load_settings()  # `recollect.cli` logs what is wrong with them, and ends with 0
    event = parse_hook_event(b"" if sys.stdin.isatty() else sys.stdin.buffer.read())
    if event.name in READING_EVENTS:
        start_reading(event)
    elif event.name == "SessionStart":
        if _is_opening_wanted(event) and settings.lake.is_dir():
            _answer_start(event, arguments, settings)
    elif event.name == "UserPromptSubmit" and (mark := take_prompt_mark(event)) and settings.lake.is_dir():
        _answer_prompt(event, arguments, mark)
    return 0


def _is_opening_wanted(event: HookEvent) -> bool:
    """Whether a session that starts has no briefing yet; its prompts wait for facts from now on."""
    from effects.opening.client_hooks import TOLD_SOURCES, expect_first_prompt

    if event.source in TOLD_SOURCES:
        return False
    expect_first_prompt(event)  # before anything slow: a client may send the prompt meanwhile
    return True


def _answer_start(event: HookEvent, arguments: Namespace, settings: Settings) -> None:
    """Print the opening of a session; when it is not there in time, the page of the last night."""
    from effects.opening.client_hooks import note_whole_page
    from effects.opening.hooks_log import log_miss
    from effects.opening.late_opening import compose_in_time, read_last_opening

    context = compose_in_time(lambda: _compose_opening(event, arguments.max_tokens, arguments.loaded), arguments.wait)
    is_late = context is None
    if context is None:
        context = read_last_opening(settings.lake, settings.workspace, event.folder)
        if context:
            note_whole_page(event)
        log_miss(event.name, arguments.wait, "the page of the last night was given" if context else "nothing was given")
    _print_context(event, context, is_late=is_late)


def _answer_prompt(event: HookEvent, arguments: Namespace, mark: PromptMark) -> None:
    """Print the facts about a prompt, and once the rest of the briefing; without facts the next prompt is asked about, too."""
    from effects.opening.client_hooks import expect_another_prompt
    from effects.opening.hooks_log import log_miss, log_silence
    from effects.opening.late_opening import compose_in_time

    facts: list[str] = []
    context = compose_in_time(lambda: _compose_facts(event, arguments.max_tokens, mark, facts), arguments.wait)
    if not any(facts):
        expect_another_prompt(event, mark)
    if context is None:
        log_miss(event.name, arguments.wait, "nothing was given")
    elif not context:
        log_silence(event.name)
    _print_context(event, context or "", is_late=context is None)


def _print_context(event: HookEvent, context: str, *, is_late: bool) -> None:
    from effects.opening.client_hooks import make_hook_answer
    from effects.opening.late_opening import end_process

    if context:
        print_json(make_hook_answer(event, context))
    if is_late:
        end_process()


def _compose_opening(event: HookEvent, max_tokens: int, loaded: list[Path]) -> str:
    """Return the text that begins a session; empty before the first night."""
    run = open_command_run()
    if not run.lake.exists():
        return ""
    from effects.opening.opening_files import read_current_opening

    if text := read_current_opening(run, event.folder, max_tokens - REQUEST_TOKENS, loaded):
        return text
    from effects.opening.session_opening import render_session_opening

    project = resolve_project(run, None, is_new_allowed=True, folder=event.folder)
    return render_session_opening(run, project, max_tokens - REQUEST_TOKENS, loaded)


def _compose_facts(event: HookEvent, max_tokens: int, mark: PromptMark, facts: list[str]) -> str:
    """Return the facts about a prompt, which are put into `facts`, too; empty before the first night.

    What they leave of their room goes to the lines of the briefing that the start had no room for, unless it gave the whole page.
    """
    run = open_command_run()
    if not run.lake.exists():
        return ""
    from effects.opening.opening_files import read_rest_of_briefing
    from effects.opening.request_recall import read_current_facts, render_request_recall

    text = read_current_facts(run, event.folder, event.prompt, REQUEST_TOKENS)
    if text is None:
        project = resolve_project(run, None, is_new_allowed=True, folder=event.folder)
        text = render_request_recall(run, project, event.prompt, REQUEST_TOKENS)
        facts.append(text)
        return text
    facts.append(text)
    if mark.is_whole:
        return text
    room = REQUEST_TOKENS - count_tokens(text)
    return text + read_rest_of_briefing(run, event.folder, max_tokens - REQUEST_TOKENS, text, room)
