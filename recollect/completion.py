"""Scripts that complete commands, options and files of `recollect` in a shell."""

from __future__ import annotations

from argparse import ArgumentParser, _SubParsersAction

from effects.system.errors import UsageError

FILES = {"FILE", "FOLDER"}
"""Placeholders of arguments that name a file."""


def render_completion(parser: ArgumentParser, shell: str) -> str:
    """Return the script for a shell, made from the parser of every command.

    Raises:
        UsageError: for a shell that is not known.
    """
    import shtab

    if shell not in shtab.SUPPORTED_SHELLS:
        raise UsageError(f"there is no completion for `{shell}`", f"one of: {', '.join(shtab.SUPPORTED_SHELLS)}")
    _mark_files(parser, shtab.FILE)
    return str(shtab.complete(parser, shell))


def _mark_files(parser: ArgumentParser, completion: object) -> None:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for command in action.choices.values():
                _mark_files(command, completion)
        elif action.metavar in FILES:
            action.complete = completion  # type: ignore[attr-defined]
