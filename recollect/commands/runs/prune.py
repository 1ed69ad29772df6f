"""`recollect prune`: removes old raw text that is summarised and cited by nothing."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from effects.config.stated_times import parse_day
from effects.system.errors import UsageError
from recollect.arguments import add_as_of, add_example, add_json, add_yes
from recollect.pipeline_runs import check_lake_free
from recollect.terminal import (
    ask_person,
    open_reading_run,
    print_json,
    print_line,
    print_note,
    read_yes_or_no,
    show_progress,
)

if TYPE_CHECKING:
    from effects.store.run import Counts

DAYS_PER_UNIT = {"": 1, "d": 1, "w": 7, "m": 30, "y": 365}
QUESTION = "Remove them? This cannot be undone"
DRY_RUN_HINT = "recollect prune --older-than 1y --dry-run"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect prune` to its parser, with help and examples."""
    parser.description = (
        "Remove raw text that is older than an age of a day or more, condensed, and cited by nothing. Session files never change."
        " Once a client has deleted its session files, nothing brings back what went; in a terminal prune asks before it removes."
    )
    parser.add_argument(
        "--older-than",
        metavar="D",
        required=True,
        type=parse_age,
        help="an age in days, or with a unit: 90d, 26w, 6m, 2y; or a date",
    )
    parser.add_argument("--dry-run", action="store_true", help="print how much would go and stop")
    add_yes(parser)
    add_as_of(parser)
    add_json(parser)
    add_example(parser, DRY_RUN_HINT)


def parse_age(text: str) -> timedelta | date:
    """Return the age that a text names, or the date.

    Raises:
        ArgumentTypeError: when it names neither.
    """
    if match := re.fullmatch(r"(\d{1,5})([dwmy]?)", text.strip()):
        return timedelta(days=int(match[1]) * DAYS_PER_UNIT[match[2]])
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text.strip()):
        return parse_day(text.strip())
    raise ArgumentTypeError(f"`{text}` is neither an age nor a date, for example 180d or 2026-01-31")


def run_command(arguments: Namespace) -> int:
    """Prune, and print how much; in a terminal what would go is printed first, and the person asked.

    Raises:
        UsageError: when the age is less than a day, so that everything up to now would go.
    """
    check_lake_free()
    run = open_reading_run(arguments.as_of)
    age = arguments.older_than
    before = run.today - age if isinstance(age, timedelta) else age
    if before >= run.today:
        raise UsageError(
            f"from before {before} is everything up to now: an age is a day or more, a date is before today",
            DRY_RUN_HINT,
        )
    if not arguments.dry_run and not arguments.yes and sys.stdin.isatty():
        planned = _prune(arguments.as_of, before, is_dry_run=True)
        print_note(_describe(planned, before, "would be removed"))
        if not planned["entries"] or not ask_person(QUESTION, "no", read_yes_or_no, "recollect prune --older-than D --yes"):
            if arguments.json:
                print_json({"before": before, **planned})
            else:
                print_line("nothing removed")
            return 0
    counts = _prune(arguments.as_of, before, arguments.dry_run)
    if arguments.json:
        print_json({"before": before, **counts})
        return 0
    print_line(_describe(counts, before, "would be removed" if arguments.dry_run else "removed"))
    return 0


def _prune(as_of: str | None, before: date, is_dry_run: bool) -> Counts:
    from flows.pipelines import prune_pipeline
    from flows.runner import run_pipeline

    with show_progress() as progress:
        summary = run_pipeline(open_reading_run(as_of, progress), prune_pipeline(before, is_dry_run))
    return {name: value for name, value in summary["counts"]["prune"].items() if name != "seconds"}


def _describe(counts: Counts, before: date, verb: str) -> str:
    from effects.store.run import read_nested_counts

    kept_counts = read_nested_counts(counts, "kept")
    return (
        f"{counts['entries']} entries ({counts['characters']:,} characters) from before {before} {verb};"
        f" {kept_counts['cited']} stay because something cites them,"
        f" {kept_counts['not_summarised']} because nothing condenses their day yet"
    )
