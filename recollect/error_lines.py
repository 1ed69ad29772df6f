"""Errors for people: one line with the problem and its place, and the next command."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path

from effects.system.errors import ConfigError, RecollectError
from recollect.terminal import print_json, print_note

IN_THE_WAY = frozenset({errno.EISDIR, errno.ENOTDIR, errno.EEXIST})
PATH_SETTINGS = ("workspace", "lake", "sessions", "identity")


def print_error(error: RecollectError, as_json: bool) -> int:
    """Print an error, as JSON on stdout or as a line on stderr, and return its exit code."""
    if as_json:
        print_json(error.make_envelope())
    else:
        print_note(f"recollect: {error.message}" + (f"\n  next: {error.hint}" if error.hint else ""))
    return error.exit_code


def log_hook_error(error: RecollectError, _: bool) -> int:
    """Write an error of `recollect hook` into the log of the hooks and to stderr, nothing to stdout; return the exit code 0.

    stdout goes into the context of a session, and an exit code of 2 blocks and erases the prompt of its user.
    """
    from effects.opening.hooks_log import log_failure

    log_failure(error)
    with suppress(OSError):  # a client may have closed it
        print_error(error, as_json=False)
    return 0


def find_damage_behind(error: BaseException) -> RecollectError | None:
    """Return the error about damaged files of the lake that may be behind an error of a reader; None without such files."""
    if isinstance(error, ConfigError):
        return None
    from effects.config.configuration import load_settings
    from effects.health.damage import explain_damage
    from effects.store.lake import Lake

    try:
        return explain_damage(Lake(load_settings().lake), error)
    except (ConfigError, OSError):  # the complaint about the error itself comes first
        return None


def describe_unexpected(error: BaseException) -> RecollectError:
    """Return an error that nobody foresaw as one that a person can act on; its traceback is logged in the lake.

    An error of the file system in a folder that a setting names becomes a complaint about this setting, one of a reader a
    complaint about the damaged file.
    """
    if damage := find_damage_behind(error):
        return damage
    from effects.config.configuration import load_settings
    from effects.config.settings import Settings
    from effects.store.error_log import describe_error, log_traceback
    from effects.system.disk_errors import NO_ROOM

    if isinstance(error, OSError) and error.errno in NO_ROOM and error.filename is None:  # a write of ours names its file
        return RecollectError(
            f"the output cannot be written: {error.strerror}", "make room where it goes, then run the same command again"
        )
    try:
        settings = load_settings()
    except (ConfigError, OSError):
        settings = Settings()
    log = log_traceback(settings.lake, error)
    if isinstance(error, OSError) and (variable := _find_setting(error, settings)):
        return RecollectError(
            f"{error.filename}: {error.strerror or error} ({variable} leads there)",
            f"move it away, or correct {variable}, then run the same command again"
            if error.errno in IN_THE_WAY
            else f"correct {variable}, then `recollect config`",
        )
    return RecollectError(describe_error(error), f"see {log}")


def _find_setting(error: OSError, settings: object) -> str | None:
    """Return the variable of the setting whose folder holds the path of the error, or lies below it."""
    from effects.config.configuration import name_variable

    if not isinstance(error.filename, str):
        return None
    path = Path(error.filename)
    for name in PATH_SETTINGS:
        value = getattr(settings, name)
        folders = value if isinstance(value, tuple) else (value,)
        if any(path.is_relative_to(folder) or folder.is_relative_to(path) for folder in folders):
            return name_variable(name)
    return None
