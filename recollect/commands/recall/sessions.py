"""`recollect sessions`: finds a session and opens it again in its client."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from effects.system.errors import NotFoundError, SourceError, UsageError
from recollect.arguments import add_example, add_json, parse_number
from recollect.terminal import open_reading_run, print_json, print_line, print_note, print_wrapped
from transforms.pages.page_names import shorten_project
from transforms.pages.visible_text import format_line

if TYPE_CHECKING:
    from effects.sessions.found_session import FoundSession
    from effects.store.run import Run

LIMIT = 10
MATCH_REASONS = {
    "id": "id",
    "commit": "made commit",
    "changed": "changed files of the commit",
    "error": "error",
    "modified": "changed",
    "read": "read",
    "title": "title",
    "words": "said",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect sessions` to its parser, with help and examples."""
    parser.description = (
        "Find sessions by what was said, by title, file, commit or error text; without a query the newest ones. A commit's hash"
        " and a line of a file (`path:12`, through git blame) lead to the session that made them."
    )
    parser.add_argument("query", metavar="QUERY", nargs="*", help="words, an error, a path, `path:line`, a commit, an id")
    parser.add_argument(
        "--open", action="store_true", help="resume the first one: run its client's command in a terminal, else print it"
    )
    parser.add_argument("--project", metavar="P", default="all", help="path of a project or its last part; `all` is the default")
    parser.add_argument(
        "-k", metavar="N", dest="limit", type=parse_number, default=LIMIT, help=f"number of sessions (default: {LIMIT})"
    )
    add_json(parser, "one JSON object per session")
    add_example(parser, 'recollect sessions "rate limit"', "recollect sessions src/app.py:40 --open")


def run_command(arguments: Namespace) -> int:
    """Print the sessions that were found, or open the first one."""
    if arguments.limit < 1:
        raise UsageError("-k is a number from 1", "recollect sessions --help")
    run = open_reading_run()
    from effects.sessions.find_sessions import find_sessions

    query = " ".join(arguments.query)
    sessions = find_sessions(run, query, arguments.project, arguments.limit, Path.cwd())
    if arguments.open:
        return resume_session(sessions, query, arguments.json)
    for session in sessions:
        if arguments.json:
            print_json(session)
        else:
            print_session(session, run)
    if not sessions:
        print_note(f"no session matches `{query}`" if query else "no session is in the lake yet: recollect nightly")
    return 0


def print_session(session: FoundSession, run: Run) -> None:
    """Print a session in three lines: its day, folder and title; the reason for the match; the command that opens it."""
    day = session["ended_at"].astimezone(run.zone).strftime("%Y-%m-%d %H:%M")
    title = format_line(session["title"]) or "(no words)"
    print_wrapped(f"{day}  {session['agent']:<6}  {format_line(shorten_project(session['project']))}  {title}")
    if session["why"]:
        print_wrapped(f"{MATCH_REASONS[session['why']]}: {session['detail']}", "    ")
    print_line(f"    {session['open']}" if session["is_there"] else f"    file is gone; recollect show {session['session_id']}")


def resume_session(sessions: list[FoundSession], query: str, as_json: bool = False) -> int:
    """Print the command that opens the first session again; in a terminal run it instead of this process.

    As JSON the session is printed, with its command, and nothing is opened: a program reads it.

    Raises:
        NotFoundError: when no session was found.
        SourceError: when its client deleted the file.
    """
    if not sessions:
        raise NotFoundError(f"no session matches `{query}`", "recollect sessions, for the newest ones")
    session = sessions[0]
    if not session["is_there"]:
        raise SourceError(
            f"{session['agent']} deleted {session['source_path']}: it cannot be opened again, but all of it is in the lake",
            f"recollect show {session['session_id']}",
        )
    if as_json:
        print_json(session)
        return 0
    print_line(session["open"])
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return 0
    from effects.sessions.found_session import reopen_session

    sys.stdout.flush()
    return reopen_session(session)
