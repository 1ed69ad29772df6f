"""Names the thing whose value a terse claim gives, as the words that the row has behind it tell: "keep the batch size at 161"
above "Done: batch size of webhook is 161 now" is about webhook, and says nothing of another batch size."""

from __future__ import annotations

from transforms.language.lexicon import CHANGE_WORDS, GENERIC
from transforms.language.sentences import has_digit
from transforms.language.similarity import select_subject_words
from transforms.language.statement import parse_statement, split_clauses
from transforms.memory.claim_clauses import CHANGED_TO, COPULA, DENIALS, NOW, list_subject_words

MAX_THING_WORDS = 2
"""Words of a thing that are only behind a claim: more are another sentence."""
_STATING = (CHANGED_TO, COPULA)


def name_thing(claim: str, rest: str) -> str:
    """Return a claim with the thing whose measure it gives a value, where only the words behind it name that thing.

    They name it where they give the same measure the same value, and the claim says nothing but the measure and a verb.
    """
    if not (has_digit(claim) and has_digit(rest)):
        return claim
    subjects = _list_valued_subjects(rest)
    for clause in split_clauses(claim) if subjects else ():
        for subject, values in subjects:
            if (completed := _complete_clause(clause, subject, values)) and clause in claim:
                return claim.replace(clause, completed, 1)
    return claim


def _list_valued_subjects(rest: str) -> list[tuple[str, frozenset[str]]]:
    """Return what the words say has a value, and its numbers."""
    pieces = (piece for sentence in split_clauses(rest) for part in sentence.split(": ") for piece in part.split(", "))
    stated = (pattern.match(NOW.sub("", piece)) for piece in pieces if has_digit(piece) for pattern in _STATING)
    return [(match["subject"], _list_values(match["value"])) for match in stated if match]


def _complete_clause(clause: str, subject: str, values: frozenset[str]) -> str:
    """Return the clause with the thing of the subject behind its measure; empty where it needs none, or it is another measure."""
    if not values & _list_values(clause):
        return ""
    own, named = select_subject_words(parse_statement(clause)), list_subject_words(subject)
    measure = own & named
    things = [word for word in subject.split() if list_subject_words(word) & (named - own - GENERIC - CHANGE_WORDS - DENIALS)]
    words = clause.split()
    verb = list_subject_words(words[0])
    if not measure or own - measure - verb - GENERIC - CHANGE_WORDS or not 0 < len(things) <= MAX_THING_WORDS:
        return ""
    last = max(place for place, word in enumerate(words) if list_subject_words(word) & measure)
    thing = " ".join(word.strip("`'\".,").removesuffix("'s").removesuffix("’s") for word in things)
    return " ".join([*words[: last + 1], "for", thing, *words[last + 1 :]])


def _list_values(text: str) -> frozenset[str]:
    return frozenset(value for value, _ in parse_statement(text).numbers)
