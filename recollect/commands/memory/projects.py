"""`recollect projects`: which folders are one project, and the owner's decisions about it."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from collections import defaultdict
from typing import TYPE_CHECKING

from recollect.arguments import add_example, add_json
from recollect.terminal import open_command_run, open_reading_run, print_json, print_line, print_note, print_wrapped

if TYPE_CHECKING:
    from effects.store.run import Counts

JOIN_REASONS = {
    "folder": "",
    "git_dir": "same repository",
    "remote": "same remote",
    "first_commit": "same first commit",
    "commit": "git printed the same commits",
    "owner": "joined by you",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the actions and options."""
    parser.description = (
        "List the projects with their folders. Worktrees, clones and moved folders of one repository are one project."
    )
    add_json(parser, "one JSON object per folder")
    actions = parser.add_subparsers(title="actions", metavar="ACTION")
    for name, function, summary in (
        ("list", list_projects, "List the projects and their folders; also without an action."),
        ("join", join_projects, "Make one project part of another; its memory moves with it."),
        ("split", split_project, "Separate a folder from the project it was joined to."),
    ):
        action = actions.add_parser(name, help=summary, description=summary)
        action.set_defaults(run_command=function)
        add_json(action, default=SUPPRESS)
        if name == "join":
            action.add_argument("one", metavar="A", help="project or folder: its path, or the last part of it")
            action.add_argument("other", metavar="B", help="the project that A becomes part of")
        if name == "split":
            action.add_argument("one", metavar="A", help="folder: its path, or the last part of it")
    add_example(parser, "recollect projects", "recollect projects join shop-old shop")


def list_projects(arguments: Namespace) -> int:
    """Print each project with its sessions, and below it the other folders that belong to it; then which may be one project."""
    from effects.projects.list_projects import list_project_folders
    from effects.projects.moved_projects import list_moved_projects

    run = open_reading_run()
    folders = list_project_folders(run)
    if arguments.json:
        for folder in folders:
            print_json(folder)
        return 0
    by_project = defaultdict(list)
    for folder in folders:
        by_project[folder["project"]].append(folder)
    for project, members in by_project.items():
        print_wrapped(f"{project}  ({_count(sum(member['sessions'] for member in members))})")
        for member in members:
            if member["folder"] != project:
                print_wrapped(f"{member['folder']}  ({_count(member['sessions'])}; {JOIN_REASONS[member['joined_by']]})", "  ")
    for moved in list_moved_projects(run):
        print_note(f"{moved.describe()}\n  join them: {moved.name_command()}")
    if not folders:
        print_note("no session is in the lake yet: recollect nightly")
    return 0


run_command = list_projects


def join_projects(arguments: Namespace) -> int:
    """Join two projects, and move the memory of the first."""
    from effects.store.run import read_count

    counts = _decide(arguments.one, arguments.other)
    done = counts["join_by_hand"]
    if arguments.json:
        print_json({"folder": done["folder"], "project": done["project"], "moved": counts["join_projects"]["moved"]})
    else:
        moved = _count(read_count(counts["join_projects"], "moved"))
        print_line(
            f"{done['folder']} belongs to {done['project']}: {moved} moved. Undo: recollect projects split {done['folder']}"
        )
    return 0


def split_project(arguments: Namespace) -> int:
    """Separate a folder from its project, and move its memory back."""
    from effects.store.run import read_count

    counts = _decide(arguments.one, None)
    done = counts["split_by_hand"]
    if arguments.json:
        print_json({"folder": done["folder"], "moved": counts["join_projects"]["moved"]})
    else:
        moved = _count(read_count(counts["join_projects"], "moved"))
        print_line(f"{done['folder']} is split off: {moved} moved")
    return 0


def _decide(first: str, second: str | None) -> dict[str, Counts]:
    from flows.pipelines import projects_pipeline
    from flows.runner import run_pipeline

    return run_pipeline(open_command_run(), projects_pipeline(first, second))["counts"]


def _count(sessions: int) -> str:
    return "1 session" if sessions == 1 else f"{sessions} sessions"
