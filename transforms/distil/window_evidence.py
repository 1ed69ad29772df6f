"""The evidence of a window: everything that was said, called and printed in it, ready for comparison with facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cached_property

from transforms.conversation.entries import SUMMARY_TYPES, Entry, find_answered_words, holds_answer, list_questions
from transforms.language.entities import (
    Number,
    TextNumbers,
    find_dates,
    find_quotations,
    join_numbers,
    read_numbers,
    separate_scripts,
)
from transforms.language.sentences import split_words
from transforms.language.tokenizer import is_other_language, write_numbers
from transforms.patterns.folding import fold_writing
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject

NEAR_ENTRIES = 12
"""Entries before and after a cited one in which its names and numbers must stand."""
TALKING = frozenset({"user", "assistant"})
"""Roles of people and agents."""
MIN_CONTENT_LINE_BREAKS = 3
"""An argument with this many line breaks is the content of a file."""
_BOOT_FILE = compile_late(r"(?:^|[/\s])(?:AGENTS|CLAUDE|GEMINI|SOUL|USER|MEMORY|REVIEW|SYSTEM)\.md\b", re.I)
STATED_HASH = compile_late(r"(?<![\w.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")
TITLE_REACH = 200
"""Characters around a hash in which the title of its commit stands."""


@dataclass(frozen=True)
class WindowEvidence:
    """The evidence that facts are checked against, in the spelling of `fold_writing`.

    `zone` is the time zone of clock times in facts; `summarised` are the entries before the window that a summary in it sums up.

    `earlier` are the observations of the session that the engine saw with the window: names and numbers in them are known.
    `owner` is the owner's name as facts use it; `named` are texts whose names and quotations are known, but no number of them.
    """

    entries: tuple[Entry, ...]
    zone: tzinfo = UTC
    summarised: tuple[Entry, ...] = ()
    earlier: tuple[str, ...] = ()
    owner: str = ""
    named: tuple[str, ...] = ()

    @cached_property
    def by_ordinal(self) -> dict[int, Entry]:
        """The entries of the window by their ordinal."""
        return {entry.ordinal: entry for entry in self.entries}

    def find_entries(self, ordinals: Sequence[int]) -> list[Entry]:
        """Return the entries with these ordinals; those before the window only together with the summary that stands for them."""
        listed = [self.by_ordinal.get(ordinal) or self._summarised.get(ordinal) for ordinal in ordinals]
        entries = [entry for entry in listed if entry]
        is_witnessed = any(entry.entry_type in SUMMARY_TYPES for entry in entries)
        return [entry for entry in entries if is_witnessed or entry.ordinal in self.by_ordinal]

    @cached_property
    def conversation(self) -> WindowEvidence:
        """The evidence with the summarised entries and without the summaries, which prove nothing by themselves."""
        entries = (*self.summarised, *self.entries)
        return WindowEvidence(
            tuple(entry for entry in entries if entry.entry_type not in SUMMARY_TYPES), self.zone, (), self.earlier, self.owner
        )

    def with_names_of(self, summaries: Sequence[Entry]) -> WindowEvidence:
        """The evidence in which the names of these summaries are known: a constraint names what an earlier session said, too."""
        if not summaries:
            return self
        named = tuple(entry.text for entry in summaries)
        return WindowEvidence(self.entries, self.zone, self.summarised, self.earlier, self.owner, named)

    @cached_property
    def _summarised(self) -> dict[int, Entry]:
        return {entry.ordinal: entry for entry in self.summarised}

    @cached_property
    def answers(self) -> frozenset[int]:
        """Ordinals of the results of tools that put a question to the owner: the owner's words outside of user entries."""
        return find_answers(self.entries)

    @cached_property
    def haystack(self) -> str:
        """Everything that was said, called or printed, in lower case."""
        return "\n".join(self._lower)

    @cached_property
    def written_dates(self) -> frozenset[tuple[int, int]]:
        """Month and day of every date in the haystack."""
        return frozenset(when for _, when in find_dates(self.haystack))

    @cached_property
    def earlier_text(self) -> str:
        """The earlier observations, in lower case."""
        return separate_scripts(fold_writing("\n".join(self.earlier)).lower())

    @cached_property
    def known_names(self) -> str:
        """Everything in which a name may stand: the haystack, the earlier observations and what is `named`."""
        return "\n".join((self.known_text, separate_scripts(fold_writing("\n".join(self.named)).lower())))

    @cached_property
    def known_words(self) -> str:
        """The words of `known_names`."""
        return pad_words(self.known_names)

    @cached_property
    def known_text(self) -> str:
        """The haystack and the earlier observations."""
        return f"{self.haystack}\n{self.earlier_text}"

    @cached_property
    def output_stems(self) -> set[str]:
        """The first four letters of the longer words that tools printed."""
        return {word[:4] for word in self.output.split() if len(word) > 3}

    @cached_property
    def all_words(self) -> str:
        """The words of the haystack, between single spaces."""
        return self._join_words(text.lower() for text in (*self._texts, *self.earlier, *self.named))

    @cached_property
    def spoken(self) -> str:
        """The words that people typed or answered, agents wrote and tools were called with; contents of files do not count."""
        entries = (entry for entry in self.entries if not self._is_printed(entry))
        parts = (part for entry in entries for part in (self._find_spoken_text(entry), *_list_arguments(entry, "command")))
        return self._join_words(parts)

    @cached_property
    def _lower(self) -> list[str]:
        return [separate_scripts(fold_writing("\n".join(_list_texts(entry))).lower()) for entry in self.entries]

    @cached_property
    def _texts(self) -> list[str]:
        return [text for entry in self.entries for text in _list_texts(entry)]

    @cached_property
    def _words_of(self) -> dict[str, str]:
        return {}

    def _join_words(self, texts: Iterable[str]) -> str:
        """Return `pad_words` of these texts; each text is cut once, because most stand in several of our lists of words."""
        known, joined = self._words_of, []
        for text in texts:
            if (words := known.get(text)) is None:
                words = " ".join(split_words(fold_writing(text)))
                known |= {text: words, text.lower(): words} if text.isascii() else {text: words}
            joined.append(words)
        return f" {' '.join(filter(None, joined))} "

    @cached_property
    def _exchanges(self) -> list[tuple[int, int]]:
        """Return for each entry the first and last position of its exchange: a typed message and all until the next."""
        starts = [position for position, entry in enumerate(self.entries) if entry.is_typed] or [0]
        starts = [0, *(position for position in starts if position)]
        ends = [*(position - 1 for position in starts[1:]), len(self.entries) - 1]
        return [pair for pair in zip(starts, ends, strict=True) for _ in range(pair[0], pair[1] + 1)]

    def find_numbers_around(self, cited: Sequence[Entry]) -> frozenset[Number]:
        """Return the numbers of the exchanges of these entries, of NEAR_ENTRIES around them, and of earlier observations."""
        positions: set[int] = set()
        for position in (self._position[entry.ordinal] for entry in cited):
            first, last = self._exchanges[position]
            positions.update(
                range(max(min(first, position - NEAR_ENTRIES), 0), min(max(last, position + NEAR_ENTRIES) + 1, len(self.entries)))
            )
        return join_numbers([*map(self._read_numbers, sorted(positions)), self._earlier_numbers])

    def find_numbers_of(self, cited: Sequence[Entry]) -> frozenset[Number]:
        """Return the numbers of these entries alone."""
        return join_numbers([self._read_numbers(self._position[entry.ordinal]) for entry in cited])

    @cached_property
    def known_numbers(self) -> frozenset[Number]:
        """The numbers of everything in which a name may stand."""
        return join_numbers([*map(self._read_numbers, range(len(self.entries))), self._earlier_numbers])

    @cached_property
    def _earlier_numbers(self) -> TextNumbers:
        return read_numbers(self.earlier_text)

    def _read_numbers(self, position: int) -> TextNumbers:
        """Return the numbers of an entry, which are looked for once: it is near many facts."""
        if (numbers := self._numbers.get(position)) is None:
            text = self._lower[position]
            is_talk = self.entries[position].role in TALKING  # what tools print has no words for its numbers, and is long
            numbers = self._numbers[position] = read_numbers(write_numbers(text) if is_talk else text)
        return numbers

    @cached_property
    def _numbers(self) -> dict[int, TextNumbers]:
        return {}

    @cached_property
    def _position(self) -> dict[int, int]:
        return {entry.ordinal: position for position, entry in enumerate(self.entries)}

    @cached_property
    def asked_text(self) -> str:
        """What people typed or answered, and what tools were called with, in lower case and with single spaces."""
        typed = (entry.owner_words or entry.find_words_of("parent_agent") for entry in self.entries)
        answered = (entry.text for entry in self.entries if entry.ordinal in self.answers)
        calls = (argument for entry in self.entries for argument in _list_arguments(entry, "command"))
        return " ".join(fold_writing(" ".join((*typed, *answered, *calls))).lower().split())

    def find_owner_words(self, entry: Entry) -> str:
        """Return what the owner typed in an entry, or answered in it to a tool that asked; empty where they said nothing."""
        if entry.ordinal in self.answers and not entry.owner_words:
            return find_answered_words(entry, self.entries)
        return entry.owner_words

    @cached_property
    def prose(self) -> str:
        """The words that people typed or answered and agents said, commit messages included."""
        commits = [text for entry in self.entries for text in _list_arguments(entry) if "git commit" in text]
        said = (self._find_spoken_text(entry) for entry in self.entries if not self._is_printed(entry))
        return self._join_words([*said, *commits])

    @cached_property
    def is_other_language(self) -> bool:
        """Whether what was said in the window is clearly not English."""
        return is_other_language(self.prose.split())

    @cached_property
    def output(self) -> str:
        """The words that tools printed."""
        return self._join_words(entry.text for entry in self.entries if self._is_printed(entry))

    def _is_printed(self, entry: Entry) -> bool:
        """Whether a program made the entry: the result of a tool that asked the owner holds the owner's words."""
        return is_output(entry) and entry.ordinal not in self.answers

    def _find_spoken_text(self, entry: Entry) -> str:
        """Return the words of an agent or of its principal: the owner, or the agent of the parent session."""
        is_said = entry.role == "assistant" or entry.ordinal in self.answers
        return entry.text if is_said else entry.owner_words or entry.find_words_of("parent_agent")

    @cached_property
    def boot(self) -> str:
        """The words of boot files that were read in this window."""
        calls = {call.call_id for entry in self.entries for call in entry.tool_calls if _names_boot_file(call.arguments)}
        return pad_words("\n".join(entry.text for entry in self.entries if entry.tool_call_id in calls and is_output(entry)))

    @cached_property
    def boot_changes(self) -> str:
        """The words that this window wrote into boot files: from then on they are news."""
        calls = [call for entry in self.entries for call in entry.tool_calls if _names_boot_file(call.arguments)]
        return pad_words("\n".join(text for call in calls for text in _flatten_strings(call.arguments)))


def find_answers(entries: Sequence[Entry]) -> frozenset[int]:
    """Return the ordinals of the results of tools that put a question to the owner."""
    asked = {call.call_id: call for entry in entries for call in entry.tool_calls if list_questions(call)}
    results = (entry for entry in entries if entry.role == "toolResult" and not entry.is_error and entry.tool_call_id in asked)
    return frozenset(entry.ordinal for entry in results if holds_answer(asked[entry.tool_call_id or ""], entry.text))


def is_output(entry: Entry) -> bool:
    """Whether a program printed the entry."""
    return entry.role in ("toolResult", "bashExecution")


def _list_texts(entry: Entry) -> list[str]:
    return [entry.text, *_list_arguments(entry)]


def _list_arguments(entry: Entry, full: str = "") -> list[str]:
    """Return the texts that tools were called with; with `full` the content of files only from the argument of that name."""
    arguments = (
        (name, text) for call in entry.tool_calls for name, value in call.arguments.items() for text in _flatten_strings(value)
    )
    return [text for name, text in arguments if not full or name == full or text.count("\n") < MIN_CONTENT_LINE_BREAKS]


def _flatten_strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for part in value.values() for text in _flatten_strings(part)]
    return [text for part in value for text in _flatten_strings(part)] if isinstance(value, list) else []


def _names_boot_file(arguments: JsonObject) -> bool:
    return any(_BOOT_FILE.search(str(arguments.get(key) or "")) for key in ("path", "file_path", "command"))


def pad_words(text: str) -> str:
    """Return the words of a text, folded and in lower case, each between single spaces, for word-exact search."""
    return f" {' '.join(split_words(fold_writing(text)))} "


def find_swapped_title(text: str, window: WindowEvidence, cited: Sequence[Entry] = ()) -> str:
    """Return the quoted title that stands beside other hashes only, and not beside the one hash of a text; empty otherwise.

    What the owner typed in a cited entry is no title: "address the review" may have led to the commit, and to others before it.
    """
    hashes = STATED_HASH.findall(text)
    if len(hashes) != 1:
        return ""
    typed = " ".join(pad_words(entry.owner_words) for entry in cited)
    for title in find_quotations(text):
        if pad_words(title) in typed:
            continue
        places = [match.start() for match in re.finditer(re.escape(title.lower()), window.haystack)] if " " in title else []
        nearest = {_find_nearest_hash(place, window.haystack) for place in places} - {""}
        if nearest and not any(named_hash.startswith(hashes[0]) or hashes[0].startswith(named_hash) for named_hash in nearest):
            return title
    return ""


def _find_nearest_hash(place: int, source: str) -> str:
    """Return the hash that begins nearest to a place, at most TITLE_REACH characters away; empty when there is none."""
    first = max(place - TITLE_REACH, 0)
    hashes = [
        (abs(first + match.start() - place), match[0]) for match in STATED_HASH.finditer(source[first : place + TITLE_REACH])
    ]
    return min(hashes)[1] if hashes else ""
