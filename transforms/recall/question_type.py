"""What a question wants to hear: its form, what it asks for by name, and how a text that tells it looks.

The forms follow the question classes of Li and Roth (2002, "Learning question classifiers"), with the values that people ask a
coding memory for: versions, colours, ports, shortcuts, numbers of issues. General English; no vocabulary of a project.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from transforms.language.answer_types import NUMBER, UNITS, VALUES
from transforms.language.quantities import counted
from transforms.language.tokenizer import STOP, words

VALUE, STATED, OPEN = "value", "stated", "open"
"""A question for one thing ("which port", "who", "how many"), for whether something is so, or for an account ("why", "how")."""

_AUXILIARY = r"(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would)"
_MEASURE = re.compile(r"\bhow (many|much|often|long|big|large|tall|high|old|fast|far|late|early|soon|slow|heavy|\w+er)\b", re.I)
_MANY = re.compile(r"how many ((?:[\w-]*[^\Ws]\s+)?[\w-]+s\b|\w+(?:\s+\w+)?)", re.I)
_PAST, _PRESENT = re.compile(r"(?<=\S)\s+\S*[a-z]ed\b(?!-)"), re.compile(r"(?<=\S)\s+\S*[a-z][^\Ws]s\b")
_WHOSE = re.compile(r"^\W*(?:\w+ )?whose\b", re.I)
_WHICH = re.compile(r"\b(?:which|what|whose)\s+((?:[\w./#'-]+\s*){1,6})", re.I)
_WHAT_IS = re.compile(r"\bwhat(?:'s|\s+(?:is|are|was|were))\s+(?:the|our|my|its|his|their|a|an)\s+((?:[\w./#'-]+\s*){1,6})", re.I)
_FIRST = re.compile(r"\b(which|what|who|whom|whose|when|where|why|how)\b", re.I)
_YES_NO = re.compile(rf"^\W*(?:and\s+)?{_AUXILIARY}\b", re.I)
_PROPER = re.compile(r"(?<![.?!]\s)(?<!^)(?<![\w./-])[A-Z][\w]*[A-Za-z0-9](?:[\w.-]*\w)?")
_STOPS = STOP | {"besides", "ago", "since"}
_DETERMINER = r"(?:the|an?|our|my|your|his|her|its|their|this|that|these|those|any|each|every|all|no)"

_HEAD_END = re.compile(
    rf"\b{_AUXILIARY}\b|(?<![\w-])(?:of|for|in|on|onto|that|when|while|to|by|at|from|with|after|before|during|about|concerning|inside"
    r"|within|between|through|under|over|into|per|and|or|became|caused|carried|made|took|got|went|turned|came|brought|belongs?)(?![\w-])"
    rf"|\b[\w'-]+\s+{_DETERMINER}\b",
    re.I,
)
"""Where the words end that say what is wanted: a verb, a preposition, or the word before an article, which is a verb as well."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's form, the stems of what it asks for ("which border colour" → border, color), names that it writes with a
    capital letter inside the sentence (stems), and the pattern of a text that tells the value; None when any text may.
    `is_counted` when the pattern holds the thing that is counted."""

    form: str
    focus: tuple[str, ...]
    names: tuple[str, ...]
    value: str | None
    told: re.Pattern[str] | None
    is_counted: bool = False


@lru_cache(maxsize=64)  # asked several times for each question
def asked_of(text: str) -> Asked:
    """The question taken apart by its form."""
    focus = _focus(text)
    form = _form(text)
    head = _head(text) if form == VALUE and not _WHOSE.search(text) else ""
    value, told, is_counted = _told(head)
    names = tuple(dict.fromkeys(words(match.group())[-1] for match in _PROPER.finditer(text) if words(match.group())))
    return Asked(form, focus, names, value, told, is_counted)


def _told(head: str) -> tuple[str | None, re.Pattern[str] | None, bool]:
    """The kind of value that a question's head asks for, and how a text looks that tells it. How many there are of a thing is
    told by a number of that thing, whatever else the thing is called."""
    found = {name: (name == NUMBER, match.start()) for name, asked, _ in VALUES if (match := asked.search(head))}
    if (many := _MANY.match(head)) and not found.keys() & UNITS and not many[1].lower().startswith("times"):
        return NUMBER, counted(many[1]), True
    value = min(found, key=lambda name: found[name], default=None)
    return value, next((told for name, _, told in VALUES if name == value), None), False


def _form(text: str) -> str:
    """By the first question word; "when" and "where" inside of a "how" question are no question words."""
    if _YES_NO.search(text):
        return STATED
    match = _FIRST.search(text)
    if match is None or match[1].lower() == "why":
        return OPEN
    rest = text[match.start() :]
    if match[1].lower() == "how":
        return VALUE if _MEASURE.match(rest) else OPEN
    return OPEN if match[1].lower() == "what" and not _wanted(rest) else VALUE


def _wanted(rest: str) -> str:
    """What "which …" and "what …" ask for: the words up to the verb; empty for "what happened", "what did you say"."""
    if match := _WHAT_IS.match(rest) or _WHICH.match(rest):
        head = _HEAD_END.split(match[1])
        follows = match[1][len(head[0]) :] + rest[match.end() :]
        is_noun = match.re is _WHAT_IS or rest[:4].lower() != "what" or re.match(rf"\s*{_AUXILIARY}\b", follows, re.I)
        is_kind = any(asked.search(head[0]) for _, asked, _ in VALUES)
        return " ".join(_subject(head[0], rest).split()[:4]) if is_noun or is_kind else ""
    return ""


def _subject(head: str, rest: str) -> str:
    """The noun before its verb, in a question without an auxiliary: "which variable turns it on", "which tests covered it"."""
    if re.search(rf"\b{_AUXILIARY}\b", rest, re.I):
        return head
    verb = _PAST.search(head) or _PRESENT.search(head)
    return head[: verb.start()] if verb else head


def _head(text: str) -> str:
    """The part of a question that says what kind of thing is wanted: up to the first verb after its question word."""
    match = _FIRST.search(text)
    if match is None:
        return ""
    rest = text[match.start() :]
    if measure := _MEASURE.match(rest):
        return measure[0] + " " + " ".join(_HEAD_END.split(rest[measure.end() :])[0].split()[:2])
    if match[1].lower() in ("which", "what", "whose"):
        return _wanted(rest)
    return rest if match[1].lower() == "when" and re.search(r"\b(planned|scheduled|due|appointment)\b", rest, re.I) else ""


def _focus(text: str) -> tuple[str, ...]:
    head = _head(text)
    measured = _MEASURE.match(head)
    return tuple(dict.fromkeys(word for word in words(head[measured.end() :] if measured else head) if word not in _STOPS))[:4]
