"""`recollect doctor`: checks of the lake, the index and the pages, each with the next command."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from recollect.arguments import add_as_of, add_example, add_json
from recollect.terminal import open_command_run, print_json, print_line

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
    from effects.health.health_checks import check_installation

    checks = check_installation(open_command_run(arguments.as_of))
    width = max(len(check.name) for check in checks)
    for check in checks:
        if arguments.json:
            print_json({"check": check.name, "level": check.level, "detail": check.detail, "next": check.next or None})
        else:
            hint = f"  → {check.next}" if check.next else ""
            print_line(f"{LEVEL_WORDS[check.level]}  {check.name:<{width}}  {check.detail}{hint}")
    return 1 if any(check.level == "wrong" for check in checks) else 0
