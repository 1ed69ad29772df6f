"""Scripts that complete commands, options and files of `recollect` in a shell."""

from __future__ import annotations

from argparse import ArgumentParser

from effects.system.errors import UsageError


def render_completion(parser: ArgumentParser, shell: str) -> str:
    """Return the script for a shell, made from the parser of every command.

    Raises:
        UsageError: for a shell that is not known.
    """
    import shtab

    if shell not in shtab.SUPPORTED_SHELLS:
        raise UsageError(f"there is no completion for `{shell}`", f"one of: {', '.join(shtab.SUPPORTED_SHELLS)}")
    return str(shtab.complete(parser, shell))
