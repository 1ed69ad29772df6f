"""`recollect forget`: something is gone from pages, index and answers."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from effects.system.errors import UsageError
from recollect.arguments import add_as_of, add_example, add_json, add_yes
from recollect.pipeline_runs import check_lake_free, print_problems
from recollect.terminal import ask_person, open_reading_run, print_json, print_line, print_note, read_yes_or_no, show_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from effects.memory.forget import ListedTurn
    from effects.store.run import Counts, CountValue

TURNS_LISTED = 40
QUESTION = "Remove the text? This cannot be undone"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect forget` to its parser, with help and examples."""
    parser.description = "Forget a record, a session, or everything that contains certain words. Session files never change."
    named = parser.add_mutually_exclusive_group(required=True)
    named.add_argument(
        "id",
        metavar="ID",
        nargs="?",
        help="id of a fact, segment, window, proposal, line of MEMORY.md or session, or `session:entry`",
    )
    named.add_argument("--session", metavar="ID", help="everything of this session")
    named.add_argument("--match", metavar="TEXT", help="everything that contains these words; case and white space do not matter")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--undo", action="store_true", help="undo a `forget` with the same arguments")
    kind.add_argument(
        "--purge", action="store_true", help="remove the text from every file of lake, index and pages; cannot be undone"
    )
    parser.add_argument("--dry-run", action="store_true", help="print what would be forgotten and stop")
    add_yes(parser)
    add_as_of(parser)
    add_json(parser)
    add_example(parser, "recollect forget o-3f2a9c", 'recollect forget --match "project falcon" --purge')


def run_command(arguments: Namespace) -> int:
    """Forget, or take it back, and print the counts; a purge in a terminal first says what would go, and asks."""
    targets = [arguments.id, arguments.session, arguments.match]
    if any(value is not None and not value.strip() for value in targets):
        raise UsageError("an empty name names nothing to forget", "recollect forget --help")
    if arguments.undo and arguments.dry_run:
        raise UsageError("--undo has no --dry-run", "leave one of them out")
    check_lake_free()
    from effects.memory.forget import plan_forgetting
    from effects.memory.forget_targets import ForgetRequest
    from flows.pipelines import forget_pipeline, undo_forget_pipeline
    from flows.runner import run_pipeline

    request = ForgetRequest(arguments.id, arguments.session, arguments.match, is_purge=arguments.purge)
    if arguments.dry_run or (arguments.purge and not arguments.yes and sys.stdin.isatty()):
        planned, turns = plan_forgetting(open_reading_run(arguments.as_of), request)
        if arguments.dry_run and not arguments.json:
            _print_plan("would be forgotten", planned, turns, print_line)
        if not arguments.dry_run:
            _print_plan("would be removed for good", planned, turns, print_note)
        if arguments.dry_run or not ask_person(QUESTION, "no", read_yes_or_no, "recollect forget … --purge --yes"):
            if arguments.json:
                print_json({**planned, "entries": turns, "dry_run": True})
            elif not arguments.dry_run:
                print_line("nothing removed")
            return 0
    with show_progress() as progress:
        run = open_reading_run(arguments.as_of, progress)
        summary = run_pipeline(run, undo_forget_pipeline(request) if arguments.undo else forget_pipeline(request))
    counts = summary["counts"]
    print_problems(counts)
    result = {
        name: value for step in ("forget", "undo_forget", "purge", "check_purged") for name, value in counts.get(step, {}).items()
    }
    result.pop("seconds", None)
    if arguments.json:
        print_json(result)
    else:
        print_line(_describe(result, arguments.undo, arguments.purge))
    return 0


def _print_plan(heading: str, counts: Counts, turns: Sequence[ListedTurn], print_words: Callable[[str], None]) -> None:
    """Print what would go, and its turns one by one: a person sees there what has nothing to do with it."""
    print_words(f"{heading}: {_list_counts(counts)}" + (":" if turns else ""))
    for turn in turns[:TURNS_LISTED]:
        print_words(f"  {turn['day']} {turn['speaker']}: {turn['words']}")
    if len(turns) > TURNS_LISTED:
        print_words(f"  … and {len(turns) - TURNS_LISTED} more; --dry-run --json lists them all")


def _describe(counts: Counts, is_undo: bool, is_purge: bool) -> str:
    if is_undo:
        lines = _count(counts["lines_restored"], "lines")
        return f"remembered again: {_count(counts['restored'], 'records')}, {lines} of MEMORY.md"
    text = f"forgotten: {_list_counts(counts)}"
    if not is_purge:
        return f"{text}; the same command with --undo takes it back, with --purge removes the text from the lake's files, too"
    names = f"; {counts['names']} names of paths, projects or counts have the words and stay" if counts.get("names") else ""
    return f"{text}; purged, and not found again in {counts['rows_read']} rows and {counts['files_read']} files{names}"


def _list_counts(counts: Counts) -> str:
    """Return what is forgotten, by kind."""
    kinds = ("facts", "segments", "proposals", "turns", "sessions")
    parts = [_count(counts[name], name) for name in kinds if counts[name]]
    parts += [f"{_count(counts['others'], 'records')} made from them"] if counts["others"] else []
    parts += [f"{_count(counts['lines_removed'], 'lines')} of MEMORY.md"] if counts["lines_removed"] or not parts else []
    return ", ".join(parts)


def _count(number: CountValue, things: str) -> str:
    """Return a number with the name of what it counts: `1 fact`, `2 facts`."""
    return f"{number} {things.removesuffix('s') if number == 1 else things}"
