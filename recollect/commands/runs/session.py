"""`recollect session`: one session file, now; pi's shutdown hook starts it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Coroutine
from typing import TYPE_CHECKING

from effects.config.configuration import load_settings
from effects.system.errors import LockedError, SourceError
from recollect.arguments import add_direct, add_example, add_json, complete_files, parse_path
from recollect.pipeline_runs import print_summary, run_directly, run_through_prefect
from recollect.terminal import print_note

if TYPE_CHECKING:
    from effects.store.run import Run
    from flows.pipeline import Pipeline
    from flows.runner import RunSummary


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect session` to its parser, with help and examples."""
    parser.description = "Read and distil one session file now. When the lake is locked, the file waits for the next run."
    complete_files(
        parser.add_argument("file", metavar="FILE", type=parse_path, help="a session file of pi, Claude Code or Codex")
    )
    parser.add_argument("--closed", action="store_true", help="the client has ended, and with it the session's last episode")
    add_direct(parser)
    add_json(parser, "the counts as one JSON object")
    add_example(parser, "recollect session ~/.pi/agent/sessions/--home-me-shop--/2026-05-17_a1b2.jsonl --direct")


def run_command(arguments: Namespace) -> int:
    """Run the pipeline of one session; when the lake is locked, leave a note for the run that holds it."""
    from effects.ingest.waiting_sessions import WaitingSession, enqueue_session
    from effects.opening.memory_note import note_memory
    from effects.store.run import open_run

    settings = load_settings()
    path = arguments.file.absolute()
    if not path.is_file():
        raise SourceError(f"{path} is not a file", "recollect session FILE, with a session file of pi, Claude Code or Codex")

    if not arguments.direct:  # Prefect takes seconds to start
        from effects.ingest.ingest_step import check_named_file

        check_named_file(open_run(settings), path)
    note_memory(settings.lake, settings.workspace)

    def plan(run: Run) -> Pipeline:
        """Return the pipeline of this session file."""
        from flows.pipelines import session_pipeline

        return session_pipeline(path, arguments.closed)

    def start_flow() -> Coroutine[None, None, RunSummary]:
        """Return the Prefect flow, to be awaited."""
        from flows.session import session

        return session(path=str(path), is_closed=arguments.closed)

    def read_session() -> int:
        """Read the file, print the counts, and return the exit code."""
        return print_summary(run_directly(plan, None) if arguments.direct else run_through_prefect(start_flow), arguments.json)

    try:
        return read_session()
    except LockedError:
        enqueue_session(open_run(settings).lake, WaitingSession(path, arguments.closed))
    try:
        return read_session()  # the holder may have looked for notes for the last time just before this one (see flows.runner)
    except LockedError as locked:
        print_note(f"recollect: {locked.message}; {path.name} waits for the next run")
        return 0
