"""What each clause of a person's words is: an order, a choice, a rule, a report …

"Fix the sum, and we say basket all over this shop" is an order and a convention; whoever judges the whole message has to choose
one. Features are the words of the clause, its grammar with gaps for names, its place in the message, and the agent's last words.
`benchmarks/distil/row_kinds.py` fits the weights on messages that writers labelled clause by clause.
"""

from __future__ import annotations

from transforms.classify.clause_encoder import WeighClause
from transforms.classify.features import CONTEXT_CHARS, SparseVector, extract_features, hash_features
from transforms.classify.linear_model import LinearModel
from transforms.classify.reach import list_skeleton

LONGEST_SEQUENCE, LONGEST_OPENING = 4, 3
"""Grammatical words of a sequence, and of the beginning of a clause, that are one feature."""
LENGTH_STEP, LONGEST = 4, 6
PLACE_WEIGHT, WHOLE_SHARE = 1.5, 0.9
"""Weight of a clause's place, and the share of a message from which a clause is all of it."""
LASTS, ONCE = "lasts", "once"
"""The labels of the model of standing words."""
MOST_CHARS = 20_000
"""Beginning of a message in which a clause's place is looked for; each row of a paste would read all of it."""
MIN_LASTING = 0.75
"""Probability from which a line of typed words is a rule, a preference or a convention for good: nine of ten clauses of writers
left out that reach it are worth knowing in months, as many as from .7 by the weights of half of the voices."""
LEAST_WORDS, MOST_CLAUSES = 3, 24
"""Words of a part of a sentence that is judged by itself, and clauses of a quotation that are judged."""
_SENTENCE_ENDS, _CLAUSE_ENDS = (".", "!", "?", "…"), (",", ";", ":", "–", "—")
JOINING_WORDS = frozenset({"and", "but", "so", "because", "then"})
"""Words that begin a part of a sentence."""


def list_clauses(quote: str) -> list[str]:
    """Return the sentences of a quotation and, where a sentence has several, its parts, too."""
    clauses = list[str]()
    for sentence in _split_sentences(quote):
        parts = [" ".join(part).strip(" ,;:–—") for part in _split_parts(sentence) if len(part) >= LEAST_WORDS]
        clauses += [" ".join(sentence), *(parts if len(parts) > 1 else [])]
    return clauses[:MOST_CLAUSES] or [quote]


def list_sentences(quote: str) -> list[str]:
    """Return the sentences of a quotation, and its lines, whole."""
    return [" ".join(sentence) for sentence in _split_sentences(quote)][:MOST_CLAUSES] or [quote]


def list_parts(sentence: str) -> list[str]:
    """Return the parts of a sentence with their marks: up to each mark inside of it, and from each word that joins."""
    return [" ".join(part) for part in _split_parts(sentence.split()) if part]


def _split_sentences(text: str) -> list[list[str]]:
    """Return the words of each sentence and line."""
    sentences = list[list[str]]()
    for line in text.splitlines():
        words = list[str]()
        for word in line.split():
            words.append(word)
            if word.endswith(_SENTENCE_ENDS):
                sentences.append(words)
                words = []
        sentences += [words] if words else []
    return sentences


def _split_parts(sentence: list[str]) -> list[list[str]]:
    """Return the words of a sentence up to each mark inside of it, and from each word that joins."""
    parts = list[list[str]]([[]])
    for word in sentence:
        if parts[-1] and (word.lower() in JOINING_WORDS or parts[-1][-1].endswith(_CLAUSE_ENDS)):
            parts.append([])
        parts[-1].append(word)
    return parts


def list_clause_features(clause: str, message: str, before: str) -> dict[str, float]:
    """Return the named features of a clause of a message, to which the agent's text `before` led."""
    features = extract_features(clause, before[-CONTEXT_CHARS:])
    skeleton = list_skeleton(clause)
    for size in range(1, LONGEST_SEQUENCE + 1):
        sequences = (skeleton[place : place + size] for place in range(len(skeleton) - size + 1))
        features |= {f"grammar:{' '.join(words)}": 1.0 for words in sequences if any(word != "*" for word in words)}
    features |= {f"begins:{' '.join(skeleton[:size])}:{size}": 1.0 for size in range(1, LONGEST_OPENING + 1)}
    features[f"length:{min(LONGEST, len(skeleton) // LENGTH_STEP)}"] = 1.0
    return features | _list_place_features(_flatten(clause), _flatten(message[:MOST_CHARS]))


def hash_clause(clause: str, message: str, before: str) -> SparseVector:
    """Return the hashed features of a clause."""
    return hash_features(list_clause_features(clause, message, before))


def judge_lasting(line: str, model: LinearModel, weigh_clause: WeighClause | None = None, least: float = 0.0) -> float:
    """Return how likely a line of typed words is a rule, a preference or a convention for good: by its words and, the mean of
    both, by the encoder, if there is one. That takes a hundred times as long and is left out where the mean cannot reach `least`:
    then the most that it can be is returned."""
    words = model.predict(hash_clause(line, "", ""))[LASTS]
    if weigh_clause and (most := (words + 1) / 2) < least:
        return most
    encoded = weigh_clause(line[:MOST_CHARS], "", "") if weigh_clause else None
    return words if encoded is None else (words + encoded) / 2


def _list_place_features(clause: str, message: str) -> dict[str, float]:
    start = message.find(clause)
    behind = message[:start].split()[-2:] if start > 0 else []
    if len(clause) >= WHOLE_SHARE * len(message):
        place = "whole"
    elif start <= 0:
        place = "first"
    else:
        place = "last" if start + len(clause) >= len(message) - 2 else "middle"
    joined = {f"behind:{behind[-1]}": 1.0, f"behind:{' '.join(behind)}:2": 1.0} if behind else {}
    return {f"place:{place}": PLACE_WEIGHT} | joined


def _flatten(text: str) -> str:
    """Return a text as one line in lower case, without quotation marks and semicolons, which quotations change."""
    return " ".join(text.lower().translate(_MARKS).split())


_MARKS = str.maketrans(dict.fromkeys("\"'’‘“”;", " "))
