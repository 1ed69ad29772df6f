"""Finds the commands by which the work of a window was checked, built or run: those that ran behind edits and went through.

A command that only looks, moves files or keeps versions is none: it runs in every project alike. What ran in several exchanges
after the files had changed is how this project is worked on, whatever its program is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledWindow, Fact
from transforms.exchanges.actions import has_failed, moves_files
from transforms.exchanges.exchange import READ_ONLY_COMMAND
from transforms.exchanges.outside.command_parts import LEADING, CommandPart, split_command_line
from transforms.exchanges.outside.held_texts import split_held_texts
from transforms.exchanges.outside.outside_change import FORGES
from transforms.friction.command_runs import (
    COMMAND_KEYS,
    QUIET_PROGRAMS,
    SHELL_TOOLS,
    changes_files,
    edits_files,
    is_setup,
)
from transforms.friction.cures import EDIT_TOOLS, READING_COMMANDS
from transforms.friction.named_commands import is_command_named
from transforms.friction.script_lines import find_script_line
from transforms.habits.command_row import CHANGING_FOLDER, COMMAND_KIND, RanCommand, write_command_row
from transforms.language import cue_phrases

MOST_WORDS, MOST_CHARS = 12, 120
"""Words and characters of a command that somebody types again."""
MOST_COMMANDS = 3
"""Commands of a window, those of the most exchanges."""
MOST_CITED = 12
"""Results that a row cites, the newest first: as many exchanges it stands for."""
COMMAND_CONFIDENCE = 0.8
MOST_SINGLE = 1
"""Commands of a window that ran in one exchange, the newest: other windows may have run them, too."""
_LEFT_OUT = QUIET_PROGRAMS.union(FORGES, ("git",))
"""Programs that no project is told by: they look, versions are kept alike everywhere, and what forges change has rows of its
own."""
_SEPARATORS = str.maketrans(";&|", "\n\n\n")
MOST_LINE_CHARS = 4_000
"""Characters of a command line that are read, without the texts that it holds."""
_NO_FAILURE = "FAIL 0 "
"""A count of no failures, as a table of results has it."""
_SIGNS = frozenset("`$\n{}<>|;&")
_HIDDEN = ("[redacted", "***")
"""What stands for a secret that was taken out."""
_GRAMMAR = ("for", "done", "case", "esac", "fi", "select", "function", "}")
"""Words of the shell that begin or end a script of its own, beside those before a command."""
_MOVING = (CHANGING_FOLDER, "pushd")
_SUCCEEDING = (("true",), (":",), ("exit", "0"))
"""Commands that always succeed: what one of them ends may have failed."""
_OWN_PLACES = ("/home/", "/Users/", "/root/", "/tmp/", "/var/folders/", "~", "C:\\")
"""What begins a path of one machine, or of one day."""


@dataclass(slots=True)
class _Runs:
    """What is known of one command: the ordinal of its last result of each stage that went through, and that of its last failure.
    A stage ends with words of the owner or with an edit: a run behind it is a check of something else."""

    results: dict[int, int] = field(default_factory=dict)
    is_behind_edits: bool = False
    failed_result: int = -1

    @property
    def rank(self) -> tuple[bool, int]:
        """Of commands that ran once, what failed before tells something, then the newest does."""
        return self.failed_result < 0, -max(self.results.values())


@dataclass(frozen=True, slots=True)
class FoundCommand:
    """A command of a window, with the ordinals of the results that show that it went through, the newest first."""

    ran: RanCommand
    ordinals: tuple[int, ...]


def find_ran_commands(entries: Sequence[Entry]) -> list[FoundCommand]:
    """Return the commands by which the work of a window was checked, built or run, those of the most stages first."""
    known: dict[str, _Runs] = {}
    said: list[tuple[int, str]] = []
    results = {entry.tool_call_id: entry for entry in entries if entry.role == "toolResult" and entry.tool_call_id}
    stage, has_edits = 0, False
    for entry in entries:
        if entry.role == "user" and not entry.is_client_text:
            stage += 1
            said.append((entry.ordinal, entry.owner_words))
        for command, result, is_editing in _list_calls(entry, results):
            has_edits |= is_editing
            stage += is_editing
            if result is None:
                continue
            for text, part in _list_typed_commands(command):
                _note_run(known.setdefault(text, _Runs()), part, result, stage, has_edits=has_edits)
    passed = {text: runs for text, runs in known.items() if len(runs.results) > 1 or _tells_once(text, runs)}
    order = sorted(passed, key=lambda text: (-len(passed[text].results), *passed[text].rank))
    named = {text for text in order if is_command_named(text, said, max(passed[text].results.values()))}
    repeated = sum(len(passed[text].results) > 1 or text in named for text in order)
    kept = order[: min(MOST_COMMANDS, repeated + MOST_SINGLE)]
    return [
        FoundCommand(
            RanCommand(text, text in named, _find_failed_form(text, known), find_script_line(text, entries)),
            tuple(sorted(passed[text].results.values(), reverse=True)[:MOST_CITED]),
        )
        for text in kept
    ]


def _tells_once(text: str, runs: _Runs) -> bool:
    """Whether one run behind edits may be a part of a habit; the value of an option ("--partition=long") is that of this run."""
    return bool(runs.results) and runs.is_behind_edits and not any(word[0] == "-" and "=" in word for word in text.split())


def _list_calls(entry: Entry, results: Mapping[str, Entry]) -> Iterator[tuple[str, Entry | None, bool]]:
    """Yield the commands of an entry, of the agent and of the person, each with what it printed and whether it edited files."""
    if entry.role == "bashExecution":
        message = entry.raw.get("message") or {}
        command, output = str(message.get("command") or ""), str(message.get("output") or "")
        yield command, replace(entry, text=output, is_error=bool(message.get("exitCode"))), False
    for call in entry.tool_calls if entry.role == "assistant" else ():
        name = call.name.lower()
        command = next((str(call.arguments[key]) for key in COMMAND_KEYS if call.arguments.get(key)), "")
        is_shell = name in SHELL_TOOLS and bool(command)
        yield command if is_shell else "", results.get(call.call_id), name in EDIT_TOOLS or (is_shell and edits_files(call))


def add_ran_commands(distilled: DistilledWindow, commands: Sequence[FoundCommand]) -> DistilledWindow:
    """Return the result of an engine with the commands of its window as facts of the segments in which they ran last."""
    if not commands:
        return distilled
    segments = []
    for segment in distilled.segments:
        facts = tuple(
            Fact(
                text=write_command_row(command.ran), kind=COMMAND_KIND, priority="low", category="operations",
                ordinals=command.ordinals, confidence=COMMAND_CONFIDENCE,
            )
            for command in commands
            if segment.first_ordinal <= command.ordinals[0] <= segment.last_ordinal
        )  # fmt: skip
        segments.append(segment.model_copy(update={"facts": (*segment.facts, *facts)}) if facts else segment)
    return distilled.model_copy(update={"segments": tuple(segments)})


def _note_run(runs: _Runs, part: CommandPart, result: Entry, stage: int, *, has_edits: bool) -> None:
    is_bad = not part.is_needed and has_failed(result.text.replace(_NO_FAILURE, " "), is_ok=True, rest=";")
    if not (result.is_error or is_bad):
        runs.results[stage] = result.ordinal
        runs.is_behind_edits |= has_edits
    elif part.is_last:
        runs.failed_result = result.ordinal


def _list_typed_commands(command: str) -> Iterator[tuple[str, CommandPart]]:
    """Yield the commands of a line that may be a habit, as they were typed."""
    bare = split_held_texts(command)[0][:MOST_LINE_CHARS] if command else ""
    firsts = (piece.split(maxsplit=1)[0] for piece in bare.translate(_SEPARATORS).splitlines() if piece.strip())
    if all(first in _LEFT_OUT for first in firsts):
        return  # nothing is left of most lines, and splitting them as the shell does takes time
    flat, parts = _flatten(bare), split_command_line(bare)
    if any(part.typed[0] in LEADING or part.typed[0] in _GRAMMAR for part in parts):
        return  # a loop or a condition is a script of its own
    folder = ""
    hidden = max((place for place, part in enumerate(parts) if part.words in _SUCCEEDING), default=0)
    for place, part in enumerate(parts):
        if part.words[0] in _MOVING:
            folder = f"{folder}/{part.words[-1]}".lstrip("/") if not part.words[-1].startswith("/") else ""
            continue
        is_proven = part.words not in _SUCCEEDING and (part.is_needed or place > hidden or not hidden)
        may_stand = is_proven and not part.is_fed and _may_check(part) and not _leaves_project(folder)
        text = _join_words(part.typed, flat) if may_stand else ""
        if text and not cue_phrases.INJECTION.search(text):
            yield f"{CHANGING_FOLDER} {folder} && {text}" if folder else text, part


def _leaves_project(folder: str) -> bool:
    """Whether a folder, named from where a session works, is none below it, or nobody knows: it may be of another project."""
    is_elsewhere = ".." in folder.split("/") or folder[:1] in ("~", "-") or folder[1:2] == ":"
    return is_elsewhere or " " in folder or not _SIGNS.isdisjoint(folder)


def _may_check(part: CommandPart) -> bool:
    """Whether a command may check, build or run something: it neither looks, nor prepares the shell, nor edits files."""
    program, *rest = (part.words[0].rpartition("/")[2], *part.words[1:])
    whole = " ".join(part.words)
    if any(" " in word and (moves_files(word) or changes_files(word)) for word in rest):
        return False  # `sh -c 'rm -rf dist'`
    if program in _LEFT_OUT or f"{program} {rest[0]}".strip() in READING_COMMANDS if rest else program in _LEFT_OUT:
        return False
    is_name = part.words[0][:1] == "." or part.words[0][:1].isalnum()
    is_name &= program.replace("-", "").replace("_", "").replace(".", "").replace("+", "").isalnum()
    names_nothing = program == part.words[0] and bool(rest) and all(map(_names_nothing, rest))
    is_aside = "-" in rest or names_nothing or (bool(rest) and rest[-1] in ("--version", "--help"))
    return is_name and not (
        is_aside or READ_ONLY_COMMAND.match(whole) or changes_files(whole) or is_setup(whole) or moves_files(whole)
    )


def _names_nothing(word: str) -> bool:
    """Whether an argument is of no project: a number or duration (`sleep 20`), or a text with line breaks that is written."""
    return word.rstrip("smhd").replace(".", "").isdigit() or ("\\n" in word and " " in word)


def _join_words(words: Sequence[str], line: str) -> str:
    """Return the words as the line has them, quoted as there; empty where it is too long, names a place of one machine or outside
    of where it ran, holds what the shell fills in or what no page shows, or cannot be found again."""
    if len(words) > MOST_WORDS or any(word.partition("=")[2].startswith("/") for word in words):
        return ""
    if any(place in word for word in words for place in _OWN_PLACES) or any(_is_outside(word) for word in words):
        return ""
    plain = [_flatten(word) for word in words]
    start = line.find(plain[0])
    text = ""
    while start >= 0 and not (text := _read_on(line, start, plain)):
        start = line.find(plain[0], start + 1)
    is_shown = text.isprintable() and _SIGNS.isdisjoint(text) and not any(sign in text for sign in _HIDDEN)
    return text if len(text) <= MOST_CHARS and is_shown else ""


def _is_outside(word: str) -> bool:
    """Whether a word is a path from the root, of a drive, or out of the folder in which a command ran."""
    place = word.rpartition("=")[2]
    return word.startswith("/") or place[1:3] in (":/", ":\\") or ".." in place.split("/")


def _read_on(line: str, start: int, words: Sequence[str]) -> str:
    """Return the part of a line that begins at `start` and has these words one behind the other; empty where it has not."""
    end = start
    for word in words:
        forms = (f"'{word}'", f'"{word}"') if " " in word else (word, f"'{word}'", f'"{word}"')
        form = next((form for form in forms if line.startswith(form, end)), "")
        behind = end + len(form)
        if not form or line[behind : behind + 1] not in ("", " ", ";", "|", "&", ")"):
            return ""
        end = behind + 1
    return line[start : end - 1]


def _find_failed_form(text: str, known: dict[str, _Runs]) -> str:
    """Return the form of a command that failed before its first success, and went through never: with words missing, or one of
    them shorter. One with more words, or with another place, is a check of something else, whose failure was none of its form."""
    words, first = text.split(), min(known[text].results.values())
    failed = [
        (runs.failed_result, other)
        for other, runs in known.items()
        if not runs.results and 0 <= runs.failed_result < first and _is_shorter_form(other.split(), words)
    ]
    return max(failed, default=(0, ""))[1]


def _is_shorter_form(shorter: Sequence[str], words: Sequence[str]) -> bool:
    if shorter[0] != words[0]:
        return False
    if len(shorter) == len(words):
        return all(word.startswith(begin) for begin, word in zip(shorter, words, strict=True))
    return {*shorter} < {*words}


def _flatten(text: str) -> str:
    return " ".join(text.replace("`", " ").replace("\\\n", " ").split())
