"""`recollect report`: the page with figures and pictures of memory."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from recollect.arguments import add_example, add_json
from recollect.terminal import open_reading_run, print_json, print_line, print_note


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect report` to its parser, with help and examples."""
    parser.description = "Write report.html into the workspace and open it: charts of learning, memory, proposals and costs."
    parser.add_argument("--no-open", action="store_true", help="write the page without opening it")
    add_json(parser, "print the path as a JSON object; nothing is opened")
    add_example(parser, "recollect report", "recollect report --no-open")


def run_command(arguments: Namespace) -> int:
    """Write the page, print its path, and open it in the browser of a desktop."""
    import sys
    import webbrowser

    from effects.report.report_file import write_report

    path = write_report(open_reading_run())
    if arguments.json:
        print_json({"page": str(path)})
        return 0
    print_line(str(path))
    if not arguments.no_open and sys.stdout.isatty() and not webbrowser.open(path.as_uri()):
        print_note("recollect: no browser was found here; open the page yourself")
    return 0
