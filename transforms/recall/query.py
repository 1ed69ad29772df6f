"""What a question asks for: its words, the days it speaks of, and whose words it wants."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from transforms.language.tokenizer import question_words, words
from transforms.recall.question_dates import DAY_NAMES, MONTH_NAMES, days_of

_USER = re.compile(r"\b(i|me|my|mine|we|our|us|user|owner)\b", re.I)
_AGENT = re.compile(r"\b(you|your|agent|assistant|pi)\b", re.I)
_SPECIFIC = re.compile(r"\w*\d\w*(?:\.\w+)*|\w+(?:_\w+)+|\w*[a-z][A-Z]\w*|[A-Z]{2,}|[\w-]+(?:\.[\w-]+)*\.[a-z]{1,4}")
_NAME = re.compile(r"\b([A-Z][a-z][\w-]*)(?:'s)?\b")


_DECIDED, _RULED = frozenset({"decision", "state_change"}), frozenset({"rule", "convention", "preference", "correction"})
_CAUSED = frozenset({"root_cause", "fix"})
_WANTED = (
    (
        re.compile(r"\b(decid\w*|decision|chose\w*|choose|picked|agreed?|settled?|instead of|which|replaced?|switch\w*)\b", re.I),
        _DECIDED,
    ),
    (re.compile(r"\b(caus\w*|root cause|broke\w*|fail\w*|wrong|bug|crash\w*|fix\w*|solved?|resolved?)\b", re.I), _CAUSED),
    (re.compile(r"\bwhy\b|\breasons?\b|\bhow come\b", re.I), _DECIDED | _CAUSED | {"rule"}),
    (
        re.compile(
            r"\b(rules?|conventions?|prefer\w*|allowed|may|must|should|always|never|want\w*|accept\w*|dislike\w*|like[sd]?)\b",
            re.I,
        ),
        _RULED,
    ),
    (re.compile(r"\bhow (do|should|does|must) (we|i|you|one)\b", re.I), _RULED | _DECIDED),
)


TIME_WORDS = frozenset(
    words(
        "yesterday today tonight tomorrow last next ago recently week weekend month year morning afternoon evening night"
        " spring summer autumn winter"
    )
) | frozenset(words(" ".join([*MONTH_NAMES, *DAY_NAMES])))
"""Index words of which one tells when something was; a year does, too."""
NUMBER_WORDS = frozenset(
    words("two three four five six seven eight nine ten dozen hundred thousand once twice couple several few")
)
"""Index words of which one tells how many; digits do, too."""

_EXPECTS = (
    ("time", re.compile(r"^\W*(?:since )?(?:when|what (?:year|month|day|date|time)|how long)\b", re.I)),
    ("number", re.compile(r"^\W*how (?:many|much|often|old|long|large|big|high)\b", re.I)),
)
_LIST = re.compile(
    r"^\W*(?:in |on |at |for |with |of )?(?:what|which|who|where)(?: [\w'’-]+){0,3}?"
    r" (?!does\b|was\b|has\b)[a-z]+[^\W\d_siu]s\b(?!['’])"
    r"|\b(?:both|in common|how many times|all (?:the|of|our|my))\b",
    re.I,
)
"""A plural near the question word, as in "which databases did we try?": the evidence is not in one place."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    `days` is the period it speaks of (both included) or None; `speakers` are lower-cased; `specifics` are the index
    words of each version, identifier, file or abbreviation that it names: what an answer must know of. `kinds` are the kinds
    of facts that usually answer such a question; empty when its form does not tell. `expects` has `time` and `number` when it
    asks for these; `is_list` when it asks for several things at once.
    """

    text: str
    words: tuple[str, ...]
    days: tuple[date, date] | None
    speakers: frozenset[str]
    specifics: tuple[tuple[str, ...], ...] = ()
    kinds: frozenset[str] = frozenset()
    expects: frozenset[str] = frozenset()
    is_list: bool = False


def question_of(text: str, today: date) -> Question:
    """The question taken apart; relative days count from `today`."""
    days, speakers = days_of(text, today), speakers_of(text)
    expects = frozenset(name for name, pattern in _EXPECTS if pattern.search(text))
    asked = tuple(question_words(text))
    return Question(text, asked, days, speakers, specifics_of(text), kinds_of(text), expects, bool(_LIST.search(text)))


def kinds_of(text: str) -> frozenset[str]:
    """Kinds of facts that answer a question of this form: a decision for "which … did we choose", a cause for "what broke"."""
    return frozenset().union(*(kinds for pattern, kinds in _WANTED if pattern.search(text)))


def speakers_of(text: str) -> frozenset[str]:
    """Whose turns the question wants: names in it, and `user` or `assistant` when it speaks of one of them only."""
    names = {name.lower() for name in _NAME.findall(text)}
    is_user, is_agent = bool(_USER.search(text)), bool(_AGENT.search(text))
    role = {"user"} if is_user and not is_agent else {"assistant"} if is_agent and not is_user else set()
    return frozenset(names | role)


def specifics_of(text: str) -> tuple[tuple[str, ...], ...]:
    """The versions, identifiers, files and abbreviations that the question names, each as its index words."""
    bare = (token.strip("?,.!;:'\"()`’“”") for token in text.split())
    return tuple(found for token in bare if _SPECIFIC.fullmatch(token) and (found := tuple(words(token))))
