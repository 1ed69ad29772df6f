"""`recollect nightly`, `session` and `backfill`: run the pipeline, through Prefect or directly."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from effects.system.errors import LockedError, RecollectError, SourceError, UsageError
from recollect.terminal import parse_day, parse_time, progress_shown, say, say_json, settings_of, tell

if TYPE_CHECKING:
    from effects.store.run import Run
    from flows.pipelines import Pipeline

AsOf = Annotated[str | None, Parameter(name="--as-of", help="Logical time: a date or an ISO time; naive is the owner's zone.")]
Direct = Annotated[bool, Parameter(help="Without Prefect.")]
Json = Annotated[bool, Parameter(name="--json", help="The counts as one JSON object.")]


def nightly(*, as_of: AsOf = None, direct: Direct = False, json: Json = False) -> int:
    """Run everything that is due; on a fresh lake that is the whole history."""
    settings = settings_of()
    _check_roots(settings.sessions)
    at = parse_time(as_of, settings.timezone) if as_of else None

    def plan(run: Run) -> Pipeline:
        from flows.pipelines import nightly_pipeline

        return nightly_pipeline(run.as_of.isoformat() if at else None)

    def scheduled() -> Coroutine[Any, Any, dict[str, Any]]:
        from flows.nightly import nightly as flow

        return flow(as_of=at)

    return report(_direct(plan, at) if direct else _through_prefect(scheduled), json)


def session(
    file: Path,
    /,
    *,
    closed: Annotated[bool, Parameter(help="pi shut down: the session's last episode has ended.")] = False,
    direct: Direct = False,
    json: Json = False,
) -> int:
    """Read and distil one session file now; leaves it for the next run when the lake is locked.

    Parameters
    ----------
    file
        A session file of pi.
    """
    from effects.ingest.waiting_sessions import Waiting, enqueue
    from effects.store.run import open_run

    settings = settings_of()
    path = file.expanduser().absolute()
    if not path.is_file():
        raise SourceError(f"{path} is not a file", "recollect session FILE, with a .jsonl file of pi")

    def plan(run: Run) -> Pipeline:
        from flows.pipelines import session_pipeline

        return session_pipeline(path, closed)

    def scheduled() -> Coroutine[Any, Any, dict[str, Any]]:
        from flows.session import session as flow

        return flow(path=str(path), is_closed=closed)

    def read() -> int:
        return report(_direct(plan, None) if direct else _through_prefect(scheduled), json)

    try:
        return read()
    except LockedError:
        enqueue(open_run(settings).lake, Waiting(path, closed))
    try:
        return read()  # the holder may have looked for notes for the last time just before this one (see flows.runner)
    except LockedError as locked:
        tell(f"recollect: {locked.message}; {path.name} waits and is read by the run that comes next")
        return 0


def backfill(
    *,
    since: Annotated[str, Parameter(help="First day: sessions that began on it or later.")],
    until: Annotated[str | None, Parameter(help="Last day, included; left out, there is no end.")] = None,
    as_of: AsOf = None,
    direct: Direct = False,
    json: Json = False,
) -> int:
    """Run over the sessions that began in a span of days; stopped, it goes on where it was."""
    settings = settings_of()
    _check_roots(settings.sessions)
    first, last = parse_day(since), parse_day(until) if until else None
    if last and last < first:
        raise UsageError(f"--until {last} is before --since {first}", "recollect backfill --since FIRST --until LAST")
    at = parse_time(as_of, settings.timezone) if as_of else None

    def plan(run: Run) -> Pipeline:
        from flows.pipelines import backfill_pipeline

        return backfill_pipeline(run, first, last)

    def scheduled() -> Coroutine[Any, Any, dict[str, Any]]:
        from flows.backfill import backfill as flow

        return flow(since=first, until=last, as_of=at)

    return report(_direct(plan, at) if direct else _through_prefect(scheduled), json)


def _direct(plan: Callable[[Run], Pipeline], at: Any) -> dict[str, Any]:
    from effects.store.run import open_run
    from flows.runner import run_pipeline

    with progress_shown() as progress:
        run = open_run(settings_of(), at, progress)
        return run_pipeline(run, plan(run)).as_dict()


def _through_prefect(start: Callable[[], Coroutine[Any, Any, dict[str, Any]]]) -> dict[str, Any]:
    """Runs a Prefect flow here; what Prefect itself cannot do is said with the way around it.

    Raises:
        RecollectError: when the steps never began.
    """
    from effects.config.prefect_settings import be_quiet, make_home

    be_quiet()
    make_home()
    from flows.runner import PROGRESS

    with progress_shown() as progress:
        began = False

        def watch(message: str) -> None:
            nonlocal began
            began = True
            progress(message)

        token = PROGRESS.set(watch)
        try:
            progress("starting Prefect")
            return asyncio.run(start())
        except RecollectError:
            raise
        except Exception as error:
            if began:
                raise
            from effects.store.run_record import log_traceback, one_line

            log = log_traceback(settings_of().lake, error)
            raise RecollectError(
                f"Prefect could not start the run: {one_line(error)} (see {log})",
                "the same command with --direct, which needs no Prefect",
            ) from error
        finally:
            PROGRESS.reset(token)


def report(summary: dict[str, Any], as_json: bool) -> int:
    """Prints what a run did: counts to stdout, what a person has to know to stderr."""
    from transforms.pages.run_page import format_run_lines

    for counts in summary["counts"].values():
        for problem in [*counts.get("problems", []), *([counts["note"]] if counts.get("note") else [])]:
            tell(f"recollect: {problem}")
    if as_json:
        say_json(summary)
        return 0
    for line in format_run_lines(summary["counts"]):
        say(line)
    settings = settings_of()
    say(f"done in {summary['seconds']:.1f} s; pages: {settings.workspace}, lake: {settings.lake}")
    return 0


def _check_roots(roots: tuple[Path, ...]) -> None:
    """A folder that is missing is a mistake in the settings; an empty one is a night without work."""
    missing = [root for root in roots if not root.exists()]
    if missing and len(missing) == len(roots):
        names = ", ".join(str(root) for root in missing)
        raise SourceError(f"there are no sessions: {names} does not exist", "set RECOLLECT_SESSIONS, then `recollect config`")
    for root in missing:
        tell(f"recollect: {root} does not exist and is passed over")
