"""`recollect timeline`: a chapter for each week that ended."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from recollect.arguments import add_as_of, add_example, add_json
from recollect.pipeline_runs import print_summary
from recollect.terminal import open_reading_run, show_progress


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Write a chapter for each week that ended, below timeline/ in the workspace."
    add_as_of(parser)
    add_json(parser, "the counts as one JSON object")
    add_example(parser, "recollect timeline")


def run_command(arguments: Namespace) -> int:
    """Run it and print the counts."""
    from flows.pipelines import timeline_pipeline
    from flows.runner import run_pipeline

    with show_progress() as progress:
        summary = run_pipeline(open_reading_run(arguments.as_of, progress), timeline_pipeline())
    return print_summary(summary, arguments.json)
