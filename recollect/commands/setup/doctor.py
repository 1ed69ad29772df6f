"""`recollect doctor`: checks of the lake, the index and the pages, each with the next command."""

from __future__ import annotations

import shutil
import sys
import textwrap
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from effects.config.paths import locate_pages
from recollect.arguments import add_as_of, add_example, add_json
from recollect.terminal import CHECK_AHEAD, open_command_run, print_json, print_line, show_progress

if TYPE_CHECKING:
    from effects.health.check import Check

NARROW = 60
"""Columns below which the text of a check begins on a line of its own."""
LEVEL_WORDS = {"ok": "ok  ", "note": "note", "wrong": "BAD "}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect doctor` to its parser, with help and examples."""
    parser.description = (
        "Check the lake, the index and the pages, and name the next command for each fault; exits 1 when one is wrong."
    )
    add_as_of(parser)
    add_json(parser, "one JSON object per check")
    add_example(parser, "recollect doctor")


def run_command(arguments: Namespace) -> int:
    """Print every check; the exit code is 1 when one of them is wrong."""
    checks = _check(arguments.as_of) if arguments.json else _check_in_sight(arguments.as_of)
    width = max(len(check.name) for check in checks)
    for check in checks:
        if arguments.json:
            detail, next_command = locate_pages(check.detail), locate_pages(check.next)
            print_json({"check": check.name, "level": check.level, "detail": detail, "next": next_command or None})
        else:
            print_line(_format_check(check, width, shutil.get_terminal_size().columns if sys.stdout.isatty() else None))
    return 1 if any(check.level == "wrong" for check in checks) else 0


def _check(as_of: str | None) -> list[Check]:
    from effects.health.health_checks import check_installation

    return check_installation(open_command_run(as_of, effect=CHECK_AHEAD))


def _check_in_sight(as_of: str | None) -> list[Check]:
    """Return the checks, and show meanwhile how far they are: the search for secrets reads every text that changed."""
    from effects.health.health_checks import check_installation
    from effects.store.progress_meter import ProgressMeter

    with show_progress("checking lake, index and pages") as report:
        meter = ProgressMeter("doctor", ("check",), report)
        meter.begin_step()
        return check_installation(replace(open_command_run(as_of, effect=CHECK_AHEAD), progress=meter.advance))


def _format_check(check: Check, name_width: int, columns: int | None) -> str:
    """Return a check as one line, or as wide as a terminal of so many columns, where its command stands whole on its own line."""
    hint = f"→ {locate_pages(check.next)}" if check.next else ""
    detail = locate_pages(check.detail)
    head = f"{LEVEL_WORDS[check.level]}  {check.name:<{name_width}}  "
    if columns is None:
        return f"{head}{detail}  {hint}".rstrip()
    indent = " " * (len(head) if columns >= NARROW else 4)
    first = [head] if columns >= NARROW else [head.rstrip(), indent]
    text = textwrap.wrap(
        detail, columns, initial_indent=first[-1], subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join([*first[:-1], *text, *([indent + hint] if hint else [])])
