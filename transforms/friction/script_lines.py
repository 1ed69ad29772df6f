"""Finds what a script or target runs, where a conversation showed the file that defines it: a makefile, a manifest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from transforms.conversation.entries import Entry
from transforms.habits.command_purpose import STARTING_WORDS

MOST_CHARS = 80
_MOST_WORDS = 3
"""Words of a command that can be a program and its script: `npm run check`."""
_NAME_SIGNS = frozenset("_-")
"""Signs of a bare key of TOML (1.0), beside letters and digits; a dot parts two keys."""


def find_script_line(command: str, entries: Sequence[Entry]) -> str:
    """Return what the newest text that these entries show says that the script of a command runs; empty where none says it."""
    words = [word for word in command.rpartition(" && ")[2].split() if not word.startswith("-")]
    is_started = len(words) > 1 and not STARTING_WORDS.isdisjoint(words[:2])
    script = words[-1] if is_started and len(words) <= _MOST_WORDS else ""
    if not script.replace("-", "").replace("_", "").replace(":", "").isalnum():
        return ""
    shown = (
        line
        for entry in reversed(entries)
        for text in _list_texts(entry)
        for line in _list_definitions(script, text, is_made=words[0] == "make")
    )
    return next((line for line in shown if line and len(line) <= MOST_CHARS and "`" not in line), "")


def _list_texts(entry: Entry) -> Iterator[str]:
    """Yield what an entry shows of files: what a tool printed, and what one was called with."""
    if entry.role == "toolResult":
        yield entry.text
    for call in entry.tool_calls:
        yield from (value.replace("\\n", "\n") for value in call.arguments.values() if isinstance(value, str))


def _list_definitions(script: str, text: str, *, is_made: bool) -> Iterator[str]:
    if script not in text:
        return
    yield from _list_recipes(script, text.splitlines(), "\t" if is_made else " \t")
    for sign in (f'"{script}": "', f'{script} = "'):
        for before, behind in pairwise(text.split(sign)):
            value = behind.split('"', 1)[0]
            if "\n" not in value and (sign[0] == '"' or not _ends_in_name(before)):
                yield value.strip()


def _ends_in_name(text: str) -> bool:
    """Whether what follows a text is a part of a longer name: "lint" in `golangci-lint = "2.11.3"`, a version."""
    return text[-1:].isalnum() or text[-1:] in _NAME_SIGNS


def _list_recipes(script: str, lines: Iterable[str], indents: str) -> Iterator[str]:
    for line, behind in pairwise(lines):
        if not behind or behind[0] not in indents:
            continue
        heads = {line, line.rpartition("'")[2], line.rpartition('"')[2]}  # the first line that `printf` writes
        rests = [head.removeprefix(script) for head in heads if head.startswith(script)]
        if any(":" in rest and ":=" not in rest and not rest[:1].isalnum() for rest in rests):
            yield behind.strip().lstrip("@-").strip()
