"""Finds clauses of a person's words that state by their form what holds: what is nowhere, what is never done, what stays."""

from __future__ import annotations

from transforms.exchanges.chosen_option import PRONOUNS
from transforms.language.clauses import parse_clause, restore_spelling
from transforms.language.sentences import QUESTION_MARKS, find_content_words, split_sentences, split_words

MIN_WORDS, MAX_WORDS = 4, 12
MIN_NAMED_WORDS = 2
"""Content words of such a clause, and words of its length."""
_PLACES = frozenset({"in", "on", "at", "into", "inside", "under", "from"})
_FREQUENCIES = frozenset({"never", "don't", "always", "only"})
_PERSONS = PRONOUNS | {"i", "me", "my", "you", "your", "that", "his", "one"}
_OCCASION = frozenset({"this", "these", "those", "now", "here", "there", "yet", "until", "till", "may", "can", "could", "might"})
"""Words that point at the occasion, say until when, or only allow: "may stay as it is"."""
_OPENING = frozenset(
    {"because", "what", "if", "when", "which", "why", "so", "then", "since", "how", "and", "but", "or", "as", "while"}
)


def find_standing_clauses(quote: str) -> list[str]:
    """Return the clauses of a quotation that state what holds, as their writer worded them but for spelling.

    "No scans in git", "LTO we don't use", "applied migrations stay as they are". A clause that points at its occasion is none.
    """
    sentences = [sentence for sentence in split_sentences(quote) if not sentence.rstrip().endswith(QUESTION_MARKS)]
    clauses = [clause for sentence in sentences for clause in _split_clauses(restore_spelling(sentence))]
    return [clause for clause in dict.fromkeys(clauses) if _is_standing(clause)]


def _split_clauses(sentence: str) -> list[str]:
    for mark in (", ", "; ", ": ", " – ", " — ", " - ", "!! ", "! "):
        sentence = sentence.replace(mark, "\n")
    return [clause.strip(" .,;:!") for clause in sentence.split("\n")]


def _is_standing(clause: str) -> bool:
    words = split_words(clause.casefold())
    kept = words[:-3] if words[-3:] in (["as", "they", "are"], ["as", "it", "is"]) else words
    if not MIN_WORDS <= len(words) <= MAX_WORDS or not (_PERSONS | _OCCASION).isdisjoint(kept) or words[0] in _OPENING:
        return False
    if len(find_content_words(clause)) < MIN_NAMED_WORDS:
        return False
    return _bans(clause, words) or _puts_first(words) or _stays(words)


def _bans(clause: str, words: list[str]) -> bool:
    """Whether it bans a thing from a place, without a verb: "no scans in git"."""
    places = [place for place, word in enumerate(words) if word in _PLACES and 2 <= place <= 4]
    return (
        words[0] == "no"
        and parse_clause(clause, clause).subject == "every"
        and any(find_content_words(" ".join(words[place + 1 :])) for place in places)
    )


def _puts_first(words: list[str]) -> bool:
    """Whether it says of a thing, which it puts first, how often "we" do something with it: "LTO we don't use"."""
    places = [place for place, word in enumerate(words) if word == "we" and place > 0 and words[place + 1 : place + 2]]
    return any(words[place + 1] in _FREQUENCIES and len(words) <= place + 5 for place in places)


def _stays(words: list[str]) -> bool:
    """Whether it says how a thing that it names stays."""
    return any(word in ("stay", "stays") and 0 < place < len(words) - 1 for place, word in enumerate(words))
