"""`recollect schedule`: the schedule of every night as text; `recollect init` installs it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from effects.config.configuration import list_shell_settings, load_settings
from effects.config.paths import find_config_file
from effects.system.errors import UsageError
from recollect.arguments import add_example
from recollect.command_list import COMMANDS
from recollect.terminal import print_line, print_note

ADVICE = "`recollect init --yes` writes folders, owner, zone and engine into the settings file; enter others there:"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect schedule` to its parser, with help and examples."""
    parser.description = (
        "Print the nightly schedule for this machine. `recollect init` installs it; this command installs nothing."
    )
    kinds = parser.add_mutually_exclusive_group()
    for name, text in (
        ("launchd", "launch agents of macOS"),
        ("systemd", "services and timers of a systemd user"),
        ("cron", "lines of a crontab"),
    ):
        kinds.add_argument(f"--{name}", dest="scheduler", action="store_const", const=name, help=text)
    parser.add_argument("--print", action="store_true", help="print the schedule, which the command does anyway")
    add_example(parser, "recollect schedule", "recollect schedule --cron")


def run_command(arguments: Namespace) -> int:
    """Print the files of the schedule, each with its path, and the commands that start it."""
    settings = load_settings()
    from effects.setup.schedule import choose_scheduler, list_schedule_faults, list_schedule_lines, make_schedule

    scheduler = arguments.scheduler or choose_scheduler()
    if scheduler == "none":
        raise UsageError("this machine has no launchd, no systemd of the user and no cron", "recollect schedule --cron")
    for line in list_schedule_lines(make_schedule(scheduler, settings, list(COMMANDS))):
        print_line(line)
    for fault in list_schedule_faults(scheduler, settings):
        print_note(f"recollect: {fault}")
    if unseen := list_shell_settings():
        print_note(f"recollect: the schedule does not see {', '.join(unseen)}, set in this shell only")
        print_note(f"  next: {ADVICE} {find_config_file()}")
    return 0
