"""`recollect show`: the record of an id and the original entries that it cites."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from recollect.arguments import add_example, add_json
from recollect.terminal import open_reading_run, print_json, print_line


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect show` to its parser, with help and examples."""
    parser.add_argument(
        "id", metavar="ID",
        help="id of a fact, segment, window, condensed period, proposal, line of MEMORY.md or session, or `session:entry`;"
        " its beginning is enough; or a line copied from a page",
    )  # fmt: skip
    add_json(parser)
    add_example(parser, "recollect show o-3f2a9c")


def run_command(arguments: Namespace) -> int:
    """Print the record of an id, with the entries that it cites."""
    run = open_reading_run()
    from effects.recall.show_record import show_record
    from transforms.answers.show_page import render_record

    record = show_record(run, arguments.id)
    if arguments.json:
        print_json(record.as_json())
    else:
        print_line(render_record(record).rstrip("\n"))
    return 0
