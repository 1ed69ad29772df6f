"""Checks in code on what any engine answered: allow, hold (kept, but goes no further) or discard, with the reason; or failed.

They hold for every engine, because a prompt's rules that nobody checks are wishes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cached_property
from typing import Any

from transforms.conversation.entries import Entry
from transforms.conversation.message_spans import typed_text
from transforms.distil.distilled import Distilled, Fact
from transforms.language import cues, entities
from transforms.language.dialogue_acts import speech_of
from transforms.language.named_specifics import dates, is_known, known_numbers, numbers, occurs, quotations
from transforms.language.sentences import content_words, words
from transforms.language.spoken_dates import refers_to

_OWN_OUTPUT = re.compile(
    r"<!--\s*/?recollect:|</?recollect[\w-]*|<system-reminder|</?(?:observations|current-task|suggested-response)>", re.I
)
_BOOT_FILE = re.compile(r"(?:^|[/\s])(?:AGENTS|CLAUDE|GEMINI|SOUL|USER|MEMORY|REVIEW|SYSTEM)\.md\b", re.I)
_CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_OWN_COUNT = re.compile(r"\band \d+ more\b")
_FILE_LIST = re.compile(r"\s\[[^\]\n]*\]\.?$")
NEAR = 12
"""Entries around a cited one in which its names and numbers must stand. Of 1,157 true facts of the real sessions, the samples and
20 planted sessions all but one name nothing further than 8 away, and none outside of its exchange."""
_ASSERTIONS = ("decision", "rule", "preference", "convention")
_OF_A_PERSON = ("preference", "rule", "correction")
ASSENT_WORDS = 4
"""A typed message this short ("yes, always") may take over what an agent proposed, whatever words it has."""
RUN_WORDS, BOOT_RUN_WORDS, ERROR_RUN_WORDS = 14, 8, 30
"""So many words in a row, found nowhere but in tool output (or in a boot file), are regurgitated, not observed.

Facts about errors may quote more, because the exact text of an error must survive."""
CODE_RUN_WORDS = 20
"""The same for what tools were called with or printed, and nobody said: code that was written, read word for word."""
STATED = 0.8
"""Share of an assertion's content words from which a fact counts as telling it."""
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
        return "\n".join(self._lower)

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
    def _lower(self) -> list[str]:
        return ["\n".join(_told(entry)).lower() for entry in self.entries]

    @cached_property
    def _exchanges(self) -> list[tuple[int, int]]:
        """Per entry the first and last position of what one typed message set off."""
        starts = [at for at, entry in enumerate(self.entries) if entry.is_typed] or [0]
        starts = [0, *(at for at in starts if at)]
        ends = [*(at - 1 for at in starts[1:]), len(self.entries) - 1]
        return [pair for pair in zip(starts, ends, strict=True) for _ in range(pair[0], pair[1] + 1)]

    def around(self, cited: Sequence[Entry]) -> str:
        """What was said, called and printed in the exchanges of these entries, and NEAR entries before and after; lower case."""
        positions: set[int] = set()
        for at in (self._position[entry.ordinal] for entry in cited):
            first, last = self._exchanges[at]
            positions.update(range(max(min(first, at - NEAR), 0), min(max(last, at + NEAR) + 1, len(self.entries))))
        return "\n".join(self._lower[at] for at in sorted(positions))

    def text_of(self, cited: Sequence[Entry]) -> str:
        """The same of these entries alone."""
        return "\n".join(self._lower[self._position[entry.ordinal]] for entry in cited)

    @cached_property
    def _position(self) -> dict[int, int]:
        return {entry.ordinal: at for at, entry in enumerate(self.entries)}

    @cached_property
    def prose(self) -> str:
        """What people typed and agents said, also in commit messages."""
        commits = [text for entry in self.entries for text in _arguments(entry) if "git commit" in text]
        return _spaced("\n".join([*(_said(entry) for entry in self.entries if not _is_output(entry)), *commits]))

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
    if junk := _junk(fact, cited, window):
        return "discard", junk
    if fact.kind in _OF_A_PERSON and not _was_typed(fact.text, cited):
        return "hold", "nobody typed it"
    if fact.kind in _ASSERTIONS and _only_asked(fact, cited):
        return "hold", "a question is not a decision"
    if strange := _strange_time(fact, cited, window):
        return "hold", f"time not in the cited entries: {strange}"
    if strange := _strange_date(fact, cited, window):
        return "hold", f"date not in the window: {strange}"
    if missing := missing_specific(fact.text, window, cited):
        return "hold", f"not in the window: {missing}"
    return "allow", ""


def _junk(fact: Fact, cited: list[Entry], window: Window) -> str:
    """Why a text is no fact at all; empty when it may be one."""
    if len(fact.text.strip()) < MIN_CHARS or len(words(fact.text)) < 2:
        return "says nothing"
    if is_repetitive(fact.text):
        return "repeats itself"
    if cues.INJECTION.search(fact.text):
        return "reads like an instruction to the memory"
    if _OWN_OUTPUT.search(fact.text) or all(entry.turn_kind in ("memory", "machine") for entry in cited):
        return "is the memory's own or a machine's text"
    if _runs_through(fact.text, window.boot, window.spoken, BOOT_RUN_WORDS):
        return "repeats a boot file"
    length = ERROR_RUN_WORDS if fact.kind in ("error", "root_cause", "fix") else RUN_WORDS
    if _runs_through(fact.text, window.output, window.spoken, length):
        return "repeats tool output"
    if _runs_through(fact.text, window.all_words, window.prose, max(CODE_RUN_WORDS, length)):
        return "repeats what a tool was called with or printed"
    return ""


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


def missing_specific(text: str, window: Window, cited: Sequence[Entry] = ()) -> str:
    """The first path, name, value or quotation of a text that does not occur in the window; empty when all do.

    With `cited`, names and numbers must stand around these entries: what is told of one thing must not be true of another. What
    stands there passes, so two names of one exchange put in each other's place, or a claim turned round, are not seen.
    """
    for quote in quotations(text):
        for clause in re.split(r"[.…;:,!?\n]+", quote):
            if (spaced := _spaced(clause)).strip() and spaced not in window.all_words:
                return f'"{clause.strip()}"'
    source = window.around(cited) if cited else window.haystack
    plain = _CLOCK.sub("", _OWN_COUNT.sub("", text))  # times have a check of their own
    told = _FILE_LIST.sub("", plain)  # files behind a fact are those of its exchange and were checked as files
    bare = told
    for name in dict.fromkeys([*entities.names(told), *entities.paths(told)]):
        if not _stands(name, source):
            return name
        bare = bare.replace(name, " ")
    for name in entities.paths(plain):
        if not _stands(name, window.haystack):
            return name
    for written, _ in dates(bare):
        bare = bare.replace(written, " ")  # and so have dates
    for value in entities.values(bare):
        if not value[:1].isdigit() and len(value.strip("-")) > 1 and not occurs(value.lower().rstrip("."), window.haystack):
            return value
    wanted = [number for number in numbers(bare.lower()) if len("".join(number)) > 1]
    known = known_numbers(source) if wanted else frozenset()
    bare_ones = known_numbers(window.text_of(cited)) if wanted and cited else known
    return next((" ".join(number).strip() for number in wanted if not is_known(number, known, bare_ones)), "")


def _stands(name: str, source: str) -> bool:
    plain = name.lower().rstrip("().,")
    return occurs(plain, source) or (" " in name and _spaced(name) in _spaced(source))


def _strange_date(fact: Fact, cited: Sequence[Entry], window: Window) -> str:
    """A date that nobody wrote, on which nothing of the window was said, and that does not follow from what was said."""
    days = {entry.said_at.astimezone(zone).date() for entry in window.entries for zone in (window.zone, UTC)}
    # What follows from the words that are cited; a date that only the fact has follows from nothing.
    days |= {day for entry in cited if (day := refers_to(entry.text, entry.said_at.astimezone(window.zone).date()))}
    known = {(day.month, day.day) for day in days} | {when for _, when in dates(window.haystack)}
    for written, when in dates(fact.text):
        if written.lower() not in window.haystack and when not in known:
            return written
        if written[:4].isdigit() and written not in window.haystack and written not in {day.isoformat() for day in days}:
            return written
    return ""


def _strange_time(fact: Fact, cited: list[Entry], window: Window) -> str:
    known = {entry.said_at.astimezone(window.zone).strftime("%H:%M") for entry in cited} | {
        entry.said_at.strftime("%H:%M") for entry in cited
    }
    for found in _CLOCK.finditer(fact.text):
        is_written = re.search(rf"(?<![\d:]){found[0]}(?!\d)", window.haystack)
        if f"{int(found[1]):02d}:{found[2]}" not in known and not is_written:
            return found[0]
    return ""


def _only_asked(fact: Fact, cited: list[Entry]) -> bool:
    """Whether the person who is cited first only asked: nothing else, or what of it the fact is about."""
    if not cited[0].is_typed:
        return False
    said = [one for entry in cited if entry.is_typed for one in speech_of(typed_text(entry.text), "").sentences]
    if all(one.asks or one.act == "chatter" for one in said):
        return True
    told = content_words(fact.text)
    shares = [(len(told & (own := content_words(one.text))), len(own), one.asks) for one in said]
    if any(shared >= max(STATED * size, 2) for shared, size, asks in shares if not asks):
        return False
    return max(shares, key=lambda share: (share[0], not share[2]))[2]


def _was_typed(text: str, cited: list[Entry]) -> bool:
    """Whether a person typed something of it: a page that an agent read, or its own idea, is not the owner's rule."""
    wanted = {word[:4] for word in words(text) if len(word) > 3}
    for entry in cited:
        typed = words(typed_text(entry.text)) if entry.is_typed else []
        is_assent = 0 < len(typed) <= ASSENT_WORDS and any(other.role == "assistant" for other in cited)
        if is_assent or wanted & {word[:4] for word in typed if len(word) > 3}:
            return True
    return False


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


def _told(entry: Entry) -> list[str]:
    return [entry.text, *_arguments(entry)]


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
