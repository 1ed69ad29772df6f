"""Values that an owner chooses for settings while setting recollect up, checked before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from effects.config.configuration import load_settings, name_variable
from effects.config.paths import make_absolute
from effects.config.settings import Settings
from effects.ingest.session_files import find_session_files
from effects.system.errors import ConfigError, SourceError, UsageError
from effects.system.files import check_writable_folder
from transforms.pages.run_page import count_things

OPTION_SETTINGS = {"engine": "engine.observer", "owner": "owner", "timezone": "timezone", "workspace": "workspace"}
"""Options of `recollect init` and the settings that they become."""
OPTION_EXAMPLES = {"engine": "offline", "owner": "NAME", "timezone": "Europe/Berlin", "workspace": "FOLDER"}


def check_option(option: str, name: str, value: str) -> None:
    """Check the value of an option that becomes a setting.

    Raises:
        UsageError: naming the option; nobody set a variable.
    """
    try:
        check_value(name, value)
    except ConfigError as error:
        message = error.message.replace(name_variable(name), f"--{option}")
        raise UsageError(message, f"recollect init --{option} {OPTION_EXAMPLES[option]}") from error


def check_value(name: str, text: str) -> str:
    """Return the text of a setting that can be used.

    Raises:
        ConfigError: when it cannot.
    """
    check_values({name: text})
    if name == "workspace":
        check_folder(name, make_absolute(Path(text)))
    return text


def check_folder(name: str, folder: Path) -> None:
    """Raise a ConfigError when nothing can be written into the folder of a setting: the first night would fail there."""
    try:
        check_writable_folder(folder)
    except OSError as error:
        variable = name_variable(name)
        raise ConfigError(
            f"{variable}={folder}: {error.filename} takes no files: {error.strerror}",
            "recollect init --workspace FOLDER" if name == "workspace" else f"correct {variable}, then `recollect init`",
        ) from error


def check_values(values: Mapping[str, object]) -> None:
    """Raise a ConfigError when a setting, by its dotted name, cannot be used, beside those that hold."""
    arguments: dict[str, object] = {}
    for name, value in values.items():
        group, _, key = name.rpartition(".")
        if group:
            inner = arguments.setdefault(group, {})
            assert isinstance(inner, dict)
            inner[key] = value
        else:
            arguments[name] = value
    load_settings(**arguments)


def describe_sessions(settings: Settings) -> str:
    """Return what there is to read where no client keeps sessions in its usual folder."""
    try:
        file_count = len(find_session_files(settings).files)
    except SourceError:
        return "found no sessions of pi, Claude Code or Codex yet; the next night reads those that you have by then"
    folders = ", ".join(map(str, settings.sessions))
    return f"found no client in its usual folder; the settings name {folders}, with {count_things(file_count, 'session file')}"
