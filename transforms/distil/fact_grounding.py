"""Checks of a fact against the evidence of its window: allow, hold (kept, but it goes no further) or discard, with a reason.
They hold for every engine: nobody can rely on a rule of a prompt that no code checks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from transforms.conversation.entries import SUMMARY_TYPES, Entry
from transforms.distil.compact_blocks import READING_TOOLS
from transforms.distil.engine_result import Fact
from transforms.distil.owner_grounding import find_foreign_command, is_typed_by_person
from transforms.distil.time_grounding import TIME_OF_DAY, find_ungrounded_date, find_ungrounded_time
from transforms.distil.window_evidence import STATED_HASH, WindowEvidence, find_swapped_title, pad_words
from transforms.exchanges.outside.told_changes import limit_title_words
from transforms.language import cue_phrases, entities
from transforms.language.dialogue_acts import ClassifiedSentence, analyse_message
from transforms.language.entities import (
    Number,
    find_dates,
    find_quotations,
    find_written_numbers,
    is_group_of_thousands,
    is_known_number,
    is_whole_name_in,
    is_written_otherwise,
    join_thousands,
    separate_scripts,
)
from transforms.language.sentences import (
    CHARS_PER_WORD,
    count_unspaced_signs,
    find_content_words,
    has_question_mark,
    is_unspaced,
    split_sentences,
    split_words,
)
from transforms.language.tokenizer import is_other_language
from transforms.model_answers.repetition import is_repetitive
from transforms.patterns.folding import fold_writing
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import KINDS, PERSON_KINDS, PERSONAL_KINDS, STANDING_KINDS, Verdict

_OWN_OUTPUT = compile_late(
    r"<!--\s*/?recollect:|</?recollect[\w-]*|<system-reminder|</?(?:observations|current-task|suggested-response)>", re.I
)
_OWN_COUNT = compile_late(r"\band \d+ more\b")
_FILE_LIST = compile_late(r"\s\[[^\]\n]*\]\.?$")
_VALUE_CHANGE = compile_late(
    r"->|→|=>|\bfrom\b[^.;]{0,40}\d[^.;]{0,30}\bto\b|\b(?:instead of|rather than|was|were|before)\b[^.;]{0,20}\d", re.I
)
"""A change names its old value too, which was said when it was new."""
_FORCE = compile_late(r"\b(?:always|never|ever|every|everything|all|any|nobody|no one|whenever|standing|from now on)\b", re.I)
SILENT_TOOLS = READING_TOOLS | {"bash", "edit", "write", "multiedit"}
"""Tools in whose results the owner never speaks."""
_PASTED_NOTE = compile_late(r'\(about: the pasted ".*?"\)|\(of the pasted text\b.*\)', re.DOTALL)
"""What the offline engine writes where words answer what their owner pasted above them, or a point of it."""
_CLAUSE_END = compile_late(r"[.…;:,!?\n—]+")
CUT = "…"
_PLURAL = compile_late(r"(?:ies|es|s|y)$")
_ASSERTION_KINDS = PERSON_KINDS - {"correction"}
SHORT_ANSWER_WORDS = 8
RUN_WORDS, BOOT_RUN_WORDS, ERROR_RUN_WORDS = 14, 8, 30
"""This many words in a row, found nowhere but in tool output (or in a boot file), are copied, not observed. Facts about errors
may quote more, because the exact text of an error must survive."""
CODE_RUN_WORDS = 20
"""The same for text that a tool was called with or printed and that nobody said: code, copied word for word."""
STATED_SHARE = 0.8
"""Share of an assertion's content words that a fact must contain to count as a report of it."""
MIN_CHARS = 12
NOBODY_TYPED = "nobody typed it"
UNSAID = "says what the owner said and cites no words of the owner"
_KIND_NAMES = tuple(kind.replace("_", " ") for kind in sorted(KINDS) if "_" in kind)
"""Names of kinds of two words, with which a fact may begin."""


def check_fact(fact: Fact, window: WindowEvidence) -> tuple[Verdict, str]:
    """Return `("allow", "")`, or `hold` or `discard` with the rule that the fact breaks."""
    fact = fact.model_copy(update={"text": fold_writing(fact.text)})  # models write 15 for １５ and for ١٥
    cited = window.find_entries(fact.ordinals)
    if not fact.ordinals or len(cited) < len(fact.ordinals):
        return "discard", "cites nothing" if not fact.ordinals else "cites an entry outside of its window"
    summaries = [entry for entry in cited if entry.entry_type in SUMMARY_TYPES]
    if any(entry.ordinal not in window.by_ordinal for entry in cited):
        window, cited = window.conversation, [entry for entry in cited if entry.entry_type not in SUMMARY_TYPES]
    if junk := _find_junk(fact, cited, window):
        return "discard", junk
    if copied := _find_copied_output(fact, window):
        return "hold", copied
    if misattributed := _find_misattribution(fact, cited, window):
        return "hold", misattributed
    if ungrounded := find_ungrounded_time(fact, cited, window):
        return "hold", f"time not in the cited entries: {ungrounded}"
    if ungrounded := find_ungrounded_date(fact, cited, window):
        return "hold", f"date not in the window: {ungrounded}"
    known = window.with_names_of(summaries) if fact.kind == "convention" else window
    if missing := find_missing_specific(fact.text, known, cited):
        return "hold", f"not in the window: {missing}"
    return "allow", ""


def _find_misattribution(fact: Fact, cited: list[Entry], window: WindowEvidence) -> str:
    """Return why a fact must not stand as the owner's words, or as that commit's title; empty when it may."""
    if fact.kind in PERSONAL_KINDS and not is_typed_by_person(fact, cited, window):
        return NOBODY_TYPED
    if fact.kind in PERSONAL_KINDS and (command := find_foreign_command(fact.text, window)):
        return f"neither the owner nor a command that ran has it: {command}"
    if fact.kind in _ASSERTION_KINDS and _is_only_question(fact, cited, window):
        return "a question is not a decision"
    if _speaks_for_owner(fact.text, window.owner) and not any(_may_hold_owners_words(entry) for entry in cited):
        return UNSAID
    if fact.kind in STANDING_KINDS and (word := _find_unsaid_force(fact, cited, window)):
        return f"the owner did not say: {word}"
    if title := find_swapped_title(fact.text, window, cited):
        return f"not the title of that commit: {title}"
    return ""


def _find_junk(fact: Fact, cited: list[Entry], window: WindowEvidence) -> str:
    """Return why a text is no fact at all; empty when it may be one."""
    least = MIN_CHARS // CHARS_PER_WORD if is_unspaced(fact.text) else MIN_CHARS
    if len(fact.text.strip()) < least or len(split_words(fact.text)) < 2:
        return "says nothing"
    if is_repetitive(fact.text):
        return "repeats itself"
    if cue_phrases.INJECTION.search(fact.text):
        return "reads like an instruction to the memory"
    if _OWN_OUTPUT.search(fact.text) or all(entry.is_client_text for entry in cited):
        return "is the memory's own or a machine's text"
    said = window.spoken + window.boot_changes
    if _has_copied_run([(word, False) for word in split_words(fact.text)], window.boot, said, BOOT_RUN_WORDS):
        return "repeats a boot file"
    return ""


def _find_copied_output(fact: Fact, window: WindowEvidence) -> str:
    """Return why a text is copied from tools; empty when it is not. Titles and hashes of commits, paths and the appended list of
    files are names, which a fact has to give as they are; what it says that its owner pasted is given as such."""
    words = _split_names(_PASTED_NOTE.sub("", fact.text))
    length = ERROR_RUN_WORDS if fact.kind in ("error", "root_cause", "fix", "cure") else RUN_WORDS
    if _has_copied_run(words, window.output, window.spoken, length):
        return "repeats tool output"
    if _has_copied_run(words, window.all_words, window.prose, max(CODE_RUN_WORDS, length)):
        return "repeats what a tool was called with or printed"
    return ""


def find_missing_specific(text: str, window: WindowEvidence, cited: Sequence[Entry] = ()) -> str:
    """Return the first path, name, value or quotation of a text that does not occur in the window; empty when all do.

    With `cited`, numbers must occur near these entries: a fact about one subject must not borrow from another. Names may stand
    anywhere in the window or in the earlier observations of its session. Two names that are swapped, or a claim that is reversed,
    pass this check.
    """
    folded = fold_writing(text)
    for quote in find_quotations(folded):
        for clause in _CLAUSE_END.split(separate_scripts(quote)):
            if (spaced := pad_words(clause)).strip() and spaced not in window.all_words:
                return f'"{clause.strip()}"'
    text = separate_scripts(folded)
    text_without_times = TIME_OF_DAY.sub("", _OWN_COUNT.sub("", text))  # times have their own check
    claim = rest = _FILE_LIST.sub("", text_without_times)  # the files of a fact have their own check
    hashes: list[str] = STATED_HASH.findall(claim)
    names = [name for part in claim.split(CUT) for name in entities.find_names(part)]  # a cut may stand inside of code
    paths = [path for part in text_without_times.split(CUT) for path in entities.find_paths(part)]
    for name in dict.fromkeys([*names, *paths, *hashes]):
        if not _occurs_in(name, window, rest):
            return name
        rest = rest.replace(name, " ")
    for written, _ in find_dates(rest):
        rest = rest.replace(written, " ")  # dates have their own check
    for value in entities.find_values(rest):
        if not value[:1].isdigit() and len(value.strip("-")) > 1 and not _occurs_in(value.rstrip("."), window, rest):
            return value
    unknown = _find_unknown_number(rest, window, cited)
    if unknown and (joined := join_thousands(rest)) != rest:
        return _find_unknown_number(joined, window, cited)
    return unknown


def _find_unknown_number(text: str, window: WindowEvidence, cited: Sequence[Entry]) -> str:
    """Return the first number that does not stand near the cited entries, for a change anywhere in the window; empty when all do.

    A source's decimals may be rounded, and other languages write numbers otherwise. One digit alone proves nothing and is not
    looked for.
    """
    wanted = [
        (written, number)
        for written, number in find_written_numbers(text.lower())
        if len("".join(number)) > 1 or (window.is_other_language and is_group_of_thousands(written))
    ]
    if not wanted:
        return ""
    is_local = bool(cited) and not _VALUE_CHANGE.search(text)
    near_numbers = window.find_numbers_around(cited) if is_local else window.known_numbers
    cited_numbers = window.find_numbers_of(cited) if cited else near_numbers
    if window.is_other_language:
        cited_numbers = cited_numbers | near_numbers  # nobody knows the words for units there
    for written, number in wanted:
        is_known = is_known_number(number, near_numbers, cited_numbers) or _is_rounded(number, cited_numbers)
        if window.is_other_language and is_group_of_thousands(written):
            is_known = False  # there 15.000 is not 15
        if not is_known and not is_written_otherwise(written, window.known_text):
            return " ".join(number).strip()
    return ""


def _is_rounded(number: Number, known: frozenset[Number]) -> bool:
    """Whether a source's decimals round to this whole number."""
    value, unit = number
    if not value.isdigit():
        return False
    decimals = [float(other) for other, its in known if other.count(".") == 1 and (not its or its == unit) and other[0].isdigit()]
    return any(round(other) == int(value) for other in decimals)


def _occurs_in(name: str, window: WindowEvidence, text: str) -> bool:
    """Whether a name of a text occurs in a window as it is, in the plural or singular, word by word, or as its row has cut it."""
    plain, source = name.lower().rstrip("().,"), window.known_names
    is_cut = f"{name}{CUT}" in text and plain in source
    if is_cut or is_whole_name_in(plain, source) or (" " in name and pad_words(name) in window.known_words):
        return True
    singular = _PLURAL.sub("", plain)
    return len(singular) > 4 and any(is_whole_name_in(singular + ending, source) for ending in ("", "s", "es", "y", "ies"))


def _is_only_question(fact: Fact, cited: list[Entry], window: WindowEvidence) -> bool:
    """Whether the person who is cited first only asked about it: nobody answered, agreed, or carried it out.

    A statement after the question ("should we …? i think that's better"), a later message that does not ask, and an act of the
    agent after it make a question a decision.
    """
    if not cited[0].is_typed:
        return False
    typed = [entry for entry in cited if entry.is_typed]
    sentences = [(entry, sentence) for entry in typed for sentence in _list_sentences(entry)]
    asking = [index for index, (_, sentence) in enumerate(sentences) if sentence.is_question]
    if not asking:
        return False
    asked = sentences[asking[-1]][0]
    last = max(entry.ordinal for entry in cited)  # the agent's report of an act may be cited instead of the act
    if any(asked.ordinal < entry.ordinal <= last and _may_change_something(entry) for entry in window.entries):
        return False
    if any(entry.ordinal > asked.ordinal for entry in typed):
        return False
    if any(sentence.act != "chatter" for _, sentence in sentences[asking[-1] + 1 :]):
        return False
    if all(sentence.is_question or sentence.act == "chatter" for _, sentence in sentences):
        return True
    fact_words = find_content_words(fact.text)
    shares = [
        (len(fact_words & (own_words := find_content_words(sentence.text))), len(own_words), sentence.is_question)
        for _, sentence in sentences
    ]
    if any(shared >= max(STATED_SHARE * size, 2) for shared, size, asks in shares if not asks):
        return False
    return max(shares, key=lambda share: (share[0], not share[2]))[2]


def _list_sentences(entry: Entry) -> list[ClassifiedSentence]:
    """Return the sentences of a typed message. A short one without a question mark ("ok, do 1+2 next") answers the agent."""
    typed = fold_writing(entry.owner_words)
    is_answer = not has_question_mark(typed) and len(split_words(typed)) <= SHORT_ANSWER_WORDS
    sentences = analyse_message(typed, "").sentences
    return [replace(sentence, is_question=False) if is_answer else sentence for sentence in sentences]


def _may_change_something(entry: Entry) -> bool:
    """Whether a program ran in an entry that may change something."""
    names = [call.name for call in entry.tool_calls] + ([entry.tool_name or ""] if entry.role == "toolResult" else [])
    return entry.role == "bashExecution" or any(name.lower() not in READING_TOOLS for name in names)


def _speaks_for_owner(text: str, owner: str) -> bool:
    """Whether the subject of a sentence is the owner, as in "The owner wants …" or "Joel decided …".

    "Root cause of …" names a kind of fact, not the owner whose account is `root`.
    """
    names = "|".join(["owner", "user", *([re.escape(owner.lower())] if owner else [])])
    # "The user report was denied": a noun between the name and its verb makes another subject.
    speaks = re.compile(rf"(?:the\s+)?(?:{names})\s+[a-z]+(?!\w|\s+(?:is|are|was|were)\b)")
    sentences = (sentence.strip().lower() for sentence in split_sentences(text))
    return any(speaks.match(sentence) and not sentence.startswith(_KIND_NAMES) for sentence in sentences)


def _may_hold_owners_words(entry: Entry) -> bool:
    """Whether the owner may speak in an entry: in a message, a summary, or the answer to a tool that asks."""
    if entry.role == "toolResult":
        return (entry.tool_name or "").lower() not in SILENT_TOOLS
    return entry.role not in ("assistant", "bashExecution") or entry.speaker == "owner"


def _find_unsaid_force(fact: Fact, cited: list[Entry], window: WindowEvidence) -> str:
    """Return the word that makes a rule hold in every case when the words that it cites have no such word; empty otherwise.

    Owners hardly ever say such a word: where one stands in a rule, it has to come from them; what the agent says later is no part
    of it. Other languages prove nothing.
    """
    typed = " ".join(map(window.find_owner_words, cited)).lower()
    later = (tail.text for tail in fact.tails if min(tail.ordinals, default=0) > fact.ordinals[0])
    force = _FORCE.search(reduce(lambda said, tail: said.replace(tail, " "), later, fact.text))
    is_read = typed.isascii() and not (window.is_other_language and is_other_language(split_words(typed)))
    return force[0] if force and typed and is_read and not _FORCE.search(typed) else ""


def _split_names(text: str) -> list[tuple[str, bool]]:
    """Return the words of a text, and of each whether it belongs to a name: a short quotation or code span (a command is given
    letter by letter), a path with a folder, or a hash. Bare names of files come from listings."""
    text = _FILE_LIST.sub("", text)
    quoted = [*find_quotations(text), *(span.strip("`") for span in cue_phrases.CODE_SPAN.findall(text))]
    titles = [title for title in quoted if 1 < len(split_words(title)) < limit_title_words(text, RUN_WORDS)]
    hashes: list[str] = STATED_HASH.findall(text)
    names = sorted(
        {name for name in [*titles, *(path for path in entities.find_paths(text) if "/" in path), *hashes] if name.strip()},
        key=len,
        reverse=True,
    )
    if not names:
        return [(word, False) for word in split_words(text)]
    parts = re.split(f"({'|'.join(map(re.escape, names))})", text)
    return [(word, index % 2 == 1) for index, part in enumerate(parts) for word in split_words(part)]


def _has_copied_run(words: Sequence[tuple[str, bool]], source: str, spoken: str, length: int) -> bool:
    """Whether words in a row, of which this many belong to no name, occur in the source and were never spoken."""
    texts = [word for word, _ in words]
    if count_unspaced_signs("".join(texts)) > len(words) / 2:  # of such a script each sign is a word
        length *= CHARS_PER_WORD
    plain = [index for index, (_, is_name) in enumerate(words) if not is_name]
    if len(plain) < length:
        return False
    half = (length + 1) // 2  # a run of this many words holds one of the blocks: so a block that the source lacks ends many runs
    has_block = [f" {' '.join(texts[start : start + half])} " in source for start in range(0, len(texts) - half + 1, half)]
    for first, last in zip(plain, plain[length - 1 :], strict=False):
        if not all(has_block[-(-first // half) : (last + 1) // half]):
            continue
        run = f" {' '.join(texts[first : last + 1])} "
        if run in source and run not in spoken:
            return True
    return False
