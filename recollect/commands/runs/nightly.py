"""`recollect nightly`: everything that is due."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Coroutine
from typing import TYPE_CHECKING

from effects.config.configuration import load_settings
from effects.system.errors import SourceError
from recollect.arguments import add_as_of, add_direct, add_example, add_json
from recollect.pipeline_runs import check_lake_free, note_windows_by_rules, print_summary, run_directly, run_through_prefect
from recollect.terminal import parse_logical_time

if TYPE_CHECKING:
    from effects.store.run import Run
    from flows.pipeline import Pipeline
    from flows.runner import RunSummary


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect nightly` to its parser, with help and examples."""
    parser.description = "Run everything that is due; on a fresh lake that is the whole history."
    add_as_of(parser)
    add_direct(parser)
    add_json(parser, "the counts as one JSON object")
    add_example(parser, "recollect nightly --direct")


def run_command(arguments: Namespace) -> int:
    """Run the pipeline of a night and print its counts."""
    began, settings = time.monotonic(), load_settings()
    check_lake_free()
    from effects.ingest.session_files import check_session_folders
    from effects.store.lake import Lake

    try:
        check_session_folders(settings.sessions)
    except SourceError:
        lake = Lake(settings.lake)
        check_session_folders(settings.sessions, is_first=not lake.exists() or lake.read("sources").is_empty())
    as_of = parse_logical_time(arguments.as_of, settings.timezone) if arguments.as_of is not None else None

    def plan(run: Run) -> Pipeline:
        """Return the steps that are due at the run's logical time."""
        from flows.pipelines import nightly_pipeline

        return nightly_pipeline(run.as_of.isoformat() if as_of else None)

    def start_flow() -> Coroutine[None, None, RunSummary]:
        """Return the Prefect flow, to be awaited."""
        from flows.nightly import nightly

        return nightly(as_of=as_of)

    summary = run_directly(plan, as_of) if arguments.direct else run_through_prefect(start_flow)
    code = print_summary(summary, arguments.json, began)
    note_windows_by_rules(summary["counts"])
    return code
