"""Finds the cure of a failing command: the next command that did the same work with success, or the commands in between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledWindow, Fact
from transforms.exchanges.exchange import DENIAL_CHARS
from transforms.friction.command_runs import (
    QUIET_PROGRAMS,
    CommandRun,
    edits_files,
    list_command_runs,
    list_plain_words,
    prints_error,
    share_words,
    split_command_words,
)
from transforms.language.sentences import QUESTION_MARKS, split_sentences
from transforms.language.statement import parse_statement
from transforms.language.tokenizer import stem
from transforms.tables.tokens import count_tokens

LOOK_AHEAD = 6
"""Commands after a failure among which its cure is looked for."""
MIN_SHARED_TOKENS = 0.6
"""Share of words from which another command does the same work."""
MAX_PER_WINDOW = 6
EDIT_TOOLS = frozenset({"edit", "write", "multiedit", "apply_patch", "create", "str_replace"})
READING_COMMANDS = frozenset(
    {"git status", "git diff", "git log", "git show", "git branch", "pwd", "date", "wc", "sed", "awk", "tree", "stat"}
)
"""Commands that only look: they cure nothing."""
CURE_CONFIDENCE = 0.8


@dataclass(frozen=True, slots=True)
class Cure:
    """A failure and the command that cured it."""

    failed: CommandRun
    cured_by: CommandRun
    is_other_command: bool

    @property
    def text(self) -> str:
        """The fact: the failing command, its error and its cure, with exit codes."""
        outcome = f"exit {self.failed.exit_code}: {self.failed.error}" if self.failed.error else f"exit {self.failed.exit_code}"
        verb = "works instead" if self.is_other_command else "cured it"
        if folder := self._name_folder():
            verb += f" {folder}"
        return f"`{self.failed.command}` failed ({outcome}); `{self.cured_by.command}` {verb} (exit 0)"

    @property
    def change(self) -> str:
        """What to do the next time, in whole commands as they ran, as a file for agents says it; empty when one of both has no
        line to quote. Its first words would be a rule about other commands ("`git lfs` instead of `git push`")."""
        failed, cured = self.failed.whole, self.cured_by.whole
        if not failed or not cured or self.failed.chain:  # of a chain nobody knows which command failed
            return ""
        if not self.is_other_command:
            return f"When `{failed}` fails with “{self.failed.error}”, run `{cured}`, which cured it before"
        folder = self._name_folder()
        if cured == failed:
            return f"Run `{failed}` {folder}: elsewhere it fails with “{self.failed.error}”" if folder else ""
        place = f" {folder}" if folder else ""
        added = cured.removesuffix(failed) if cured.endswith(f" {failed}") else ""
        if added.endswith("&& "):
            first = added.removesuffix("&& ").strip()
            return f"Run `{first}` before `{failed}`{place}, which fails here without it: {self.failed.error}"
        if added:
            return f"Run `{failed}` as `{cured}`{place}: without `{added.strip()}` it fails here with “{self.failed.error}”"
        return f"Use `{cured}`{place} instead of `{failed}`, which fails here: {self.failed.error}"

    def _name_folder(self) -> str:
        """Return where the cure ran, when the failure ran elsewhere; empty when both ran in one folder."""
        if self.cured_by.folder == self.failed.folder:
            return ""
        where = self.cured_by.folder
        return f"in `{_relate_folder(where, self.failed.folder)}`" if where else f"without `cd {self.failed.folder}`"


def find_cures(entries: Sequence[Entry]) -> list[Cure]:
    """Return the cured failures of a stretch of a session, in order, each failure once; none that runs what its owner forbids."""
    forbidden = _find_forbidden(entries)
    runs = list_command_runs(entries)
    edits = [
        entry.ordinal for entry in entries for call in entry.tool_calls if call.name.lower() in EDIT_TOOLS or edits_files(call)
    ]
    cures: list[Cure] = []
    seen: set[str] = set()
    for position, run in enumerate(runs):
        if not run.is_failed or not run.error or run.signature in seen:
            continue
        later = runs[position + 1 : position + 1 + LOOK_AHEAD]
        cure = _find_cure(run, later, edits)
        if cure is not None and forbidden.isdisjoint(_list_new_programs(cure)) and not _fails_again(cure, runs, edits):
            seen.add(run.signature)
            cures.append(cure)
    return cures[:MAX_PER_WINDOW]


def _fails_again(cure: Cure, runs: Sequence[CommandRun], edits: Sequence[int]) -> bool:
    """Whether the command fails with the same error behind its cure, and that does not cure it then: a check that found something
    else to repair."""
    for position, run in enumerate(runs):
        is_later = run.ordinal > cure.cured_by.ordinal and run.is_failed
        if is_later and run.command == cure.failed.command and run.signature == cure.failed.signature:
            again = _find_cure(run, runs[position + 1 : position + 1 + LOOK_AHEAD], edits)
            if again is None or again.cured_by.command != cure.cured_by.command:
                return True
    return False


def _find_forbidden(entries: Sequence[Entry]) -> frozenset[str]:
    """Return the stems of the words that short statements of the owner deny: "no sudo on my machine", "use uv, not pip"."""
    said = [sentence for entry in entries if entry.role == "user" for sentence in split_sentences(entry.owner_words)]
    signs = [parse_statement(text).signs for text in said if len(text) <= DENIAL_CHARS and not text.endswith(QUESTION_MARKS)]
    return frozenset(word for signed in signs for word, sign in signed.items() if sign == "-")


def _list_new_programs(cure: Cure) -> set[str]:
    """Return the stems of the programs that a cure runs and the failing command did not; of `sudo x` both."""
    used = set(cure.failed.command.lower().split())
    parts = [part.split() for part in re.split(r"&&|[|;]+", cure.cured_by.command.lower())]
    parts = [words[: 2 if words[:1] == ["sudo"] else 1] for words in parts]
    return {stem(word) for part in parts for word in part if word.isalpha() and word not in used}


def _find_cure(failed: CommandRun, later: Sequence[CommandRun], edits: Sequence[int]) -> Cure | None:
    """Return the cure of a failure; None when files were edited in between, also by a command, which is ordinary work, or nothing
    helped."""
    between: list[CommandRun] = []
    for run in later:
        if run.is_failed or prints_error(run, failed.error):
            continue
        is_edited = any(failed.ordinal < ordinal <= run.ordinal for ordinal in edits)
        if not is_edited and (failed.command,) == run.chain[-1:]:  # `up tunnel && deploy`: what stands before it was missing
            return Cure(failed, replace(run, command=" && ".join(run.chain)), True)
        is_retry = (
            split_command_words(failed.command) < split_command_words(run.command) or not between
        )  # in another folder it may be other work
        if run.program == failed.program and not is_edited and is_retry and _is_same_work(failed, run):
            return Cure(failed, run, True)  # the same with another option or variable, or elsewhere
        if run.command == failed.command and run.folder == failed.folder:
            return Cure(failed, between[-1], False) if between and not is_edited else None
        if _does_the_same(failed, run) and share_words(failed.command, run.command) >= MIN_SHARED_TOKENS:
            return Cure(failed, run, True)
        if run.program not in READING_COMMANDS and run.program.partition(" ")[0] not in QUIET_PROGRAMS:
            between.append(run)
    return None


def _is_same_work(failed: CommandRun, run: CommandRun) -> bool:
    """Whether the program ran on the same files from another folder or from another place, perhaps with more variables."""
    is_elsewhere = run.folder != failed.folder or split_command_words(failed.command) != split_command_words(run.command)
    return is_elsewhere and list_plain_words(failed.command) <= list_plain_words(run.command)


def _relate_folder(folder: str, base: str) -> str:
    return folder.removeprefix(f"{base.rstrip('/')}/") if base else folder


def _does_the_same(failed: CommandRun, run: CommandRun) -> bool:
    """Whether another program did what the failing subcommand names: `uv pip install` for `pip install`, not `go build` for
    `go test`."""
    subcommand = failed.program.partition(" ")[2]
    return run.program != failed.program and (not subcommand or subcommand in split_command_words(run.command))


def take_cures(cures: Sequence[Cure], room: int) -> list[Cure]:
    """Return the cures that fit into `room` tokens, the earlier ones first."""
    taken = list[Cure]()
    for cure in cures:
        if (cost := count_tokens(cure.text)) <= room:
            taken.append(cure)
            room -= cost
    return taken


def add_cures(distilled: DistilledWindow, cures: Sequence[Cure]) -> DistilledWindow:
    """Return the result of an engine with the cures of its window as facts of the segment in which they were found."""
    if not cures:
        return distilled
    segments = []
    for segment in distilled.segments:
        facts = tuple(
            Fact(
                text=cure.text, kind="cure", priority="high", category="operations",
                ordinals=(*cure.cured_by.ordinals, *cure.failed.ordinals), confidence=CURE_CONFIDENCE,
            )
            for cure in cures
            if segment.first_ordinal <= cure.cured_by.ordinal <= segment.last_ordinal
        )  # fmt: skip
        segments.append(segment.model_copy(update={"facts": (*segment.facts, *facts)}) if facts else segment)
    return distilled.model_copy(update={"segments": tuple(segments)})
