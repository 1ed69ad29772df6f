"""`recollect config`: every setting, its value and its origin."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from effects.config.configuration import explain_settings, list_unknown_variables, load_settings
from effects.config.paths import find_base_folder, find_config_file, word_unnamed_timezone
from recollect.arguments import add_example, add_json
from recollect.terminal import print_json, print_line, print_note


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect config` to its parser, with help and examples."""
    parser.description = "Print every setting, its value and its origin: argument, environment, the config file or default."
    add_json(parser, "one JSON object per setting")
    parser.add_argument(
        "--move", action="store_true", help="move lake and workspace out of the installed package, where older versions kept them"
    )
    add_example(parser, "recollect config")


def run_command(arguments: Namespace) -> int:
    """Print every setting, or move data out of the package; variables that set nothing are named on stderr."""
    if arguments.move:
        return _move_old_paths(arguments.json)
    loaded = load_settings()
    settings = explain_settings(loaded)
    if arguments.json:
        for setting in settings:
            print_json({"name": setting.name, "variable": setting.variable, "value": setting.value, "origin": setting.origin})
    else:
        width = max(len(setting.variable) for setting in settings)
        for setting in settings:
            print_line(f"{setting.variable:<{width}}  {setting.value or '-'}  ({setting.origin})")
        print_note(f"config file: {find_config_file()} ({'read' if find_config_file().is_file() else 'not there'})")
        print_note(f"relative paths are below {find_base_folder()}")
    if note := word_unnamed_timezone(loaded.timezone):
        print_note(f"recollect: {note}")
    for name in list_unknown_variables():
        print_note(f"recollect: {name} is set in the environment, but there is no such setting")
    return 0


def _move_old_paths(as_json: bool) -> int:
    """Move data of older versions from the installed package to the paths of the settings, and print each move."""
    from effects.store.old_paths import find_old_paths, move_old_place

    places = find_old_paths(load_settings())
    for place in places:
        move_old_place(place)
        if as_json:
            print_json({"name": place.name, "old": str(place.old), "new": str(place.new)})
        else:
            print_line(f"{place.name}: {place.old} → {place.new}")
    if not places:
        print_note("recollect: nothing lies in the installed package")
    return 0
