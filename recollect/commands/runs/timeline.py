"""`recollect timeline`: a chapter for each week that ended, and each condensed month and year."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from recollect.arguments import add_as_of, add_example, add_json
from recollect.pipeline_runs import check_lake_free, run_over_memory


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect timeline` to its parser, with help and examples."""
    parser.description = (
        "Write a chapter for each week that has ended, and for each condensed month and year, in timeline/ of the workspace."
    )
    add_as_of(parser)
    add_json(parser, "the counts as one JSON object")
    add_example(parser, "recollect timeline")


def run_command(arguments: Namespace) -> int:
    """Write the missing chapters and print the counts, as text or JSON. Returns the exit code."""
    check_lake_free()
    from flows.pipelines import timeline_pipeline

    return run_over_memory(timeline_pipeline(), arguments)
