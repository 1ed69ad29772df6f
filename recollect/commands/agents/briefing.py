"""`recollect briefing`: the knowledge that an agent needs at the start of a session."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from effects.projects.resolve_project import resolve_project
from recollect.arguments import add_example, add_json, complete_files, parse_number, parse_path
from recollect.terminal import open_reading_run, print_json, print_line
from transforms.tables.tokens import BRIEFING_TOKENS


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect briefing` to its parser, with help and examples."""
    parser.description = "Print the briefing of a project for the start of a session."
    parser.add_argument(
        "--project", metavar="P", help="full path or last part of the project (default: the project of this folder)"
    )
    parser.add_argument(
        "--max-tokens", metavar="N", type=parse_number, default=BRIEFING_TOKENS, help=f"most tokens (default: {BRIEFING_TOKENS})"
    )
    parser.add_argument("--all", action="store_true", help="all facts that it could show, whatever their number")
    parser.add_argument(
        "--opening", action="store_true",
        help="for a client's first turn: identity files, the briefing, today's log; also in a new project",
    )  # fmt: skip
    complete_files(parser.add_argument(
        "--loaded", metavar="FILE", type=parse_path, action="append", default=[],
        help="with --opening: leave out this file, which the client shows itself; may be repeated",
    ))  # fmt: skip
    parser.add_argument(
        "--request", metavar="TEXT", default="",
        help="words of the person: with --opening facts of earlier sessions about them are added, without it they come alone",
    )  # fmt: skip
    add_json(parser, "one JSON object: the text, its tokens, and the page that the last night rendered")
    add_example(parser, "recollect briefing --project shop", "recollect briefing --opening --loaded ~/.claude/CLAUDE.md")


def run_command(arguments: Namespace) -> int:
    """Print the briefing of a project, or the opening of a session in it."""
    from effects.opening.memory_note import note_memory
    from effects.opening.opening_files import locate_page, read_current_opening

    run = open_reading_run()
    if arguments.opening:
        note_memory(run.settings.lake, run.settings.workspace)
    if arguments.opening and not arguments.project:
        here = Path.cwd()
        if text := read_current_opening(run, here, arguments.max_tokens, arguments.loaded, arguments.request):
            _print_briefing(text, locate_page(run, here), arguments.json)
            return 0
    from effects.opening.session_opening import locate_briefing, render_project_briefing, render_session_opening

    project = resolve_project(run, arguments.project, is_new_allowed=arguments.opening, command="recollect briefing --project")
    if arguments.opening:
        text = render_session_opening(run, project, arguments.max_tokens, arguments.loaded, arguments.request)
    elif arguments.request:
        from effects.opening.opening_files import REQUEST_SHARE
        from effects.opening.request_recall import render_request_recall

        text = render_request_recall(run, project, arguments.request, int(arguments.max_tokens * REQUEST_SHARE))
    else:
        text = render_project_briefing(run, project, None if arguments.all else arguments.max_tokens)
    _print_briefing(text, locate_briefing(run, project) if arguments.json else None, arguments.json)
    return 0


def _print_briefing(text: str, page: Path | None, as_json: bool) -> None:
    from transforms.opening.fact_sheet import REQUEST_HEADING
    from transforms.tables.tokens import count_tokens

    if as_json:
        has_facts = REQUEST_HEADING in text
        print_json({"text": text, "tokens": count_tokens(text), "page": str(page) if page else None, "facts": has_facts})
    else:
        print_line(text.rstrip("\n"))
