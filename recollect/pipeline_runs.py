"""Runs the pipelines of commands, through Prefect or directly, and prints their counts."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from effects.config.configuration import is_chosen, load_settings
from effects.config.paths import find_address
from effects.system.errors import EngineError, RecollectError
from recollect.terminal import open_reading_run, print_json, print_line, print_note, show_progress

if TYPE_CHECKING:
    from effects.config.settings import Settings
    from effects.store.run import Counts, Run
    from flows.pipeline import Pipeline
    from flows.runner import RunSummary
    from transforms.pages.run_progress import Progress
    from transforms.tables.enums import Actor

LONG_START_SECONDS = 5.0
"""Seconds beside the steps from which a run tells them: libraries, the lock, Prefect's server."""


def check_lake_free() -> None:
    """Refuse a run while another one writes the lake, before anything slow is loaded.

    Raises:
        LockedError: when another run holds it.
    """
    from effects.store.lake import Lake

    Lake(load_settings().lake).check_writer()


def run_directly(plan: Callable[[Run], Pipeline], as_of: datetime | None, settings: Settings | None = None) -> RunSummary:
    """Run the pipeline that `plan` returns for the run, without Prefect, and show its progress."""
    from effects.store.run import open_run
    from flows.runner import run_pipeline

    with show_progress() as progress:
        run = open_run(settings or load_settings(), as_of, progress)
        return run_pipeline(run, plan(run))


def run_through_prefect(start: Callable[[], Coroutine[None, None, RunSummary]]) -> RunSummary:
    """Run a Prefect flow in this process and show its progress.

    Raises:
        RecollectError: when Prefect fails before the first step; its hint is the same command without Prefect.
        KeyboardInterrupt: on Ctrl-C, also while Prefect starts; its temporary server learns of it, and ends with this process.
    """
    from effects.config.prefect_settings import prepared_for_prefect
    from flows.runner import PROGRESS

    with show_progress("starting Prefect") as report, prepared_for_prefect():
        has_begun = False

        def watch(progress: Progress) -> None:
            """Report progress, and note that the run has begun."""
            nonlocal has_begun
            has_begun = True
            report(progress)

        token = PROGRESS.set(watch)
        try:
            import asyncio  # most pipelines run without Prefect

            from flows.temporary_server import running_server

            with running_server() as wait_for_server:
                import_module("flows.prefect_run")
                with closing(start()) as flow_run:  # also imported while the server starts: both take seconds
                    wait_for_server()
                    return asyncio.run(flow_run)
        except RecollectError:
            raise
        except Exception as error:
            if has_begun:
                raise
            from effects.store.error_log import describe_error, log_traceback

            log = log_traceback(load_settings().lake, error)
            raise RecollectError(
                f"Prefect could not start the run: {describe_error(error)} (see {log})",
                "run the same command with --direct, which needs no Prefect",
            ) from error
        finally:
            PROGRESS.reset(token)


def run_over_memory(pipeline: Pipeline, arguments: Namespace) -> int:
    """Run a pipeline that reads an existing lake, as of `--as-of`, and print its counts; return the exit code 0.

    Raises:
        LakeError: when there is no lake yet.
    """
    from flows.runner import run_pipeline

    with show_progress() as progress:
        summary = run_pipeline(open_reading_run(arguments.as_of, progress), pipeline)
    return print_summary(summary, arguments.json)


def save_line(
    run: Run, text: str, section: str | None, is_immediate: bool, actor: Actor = "owner", is_everywhere: bool = False
) -> Counts:
    """Save a line under the lake's lock and render the pages; return the counts of `effects.memory.remember`.

    It holds in the project of this folder unless it `is_everywhere`: one that sessions have, or the one that sessions in it
    will be of. In a folder that is no project (`is_outside`) it holds everywhere.
    """
    from effects.projects.resolve_project import find_project, is_outside
    from flows.owner_pipelines import remember_pipeline
    from flows.runner import run_pipeline

    new_folder = None if is_outside(run) else str(Path.cwd())
    project = None if is_everywhere else find_project(run) or new_folder
    counts = run_pipeline(run, remember_pipeline(text, section, is_immediate, actor, project))["counts"]["remember"]
    return {name: value for name, value in counts.items() if name != "seconds"}


def describe_saved(counts: Counts) -> str:
    """Return the outcome of a saved line, in one line."""
    from transforms.pages.page_names import shorten_project

    place = f"  (in {shorten_project(str(counts['project']))})" if counts["project"] else ""
    line = f"{counts['section']}: {counts['text']}{place}"
    if counts.get("already") == "memory":
        return f"already in MEMORY.md  {line}"
    if counts["promoted"]:
        return f"in MEMORY.md  {line}"
    if counts["problems"]:
        return f"{counts['proposal_id']} is approved and waits for MEMORY.md  {line}"
    state = "already waits" if counts.get("already") else "waits"
    replaced = f"  (instead of: {counts['replaces']})" if counts.get("replaces") else ""
    return f"{counts['proposal_id']} {state} in REVIEW.md  {line}{replaced}"


def explain_waiting(counts: Counts) -> str:
    """Return how a saved line that waits becomes memory; empty for one that is there."""
    if counts["promoted"] or counts["problems"] or counts.get("already") == "memory":
        return ""
    return f"MEMORY.md and `recollect ask` have it after: recollect review approve {counts['proposal_id']}"


def print_summary(summary: RunSummary, as_json: bool, began: float | None = None, lines: Sequence[str] | None = None) -> int:
    """Print the counts of a run to stdout and its problems to stderr; return the exit code 0.

    `lines` are printed instead of the counts. `began` is the time of `time.monotonic` at which the command began: what it
    loaded before the first step is told, too.

    Raises:
        EngineError: after that, when no engine distilled any of the windows that were due.
    """
    from transforms.pages.run_page import describe_undistilled, is_nothing_distilled

    print_problems(summary["counts"])
    if as_json:
        print_json(summary)
    else:
        _print_counts(summary, time.monotonic() - began - summary["seconds"] if began is not None else 0.0, lines)
    undistilled = describe_undistilled(summary["counts"])
    if is_nothing_distilled(summary["counts"]):
        raise EngineError(undistilled, "check RECOLLECT_ENGINE__OBSERVER, the model's key and its server, then recollect nightly")
    if undistilled:
        print_note(f"recollect: {undistilled}; the next run goes on")
    return 0


def _print_counts(summary: RunSummary, seconds_beside: float, lines: Sequence[str] | None) -> None:
    """Print the lines, else one per step, the engine and what it cost; and where pages and lake are."""
    from transforms.pages.run_page import format_engine_line, format_run_lines
    from transforms.pricing.engine_choice import MISSED_OFFLINE

    for line in lines if lines is not None else format_run_lines(summary["counts"]):
        print_line(line)
    missed = "" if is_chosen("engine.observer") else MISSED_OFFLINE
    if engine_line := format_engine_line(summary["counts"], missed):
        print_line(engine_line)
    settings = load_settings()
    beside = f" and {seconds_beside:.0f} s for starting" if seconds_beside >= LONG_START_SECONDS else ""
    lake = find_address(settings.lake) or settings.lake
    print_line(f"done in {summary['seconds']:.1f} s{beside}; pages: {settings.workspace}, lake: {lake}")


def note_windows_by_rules(counts: Mapping[str, Mapping[str, Any]] | None = None) -> int:
    """Say once, to stderr, that a newly set model leaves what rules read before; `counts` are those of the run behind it. Return
    the exit code 0."""
    from effects.distil.windows_by_rules import describe_windows_by_rules
    from effects.store.run import open_run

    run = open_run(load_settings())
    text, command = describe_windows_by_rules(run, (counts or {}).get("distil", {}).get("distilled", 0))
    if text:
        print_note(f"recollect: {text}\n  next: {command}")
    return 0


def print_problems(counts: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the problems that the steps of a run report, to stderr."""
    problems = (
        problem
        for step in counts.values()
        for problem in [*step.get("problems", []), *([step["note"]] if step.get("note") else [])]
    )
    for problem in dict.fromkeys(problems):  # two steps may miss the same model
        print_note(f"recollect: {problem}")
