"""Reads which repository a folder belonged to from what git printed there: its commits and its remotes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from transforms.conversation.entries import Entry, ToolCall
from transforms.exchanges.outside.command_parts import SHORT_HASH, CommandPart, is_hash, list_git_words, split_command_line
from transforms.tables.json_object import parse_raw_json

PRINTED_SIGN = r"(?m)^(?:[*|/\\_] ?){0,8}(?:commit )?[0-9a-f]{7,40}\b|^\[[^\]\n]+ [0-9a-f]{7,40}\] |^origin\t|^To \S"
"""Output that may tell a repository. Rust and Python read this pattern alike."""
_GRAPH = "*|/\\_ "
"""Signs that `git log --graph` draws before a commit."""
MESSAGE_INDENT = "    "
"""What stands before each line of a message, which may name any hash."""
_LISTING = ("log", "show", "reflog", "rev-list", "commit")
_REMOTES = ("remote", "push")
REMOTE_WORDS = 3
"""Words of a line that names a remote: `origin ADDRESS (fetch)`, `To ADDRESS`."""
_MOVING = ("cd", "pushd")
FOLDER_KEYS = ("workdir", "cwd", "working_directory")
"""Arguments of a call that name the folder in which it runs."""


@dataclass(frozen=True, slots=True)
class RepositorySigns:
    """What git printed in a folder: commits, by the beginning of their hash, and the addresses of its remote."""

    commits: frozenset[str] = frozenset()
    remotes: frozenset[str] = frozenset()

    def add(self, other: RepositorySigns) -> RepositorySigns:
        """Return the signs of both."""
        return RepositorySigns(self.commits | other.commits, self.remotes | other.remotes)


def read_printed_signs(output: str) -> RepositorySigns:
    """Return what an output would tell if git had printed all of it."""
    lines = output.splitlines()
    hashes = {name for line in lines if is_hash(name := _read_hash(line)) and not name.isdigit()}
    addresses = {
        words[1]
        for line in lines
        if len(words := line.split()) > 1 and line.startswith(("origin\t", "To ")) and len(words) <= REMOTE_WORDS
    }
    return RepositorySigns(frozenset(map(cut_hash, hashes)), frozenset(addresses))


def _read_hash(line: str) -> str:
    """Return the word of a line that is the hash of a commit which git lists or has made; empty in any other line."""
    if line.startswith("["):
        made = line[1:].partition("] ")[0].split() if "] " in line else []
        return made[-1] if len(made) > 1 else ""
    rest = line.lstrip(_GRAPH)
    if line[:1] == " " or MESSAGE_INDENT in line[: len(line) - len(rest)]:
        return ""  # of a message, or of a file in a diff
    words = rest.removeprefix("commit ").split(maxsplit=1)
    return words[0] if words else ""


def cut_hash(name: str) -> str:
    """Return the beginning of a hash that git prints at least, by which commits are compared."""
    return name[:SHORT_HASH]


def read_repository_signs(entries: Iterable[Entry], folder: str) -> RepositorySigns:
    """Return what git printed in a session about the repository of its folder.

    A command that ran elsewhere, or may have, tells nothing: behind `cd`, with `-C`, or where the client was elsewhere.
    """
    known = [*entries]
    results = {entry.tool_call_id: entry.text for entry in known if entry.role == "toolResult" and entry.tool_call_id}
    signs = RepositorySigns()
    for command, output in _list_calls(known, results, folder):
        parts = split_command_line(command)
        if any(_leaves(part, folder) or _shows_file(part) or _prints_message(part) for part in parts):
            continue
        verbs = {words[0] for part in parts if (words := list_git_words(part))}
        printed = read_printed_signs(output) if verbs else RepositorySigns()
        commits = frozenset[str]() if verbs.isdisjoint(_LISTING) else printed.commits
        signs = signs.add(RepositorySigns(commits, frozenset() if verbs.isdisjoint(_REMOTES) else printed.remotes))
    return signs


def _list_calls(entries: Iterable[Entry], results: dict[str, str], folder: str) -> Iterator[tuple[str, str]]:
    """Yield the commands that ran in the folder of a session, each with its output."""
    for entry in entries:
        if entry.role == "bashExecution":
            message = entry.raw.get("message")
            if isinstance(message, dict):
                yield str(message.get("command") or ""), str(message.get("output") or "")
        for call in entry.tool_calls:
            command = call.arguments.get("command") or call.arguments.get("cmd")
            if isinstance(command, str) and call.call_id in results and _runs_in(entry, call, folder):
                yield command, results[call.call_id]


def _runs_in(entry: Entry, call: ToolCall, folder: str) -> bool:
    """Whether neither the call nor its client, which may follow a `cd`, names another folder."""
    places = [call.arguments.get(key) for key in FOLDER_KEYS]
    places.append(parse_raw_json(entry.raw_json).get("cwd"))
    return all(_is_same(place, folder) for place in places if isinstance(place, str) and place)


def _leaves(part: CommandPart, folder: str) -> bool:
    is_moving = part.words[0] in _MOVING and not (len(part.words) > 1 and _is_same(part.words[1], folder))
    return is_moving or "-C" in part.words or any(word.startswith(("--git-dir", "--work-tree")) for word in part.words)


def _shows_file(part: CommandPart) -> bool:
    """Whether a command prints a file, which may name the commits of any repository: `git show HEAD:NOTES.md`."""
    words = list_git_words(part)
    return words[:1] == ("show",) and any(":" in word for word in words[1:])


def _prints_message(part: CommandPart) -> bool:
    """Whether a command prints commits in a form that does not begin with the hash, or prints messages, whose lines may
    name any commit: `git log --format=%B`."""
    forms = [word.partition("=")[2] for word in part.words if word.startswith(("--format=", "--pretty="))]
    return any(_is_open_form(form) for form in forms) if list_git_words(part) else False


def _is_open_form(form: str) -> bool:
    first, *fields = form.removeprefix("t").removeprefix("format:").split("%")
    is_named = not fields and first.isalpha() and first not in ("email", "mboxrd")
    return not is_named and (bool(first) or fields[:1] == [] or fields[0][:1] not in ("h", "H") or not _are_short(fields))


def _are_short(fields: list[str]) -> bool:
    """Whether no field of a form is of several lines, nor filled in by the shell."""
    return all(field[:1] in tuple("hHsdDptacC") and not any(sign in field for sign in "$`\n") for field in fields)


def _is_same(place: str, folder: str) -> bool:
    return place == "." or place.rstrip("/") == folder.rstrip("/")
