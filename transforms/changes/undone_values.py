"""Finds what the work behind the owner's words took out of files: a number that became another one, a package, a file.

A line of memory that gives such a value may be over, also when nobody named the former value: "make it twenty" says nothing of
the fifteen that the agent then replaced. Nothing here reads a language: what changed are files and commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from transforms.changes.numbers import WRITTEN_NUMBER, normalise_number
from transforms.conversation.entries import Entry, ToolCall
from transforms.language.statement import parse_statement
from transforms.language.tokenizer import find_telling_words
from transforms.pages.memory_md import MARKER
from transforms.patterns.late_pattern import compile_late

MIN_NAME, MIN_DIGITS = 4, 2
"""Letters of a package or file that a line names; digits of a number that says something alone."""
MIN_AROUND = 2
"""Words of a line in the exchange that changed its number, at least one of them beside the number."""
SCALE = 1000
"""Files give in a smaller unit what people give in a larger one: 3300 mV, 15_000 ms, 128_000 bit/s."""
MOST_LINES = 40
"""Lines of a replaced text: in a longer one, something always resembles a line."""

CHANGING_CALLS = ("oldText", "old_string", "*** Update", "sed ")
"""Parts of the calls that change something in a file, in the sessions of all clients."""
_UNIT = compile_late(r"[^\W\d_]+|%")
_SWAP_COMMAND = compile_late(r"(?<=[\"'; ])s([/|#])((?:\\.|(?!\1)[^\\\n])+)\1((?:\\.|(?!\1)[^\\\n])*)\1(?P<rest>[^&|;\n]*)")
_UNINSTALL = compile_late(
    r"\b(?:uv|pnpm|npm|yarn|bun|cargo|pip3?|pipx|poetry|pdm|brew|apt(?:-get)?|gem|composer|dotnet|conda)\b[^&|;\n]*?"
    r"\s(?:remove|uninstall|rm|purge)\s(?P<names>[^&|;\n]+)"
)
_DELETE = compile_late(r"(?:^|&&|;|\n)\s*(?:sudo )?(?:git )?rm\s(?P<names>[^&|;\n]+)")
_LINE_DELETION = compile_late(r"\bsed [^|;&\n]*?[\"'](?:\d+,)?/((?:\\.|[^/\\\n])+)/d[\"']")
_CODE_NAME = compile_late(r"(?<!\w)[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?!\w)")
_CLAUSE_END = compile_late(r"[,:;]\s")
_ESCAPE = compile_late(r"\\(.)")


class Change(NamedTuple):
    """A number that became another one, or the name of a package, a file or of code that went (`added` is empty); its place,
    the telling words beside it, and the letters that stand at a number."""

    removed: str
    added: str
    place: str
    words: frozenset[str] = frozenset()
    is_file: bool = False
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """What the owner typed, the telling words of the exchange, what its calls changed, and the names of code that they wrote.

    `said` are its words with those of the agent before it.
    """

    entry: Entry
    typed: str
    words: frozenset[str]
    changes: tuple[Change, ...]
    written: frozenset[str]
    said: str = ""


class UndoneValue(NamedTuple):
    """A value of a line that work took out; `text` is the line with the new number, empty when something only went."""

    work: Work
    change: Change
    text: str


def list_works(entries: Sequence[Entry]) -> list[Work]:
    """Return the exchanges of a session that changed values, in order; `entries` are all of it."""
    works: list[Work] = []
    user: Entry | None = None
    before, replies = "", list[Entry]()
    for entry in [*entries, None]:
        if entry is None or (entry.role == "user" and not entry.is_client_text):
            calls = _list_calls(replies) if user is not None and user.owner_words else []
            written = frozenset(name for call in calls for name in _CODE_NAME.findall(_read_written(call)))
            if user is not None and (changes := (*_list_changes(calls), *_list_dropped_names(calls, written))):
                said = " ".join([before, user.owner_words, *(reply.text for reply in replies if reply.role == "assistant")])
                works.append(Work(user, user.owner_words, find_telling_words(said), changes, written, said))
            before = next((reply.text for reply in reversed(replies) if reply.role == "assistant" and reply.text.strip()), before)
            user, replies = entry, []
        else:
            replies.append(entry)
    return works


def find_undone_value(text: str, works: Sequence[Work]) -> UndoneValue | None:
    """Return the last change of a value of a line; None when its values stand, also because a later change brought one back.

    `works` are in the order of time. A number must be the only one of its kind in the line, and the exchange must speak of what
    the line speaks of."""
    numbers = [normalise_number(match[0]) for match in WRITTEN_NUMBER.finditer(text)]
    once = {number for number in numbers if numbers.count(number) == 1}
    words = find_telling_words(text)
    last: UndoneValue | None = None
    for work in works:
        changes = [same for change in work.changes if change.added for same in (change, *scale_down(change))]
        added = {normalise_number(change.added) for change in changes}
        if last and (normalise_number(last.change.removed) in added or last.change.removed in work.written):
            last = None
        changed = [change for change in changes if normalise_number(change.removed) in once and not added & set(numbers)]
        about = [change for change in changed if _is_about(words, change, work)]
        changed = [change for change in changed if change in about or (about and _has_unit(text, change))]
        gone = [change for change in work.changes if not change.added and _names(text, change)]
        gone = [change for change in gone if words & work.words - find_telling_words(change.removed)]
        if changed or gone:
            last = UndoneValue(work, (changed or gone)[0], _swap_numbers(text, changed) if changed else "")
    return last


def list_values(texts: Sequence[str]) -> list[str]:
    """Return the telling numbers of lines and the names of code, in the spellings that files contain: 3.3 also as 33."""
    numbers = {normalise_number(number) for text in texts for number in WRITTEN_NUMBER.findall(text)}
    telling = {number for number in numbers if sum(map(str.isdigit, number)) >= MIN_DIGITS or "." in number}
    names = {name for text in texts for name in _CODE_NAME.findall(text)}
    return sorted(telling | {number.replace(".", "") for number in telling} | names)


def scale_down(change: Change) -> Iterator[Change]:
    """Yield the change in the unit that is a thousand times larger, where both numbers have one there."""
    whole = [number.replace("_", "") for number in (change.removed, change.added)]
    if all(number.isdigit() and int(number) >= SCALE for number in whole):
        removed, added = (f"{int(number) / SCALE:g}" for number in whole)
        yield change._replace(removed=removed, added=added, unit="")


def _is_about(words: frozenset[str], change: Change, work: Work) -> bool:
    named = {word for word in words if not any(map(str.isdigit, word))}
    return bool(named & change.words) and len(named & (work.words | change.words)) >= MIN_AROUND


def _has_unit(text: str, change: Change) -> bool:
    """Whether a text has the number with its unit: the second number of one line that the same work changed."""
    return bool(change.unit) and f"{change.removed}{change.unit}" in text


def _swap_numbers(text: str, changes: Sequence[Change]) -> str:
    added = {normalise_number(change.removed): change.added for change in changes}
    return WRITTEN_NUMBER.sub(lambda match: added.get(normalise_number(match[0]), match[0]), text)


def _names(text: str, change: Change) -> bool:
    """Whether a text names what went, and not as gone ("leptess is removed"); a file only as a name, with a capital letter: many
    have the name of a common word."""
    name = compile_name(change.removed)
    named = [(match[0], clause) for clause in _CLAUSE_END.split(text) if (match := name.search(clause))]
    is_denied = any("-" in signs for _, clause in named for signs in parse_statement(clause).signs.values())
    return bool(named) and not is_denied and (not change.is_file or named[0][0][0].isupper())


@lru_cache(maxsize=1024)
def compile_name(name: str) -> re.Pattern[str]:
    """Return the pattern of a whole name, which is no part of a path or of a longer name."""
    return re.compile(rf"(?<![\w./@-]){re.escape(name)}(?![\w/-]|\.\w)", re.I)


def _list_calls(replies: Sequence[Entry]) -> list[ToolCall]:
    """Return the calls that did not fail."""
    failed = {entry.tool_call_id for entry in replies if entry.role == "toolResult" and entry.is_error}
    return [call for entry in replies for call in entry.tool_calls if call.call_id not in failed]


def _list_changes(calls: Sequence[ToolCall]) -> Iterator[Change]:
    for call in calls:
        for old, new, path in list_edits(call):
            yield from _compare(old, new, path)
        if command := _get_command(call):
            yield from _read_command(command)


def _list_dropped_names(calls: Sequence[ToolCall], written: frozenset[str]) -> Iterator[Change]:
    """Yield the names of code that stood in replaced or deleted lines and that no call wrote again."""
    for call in calls:
        deleted = [(" ".join(_LINE_DELETION.findall(_get_command(call))), "", "")]
        for old, *_ in (*list_edits(call), *deleted):
            gone = [name for name in dict.fromkeys(_CODE_NAME.findall(old)) if name not in written]
            yield from (Change(name, "", name) for name in gone)


def list_edits(call: ToolCall) -> list[tuple[str, str, str]]:
    """Return the replaced text, the new text and the path of each edit of a call; texts are empty where it edits nothing."""
    path = str(call.arguments.get("path") or call.arguments.get("file_path") or "")
    edits = call.arguments.get("edits")
    parts = [edit for edit in (edits if isinstance(edits, list) else [call.arguments]) if isinstance(edit, dict)]
    return [(str(edit.get("oldText") or ""), str(edit.get("newText") or ""), path) for edit in parts]


def _read_written(call: ToolCall) -> str:
    """Return the texts that a call wrote: new ones, and a command without the lines that it deletes."""
    texts = [new for _, new, _ in list_edits(call)]
    return "\n".join([*texts, str(call.arguments.get("content") or ""), _LINE_DELETION.sub("", _get_command(call))])


def _get_command(call: ToolCall) -> str:
    command = call.arguments.get("command") or call.arguments.get("cmd") or ""
    return command if isinstance(command, str) else ""


def _read_command(command: str) -> Iterator[Change]:
    for match in _SWAP_COMMAND.finditer(command):
        old, new = (_ESCAPE.sub(r"\1", match[part]) for part in (2, 3))
        yield from _compare(old, new, next((word for word in reversed(match["rest"].split()) if "." in word), ""))
    for match in _UNINSTALL.finditer(command):
        names = [word.strip("\"'") for word in match["names"].split() if word[0] != "-"]
        yield from (Change(name, "", name) for name in names if len(name) >= MIN_NAME)
    for match in _DELETE.finditer(command):
        for path in (word.strip("\"'").rstrip("/") for word in match["names"].split()):
            name = path.rpartition("/")[2].partition(".")[0]
            if len(name) >= MIN_NAME and path[0] not in "-$>" and "/tmp/" not in path:
                yield Change(name, "", path, is_file=True)


def _compare(old: str, new: str, path: str) -> Iterator[Change]:
    """Yield the numbers that became others in lines that are the same but for numbers."""
    before, after = ([MARKER.sub("", line) for line in part.splitlines()] for part in (old, new))
    if max(len(before), len(after)) > MOST_LINES:
        return
    written = {WRITTEN_NUMBER.sub("#", line): line for line in after if line not in before}
    for line in before:
        changed = written.get(WRITTEN_NUMBER.sub("#", line))
        if changed is None or line in after:
            continue
        for match, added in zip(WRITTEN_NUMBER.finditer(line), WRITTEN_NUMBER.findall(changed), strict=True):
            removed, unit = match[0], _UNIT.match(line, match.end())
            if sum(map(str.isdigit, removed)) >= MIN_DIGITS and normalise_number(removed) != normalise_number(added):
                words = find_telling_words(" ".join([path, *before]))
                yield Change(removed, added, path, words, unit=unit[0] if unit else "")
