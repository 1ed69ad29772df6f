"""Questions to the person at the terminal: asked on stderr, answered by a line or by Enter for the proposal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from effects.system.errors import RecollectError, UsageError
from recollect.terminal import print_note


def check_terminal(hint: str) -> None:
    """Refuse to ask where nobody can answer.

    Raises:
        UsageError: when stdin is not a terminal.
    """
    if not sys.stdin.isatty():
        raise UsageError("questions need a terminal, and stdin is not one", hint)


Value = TypeVar("Value")


def ask_person(question: str, proposal: str, read: Callable[[str], Value]) -> Value:
    """Return the answer as `read` converts it; the same question again while `read` raises a complaint."""
    while True:
        print(f"{question} [{proposal}] ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise UsageError("the input ended before every question was answered", "recollect init --yes")
        try:
            return read(line.strip() or proposal)
        except (RecollectError, ValueError) as error:
            print_note(f"  {error}")
