"""Checks of a fact against the evidence of its window: allow, hold (kept, but it goes no further) or discard, with a reason.

They hold for every engine: nobody can rely on a rule of a prompt that no code checks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC

from transforms.conversation.entries import SUMMARY_TYPES, Entry
from transforms.conversation.message_spans import extract_typed_text
from transforms.distil.engine_result import Fact
from transforms.distil.output_checks import is_repetitive
from transforms.distil.window_evidence import WindowEvidence, join_words
from transforms.language import cue_phrases, entities
from transforms.language.dialogue_acts import analyse_message
from transforms.language.entities import (
    find_dates,
    find_numbers,
    find_quotations,
    find_source_numbers,
    is_known_number,
    is_whole_name_in,
)
from transforms.language.relative_dates import resolve_date
from transforms.language.sentences import find_content_words, split_words
from transforms.tables.enums import Verdict

_OWN_OUTPUT = re.compile(
    r"<!--\s*/?recollect:|</?recollect[\w-]*|<system-reminder|</?(?:observations|current-task|suggested-response)>", re.I
)
_CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_OWN_COUNT = re.compile(r"\band \d+ more\b")
_FILE_LIST = re.compile(r"\s\[[^\]\n]*\]\.?$")
_ASSERTION_KINDS = ("decision", "rule", "preference", "convention")
_PERSONAL_KINDS = ("preference", "rule", "correction")
ASSENT_WORDS = 4
"""A typed message of at most so many words ("yes, always") may adopt an agent's proposal, whatever its words are."""
RUN_WORDS, BOOT_RUN_WORDS, ERROR_RUN_WORDS = 14, 8, 30
"""This many words in a row, found nowhere but in tool output (or in a boot file), are copied, not observed. Facts about errors
may quote more, because the exact text of an error must survive."""
CODE_RUN_WORDS = 20
"""The same for text that a tool was called with or printed and that nobody said: code, copied word for word."""
STATED_SHARE = 0.8
"""Share of an assertion's content words that a fact must contain to count as a report of it."""
MIN_CHARS = 12


def check_fact(fact: Fact, window: WindowEvidence) -> tuple[Verdict, str]:
    """Return `("allow", "")`, or `hold` or `discard` with the rule that the fact breaks."""
    cited = window.find_entries(fact.ordinals)
    if not fact.ordinals or len(cited) < len(fact.ordinals):
        return "discard", "cites nothing" if not fact.ordinals else "cites an entry outside of its window"
    if any(entry.ordinal not in window.by_ordinal for entry in cited):
        window, cited = window.conversation, [entry for entry in cited if entry.entry_type not in SUMMARY_TYPES]
    if junk := _find_junk(fact, cited, window):
        return "discard", junk
    if fact.kind in _PERSONAL_KINDS and not _is_typed_by_person(fact.text, cited):
        return "hold", "nobody typed it"
    if fact.kind in _ASSERTION_KINDS and _is_only_question(fact, cited):
        return "hold", "a question is not a decision"
    if ungrounded := _find_ungrounded_time(fact, cited, window):
        return "hold", f"time not in the cited entries: {ungrounded}"
    if ungrounded := _find_ungrounded_date(fact, cited, window):
        return "hold", f"date not in the window: {ungrounded}"
    if missing := find_missing_specific(fact.text, window, cited):
        return "hold", f"not in the window: {missing}"
    return "allow", ""


def _find_junk(fact: Fact, cited: list[Entry], window: WindowEvidence) -> str:
    """Return why a text is no fact at all; empty when it may be one."""
    if len(fact.text.strip()) < MIN_CHARS or len(split_words(fact.text)) < 2:
        return "says nothing"
    if is_repetitive(fact.text):
        return "repeats itself"
    if cue_phrases.INJECTION.search(fact.text):
        return "reads like an instruction to the memory"
    if _OWN_OUTPUT.search(fact.text) or all(entry.turn_kind in ("memory", "machine") for entry in cited):
        return "is the memory's own or a machine's text"
    if _has_copied_run(fact.text, window.boot, window.spoken, BOOT_RUN_WORDS):
        return "repeats a boot file"
    length = ERROR_RUN_WORDS if fact.kind in ("error", "root_cause", "fix") else RUN_WORDS
    if _has_copied_run(fact.text, window.output, window.spoken, length):
        return "repeats tool output"
    if _has_copied_run(fact.text, window.all_words, window.prose, max(CODE_RUN_WORDS, length)):
        return "repeats what a tool was called with or printed"
    return ""


def find_missing_specific(text: str, window: WindowEvidence, cited: Sequence[Entry] = ()) -> str:
    """Return the first path, name, value or quotation of a text that does not occur in the window; empty when all do.

    With `cited`, names and numbers must occur near these entries: a fact about one subject must not borrow from another. Two
    names of one exchange that are swapped, or a claim that is reversed, pass this check.
    """
    for quote in find_quotations(text):
        for clause in re.split(r"[.…;:,!?\n]+", quote):
            if (spaced := join_words(clause)).strip() and spaced not in window.all_words:
                return f'"{clause.strip()}"'
    source = window.get_text_around(cited) if cited else window.haystack
    text_without_times = _CLOCK.sub("", _OWN_COUNT.sub("", text))  # times have their own check
    text_without_files = _FILE_LIST.sub("", text_without_times)  # the files of a fact have their own check
    rest = text_without_files
    for name in dict.fromkeys([*entities.find_names(text_without_files), *entities.find_paths(text_without_files)]):
        if not _occurs_in(name, source):
            return name
        rest = rest.replace(name, " ")
    for name in entities.find_paths(text_without_times):
        if not _occurs_in(name, window.haystack):
            return name
    for written, _ in find_dates(rest):
        rest = rest.replace(written, " ")  # dates have their own check
    for value in entities.find_values(rest):
        if (
            not value[:1].isdigit()
            and len(value.strip("-")) > 1
            and not is_whole_name_in(value.lower().rstrip("."), window.haystack)
        ):
            return value
    wanted = [number for number in find_numbers(rest.lower()) if len("".join(number)) > 1]
    near_numbers = find_source_numbers(source) if wanted else frozenset()
    cited_numbers = find_source_numbers(window.get_text_of(cited)) if wanted and cited else near_numbers
    return next((" ".join(number).strip() for number in wanted if not is_known_number(number, near_numbers, cited_numbers)), "")


def _occurs_in(name: str, source: str) -> bool:
    """Whether a name occurs in the source as it is, or word by word."""
    plain = name.lower().rstrip("().,")
    return is_whole_name_in(plain, source) or (" " in name and join_words(name) in join_words(source))


def _find_ungrounded_date(fact: Fact, cited: Sequence[Entry], window: WindowEvidence) -> str:
    """Return the first date that nobody wrote, that is no day of the window, and that no cited words imply."""
    days = {entry.said_at.astimezone(zone).date() for entry in window.entries for zone in (window.zone, UTC)}
    # Only cited words imply a date; a date that only the fact has is not grounded.
    days |= {day for entry in cited if (day := resolve_date(entry.text, entry.said_at.astimezone(window.zone).date()))}
    known = {(day.month, day.day) for day in days} | {when for _, when in find_dates(window.haystack)}
    for written, when in find_dates(fact.text):
        if written.lower() not in window.haystack and when not in known:
            return written
        if written[:4].isdigit() and written not in window.haystack and written not in {day.isoformat() for day in days}:
            return written
    return ""


def _find_ungrounded_time(fact: Fact, cited: list[Entry], window: WindowEvidence) -> str:
    """Return the first clock time that is neither the time of a cited entry nor written in the window."""
    known = {entry.said_at.astimezone(window.zone).strftime("%H:%M") for entry in cited} | {
        entry.said_at.strftime("%H:%M") for entry in cited
    }
    for match in _CLOCK.finditer(fact.text):
        is_written = re.search(rf"(?<![\d:]){match[0]}(?!\d)", window.haystack)
        if f"{int(match[1]):02d}:{match[2]}" not in known and not is_written:
            return match[0]
    return ""


def _is_only_question(fact: Fact, cited: list[Entry]) -> bool:
    """Whether the person who is cited first only asked: all typed sentences ask, or those that the fact is about do."""
    if not cited[0].is_typed:
        return False
    sentences = [
        sentence
        for entry in cited
        if entry.is_typed
        for sentence in analyse_message(extract_typed_text(entry.text), "").sentences
    ]
    if all(sentence.is_question or sentence.act == "chatter" for sentence in sentences):
        return True
    fact_words = find_content_words(fact.text)
    shares = [
        (len(fact_words & (own_words := find_content_words(sentence.text))), len(own_words), sentence.is_question)
        for sentence in sentences
    ]
    if any(shared >= max(STATED_SHARE * size, 2) for shared, size, asks in shares if not asks):
        return False
    return max(shares, key=lambda share: (share[0], not share[2]))[2]


def _is_typed_by_person(text: str, cited: list[Entry]) -> bool:
    """Whether a person typed some of it: a page that an agent read, or its own idea, is not the owner's rule."""
    wanted = {word[:4] for word in split_words(text) if len(word) > 3}
    for entry in cited:
        typed_words = split_words(extract_typed_text(entry.text)) if entry.is_typed else []
        is_assent = 0 < len(typed_words) <= ASSENT_WORDS and any(other.role == "assistant" for other in cited)
        if is_assent or wanted & {word[:4] for word in typed_words if len(word) > 3}:
            return True
    return False


def _has_copied_run(text: str, source: str, spoken: str, length: int) -> bool:
    """Whether this many words in a row occur in the source and were never spoken."""
    text_words = split_words(text)
    for start in range(len(text_words) - length + 1):
        run = f" {' '.join(text_words[start : start + length])} "
        if run in source and run not in spoken:
            return True
    return False
