"""Finds what a script or target runs, where a conversation showed the file that defines it: a makefile, a manifest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from transforms.conversation.entries import Entry

MOST_CHARS = 80
_MOST_WORDS = 3
"""Words of a command that can be a program and its script: `npm run check`."""


def find_script_line(command: str, entries: Sequence[Entry]) -> str:
    """Return what the newest text that these entries show says that the script of a command runs; empty where none says it."""
    words = [word for word in command.rpartition(" && ")[2].split() if not word.startswith("-")]
    script = words[-1] if 1 < len(words) <= _MOST_WORDS else ""
    if not script.replace("-", "").replace("_", "").replace(":", "").isalnum():
        return ""
    shown = (line for entry in reversed(entries) for text in _list_texts(entry) for line in _list_definitions(script, text))
    return next((line for line in shown if line and len(line) <= MOST_CHARS and "`" not in line), "")


def _list_texts(entry: Entry) -> Iterator[str]:
    """Yield what an entry shows of files: what a tool printed, and what one was called with."""
    if entry.role == "toolResult":
        yield entry.text
    for call in entry.tool_calls:
        yield from (value.replace("\\n", "\n") for value in call.arguments.values() if isinstance(value, str))


def _list_definitions(script: str, text: str) -> Iterator[str]:
    if script not in text:
        return
    yield from _list_recipes(script, text.splitlines())
    for sign in (f'"{script}": "', f'{script} = "'):
        values = (piece.split('"', 1)[0] for piece in text.split(sign)[1:])
        yield from (value.strip() for value in values if "\n" not in value)


def _list_recipes(script: str, lines: Iterable[str]) -> Iterator[str]:
    for line, behind in pairwise(lines):
        if behind[:1] not in (" ", "\t"):
            continue
        heads = {line, line.rpartition("'")[2], line.rpartition('"')[2]}  # the first line that `printf` writes
        rests = [head.removeprefix(script) for head in heads if head.startswith(script)]
        if any(":" in rest and ":=" not in rest and not rest[:1].isalnum() for rest in rests):
            yield behind.strip().lstrip("@-").strip()
