"""`recollect prune`: removes old raw text that is summarised and cited by nothing."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import date, timedelta

from recollect.arguments import add_as_of, add_example, add_json
from recollect.pipeline_runs import check_lake_free
from recollect.terminal import open_reading_run, parse_day, print_json, print_line, show_progress

DAYS_PER_UNIT = {"": 1, "d": 1, "w": 7, "m": 30, "y": 365}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect prune` to its parser, with help and examples."""
    parser.description = (
        "Remove raw text that is older than an age, condensed, and cited by nothing. Session files are never changed."
    )
    parser.add_argument(
        "--older-than",
        metavar="D",
        required=True,
        type=parse_age,
        help="an age in days, or with a unit: 90d, 26w, 6m, 2y; or a date",
    )
    parser.add_argument("--dry-run", action="store_true", help="print how much would go and stop")
    add_as_of(parser)
    add_json(parser)
    add_example(parser, "recollect prune --older-than 1y --dry-run")


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
    """Prune, and print how much."""
    check_lake_free()
    from effects.store.run import read_nested_counts
    from flows.pipelines import prune_pipeline
    from flows.runner import run_pipeline

    with show_progress() as progress:
        run = open_reading_run(arguments.as_of, progress)
        age = arguments.older_than
        before = run.today - age if isinstance(age, timedelta) else age
        summary = run_pipeline(run, prune_pipeline(before, arguments.dry_run))
    counts = {name: value for name, value in summary["counts"]["prune"].items() if name != "seconds"}
    if arguments.json:
        print_json({"before": before, **counts})
        return 0
    verb = "would be removed" if arguments.dry_run else "removed"
    kept_counts = read_nested_counts(counts, "kept")
    print_line(
        f"{counts['entries']} entries ({counts['characters']:,} characters) from before {before} {verb};"
        f" {kept_counts['cited']} stay because something cites them,"
        f" {kept_counts['not_summarised']} because nothing condenses their day yet"
    )
    return 0
