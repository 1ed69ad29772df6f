"""`recollect briefing`: the knowledge that an agent needs at the start of a session."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from effects.system.errors import NotFoundError, UsageError
from recollect.arguments import add_example, add_json, complete_files, parse_number, parse_path
from recollect.terminal import open_reading_run, print_json, print_line

if TYPE_CHECKING:
    from effects.store.run import Run

MAX_TOKENS = 2000
NAMES_IN_HINT = 8


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Print the briefing of a project for the start of a session."
    parser.add_argument(
        "--project", metavar="P", help="full path or last part of the project (default: the project of this folder)"
    )
    parser.add_argument(
        "--max-tokens", metavar="N", type=parse_number, default=MAX_TOKENS, help=f"most tokens (default: {MAX_TOKENS})"
    )
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
        help="with --opening: the first words of the person, to which facts of earlier sessions are added",
    )  # fmt: skip
    add_json(parser, "one JSON object: the text, its tokens, and the page that the last night rendered")
    add_example(parser, "recollect briefing --project shop", "recollect briefing --opening --loaded ~/.claude/CLAUDE.md")


def run_command(arguments: Namespace) -> int:
    """Print the briefing of a project, or the opening of a session in it."""
    from effects.opening.opening_files import locate_page, read_current_opening

    run = open_reading_run()
    if arguments.opening and not arguments.project:
        here = Path.cwd()
        if text := read_current_opening(run, here, arguments.max_tokens, arguments.loaded, arguments.request):
            _print_briefing(text, locate_page(run, here), arguments.json)
            return 0
    from effects.opening.session_opening import locate_briefing, render_project_briefing, render_session_opening

    project = resolve_project(run, arguments.project, is_new_allowed=arguments.opening)
    if arguments.opening:
        text = render_session_opening(run, project, arguments.max_tokens, arguments.loaded, arguments.request)
    else:
        text = render_project_briefing(run, project, arguments.max_tokens)
    _print_briefing(text, locate_briefing(run, project) if arguments.json else None, arguments.json)
    return 0


def _print_briefing(text: str, page: Path | None, as_json: bool) -> None:
    from transforms.tables.tokens import count_tokens

    if as_json:
        print_json({"text": text, "tokens": count_tokens(text), "page": str(page) if page else None})
    else:
        print_line(text.rstrip("\n"))


def read_briefing(run: Run, project: str | None, max_tokens: int) -> str:
    """Return the briefing of a project, or of the working directory's.

    Raises:
        NotFoundError: when no session belongs to it.
        UsageError: when several projects have this name.
    """
    from effects.opening.session_opening import render_project_briefing

    return render_project_briefing(run, resolve_project(run, project), max_tokens)


def resolve_project(run: Run, name: str | None, is_new_allowed: bool = False, folder: Path | None = None) -> str:
    """Return the full path of the project with this path or name, or of the one that a folder (else this one) belongs to.

    Raises:
        NotFoundError: when there is none, unless `is_new_allowed` and no name was given.
        UsageError: when several projects have this name.
    """
    sessions = run.lake.scan("sessions").select("project").drop_nulls().unique().collect()
    known: list[str] = sorted(sessions["project"].to_list())
    folders: dict[str, str] = dict(run.lake.scan("projects").select("folder", "project").collect().iter_rows())
    folders |= {path: path for path in known}
    if name:
        matches = sorted(_match_name(name, known) or {folders[path] for path in _match_name(name, folders)})
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UsageError(f"`{name}` is the last part of several projects", " or ".join(matches))
    else:
        here = str(folder or Path.cwd())
        inside = [path for path in folders if here == path or here.startswith(path.rstrip("/") + "/")]
        if inside:
            return folders[max(inside, key=len)]
        if is_new_allowed:
            return here
    missing = f"no session belongs to a project `{name}`" if name else "no session belongs to this folder"
    names = ", ".join(sorted({Path(path).name for path in known})[:NAMES_IN_HINT])
    raise NotFoundError(missing, f"recollect briefing --project P, with one of: {names or 'none yet'}")


def _match_name(name: str, paths: Iterable[str]) -> set[str]:
    """Return the path of this name, else the paths that end with it."""
    known = set(paths)
    return known & {name.rstrip("/")} or {path for path in known if Path(path).name == name}
