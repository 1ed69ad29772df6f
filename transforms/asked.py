"""What a question wants to hear: its form, what it asks for by name, and how a text that tells it looks.

The forms follow the question classes of Li and Roth (2002, "Learning question classifiers"), with the values that people ask a
coding memory for: versions, colours, ports, shortcuts, numbers of issues. General English; no vocabulary of a project.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from transforms.values import VALUES
from transforms.words import STOP, words

VALUE, STATED, OPEN = "value", "stated", "open"
"""A question for one thing ("which port", "who", "how many"), for whether something is so, or for an account ("why", "how")."""

_AUXILIARY = r"(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would)"
_MEASURE = re.compile(r"\bhow (many|much|often|long|big|large|tall|high|old|fast|far|late|early|soon|slow|heavy|\w+er)\b", re.I)
_WHICH = re.compile(r"\b(?:which|what|whose)\s+((?:[\w./#'-]+\s*){1,6})", re.I)
_WHAT_IS = re.compile(rf"\bwhat(?:'s|\s+{_AUXILIARY})\s+(?:the|our|my|its|his|their|a|an)\s+((?:[\w./#'-]+\s*){{1,6}})", re.I)
_FIRST = re.compile(r"\b(which|what|who|whom|whose|when|where|why|how)\b", re.I)
_YES_NO = re.compile(rf"^\W*(?:and\s+)?{_AUXILIARY}\b", re.I)
_PROPER = re.compile(r"(?<![.?!]\s)(?<!^)(?<![\w./-])[A-Z][\w]*[A-Za-z0-9](?:[\w.-]*\w)?")
_STOPS = STOP | {"besides", "ago", "since"}

_HEAD_END = re.compile(
    rf"\b{_AUXILIARY}\b|\b(?:of|for|in|on|onto|that|when|while|to|by|at|from|with|after|before|during|about|concerning|inside"
    r"|within|between|through|under|over|into|and|or|became|caused|carried|made|took|got|went|turned|came|brought|belongs?)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's form, the stems of what it asks for ("which border colour" → border, color), names that it writes with a
    capital letter inside the sentence (stems), and the pattern of a text that tells the value; None when any text may."""

    form: str
    focus: tuple[str, ...]
    names: tuple[str, ...]
    value: str | None
    told: re.Pattern[str] | None


def asked_of(text: str) -> Asked:
    """The question taken apart by its form."""
    focus = _focus(text)
    form = _form(text)
    head = _head(text) if form == VALUE else ""
    found = [(match.start(), place) for place, (_, asked, _) in enumerate(VALUES) if (match := asked.search(head))]
    value, _, told = VALUES[min(found)[1]] if found else (None, None, None)
    names = tuple(dict.fromkeys(words(match.group())[-1] for match in _PROPER.finditer(text) if words(match.group())))
    return Asked(form, focus, names, value, told)


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
        return " ".join(head[0].split()[:4]) if is_noun or any(asked.search(head[0]) for _, asked, _ in VALUES) else ""
    return ""


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
    return tuple(dict.fromkeys(word for word in words(_head(text)) if word not in _STOPS))[:4]
