"""Finds what the commands of a conversation changed outside of the working tree, each with what it told of that before.

Numbers have titles where these were seen, and a push has the messages of the commits that it took along.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from transforms.conversation.entries import Entry
from transforms.exchanges.actions import parse_commit_message
from transforms.exchanges.outside.command_changes import read_command
from transforms.exchanges.outside.command_parts import is_hash, split_command_line
from transforms.exchanges.outside.outside_change import FORGES, OutsideChange

FORGE_WORDS = len(("gh", "pr", "merge"))
MOST_COMMITS = 3
"""Commits that a push names, the newest."""


def find_outside_changes(entries: Sequence[Entry]) -> list[OutsideChange]:
    """Return the changes of all commands in order, each with what the conversation told of it before: the title of a number, the
    number of a pull request that nothing else names."""
    changes = list[OutsideChange]()
    titles = dict[str, tuple[str, int]]()
    commits, last = list[_Commit](), None
    for command, ordinal, result in _list_calls(entries):
        for commit in _read_commit(command, ordinal, result):
            commits.append(commit)
            last = commit
        for change in read_command(command, ordinal, result):
            folder = _find_folder(command) if change.deed == "pushed" else ""
            known = changes if _names_no_request(command, change) else ()
            named = (
                _name_commits(change, commits, folder) if change.deed == "pushed" else _name_change(change, known, titles, last)
            )
            if named.deed == "pushed" and named.is_ok and named.thing == "branch":
                commits.clear()
            elif named.title:
                titles |= {f"{named.thing} {name}": (named.title, named.titled or named.ordinal) for name in named.names}
            changes.append(named)
    return changes


class _Commit(NamedTuple):
    """A commit that was not pushed yet: its message, its place, its hash if git printed it, and the folder changed to before."""

    message: str
    ordinal: int
    hash: str
    folder: str
    is_alone: bool


def _read_commit(command: str, ordinal: int, result: Entry) -> Iterator[_Commit]:
    message = parse_commit_message(command) if "commit" in command and not result.is_error else ""
    if message:
        heads = (line.split("]")[0].split() for line in result.text.splitlines() if line.startswith("[") and "]" in line)
        made = next((head[-1] for head in heads if head and is_hash(head[-1])), "")  # "[STARTED]" of a hook is none
        yield _Commit(message, ordinal, made, _find_folder(command), command.count("git commit") == 1)


def _find_folder(command: str) -> str:
    parts = (part.words for part in split_command_line(command))
    return next((words[1] for words in parts if words[0] == "cd" and len(words) > 1), "")


def _list_calls(entries: Sequence[Entry]) -> Iterator[tuple[str, int, Entry]]:
    """Yield each command that ran, with its place and the entry that has its output: of the agent, and of the person."""
    results = {entry.tool_call_id: entry for entry in entries if entry.role == "toolResult" and entry.tool_call_id}
    for entry in entries:
        if entry.role == "bashExecution":
            message = entry.raw.get("message") or {}
            result = replace(entry, text=str(message.get("output") or ""), is_error=bool(message.get("exitCode")))
            yield str(message.get("command") or ""), entry.ordinal, result
        for call in entry.tool_calls:
            command = str(call.arguments.get("command") or call.arguments.get("cmd") or "")
            if command and call.call_id in results:
                yield command, entry.ordinal, results[call.call_id]


def _name_change(
    change: OutsideChange,
    earlier: Sequence[OutsideChange],
    titles: dict[str, tuple[str, int]],
    last: _Commit | None,
) -> OutsideChange:
    if change.thing == "pull request" and not change.names:
        number = next((other.names for other in reversed(earlier) if other.thing == "pull request" and other.names), ())
        change = replace(change, names=number)
    if change.title:
        return replace(change, titled=change.titled or change.result)
    known = [titles[key] for name in change.names if (key := f"{change.thing} {name}") in titles]
    if not known and last is not None and change.deed == "opened" and change.thing == "pull request":
        known = [(last.message, last.ordinal)] if last.is_alone else []  # what a forge fills in itself
    return replace(change, title=known[0][0], titled=known[0][1]) if known else change


def _names_no_request(command: str, change: OutsideChange) -> bool:
    """Whether the command of a change has no word behind its verb: a branch, a variable or a number there, also as the value of
    an option, may be another request than the last one."""
    words = [part.plain_words for part in split_command_line(command) if part.words[0].rpartition("/")[2] in FORGES]
    return not any(len(plain) > FORGE_WORDS and change.deed.startswith(plain[FORGE_WORDS - 1]) for plain in words)


def _name_commits(change: OutsideChange, commits: Sequence[_Commit], folder: str) -> OutsideChange:
    """Return a push with the messages of the commits that it took along: those since the push before, if it printed the hash of
    the last one, or printed nothing of them and ran in the same folder."""
    end = change.place.rpartition("..")[2]
    if not commits or change.thing != "branch":
        return change
    last = commits[-1]
    is_end = bool(last.hash) and (end.startswith(last.hash) or last.hash.startswith(end))
    is_same = is_end if end else last.folder == folder
    if not is_same:
        return change
    shown = commits[-MOST_COMMITS:]
    return replace(change, title='", "'.join(commit.message for commit in shown), titled=last.ordinal)
