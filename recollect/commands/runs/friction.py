"""`recollect friction`: repeated failures become proposals in REVIEW.md."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from recollect.arguments import add_as_of, add_example, add_json
from recollect.pipeline_runs import check_lake_free, run_over_memory


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect friction` to its parser, with help and examples."""
    parser.description = "Look for repeated failures and propose the exact change that would end each."
    add_as_of(parser)
    add_json(parser, "the counts as one JSON object")
    add_example(parser, "recollect friction --as-of 2026-05-17")


def run_command(arguments: Namespace) -> int:
    """Look for repeated failures and print the counts, as text or JSON. Returns the exit code."""
    check_lake_free()
    from flows.pipelines import friction_pipeline

    return run_over_memory(friction_pipeline(), arguments)
