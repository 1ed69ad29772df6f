"""Reads the commands that ran in a session, each with its exit code and the line that says why it failed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import dropwhile

from transforms.conversation.entries import Entry, ToolCall
from transforms.exchanges.outside.repository_signs import FOLDER_KEYS
from transforms.patterns.late_pattern import compile_late

SHELL_TOOLS = frozenset({"bash", "shell", "exec", "exec_command", "local_shell", "run_command", "terminal"})
COMMAND_KEYS = ("command", "cmd", "script")
QUIET_PROGRAMS = frozenset(
    {"grep", "rg", "diff", "test", "[", "ls", "cat", "find", "head", "tail", "which", "cd", "echo", "true", "false"}
)
"""Programs whose failure says that something was not found or differs, which is an answer and no fault."""
MAX_ERROR_LINE_CHARS = 160
MAX_COMMAND_CHARS = 160
PRINTED_CHARS = 4_000

_EXIT_LINE = compile_late(r"\bexit(?:ed)?(?: with)?(?: code| status)?[: ]+(-?\d+)\.?\s*$", re.I | re.M)
_ERROR = compile_late(
    r"\b(?:error|fatal|failed|failure|exception|panic|denied|refused|not found|no such|cannot|could not|unable|unknown|invalid"
    r"|missing|not trusted|timed out|conflict)\b|[A-Z]\w+(?:Error|Exception)\b|/[^\s:]+: [a-z][a-z '’-]+$",
    re.I,
)
"""Words of failures, and a path with what the system says of it ("…/cache: operation not permitted", perror)."""
_CHANGING_PART = compile_late(r"0x[0-9a-f]+|\b[0-9a-f]{7,40}\b|\d+(?:\.\d+)*")
_ABSOLUTE_PATH = compile_late(r"(?:~|\.{0,2})?/[^\s:'\"`,)]+/([^\s/:'\"`,)]+)")
_ASSIGNMENT = compile_late(r"env$|[A-Za-z_]\w*=")
"""What stands before a program: variables, also with `env`."""
_CHANGED_FOLDER = compile_late(r"(?:^|&&|;|\n)\s*cd\s+([^\s;&|]+)")
_WRAPPER = compile_late(r"(?:(?:time(?:\s+-\S+)*|nohup|nice(?:\s+-(?:n\s*)?-?\d+)?)\s+)+(?=\S)")
"""Programs that run another one as it is: the command behind them does the work."""
_EDIT = compile_late(
    r"\b(?:sed|gsed|perl|ruby)\s+(?:-\S+\s+)*-\w*i|\b(?:patch|git\s+apply)\s|(?<![-=<>&\d])>{1,2}\s*(?!/dev/|/tmp/|&)[\w./~$]"
)
"""A shell command that changes a file: in place, by a patch, or by writing its output there."""
_SHOWING = compile_late(r"\s*(?:tail|head|cat|less|tee)\b[^;&]*$")
_JOINED_OUTPUT = (" 2>&1", " 2>/dev/null")
"""What a command line does with its output for whoever reads it, behind a pipe or not: without it the command does the same."""
_SEPARATE = compile_late(r"\n|;|\|\||<<|(?<![&>])&(?![&>\d])")
_SETUP = compile_late(r"^(?:cd\s+\S+|export\s+\S+|source\s+\S+|set\s+-\S+(?:\s+\w+)?|[A-Z_]+=\S+)$")


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that ran. `error` is the line of its output that tells why it failed; `exit_code` is None when nobody said."""

    session_id: str
    ordinal: int
    entry_ids: tuple[str, ...]
    ordinals: tuple[int, ...]
    said_at: datetime
    command: str
    is_failed: bool
    exit_code: int | None
    error: str
    folder: str = ""
    """Where it ran, if it changed there itself."""
    chain: tuple[str, ...] = ()
    """The commands of a line of several that ran one behind the other as long as each succeeded (`a && b`); else empty."""
    printed: str = ""
    """The end of what it printed, if it did not fail."""
    whole: str = ""
    """All that ran, as it was typed, but for its change of folder and for pipes that only show the output; empty where it is too
    long, has several lines, or has commands that run whether or not the one before succeeded."""

    @property
    def program(self) -> str:
        """The program with its subcommand: `pip install`, `make test`."""
        return name_program(self.command)

    @property
    def signature(self) -> str:
        """The signature of a failure: the program and its error without numbers and folders; empty without an error."""
        return f"{self.program} · {normalise_error(self.error)}" if self.error else ""


def list_command_runs(entries: Iterable[Entry]) -> list[CommandRun]:
    """Return the commands of a session in order, each joined with its result; calls without a result are left out."""
    runs: list[CommandRun] = []
    called: dict[str, tuple[Entry, str, str]] = {}
    for entry in entries:
        if entry.role == "assistant":
            for call in entry.tool_calls:
                command = next((str(call.arguments[key]) for key in COMMAND_KEYS if call.arguments.get(key)), "")
                if call.name.lower() in SHELL_TOOLS and command:
                    folder = next((str(call.arguments[key]) for key in FOLDER_KEYS if call.arguments.get(key)), "")
                    called[call.call_id] = (entry, command, folder)
        elif entry.role == "toolResult" and entry.tool_call_id in called:
            call_entry, command, folder = called.pop(entry.tool_call_id)
            runs.append(_build_run(command, entry.text, entry.is_error, None, (call_entry, entry), folder))
        elif entry.role == "bashExecution":
            message = entry.raw.get("message") or {}
            code = message.get("exitCode")
            output = str(message.get("output") or "")
            if command := str(message.get("command") or ""):
                runs.append(_build_run(command, output, entry.is_error, code if isinstance(code, int) else None, (entry,)))
    return runs


@lru_cache(maxsize=4096)
def name_program(command: str) -> str:
    """Return the program of a command line and its subcommand; variables before it, folders and options are left out."""
    words = list(dropwhile(_ASSIGNMENT.match, _split_words(strip_setup(command))))
    if not words:
        return ""
    program = words[0].rpartition("/")[2]
    sub = next((word for word in words[1:2] if re.fullmatch(r"[a-z][\w:-]*", word)), "")
    return f"{program} {sub}".strip()


def strip_setup(command: str) -> str:
    """Return the part of a command line that does the work: without `cd …`, variables and pipes."""
    parts = [part.strip() for part in re.split(r"&&|\|\||;|\n", command) if part.strip()]
    commands = [part for part in parts if not _SETUP.match(part)] or parts
    return _WRAPPER.sub("", re.split(r"\s\|\s|\s\d?>", commands[0])[0].strip(), 1)[:MAX_COMMAND_CHARS] if commands else ""


def edits_files(call: ToolCall) -> bool:
    """Whether a call of a shell changes a file itself: a command that works behind it was not cured by another command."""
    command = next((str(call.arguments[key]) for key in COMMAND_KEYS if call.arguments.get(key)), "")
    return call.name.lower() in SHELL_TOOLS and changes_files(command)


def changes_files(command: str) -> bool:
    """Whether a command line changes files itself: in place, by a patch, or by writing its output there."""
    return bool(_EDIT.search(command))


def is_setup(command: str) -> bool:
    """Whether a command only prepares the shell for the next one."""
    return bool(_SETUP.match(command))


def normalise_error(error: str) -> str:
    """Return an error line without the parts that differ between occurrences: numbers, hashes and folders."""
    return " ".join(_CHANGING_PART.sub("#", _ABSOLUTE_PATH.sub(r"\1", error)).lower().split())


def prints_error(run: CommandRun, error: str) -> bool:
    """Whether a command that ended well printed an error again: its exit code is that of what ran last, not of what failed."""
    same = normalise_error(error)
    return bool(same) and any(normalise_error(line) == same for line in run.printed.splitlines())


def share_words(first: str, second: str) -> float:
    """Return the share of the words of the shorter command that the other has as well."""
    first_words, second_words = split_command_words(first), split_command_words(second)
    return len(first_words & second_words) / min(len(first_words), len(second_words)) if first_words and second_words else 0.0


def _build_run(
    command: str, output: str, is_error: bool, code: int | None, entries: Sequence[Entry], folder: str = ""
) -> CommandRun:
    if code is None and (matches := _EXIT_LINE.findall(output[-200:])):
        code = int(matches[-1])
    is_failed = is_error or code not in (None, 0)
    words = strip_setup(command)
    is_quiet = name_program(words).partition(" ")[0] in QUIET_PROGRAMS
    return CommandRun(
        entries[0].session_id, entries[0].ordinal, tuple(entry.entry_id for entry in reversed(entries)),
        tuple(entry.ordinal for entry in reversed(entries)), entries[-1].said_at, words, is_failed and not is_quiet,
        code if code is not None else (1 if is_failed else 0), find_error_line(output) if is_failed and not is_quiet else "",
        next(reversed(_CHANGED_FOLDER.findall(command)), folder), _split_chain(command),
        "" if is_failed else output[-PRINTED_CHARS:], _quote_whole(command),
    )  # fmt: skip


def _quote_whole(command: str) -> str:
    """Return a line of commands as `CommandRun.whole` has it."""
    parts = [part.strip() for part in command.split("&&")]
    working = [part for part in parts if part and not _CHANGED_FOLDER.fullmatch(part)]
    if _SEPARATE.search(" && ".join(working)):
        return ""
    whole = " && ".join(map(_cut_showing_pipes, working))
    if wrapper := _WRAPPER.match(whole):
        whole = whole[wrapper.end() :]
    return "" if "`" in whole or len(whole) > MAX_COMMAND_CHARS else whole


def _cut_showing_pipes(command: str) -> str:
    """Return a command without the pipes and joins at its end that only show its output."""
    pieces = command.split("|")
    while True:
        pieces[-1] = pieces[-1].rstrip()
        if joined := next((sign for sign in _JOINED_OUTPUT if pieces[-1].endswith(sign)), ""):
            pieces[-1] = pieces[-1].removesuffix(joined)
        elif len(pieces) > 1 and _SHOWING.match(pieces[-1]) and not any(pieces[-1].count(sign) % 2 for sign in "\"'"):
            pieces.pop()
        else:
            return "|".join(pieces)


def _split_chain(command: str) -> tuple[str, ...]:
    """Return the commands of `a && b`; empty for one command, and where something else joins them."""
    if "&&" not in command or re.search(r";|\n|\|", command):
        return ()
    parts = [part.strip() for part in command.split("&&") if part.strip() and not _SETUP.match(part.strip())]
    return tuple(part[:MAX_COMMAND_CHARS] for part in parts) if len(parts) > 1 else ()


def find_error_line(output: str) -> str:
    """Return the first line of an output that names an error, else its last line with words."""
    lines = [" ".join(line.split()) for line in output.splitlines() if re.search(r"\w", line) and not _EXIT_LINE.search(line)]
    named = [line for line in lines if _ERROR.search(line)]
    return (named or lines[-1:] or [""])[0][:MAX_ERROR_LINE_CHARS]


@lru_cache(maxsize=4096)
def list_plain_words(command: str) -> frozenset[str]:
    """Return the words of a command line without the folders above the last: another place names the same file otherwise."""
    words = list(dropwhile(_ASSIGNMENT.match, _split_words(command)))
    return frozenset([words[0].rpartition("/")[2], *("/".join(word.rsplit("/", 2)[-2:]) for word in words[1:])] if words else ())


@lru_cache(maxsize=4096)
def split_command_words(command: str) -> frozenset[str]:
    """Return the words of a command line."""
    return frozenset(_split_words(command))


def _split_words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()
