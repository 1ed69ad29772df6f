"""Checks in code on what any engine answered: allow, hold (kept, but goes no further) or discard, with the reason; or failed.

They hold for every engine, because a prompt's rules that nobody checks are wishes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cached_property
from typing import Any

from transforms.distilled import Distilled, Fact
from transforms.entries import Entry
from transforms.offline import cues, specifics
from transforms.offline.prose import words
from transforms.offline.speech import speech_of
from transforms.turns import typed_text

_OWN_OUTPUT = re.compile(
    r"<!--\s*/?recollect:|</?recollect[\w-]*|<system-reminder|</?(?:observations|current-task|suggested-response)>", re.I
)
_BOOT_FILE = re.compile(r"(?:^|[/\s])(?:AGENTS|CLAUDE|GEMINI|SOUL|USER|MEMORY|REVIEW|SYSTEM)\.md\b", re.I)
_CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_OWN_COUNT = re.compile(r"\band \d+ more\b")
_ASSERTIONS = ("decision", "rule", "preference", "convention")
RUN_WORDS, BOOT_RUN_WORDS, ERROR_RUN_WORDS = 14, 8, 30
"""So many words in a row, found nowhere but in tool output (or in a boot file), are regurgitated, not observed.

Facts about errors may quote more, because the exact text of an error must survive."""
MIN_CHARS = 12
CONTENT_LINES = 3
"""An argument of so many line breaks is a file's content: code that an agent wrote and a tool printed is no observation."""


@dataclass(frozen=True)
class Window:
    """The evidence that facts are checked against; `zone` is where clock times in facts are read."""

    entries: tuple[Entry, ...]
    zone: tzinfo = UTC

    @cached_property
    def by_ordinal(self) -> dict[int, Entry]:
        """Members by position."""
        return {entry.ordinal: entry for entry in self.entries}

    @cached_property
    def haystack(self) -> str:
        """Everything that was said, called or printed, lower case."""
        parts = (part for entry in self.entries for part in (entry.text, *_arguments(entry)))
        return "\n".join(parts).lower()

    @cached_property
    def all_words(self) -> str:
        """The same as words with single spaces."""
        return _spaced(self.haystack)

    @cached_property
    def spoken(self) -> str:
        """What people typed, agents said and tools were called with; contents of files are written, not said."""
        said = (entry for entry in self.entries if not _is_output(entry))
        parts = (part for entry in said for part in (_said(entry), *_arguments(entry, "command")))
        return _spaced("\n".join(parts))

    @cached_property
    def output(self) -> str:
        """What tools printed."""
        return _spaced("\n".join(entry.text for entry in self.entries if _is_output(entry)))

    @cached_property
    def boot(self) -> str:
        """What boot files said that were read here."""
        calls = {call.call_id for entry in self.entries for call in entry.tool_calls if _reads_boot_file(call.arguments)}
        return _spaced("\n".join(entry.text for entry in self.entries if entry.tool_call_id in calls and _is_output(entry)))


def check_fact(fact: Fact, window: Window) -> tuple[str, str]:
    """`("allow", "")`, or `hold` or `discard` with the rule that the fact broke."""
    cited = [window.by_ordinal[at] for at in fact.ordinals if at in window.by_ordinal]
    if not fact.ordinals or len(cited) < len(fact.ordinals):
        return "discard", "cites nothing" if not fact.ordinals else "cites an entry outside of its window"
    if len(fact.text.strip()) < MIN_CHARS or len(words(fact.text)) < 2:
        return "discard", "says nothing"
    if is_repetitive(fact.text):
        return "discard", "repeats itself"
    if cues.INJECTION.search(fact.text):
        return "discard", "reads like an instruction to the memory"
    if _OWN_OUTPUT.search(fact.text) or all(entry.turn_kind in ("memory", "machine") for entry in cited):
        return "discard", "is the memory's own or a machine's text"
    if _runs_through(fact.text, window.boot, window.spoken, BOOT_RUN_WORDS):
        return "discard", "repeats a boot file"
    length = ERROR_RUN_WORDS if fact.kind in ("error", "root_cause", "fix") else RUN_WORDS
    if _runs_through(fact.text, window.output, window.spoken, length):
        return "discard", "repeats tool output"
    if fact.kind in _ASSERTIONS and _only_asked(cited):
        return "hold", "a question is not a decision"
    if strange := _strange_time(fact, cited, window):
        return "hold", f"time not in the cited entries: {strange}"
    if missing := missing_specific(fact.text, window):
        return "hold", f"not in the window: {missing}"
    return "allow", ""


def failure_of(distilled: Distilled, entries: list[Entry]) -> str:
    """Why a window's result must not be committed; empty when it may."""
    if not distilled.segments:
        return "empty output"
    if any(not segment.narrative.strip() for segment in distilled.segments):
        return "a segment without narrative"
    texts = [segment.narrative for segment in distilled.segments] + [
        fact.text for segment in distilled.segments for fact in segment.facts
    ]
    if is_degenerate(texts):
        return "degenerate output"
    at = -1
    for segment in distilled.segments:
        if segment.first_ordinal <= at or segment.last_ordinal < segment.first_ordinal:
            return "segments out of order"
        at = segment.last_ordinal
    outside = [
        entry.ordinal
        for entry in entries
        if not any(one.first_ordinal <= entry.ordinal <= one.last_ordinal for one in distilled.segments)
    ]
    return f"segments leave out entry {outside[0]}" if outside else ""


def is_degenerate(texts: Iterable[str]) -> bool:
    """Whether a model looped: of 20 and more lines most are the same, or one text is mostly repetition."""
    lines = [" ".join(words(text)) for text in texts]
    return (len(lines) >= 20 and len(set(lines)) < len(lines) / 2) or any(
        len(line) > 2000 and is_repetitive(line) for line in lines
    )


def is_repetitive(text: str) -> bool:
    """Whether more than 40 % of a text's word triples repeat (short texts do not count)."""
    found = words(text)
    triples = [tuple(found[at : at + 3]) for at in range(len(found) - 2)]
    return len(triples) >= 12 and len(set(triples)) < 0.6 * len(triples)


def missing_specific(text: str, window: Window) -> str:
    """The first path, name, value or quotation of a text that does not occur in the window; empty when all do."""
    for quote in specifics.quoted(text):
        for clause in re.split(r"[.…;:,!?\n]+", quote):
            if (spaced := _spaced(clause)).strip() and spaced not in window.all_words:
                return f'"{clause.strip()}"'
    bare = _CLOCK.sub("", _OWN_COUNT.sub("", text))  # times have a check of their own
    for name in [*specifics.names(bare), *specifics.paths(bare)]:
        if name.lower().rstrip("()") not in window.haystack and _spaced(name) not in window.all_words:
            return name
    for value in specifics.values(bare):
        if len(value.strip("-")) > 1 and value.lower().rstrip(".") not in window.haystack:
            return value
    return ""


def _strange_time(fact: Fact, cited: list[Entry], window: Window) -> str:
    known = {entry.said_at.astimezone(window.zone).strftime("%H:%M") for entry in cited} | {
        entry.said_at.strftime("%H:%M") for entry in cited
    }
    for found in _CLOCK.finditer(fact.text):
        if f"{int(found[1]):02d}:{found[2]}" not in known and found[0] not in window.haystack:
            return found[0]
    return ""


def _only_asked(cited: list[Entry]) -> bool:
    """Whether the best evidence is a person who only asked, and nobody else is cited."""
    if not cited[0].is_typed:
        return False
    speeches = [speech_of(typed_text(entry.text), "") for entry in cited if entry.is_typed]
    return all(one.asks or one.act == "chatter" for speech in speeches for one in speech.sentences)


def _runs_through(text: str, source: str, spoken: str, length: int) -> bool:
    """Whether so many words in a row stand in the source and were never spoken."""
    found = words(text)
    for at in range(len(found) - length + 1):
        run = f" {' '.join(found[at : at + length])} "
        if run in source and run not in spoken:
            return True
    return False


def _is_output(entry: Entry) -> bool:
    return entry.role in ("toolResult", "bashExecution")


def _said(entry: Entry) -> str:
    return typed_text(entry.text) if entry.is_typed else entry.text if entry.role == "assistant" else ""


def _arguments(entry: Entry, whole: str = "") -> list[str]:
    """What tools were called with; given the `whole` argument, of others only what is shorter than CONTENT_LINES."""
    found = ((name, text) for call in entry.tool_calls for name, value in call.arguments.items() for text in _strings(value))
    return [text for name, text in found if not whole or name == whole or text.count("\n") < CONTENT_LINES]


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for part in value.values() for text in _strings(part)]
    return [text for part in value for text in _strings(part)] if isinstance(value, list) else []


def _reads_boot_file(arguments: dict[str, Any]) -> bool:
    return any(_BOOT_FILE.search(str(arguments.get(key) or "")) for key in ("path", "file_path", "command"))


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "
