"""How well a hit tells the answer, among the hits of one question: a hit may be the right evidence and still be a poor sentence.

Ranking puts first what should be seen; many kinds of facts weigh in. An answer is led by what is about the matter and settles
it: a cause or a decision before the question that led to it, what was found before what was guessed, the later of two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from transforms.query import Question
from transforms.rank import Ranked

WANTED, SETTLED, ASKED, GUESSED, ANNOUNCED, REPLACED = 1.3, 1.3, 0.5, 0.75, 0.6, 0.5
"""Of a kind that answers such a question; of a kind that settles; a question, a wish or what was left open; a guess; what
someone is about to do; what was replaced."""
LATER, PLACE = 0.2, 0.08
"""The hit that was said last gains as much, and each loses as much per place in the ranking."""
SETTLING = frozenset(
    {"decision", "state_change", "root_cause", "fix", "rule", "convention", "correction", "preference", "completion"}
)
ASKING = frozenset({"question", "request", "task", "error"})

_GUESS = re.compile(
    r"\b(?:maybe|perhaps|might(?! have to)|probably|likely|could be|suspect\w*|hypothes\w+|my guess|i think it|seems? to"
    r"|possibly)\b",
    re.I,
)
_UNSETTLED = re.compile(r"\b(?:open questions?|left open|undecided|(?:don't|do not) know|not decided)\b", re.I)
_ANNOUNCES = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|now|good|great|perfect|yes|right|first|then|sure)\b\W*)*"
    r"(?:let me|let's|i'?ll|i will|i need to|i'?m going to|next)\b",
    re.I,
)

Row = Mapping[str, Any]


def tellings(found: Sequence[tuple[Row, Ranked] | None], question: Question) -> list[float]:
    """For each hit, in the order of the ranking, how well it tells; a hit that was cut (None) tells little."""
    known = [one for one in found if one is not None]
    most = {name: max((getattr(one, name) for _, one in known), default=0.0) for name in ("coverage", "lexical", "cosine")}
    last = _lateness([row for row, _ in known])
    return [
        _about(one, most) * _settles(row, question, last) * (1 - PLACE * place) if (row := pair[0]) and (one := pair[1]) else 0.0
        for place, pair in enumerate(pair or ({}, None) for pair in found)
    ]


def _about(one: Ranked, most: Mapping[str, float]) -> float:
    """How much of the matter, against the best of the hits: its own words, those around it, and its meaning."""
    parts = [getattr(one, name) / most[name] for name in most if most[name] > 0]
    return sum(parts) / len(parts) if parts else 1.0


def _settles(row: Row, question: Question, last: Mapping[str, float]) -> float:
    kind, text = row["kind"], str(row["text"])
    result = REPLACED if row["superseded_by"] else 1.0
    if kind in question.kinds:
        result *= WANTED
    if kind in SETTLING or row["source"] == "memory":
        result *= SETTLED
    elif kind in ASKING or _UNSETTLED.search(text) or (row["source"] == "turn" and row["speaker"] == "user" and "?" in text):
        result *= ASKED
    if _GUESS.search(text):
        result *= GUESSED
    if row["source"] == "turn" and row["speaker"] == "assistant" and _ANNOUNCES.match(text):
        result *= ANNOUNCED
    return result * (1 + LATER * last.get(str(row["key"]), 0.0))


def _lateness(rows: Sequence[Row]) -> dict[str, float]:
    """For each hit the share of the others that were said before it."""
    dated = sorted((row["said_at"], str(row["key"])) for row in rows if row["said_at"] is not None)
    return {key: place / max(len(dated) - 1, 1) for place, (_, key) in enumerate(dated)}
