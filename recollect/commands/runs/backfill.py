"""`recollect backfill`: the sessions of a span of days, month by month, or the whole history."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Coroutine
from typing import TYPE_CHECKING

from effects.config.configuration import load_settings
from effects.config.stated_times import parse_day
from recollect.arguments import add_as_of, add_direct, add_example, add_json
from recollect.pipeline_runs import check_lake_free, print_summary, run_directly, run_through_prefect
from recollect.terminal import parse_logical_time, print_note

if TYPE_CHECKING:
    from effects.store.run import Run
    from flows.pipeline import Pipeline
    from flows.runner import RunSummary


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect backfill` to its parser, with help and examples."""
    parser.description = (
        "Read the sessions that began in a span of days, month by month. After a stop, the same command continues."
    )
    span = parser.add_mutually_exclusive_group(required=True)
    span.add_argument("--since", metavar="DAY", type=parse_day, help="first day on which a session began")
    span.add_argument("--all", action="store_true", help="the whole history, and all that later nights would fill in")
    parser.add_argument("--until", metavar="DAY", type=parse_day, help="last day, included (default: no end)")
    add_as_of(parser)
    add_direct(parser)
    add_json(parser, "the counts as one JSON object")
    add_example(parser, "recollect backfill --since 2026-01-01 --until 2026-03-31 --direct")


def run_command(arguments: Namespace) -> int:
    """Run the pipeline over the history and print its counts."""
    began, settings = time.monotonic(), load_settings()
    check_lake_free()
    from effects.ingest.session_files import check_session_folders

    problems = check_session_folders(settings.sessions)
    since, until = arguments.since, arguments.until
    if until:
        from flows.pipelines import check_span

        check_span(since, until)
    as_of = parse_logical_time(arguments.as_of, settings.timezone) if arguments.as_of is not None else None
    if since:  # the whole history is read by `ingest`, which names them itself
        for problem in problems:
            print_note(f"recollect: {problem}")

    def plan(run: Run) -> Pipeline:
        """Return the pipeline of the span, or of the whole history."""
        from flows.pipelines import backfill_or_whole_history

        return backfill_or_whole_history(run, since, until)

    def start_flow() -> Coroutine[None, None, RunSummary]:
        """Return the Prefect flow, to be awaited."""
        from flows.backfill import backfill

        return backfill(since=since, until=until, as_of=as_of)

    summary = run_directly(plan, as_of) if arguments.direct else run_through_prefect(start_flow)
    return print_summary(summary, arguments.json, began)
