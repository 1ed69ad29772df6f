"""Compares two lines of MEMORY.md: whether they make the same claim in other words, and whether the newer retires the older.

Dedupe merges facts only when nothing is lost (`transforms.language.similarity`). Here a false match costs one proposal, while a
missed one costs the owner's patience, so shared words count for more. Numbers, paths, polarity and roles are guarded as there.
"""

from __future__ import annotations

import re
from functools import lru_cache

from transforms.language import similarity
from transforms.language.lexicon import OPPOSITES
from transforms.language.statement import Statement, parse_statement
from transforms.language.tokenizer import STOP_WORDS, tokenize
from transforms.memory.claim_clauses import find_asserted_clauses, find_carrying_clauses
from transforms.memory.supersession import find_retirement
from transforms.pages.memory_md import HARD_RULES, PATTERNS, SYSTEM_ARCHITECTURE

CONTAINED_WEIGHT, JACCARD_WEIGHT = 0.6, 0.4
SAME_RESEMBLANCE = 0.66
"""Resemblance from which two lines make the same claim, unless a guard objects."""

_NUMBER = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b\d+(?:[.:]\d+)*\b")
_PATH = re.compile(r"[\w.@~-]*/[\w./@~-]+|\b[\w-]+\.(?:[a-z]{1,5})\b")
_PREFERS_TO = re.compile(r"(\bprefers? [\w./-]+(?: [\w./-]+)?) to ", re.I)
_KIND_OF_SECTION = {HARD_RULES: "rule", SYSTEM_ARCHITECTURE: "decision", PATTERNS: "convention"}
_FILLER_WORDS = STOP_WORDS | {
    "want", "prefer", "use", "like", "alway", "never", "must", "need", "keep", "only", "would", "rather", "should", "make",
    "sure", "over", "real", "instead", "ever", "any", "anyth", "pleas", "nobodi", "alwai",
}  # fmt: skip


def compute_resemblance(first: str, second: str) -> float:
    """Return 0 to 1: the share of content words in the smaller set (containment), tempered by the Jaccard index."""
    first_words, second_words = _find_content_words(first), _find_content_words(second)
    if not first_words or not second_words:
        return 0.0
    shared = len(first_words & second_words)
    contained, jaccard = shared / min(len(first_words), len(second_words)), shared / len(first_words | second_words)
    return round(CONTAINED_WEIGHT * contained + JACCARD_WEIGHT * jaccard, 6)


def is_same_claim(first: str, second: str) -> bool:
    """Whether two lines make the same claim: enough words in common, and no difference in numbers, paths, polarity or roles."""
    first_claim, second_claim = parse_statement(_strip_emphasis(first)), parse_statement(_strip_emphasis(second))
    if similarity.is_restatement(first_claim, second_claim):
        return True
    return compute_resemblance(first, second) >= SAME_RESEMBLANCE and not (
        _is_conflict(_find_names(_NUMBER, first), _find_names(_NUMBER, second))
        or _is_conflict(_find_names(_PATH, first), _find_names(_PATH, second))
        or _is_opposite(first_claim, second_claim)
        or similarity.has_swapped_roles(first_claim, second_claim)
    )


def is_retired_by(line: str, section: str, newer: str, kind: str) -> bool:
    """Whether a newer claim of this kind takes the place of a line: the same subject with another value, or the reverse.

    A line in the owner's section counts as a preference, which only a person's words retire.
    """
    old_kind = _KIND_OF_SECTION.get(section, "decision" if section.startswith("Reflected") else "preference")
    old, new = (old_kind, find_carrying_clauses(_strip_emphasis(line))), (kind, find_asserted_clauses(_strip_emphasis(newer)))
    return bool(find_retirement(old, new, is_same_project=True))


def is_taken_back(line: str, newer: str) -> bool:
    """Whether a newer claim only denies a line, or lifts its ban, and puts nothing in its place."""
    old, new = find_carrying_clauses(_strip_emphasis(line)), find_asserted_clauses(_strip_emphasis(newer))
    named_values = {
        find_retirement(("decision", [older]), ("decision", [clause]), is_same_project=True) for older in old for clause in new
    }
    return named_values - {""} == {"reversal"}


@lru_cache(maxsize=16_384)
def _find_content_words(text: str) -> frozenset[str]:
    return frozenset(tokenize(text.replace("**", ""))) - _FILLER_WORDS


def _find_names(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(name.casefold().rstrip("./") for name in pattern.findall(text))


def _is_conflict(names: frozenset[str], other_names: frozenset[str]) -> bool:
    return bool(names and other_names and not (names <= other_names or other_names <= names))


def _is_opposite(first: Statement, second: Statement) -> bool:
    """Whether a word is plainly affirmed in one text and denied in the other."""
    shared = first.words & second.words
    if any({first.signs[word], second.signs[word]} == {"+", "-"} for word in shared):
        return True
    only_first, only_second = first.stems - second.stems, second.stems - first.stems
    return any(frozenset((first_word, second_word)) in OPPOSITES for first_word in only_first for second_word in only_second)


def _strip_emphasis(text: str) -> str:
    """Return the text without the emphasis of `**Subject** — rest`; "prefers a to b" becomes "over"."""
    return _PREFERS_TO.sub(r"\1 over ", text.replace("** — ", ": ").replace("**", ""))
