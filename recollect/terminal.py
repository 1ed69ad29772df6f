"""The terminal of all commands: data goes to stdout, progress, messages and questions to stderr; the time of a run."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from io import TextIOWrapper
from threading import Event, Thread
from typing import TYPE_CHECKING, TypeVar

from effects.config.configuration import load_settings
from effects.config.paths import locate_pages
from effects.config.stated_times import parse_time
from effects.system.errors import LakeError, RecollectError, UsageError
from transforms.pages.visible_text import escape_json, make_visible
from transforms.tables.surrogates import replace_surrogates_within

if TYPE_CHECKING:
    from effects.store.progress_meter import ShowProgress
    from effects.store.run import Run
    from transforms.pages.run_progress import Progress

Value = TypeVar("Value")

FIRST_PROGRESS_SECONDS, PLAIN_PROGRESS_SECONDS = 5.0, 30.0
"""Without a terminal a long run reports after so long, and then this often, also while a step says nothing of itself; a short run
reports nothing."""
WATCH_SECONDS = 1.0

NO_PRIORITY = "▪"


def print_line(text: str = "") -> None:
    """Write a line of data to stdout; stored words in it steer no terminal."""
    print(make_visible(text))


def print_wrapped(text: str, first: str = "", others: str = "    ") -> None:
    """Write a line of data to stdout; in a terminal that is narrower it continues below `others`, and no word is broken.

    In a pipe it stays one line, so that it can be searched. A command is no such line: a person copies it whole.
    """
    if not sys.stdout.isatty():
        print_line(first + text)
        return
    columns = shutil.get_terminal_size().columns
    if len(first) + len(text) > columns:
        for line in textwrap.wrap(
            text, columns, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
        ):
            print_line(line)
    else:
        print_line(first + text)


STDERR = 2

NIGHT_AHEAD = "proposals that wait until then expire, and wait again after a night of today"
COMMAND_AHEAD = "what this command does is dated then"
CHECK_AHEAD = "the checks count the days until then, and change nothing"
"""What a logical time that is to come does to a night, to another command, and to `doctor`."""


def escape_unwritable() -> None:
    """Let stdout and stderr write characters that their encoding lacks as escapes, as in `PYTHONIOENCODING=ascii`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(errors="backslashreplace")


def print_json(value: Mapping[str, object]) -> None:
    """Write one JSON object on one line to stdout; dates are ISO text, and bytes of an argument that are no UTF-8 are U+FFFD."""
    import orjson

    try:
        data = orjson.dumps(value, default=str, option=orjson.OPT_UTC_Z)
    except TypeError:  # orjson refuses lone surrogates
        data = orjson.dumps(replace_surrogates_within(value), default=str, option=orjson.OPT_UTC_Z)
    text = escape_json(data.decode())
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # escapes of Python are not those of JSON
        import json

        text = json.dumps(json.loads(text))
    sys.stdout.write(text + "\n")


def print_note(text: str) -> None:
    """Write a line for people to stderr; a page of documentation has its path on this machine."""
    print(make_visible(locate_pages(text)), file=sys.stderr)


def parse_logical_time(text: str, zone: str, effect: str = NIGHT_AHEAD) -> datetime:
    """Return the moment that an argument states as the logical time of a command.

    One to come is for simulations: a person at a terminal is asked first, and told the `effect` on this command.

    Raises:
        UsageError: as `parse_time` does, and when the person did not mean it: proposals that wait would expire.
    """
    from effects.store.run import is_ahead_of_clock

    moment = parse_time(text, zone)
    if is_ahead_of_clock(moment):
        print_note(f"recollect: `{text}` is in the future; {effect}")
        if sys.stdin.isatty() and not ask_person("Go on?", "no", read_yes_or_no, "give a time up to now"):
            raise UsageError(f"stopped, because `{text}` is in the future", "give a time up to now, or leave --as-of out")
    return moment


def open_command_run(as_of: str | None = None, report: ShowProgress | None = None, effect: str = COMMAND_AHEAD) -> Run:
    """Return settings, lake and logical time of a command; the lake need not exist. `effect`: what a time to come does to it."""
    from effects.store.run import open_run

    settings = load_settings()
    moment = parse_logical_time(as_of, settings.timezone, effect) if as_of is not None else None
    run = open_run(settings, moment, report) if report else open_run(settings, moment)
    if run.lake.note:
        print_note(f"recollect: {run.lake.note}")
    return run


def open_reading_run(as_of: str | None = None, report: ShowProgress | None = None) -> Run:
    """Return the same for a command that reads an existing lake.

    Raises:
        LakeError: when there is no lake yet.
    """
    run = open_command_run(as_of, report)
    if not run.lake.exists():
        from effects.config.paths import suggest_first_command

        raise LakeError(f"there is no lake in {run.lake.root} yet", suggest_first_command())
    return run


@contextmanager
def show_progress(beginning: str = "starting") -> Iterator[ShowProgress]:
    """Yield a function that reports a run on stderr: one bar over the whole run in a terminal, else a plain line now and then."""
    from transforms.pages.run_progress import format_progress, format_step, list_details

    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as Bar

        columns = (
            SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(24), TaskProgressColumn(),
            TextColumn("{task.fields[details]}", markup=False),
        )  # fmt: skip
        with Bar(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
            task = bar.add_task(beginning, total=1.0, details="")

            def draw(progress: Progress) -> None:
                """Draw the bar of the present step."""
                details = make_visible(" · ".join(list_details(progress)))
                bar.update(task, completed=progress.share, description=format_step(progress), details=details)

            yield draw
        return
    from effects.opening.hooks_log import is_hooks_log
    from effects.store.progress_meter import ignore_report

    if is_hooks_log(STDERR):
        yield ignore_report
        return
    line, due = f"recollect: {beginning}", time.monotonic() + FIRST_PROGRESS_SECONDS
    has_ended = Event()

    def print_due() -> None:
        """Print the last line that was reported, at most one per few seconds."""
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + PLAIN_PROGRESS_SECONDS
            print_note(line)

    def report(progress: Progress) -> None:
        """Note a line of progress."""
        nonlocal line
        line = format_progress(progress)
        print_due()

    def keep_printing() -> None:
        """Print while no step reports: a step may read for a minute before it knows how much there is."""
        while not has_ended.wait(WATCH_SECONDS):
            print_due()

    Thread(target=keep_printing, daemon=True).start()
    try:
        yield report
    finally:
        has_ended.set()


def check_terminal(hint: str) -> None:
    """Refuse to ask where nobody can answer.

    Raises:
        UsageError: when stdin is not a terminal.
    """
    if not sys.stdin.isatty():
        raise UsageError("questions need a terminal, and stdin is not one", hint)


def ask_person(question: str, proposal: str, read: Callable[[str], Value], hint: str = "recollect init --yes") -> Value:
    """Return the answer as `read` converts it; the same question again while `read` raises a complaint.

    Raises:
        UsageError: when the input ends; `hint` is the command that asks nothing.
    """
    while True:
        print(f"{question} [{proposal}] ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise UsageError("the input ended before every question was answered", hint)
        try:
            return read(line.strip() or proposal)
        except (RecollectError, ValueError) as error:
            print_note(f"  {error}")


def read_yes_or_no(text: str) -> bool:
    """Return whether a person agreed.

    Raises:
        ValueError: when the answer is neither yes nor no.
    """
    if text.lower() not in ("y", "yes", "n", "no"):
        raise ValueError("answer yes or no")
    return text.lower() in ("y", "yes")
