"""`recollect config`: every setting, its value and its origin."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from effects.config.configuration import explain_settings, list_unknown_variables, load_settings
from effects.config.paths import PROJECT_ROOT, config_file
from recollect.arguments import add_example, add_json
from recollect.terminal import print_json, print_line, print_note


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Print every setting, its value and its origin: argument, environment, the config file or default."
    add_json(parser, "one JSON object per setting")
    add_example(parser, "recollect config")


def run_command(arguments: Namespace) -> int:
    """Print every setting; variables that set nothing are named on stderr."""
    settings = explain_settings(load_settings())
    if arguments.json:
        for setting in settings:
            print_json({"name": setting.name, "variable": setting.variable, "value": setting.value, "origin": setting.origin})
    else:
        width = max(len(setting.variable) for setting in settings)
        for setting in settings:
            print_line(f"{setting.variable:<{width}}  {setting.value or '-'}  ({setting.origin})")
        print_note(f"config file: {config_file()} ({'read' if config_file().is_file() else 'not there'})")
        print_note(f"relative paths are below {PROJECT_ROOT}")
    for name in list_unknown_variables():
        print_note(f"recollect: {name} is set in the environment, but there is no such setting")
    return 0
