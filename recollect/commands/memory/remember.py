"""`recollect remember`: save a line on purpose."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from recollect.arguments import add_as_of, add_example, add_json
from recollect.pipeline_runs import describe_saved, explain_waiting, print_problems, save_line
from recollect.terminal import open_command_run, print_json, print_line, print_note


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect remember` to its parser, with help and examples."""
    parser.description = "Propose a line for MEMORY.md, or write it there at once."
    parser.add_argument("text", metavar="TEXT", help="one fact in one line")
    parser.add_argument("--section", metavar="S", help="section of MEMORY.md: Hard Rules, Patterns, … (default: the owner's)")
    parser.add_argument("--now", action="store_true", help="write it into MEMORY.md at once, without review")
    parser.add_argument("--everywhere", action="store_true", help="it holds in all projects, not only in this folder's")
    add_as_of(parser)
    add_json(parser)
    add_example(parser, 'recollect remember "Deploys happen on Tuesdays" --section Patterns')


def run_command(arguments: Namespace) -> int:
    """Save the line and print the outcome."""
    run = open_command_run(arguments.as_of)
    counts = save_line(run, arguments.text, arguments.section, arguments.now, is_everywhere=arguments.everywhere)
    print_problems({"remember": counts})
    if arguments.json:
        print_json(counts)
    else:
        print_line(describe_saved(counts))
        others = counts.get("contradicts", ())
        for line in others if isinstance(others, Sequence) else ():
            print_note(f"recollect: this says something else, and stays: {line}")
        if waiting := explain_waiting(counts):
            print_note(waiting)
    return 0
