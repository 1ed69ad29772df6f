"""`recollect config`: every setting, its value, and where it came from."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from recollect.terminal import say, say_json, settings_of, tell


def config(*, json: Annotated[bool, Parameter(name="--json", help="One JSON object per setting.")] = False) -> int:
    """Print every setting and where it came from: argument, environment, the config file or default."""
    from effects.config.configuration import explain_settings, unknown_variables
    from effects.config.paths import PROJECT_ROOT, config_file

    settings = settings_of()
    found = explain_settings(settings)
    if json:
        for item in found:
            say_json({"name": item.name, "variable": item.variable, "value": item.value, "origin": item.origin})
    else:
        width = max(len(item.variable) for item in found)
        for item in found:
            say(f"{item.variable:<{width}}  {item.value or '-'}  ({item.origin})")
        tell(f"config file: {config_file()} ({'read' if config_file().is_file() else 'not there'})")
        tell(f"relative paths are below {PROJECT_ROOT}")
    for name in unknown_variables():
        tell(f"recollect: {name} is set in the environment, but there is no such setting")
    return 0
