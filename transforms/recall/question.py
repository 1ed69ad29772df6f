"""Parses a question: its words, the days that it names, the speakers that it wants and the kinds of facts that answer it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from transforms.calendars.day_names import DAY_NAMES, MONTH_NAMES
from transforms.language.sentences import count_unspaced_signs
from transforms.language.tokenizer import tokenize, tokenize_question
from transforms.patterns.late_pattern import compile_late
from transforms.recall.question_dates import asks_for_past, find_days
from transforms.tables.enums import CAUSE_KINDS, GUIDING_KINDS

PUNCTUATION = "?,.!;:'\"()`’“”"
"""Characters around a word of a question that do not belong to it."""

_USER = compile_late(r"\b(i|me|my|mine|we|our|us|user|owner)\b", re.I)
_AGENT = compile_late(r"\b(you|your|agent|assistant|pi)\b", re.I)
_LATIN_END = "\u0370"
"""The first letter behind those of Latin script, but for rare ones."""
_IDENTIFIER_WORD = compile_late(r"\w*\d\w*(?:\.\w+)*|\w+(?:_\w+)+|\w*[a-z][A-Z]\w*|[A-Z]{2,}|[\w-]+(?:\.[\w-]+)*\.[a-z]{1,4}")
_CAPITALISED_NAME = compile_late(r"\b([A-Z][a-z][\w-]*)(?:'s)?\b")

_DECISION_KINDS = frozenset({"decision", "state_change"})
_ANSWER_KINDS = (
    (
        compile_late(
            r"\b(decid\w*|decision|chose\w*|choose|picked|agreed?|settled?|instead of|which|replaced?|switch\w*)\b", re.I
        ),
        _DECISION_KINDS,
    ),
    (compile_late(r"\b(caus\w*|root cause|broke\w*|fail\w*|wrong|bug|crash\w*|fix\w*|solved?|resolved?)\b", re.I), CAUSE_KINDS),
    (compile_late(r"\bwhy\b|\breasons?\b|\bhow come\b", re.I), _DECISION_KINDS | CAUSE_KINDS | {"rule"}),
    (
        compile_late(
            r"\b(rules?|conventions?|prefer\w*|allowed|may|must|should|always|never|want\w*|accept\w*|dislike\w*|like[sd]?)\b",
            re.I,
        ),
        GUIDING_KINDS,
    ),
    (compile_late(r"\bhow (do|should|does|must) (we|i|you|one)\b", re.I), GUIDING_KINDS | _DECISION_KINDS),
)


TIME_WORDS = frozenset(
    tokenize(
        "yesterday today tonight tomorrow last next ago recently week weekend month year morning afternoon evening night"
        " spring summer autumn winter"
    )
) | frozenset(tokenize(" ".join([*MONTH_NAMES, *DAY_NAMES])))
"""Index words that date a statement. A year does so, too."""
NUMBER_WORDS = frozenset(tokenize("dozen once twice couple several few"))
"""Index words that count something. Digits do so, too, which a number in words is (`tokenize`)."""

_EXPECTED_ANSWERS = (
    ("time", compile_late(r"^\W*(?:since )?(?:when|what (?:year|month|day|date|time)|how long)\b", re.I)),
    ("number", compile_late(r"^\W*how (?:many|much|often|old|long|large|big|high)\b", re.I)),
)
_LIST_QUESTION = compile_late(
    r"^\W*(?:in |on |at |for |with |of )?(?:what|which|who|where)(?: [\w'’-]+){0,3}?"
    r" (?!does\b|was\b|has\b)[a-z]+[^\W\d_siu]s\b(?!['’])"
    r"|\b(?:both|in common|how many times|all (?:the|of|our|my))\b",
    re.I,
)
"""A plural near the question word, as in "which databases did we try?": the evidence stands in several places."""


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed question.

    `words` are its distinct index words. `days` is the period that it names (both days included) or None. `speakers` are
    lower-case names and roles. `specifics` has the index words of each version, identifier, file or abbreviation in it.
    `kinds` are the kinds of facts that usually answer such a question, empty when its form gives no hint. `expects` holds
    `time` and `number` when the question asks for one; `is_list` marks a question that asks for several things, `is_past` one
    that asks how something was before. `projects` are those that it names (full paths), with `is_project_written` by a name that
    no word is written like.
    """

    text: str
    words: tuple[str, ...]
    days: tuple[date, date] | None
    speakers: frozenset[str]
    specifics: tuple[tuple[str, ...], ...] = ()
    kinds: frozenset[str] = frozenset()
    expects: frozenset[str] = frozenset()
    is_list: bool = False
    is_past: bool = False
    projects: tuple[str, ...] = ()
    is_project_written: bool = False


def parse_question(text: str, today: date) -> Question:
    """Parse a question; relative days count from `today`."""
    return Question(
        text=text,
        words=tuple(tokenize_question(text)),
        days=find_days(text, today),
        speakers=find_speakers(text),
        specifics=find_specifics(text),
        kinds=find_answer_kinds(text),
        expects=frozenset(name for name, pattern in _EXPECTED_ANSWERS if pattern.search(text)),
        is_list=bool(_LIST_QUESTION.search(text)),
        is_past=asks_for_past(text),
    )


def find_answer_kinds(text: str) -> frozenset[str]:
    """Return the kinds of facts that answer such a question: decisions for "which … did we choose", causes for "what broke"."""
    return frozenset().union(*(kinds for pattern, kinds in _ANSWER_KINDS if pattern.search(text)))


def find_speakers(text: str) -> frozenset[str]:
    """Return the names in a question, and `user` or `assistant` when it mentions only one of the two."""
    names = {name.lower() for name in _CAPITALISED_NAME.findall(text)}
    is_user, is_agent = bool(_USER.search(text)), bool(_AGENT.search(text))
    role = {"user"} if is_user and not is_agent else {"assistant"} if is_agent and not is_user else set()
    return frozenset(names | role)


def split_scripts(token: str) -> list[str]:
    """Return what is written without spaces between scripts in pieces, Latin letters and others; else the token alone."""
    return ["".join(piece) for _, piece in groupby(token, _LATIN_END.__gt__)] if count_unspaced_signs(token) else [token]


def find_specifics(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the index words of each version, identifier, file and abbreviation in a question."""
    tokens = (piece.strip(PUNCTUATION) for token in text.split() for piece in split_scripts(token))
    return tuple(terms for token in tokens if _IDENTIFIER_WORD.fullmatch(token) and (terms := tuple(tokenize(token))))
