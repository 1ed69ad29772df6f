"""`recollect remember`: save a line on purpose."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from recollect.arguments import add_as_of, add_example, add_json
from recollect.terminal import open_command_run, print_json, print_line, print_note

if TYPE_CHECKING:
    from effects.store.run import Counts, Run
    from transforms.tables.enums import Actor


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Propose a line for MEMORY.md, or write it there at once."
    parser.add_argument("text", metavar="TEXT", help="one fact in one line")
    parser.add_argument("--section", metavar="S", help="section of MEMORY.md: Hard Rules, Patterns, … (default: the owner's)")
    parser.add_argument("--now", action="store_true", help="write it into MEMORY.md at once, without review")
    add_as_of(parser)
    add_json(parser)
    add_example(parser, 'recollect remember "Deploys happen on Tuesdays" --section Patterns')


def run_command(arguments: Namespace) -> int:
    """Save the line and print the outcome."""
    counts = save_line(open_command_run(arguments.as_of), arguments.text, arguments.section, arguments.now)
    for problem in counts["problems"]:
        print_note(f"recollect: {problem}")
    if arguments.json:
        print_json(counts)
    else:
        print_line(describe_saved(counts))
    return 0


def save_line(run: Run, text: str, section: str | None, is_immediate: bool, actor: Actor = "owner") -> Counts:
    """Save a line under the lake's lock and render the pages; return the counts of `effects.memory.remember`."""
    from flows.pipelines import remember_pipeline
    from flows.runner import run_pipeline

    counts = run_pipeline(run, remember_pipeline(text, section, is_immediate, actor))["counts"]["remember"]
    return {name: value for name, value in counts.items() if name != "seconds"}


def describe_saved(counts: Counts) -> str:
    """Return the outcome of a saved line, in one line."""
    line = f"{counts['section']}: {counts['text']}"
    if counts.get("already") == "memory":
        return f"already in MEMORY.md  {line}"
    if counts["promoted"]:
        return f"in MEMORY.md  {line}"
    state = "already waits" if counts.get("already") else "waits"
    return f"{counts['proposal_id']} {state} in REVIEW.md  {line}"
