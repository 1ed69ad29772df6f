"""Whether memory can know the answer: what a question takes for granted, looked for in memory itself and not in the ranking.

Ranking always finds something, and its scores tell little: whoever asks for what was never said uses the very words of the
conversation (area under the curve of best cosine, word cover and token-by-token similarity over 112 questions: 0.4 to 0.6). What
tells is a thing that nobody named, and a value of the kind asked for that stands nowhere near the matter. A logistic rule weighs
them (`WEIGHTS`), fitted on 297 questions of four sets, each judged by a rule that was fitted on the other three
(`benchmarks/refusals.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transforms.asked import VALUE, Asked, asked_of
from transforms.lexicon import SYNONYMS
from transforms.notions import is_known, things_of
from transforms.query import Question
from transforms.rank import Corpus, Ranked, neighbours
from transforms.words import stem, words

LOOKED_AT = 10
"""Hits whose texts are searched for a value of the kind asked for."""
USUAL_COSINE = 0.5
"""The mean best cosine of a question: stands in when there are no vectors."""
NEARLY = 0.7
"""Share of the best cover of the question's matter from which a hit is about it."""
BEGINNING = 5
WEIGHTS = {
    "always": -0.32, "value": 0.94, "literal": 2.30, "named": 2.10, "unheard": 2.66, "elsewhere": 3.28, "typed": 0.43,
    "untold": 2.30, "focus": 0.80, "absent": 1.24, "cosine": -3.32,
}  # fmt: skip
"""Logits of the signs (L2 of 0.3). Of 133 questions without and 164 with an answer have the sign: literal 13 and 0, named 28 and
0, unheard 32 and 0, elsewhere 30 and 1, untold 21 and 2, focus 58 and 8, value 109 and 80."""
DOUBTED = 0.7
"""Doubt from which there is no answer: refuses 59 % of those without and 2 % of those with an answer; 0.5 refuses 74 and 7 %."""

_LIGHT_WORDS = (
    "become became come came take took taken bring brought carry carried go went gone make made happen happened turn turned"
    " rather besides since instead afterwards finally really actually still today now later earlier way kind sort thing piece"
    " part end put say said tell told judge judging expect supposed keep kept give given use used user agent assistant owner"
    " work worked ever own new old first last right even already two three several many much few single whole big little good"
    " bad better best place well back out over after before month day week year time"
    " january february march april june july august september october november december"
    " monday tuesday wednesday thursday friday saturday sunday yesterday"
)
LIGHT = frozenset(map(stem, re.findall(r"\w+", _LIGHT_WORDS)))
"""Words that a question may use of anything: that they were never said proves nothing."""
_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)|(?:19|20)\d\d(?:-\d\d){0,2}|\d")
_ALIKE: dict[str, list[str]] = {}
_HEADS = SYNONYMS | dict.fromkeys(map(stem, ("color", "hue", "shade", "tint")), "color") | dict.fromkeys(("gray", "grey"), "gray")
for _word, _head in _HEADS.items():
    _ALIKE.setdefault(_head, []).append(_word)

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Heard:
    """What memory as a whole has of a question's words: in how many documents each occurs, and which beginnings occur."""

    frequency: Mapping[str, int]
    beginnings: frozenset[str] = frozenset()

    def knows(self, word: str) -> bool:
        """Whether the word, one that means the same, or another form of it was ever said."""
        alike = (word, *_ALIKE.get(_HEADS.get(word, ""), ()))
        return any(self.frequency.get(one) for one in alike) or beginning(word) in self.beginnings


@dataclass(frozen=True, slots=True)
class Doubt:
    """How likely it is that memory does not know, from 0 to 1, the signs of it, and the question's words
    that were never said."""

    share: float
    signs: Mapping[str, float]
    unheard: tuple[str, ...]


def looked_up(question: Question) -> tuple[set[str], set[str]]:
    """The words and beginnings whose occurrence in memory the doubt depends on."""
    own = {*question.words, *(word for specific in question.specifics for word in specific), *asked_of(question.text).names}
    alike = {other for word in own for other in _ALIKE.get(_HEADS.get(word, ""), ())}
    things = {part for group in things_of(question.text) for name in group for part in name}
    return own | alike | things, {found for word in own if (found := beginning(word))}


def beginning(word: str) -> str:
    """What another form of the word begins with as well; empty for short words and identifiers."""
    return word[: max(BEGINNING, len(word) - 2)] if len(word) > BEGINNING and word.isalpha() and word.isascii() else ""


def doubt_of(
    question: Question, rows: Sequence[Row], ranked: Sequence[Ranked], corpus: Corpus, heard: Heard, cosine: float | None
) -> Doubt:
    """The doubt that memory knows; `rows` that were ranked first have their `text`."""
    asked = asked_of(question.text)
    matter = [word for word in question.words if word not in LIGHT and not _DAY.fullmatch(word) and len(word) > 1]
    weights = {word: corpus.weight(word) for word in matter}
    absent = [word for word in matter if not heard.knows(word)]
    literal = [one for one in question.specifics if not _DAY.fullmatch(one[-1]) and not _is_met(one, heard)]
    named = [word for word in asked.names if not _DAY.fullmatch(word) and word not in LIGHT and not heard.knows(word)]
    near = neighbours(rows, [one.index for one in ranked[:LOOKED_AT]])
    around = [_around(rows, near, one.index) for one in ranked[:LOOKED_AT]]
    things = things_of(question.text)
    unheard = [group for group in things if not is_known(group, heard.frequency)]
    here = set().union(*around)
    elsewhere = [group for group in things if group not in unheard and not is_known(group, dict.fromkeys(here, 1))]
    signs = {
        "always": 1.0,
        "value": float(asked.form == VALUE),
        "literal": float(bool(literal)),
        "named": float(bool(named)),
        "unheard": float(bool(unheard)),
        "elsewhere": float(bool(elsewhere)),
        "typed": float(asked.told is not None),
        "untold": float(_is_untold(asked, rows, ranked, around, weights)),
        "focus": float(any(word in absent for word in asked.focus)),
        "absent": sum(weights[word] for word in absent) / (sum(weights.values()) or 1.0),
        "cosine": USUAL_COSINE if cosine is None else cosine,
    }
    logit = sum(WEIGHTS[name] * value for name, value in signs.items())
    missing = {one[-1] for one in literal} | {*named} | {*absent}
    return Doubt(1 / (1 + math.exp(-logit)), signs, _as_asked(question.text, missing))


def _as_asked(text: str, missing: set[str]) -> tuple[str, ...]:
    """The words of the question, as it writes them, that stand for these."""
    bare = (token.strip("?,.!;:'\"()`’“”") for token in text.split())
    return tuple(dict.fromkeys(token for token in bare if missing & set(words(token))))


def _is_met(specific: Sequence[str], heard: Heard) -> bool:
    """Whether an identifier, version or file was said as it is written; of a path its parts are enough."""
    whole = specific[-1]
    if heard.frequency.get(whole) or (any("/" in word for word in specific) and all(map(heard.knows, specific[:-1]))):
        return True
    return any(heard.frequency.get(word) for word in specific if "." in word or "_" in word)


def _around(rows: Sequence[Row], near: Mapping[int, Sequence[tuple[int, int]]], index: int) -> set[str]:
    return {word for place in (index, *(other for other, _ in near[index])) for word in rows[place]["found"]}


def _is_untold(
    asked: Asked, rows: Sequence[Row], ranked: Sequence[Ranked], around: Sequence[set[str]], weights: Mapping[str, float]
) -> bool:
    """Whether no hit about the matter tells a value of the kind that is asked for."""
    if asked.told is None:
        return False
    matter = {word: weight for word, weight in weights.items() if word not in asked.focus}
    cover = [sum(weight for word, weight in matter.items() if word in said) for said in around]
    about = [one for one, share in zip(ranked, cover, strict=False) if share >= NEARLY * max(cover)]
    return not any(asked.told.search(rows[one.index].get("text") or "") for one in about)
