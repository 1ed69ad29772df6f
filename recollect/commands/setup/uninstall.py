"""`recollect uninstall`: undoes `recollect init`; the data stay."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from effects.config.configuration import load_settings
from effects.config.paths import describe_removal
from recollect.arguments import add_example
from recollect.terminal import print_line, print_note


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect uninstall` to its parser, with help and examples."""
    parser.description = "Undo `recollect init`: restore schedule, extensions and settings. Lake and pages stay."
    add_example(parser, "recollect uninstall")


def run_command(arguments: Namespace) -> int:
    """Undo the set-up, one line for each thing, and name the places of the data."""
    settings = load_settings()
    from effects.setup.agent_hooks import remove_hooks
    from effects.setup.changes import read_record, undo

    record = read_record()
    is_anything = False
    for line in (*remove_hooks(record), *undo(record, ("schedule", "extension", "settings"))):
        is_anything = True
        print_line(line)
    if not is_anything:
        print_note("recollect: `recollect init` left nothing to undo")
    for name, folder in (("pages", settings.workspace), ("lake", settings.lake)):
        if folder.exists():
            print_line(f"{name} stay in {folder}" if name == "pages" else f"the {name} stays in {folder}")
    print_note(f"recollect: remove the program itself {describe_removal()}")
    return 0
