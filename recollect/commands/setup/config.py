"""`recollect config`: every setting, its value and its origin."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from effects.config.configuration import explain_settings, list_unknown_variables, load_settings
from effects.config.paths import base_folder, config_file
from recollect.arguments import add_example, add_json
from recollect.terminal import print_json, print_line, print_note


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Print every setting, its value and its origin: argument, environment, the config file or default."
    add_json(parser, "one JSON object per setting")
    parser.add_argument(
        "--move", action="store_true", help="move lake and workspace out of the installed package, where older versions kept them"
    )
    add_example(parser, "recollect config")


def run_command(arguments: Namespace) -> int:
    """Print every setting, or move what lies in the package; variables that set nothing are named on stderr."""
    if arguments.move:
        return _move_old_places(arguments.json)
    settings = explain_settings(load_settings())
    if arguments.json:
        for setting in settings:
            print_json({"name": setting.name, "variable": setting.variable, "value": setting.value, "origin": setting.origin})
    else:
        width = max(len(setting.variable) for setting in settings)
        for setting in settings:
            print_line(f"{setting.variable:<{width}}  {setting.value or '-'}  ({setting.origin})")
        print_note(f"config file: {config_file()} ({'read' if config_file().is_file() else 'not there'})")
        print_note(f"relative paths are below {base_folder()}")
    for name in list_unknown_variables():
        print_note(f"recollect: {name} is set in the environment, but there is no such setting")
    return 0


def _move_old_places(as_json: bool) -> int:
    """Move what older versions kept inside the installed package to the places of the settings, and print each move."""
    from effects.store.old_places import find_old_places, move_old_place

    places = find_old_places(load_settings())
    for place in places:
        move_old_place(place)
        if as_json:
            print_json({"name": place.name, "old": str(place.old), "new": str(place.new)})
        else:
            print_line(f"{place.name}: {place.old} → {place.new}")
    if not places:
        print_note("recollect: nothing lies in the installed package")
    return 0
