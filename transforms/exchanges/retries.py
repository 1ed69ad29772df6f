"""Finds retries: a call that failed, and the same program in another form that worked, with nothing edited between them.

What an agent had to find out about a machine or a repository (the folder in which a test runs, the name of a skill) shows in
such pairs, and seldom in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from transforms.conversation.entries import Entry, ToolCall
from transforms.exchanges.exchange import READ_ONLY_COMMAND
from transforms.language.sentences import join_lines

NEXT_CALLS = 8
"""Calls after a failure among which the program may be called again."""
MAX_OUTPUT_CHARS = 600
"""A longer output of a failure reports on the work, not on the call."""
PROGRAM_WORDS = 3
_EDITS = frozenset({"edit", "write", "multiedit", "patch", "apply_patch", "create", "str_replace"})


@dataclass(frozen=True, slots=True)
class Retry:
    """A call that failed and the one that worked, as typed, with the line that tells why and the entries of both calls."""

    failed: str
    reason: str
    worked: str
    ordinals: tuple[int, int, int]
    """The failed call, its result, and the call that worked."""


def find_retries(replies: Sequence[Entry]) -> Iterator[Retry]:
    """Yield the retries among the messages and results of an exchange, in order."""
    results = {entry.tool_call_id: entry for entry in replies if entry.role == "toolResult" and entry.tool_call_id}
    calls = [
        (entry, call, results[call.call_id])
        for entry in replies
        for call in entry.tool_calls
        if not call.continues and call.call_id in results
    ]
    for index, (entry, call, result) in enumerate(calls):
        if not result.is_error or len(result.text) > MAX_OUTPUT_CHARS or not (reason := _find_reason(result.text)):
            continue
        for later, again, outcome in calls[index + 1 : index + 1 + NEXT_CALLS]:
            if again.name.lower() in _EDITS:
                break
            if _is_same_program(call, again):
                if not outcome.is_error:
                    ordinals = (entry.ordinal, result.ordinal, later.ordinal)
                    yield Retry(_read_argument(call), reason, _read_argument(again), ordinals)
                break


def _find_reason(output: str) -> str:
    """Return the line of an output that says most, without marks of the client."""
    lines = [join_lines(line.replace("<tool_use_error>", "").replace("</tool_use_error>", "")) for line in output.splitlines()]
    reasons = [line for line in lines if not line.lower().startswith(("exit code", "command exited"))]
    return max(reasons, key=lambda line: len(line.split()), default="")


def _is_same_program(call: ToolCall, again: ToolCall) -> bool:
    """Whether two calls differ, and run the same program, or the one names in full what the other named in part."""
    first, second = _read_argument(call), _read_argument(again)
    if call.name != again.name or not first or not second or first == second:
        return False
    if call.arguments.get("command") or call.arguments.get("cmd"):
        program = _read_program(first)
        return bool(program) and program == _read_program(second)
    return "/" not in second and first in second


def _read_argument(call: ToolCall) -> str:
    """Return the command of a call, or else its only argument if that is short text; empty without one."""
    command = call.arguments.get("command") or call.arguments.get("cmd")
    values = [command] if command else list(call.arguments.values())
    only = values[0] if len(values) == 1 else ""
    return join_lines(only) if isinstance(only, str) else ""


def _read_program(command: str) -> tuple[str, ...]:
    """Return the program of a command and what it is to do, two words at least; empty for several, and for one that only reads.

    Changes of the folder and settings of the environment before it are left out, and what its output is piped into.
    """
    parts = [part.strip() for part in command.replace("||", "&&").replace(";", "&&").split("&&")]
    steps = [part for part in parts if part and part.split()[0] not in ("cd", "export")]
    if len(steps) != 1 or READ_ONLY_COMMAND.match(steps[0]):
        return ()
    words: list[str] = []
    for word in steps[0].partition("|")[0].split():
        name, is_setting, _ = word.partition("=")
        if is_setting and name.isidentifier() and not words:
            continue
        if not word.replace("-", "a").isalnum() or word.startswith("-") or len(words) == PROGRAM_WORDS:
            break
        words.append(word)
    return tuple(words) if len(words) > 1 else ()
