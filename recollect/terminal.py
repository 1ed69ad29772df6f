"""What the doors share: data to stdout, everything else to stderr, progress, times on the command line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from datetime import time as clock_time
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from effects.system.errors import LakeError, UsageError

if TYPE_CHECKING:
    from effects.config.settings import Settings
    from effects.store.run import Run

PLAIN_PROGRESS_SECONDS = 30.0
"""Without a terminal a long run says something this often; a nightly without news says nothing."""


def say(text: str = "") -> None:
    """A line of data, to stdout."""
    print(text)


def say_json(value: Mapping[str, Any]) -> None:
    """One JSON object on one line, to stdout; dates as ISO text."""
    import orjson

    sys.stdout.write(orjson.dumps(value, default=str, option=orjson.OPT_UTC_Z).decode() + "\n")


def tell(text: str) -> None:
    """A line for people, to stderr."""
    print(text, file=sys.stderr)


def settings_of() -> Settings:
    """The settings, read once per command."""
    from effects.config.configuration import load_settings

    return load_settings()


def parse_time(text: str, zone: str) -> datetime:
    """A date or an ISO time; without an offset it is in the owner's zone, a date is its midnight there.

    Raises:
        UsageError: when it is neither.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"`{text}` is no date and no ISO time", "for example 2026-05-17 or 2026-05-17T03:30") from error
    return at if at.tzinfo else at.replace(tzinfo=ZoneInfo(zone))


def parse_day(text: str) -> date:
    """A calendar date.

    Raises:
        UsageError: when it is none.
    """
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"`{text}` is no date", "for example 2026-05-17") from error


def midnight(day: date, zone: str) -> datetime:
    """The moment a day begins in the owner's zone."""
    return datetime.combine(day, clock_time(), ZoneInfo(zone))


def open_command(as_of: str | None = None, progress: Callable[[str], None] | None = None) -> Run:
    """Settings, lake and logical time for a command."""
    from effects.store.run import open_run

    settings = settings_of()
    at = parse_time(as_of, settings.timezone) if as_of else None
    return open_run(settings, at, progress) if progress else open_run(settings, at)


def opened(as_of: str | None = None, progress: Callable[[str], None] | None = None) -> Run:
    """The same for a command that needs a lake that was written before.

    Raises:
        LakeError: when there is none.
    """
    return written_before(open_command(as_of, progress))


def written_before(run: Run) -> Run:
    """The run, when its lake was written before.

    Raises:
        LakeError: when it was not.
    """
    if not run.lake.exists():
        raise LakeError(f"there is no lake in {run.lake.root} yet", "recollect nightly")
    return run


@contextmanager
def progress_shown() -> Iterator[Callable[[str], None]]:
    """A function to report progress with: a status line in a terminal, otherwise a plain line now and then, both on stderr."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.markup import escape

        with Console(stderr=True).status("starting") as status:
            yield lambda message: status.update(escape(message))  # a path may hold [brackets]
        return
    last = time.monotonic()

    def report(message: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PLAIN_PROGRESS_SECONDS:
            last = time.monotonic()
            tell(message)

    yield report
