"""Whether memory can know the answer: what a question takes for granted, looked for in memory itself and not in the ranking.

Ranking always finds something, and its scores tell little: whoever asks for what was never said uses the very words of the
conversation (area under the curve of best cosine, word cover and token-by-token similarity over 112 questions: 0.4 to 0.6). What
tells is a thing that nobody named, and a value of the kind asked for that stands nowhere near the matter. A logistic rule weighs
them (`WEIGHTS`), fitted on 377 questions of six sets; others are kept aside (`benchmarks/refusals.py`). What was said of
known things in known words but never happened ("why was it moved back?") it mostly believes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transforms.language.answer_types import MONTH, NUMBER
from transforms.language.lexicon import SYNONYMS
from transforms.language.quantities import quantities
from transforms.language.tokenizer import stem, words
from transforms.recall.domain_terms import is_known, things_of
from transforms.recall.query import Question
from transforms.recall.question_type import VALUE, Asked, asked_of
from transforms.recall.rank import Corpus, Ranked, neighbours

LOOKED_AT = 10
"""Hits whose texts are searched for a value of the kind asked for."""
USUAL_COSINE = 0.5
"""The mean best cosine of a question: stands in when there are no vectors."""
NEARLY = 0.7
"""Share of the best cover of the question's matter from which a hit is about it."""
BEGINNING = 5
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
WEIGHTS = {
    "always": -0.13, "value": 0.50, "literal": 4.08, "named": 2.41, "unheard": 3.23, "elsewhere": 4.79,
    "untold": 3.74, "far": 3.01, "focus": 2.20, "absent": 1.91, "cosine": -3.48,
}  # fmt: skip
"""Logits of the signs (L2 of 0.1). Of 176 questions without and 201 with an answer have the sign: literal 18 and 0, named 31 and
0, unheard 36 and 0, elsewhere 39 and 0, untold 43 and 1, far 12 and 1, focus 68 and 2, value 138 and 97."""
DOUBTED = 0.65
"""Doubt from which there is no answer. It refuses 77 % of those without and 2 % of those with an answer; of 95 and 89 questions
that took no part, 73 and 4 %; each gold set judged by a rule fitted on the others, 16 and 17 of 20, and none of 72 with one."""

_LIGHT_WORDS = (
    "become became come came take took taken bring brought carry carried go went gone make made happen happened turn turned"
    " rather besides since instead afterwards finally really actually still today now later earlier way kind sort thing piece"
    " part end put say said tell told judge judging expect supposed keep kept give given use used user agent assistant owner"
    " work worked ever own new old first last right even already two three several many much few single whole big little good"
    " bad better best place well back out over after before month day week year time"
    " january february march april june july august september october november december"
    " monday tuesday wednesday thursday friday saturday sunday yesterday"
)
_SHELLS = (
    "fact point matter case aspect detail feature subject topic question answer problem trouble difficulty issue defect"
    " flaw fault mistake reason cause motive explanation excuse purpose goal aim intention idea thought view opinion belief"
    " attitude feeling impression complaint objection criticism concern doubt worry fear wish desire hope demand request"
    " requirement need condition constraint restriction guarantee promise assurance commitment obligation duty decision"
    " choice conclusion verdict agreement compromise plan proposal suggestion recommendation advice hint tip lesson approach"
    " way manner method technique trick solution remedy workaround alternative option possibility chance opportunity risk"
    " danger threat effect consequence result outcome impact influence benefit advantage drawback downside difference"
    " similarity distinction relation connection role function task job step stage phase process procedure situation"
    " circumstance context event incident episode occasion experience attempt effort success failure reaction response order"
    " sequence form format notation style shape standard principle guideline attribute property trait characteristic symptom"
    " sign evidence proof claim statement remark comment criterion status state fate"
)
LIGHT = frozenset(map(stem, re.findall(r"\w+", _LIGHT_WORDS)))
"""Words that a question may use of anything: whether they were said proves nothing."""
SHELLS = frozenset(map(stem, re.findall(r"\w+", _SHELLS)))
"""Shell nouns (Schmid 2000, "English Abstract Nouns as Conceptual Shells"): "the complaint" is what somebody said, and need not
be a word of it. That they were never said proves nothing."""
_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)|(?:19|20)\d\d(?:-\d\d){0,2}|\d")
_DATE = re.compile(rf"\b(?:\d{{1,2}}(?: of)? (?:{MONTH}|may)|(?:{MONTH}|may) \d{{1,2}})\b", re.I)
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
    days = {word for found in _DATE.findall(question.text) for word in words(found)}
    said = [word for word in question.words if word not in LIGHT | days and not _DAY.fullmatch(word) and len(word) > 1]
    matter = [word for word in said if word not in SHELLS or heard.knows(word)]
    weights = {word: corpus.weight(word) for word in matter}
    absent = [word for word in matter if not heard.knows(word)]
    specifics = [one for one in question.specifics if not _DAY.fullmatch(one[-1]) and one[-1] not in days]
    literal = [one for one in specifics if not _is_met(one, heard)]
    named = [word for word in asked.names if not _DAY.fullmatch(word) and word not in LIGHT and not heard.knows(word)]
    texts = [rows[one.index].get("text") or "" for one in ranked[:LOOKED_AT]]
    unmet = [one for one in quantities(question.text) if not any(map(one.search, texts))]
    near = neighbours(rows, [one.index for one in ranked[:LOOKED_AT]])
    around = [_around(rows, near, one.index) for one in ranked[:LOOKED_AT]]
    things = things_of(question.text)
    unheard = [group for group in things if not is_known(group, heard.frequency)]
    here = set().union(*around)
    elsewhere = [group for group in things if group not in unheard and not is_known(group, dict.fromkeys(here, 1))]
    told = _told_where(asked, rows, ranked, around, weights)
    if told == "beside" and asked.value != NUMBER:  # what is told beside the matter need not be called by its name
        absent = [word for word in absent if word not in asked.focus]
    signs = {
        "always": 1.0,
        "value": float(asked.form == VALUE),
        "literal": float(bool(literal or unmet)),
        "named": float(bool(named)),
        "unheard": float(bool(unheard)),
        "elsewhere": float(bool(elsewhere)),
        "untold": float(told == "nowhere"),
        "far": float(told == "far"),
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


def _told_where(
    asked: Asked, rows: Sequence[Row], ranked: Sequence[Ranked], around: Sequence[set[str]], weights: Mapping[str, float]
) -> str:
    """Where a value of the kind asked for is told: `nowhere` among the hits, `far` from the matter, `near` it, or right `beside`
    most of it."""
    if asked.told is None:
        return "near"
    own = {word for one in ranked[: len(around)] for word in words((rows[one.index].get("project") or "").rpartition("/")[2])}
    matter = {word: weight for word, weight in weights.items() if word not in asked.focus and word not in own}
    cover = [_cover(matter, said) for said in around]
    most, told, about, beside = max(cover, default=0.0), False, 0.0, 0.0
    for one, share in zip(ranked, cover, strict=False):
        parts = [part for part in SENTENCE.split(rows[one.index].get("text") or "") if part.strip()]
        for place in [place for place, part in enumerate(parts) if asked.told.search(part)]:
            told, about = True, max(about, share)
            beside = max(beside, _cover(matter, words(" ".join(parts[max(place - 1, 0) : place + 2]))))
    if not told:
        return "nowhere"
    if most and beside >= sum(matter.values()) / 2:
        return "beside"
    return "near" if asked.is_counted or not most or (about >= NEARLY * most and beside) else "far"


def _cover(weights: Mapping[str, float], said: Iterable[str]) -> float:
    return sum(weights.get(word, 0.0) for word in set(said))
