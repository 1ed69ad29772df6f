"""Whether two lines make the same claim in other words, and whether they contradict each other about the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

from transforms.words import STOP, words

SAME = 0.66
"""Share of the smaller line's words that the other must have, when both are of like length; see `resemblance`."""
ABOUT_SAME = 0.45

_NUMBER = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b\d+(?:[.:]\d+)*\b")
_PATH = re.compile(r"[\w.@~-]*/[\w./@~-]+|\b[\w-]+\.(?:[a-z]{1,5})\b")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|without|avoid|stop|forbid(?:den)?|disallow(?:ed)?|cannot|don'?t|doesn'?t|isn'?t|aren'?t|won'?t|can'?t|shouldn'?t"
    r"|mustn'?t|nobody|nothing|disable[ds]?|removed?|dropped|uninstall(?:ed)?|off)\b",
    re.I,
)
_FILLER = STOP | {
    "want", "prefer", "use", "like", "alway", "never", "must", "need", "keep", "only", "would", "rather", "should", "make",
    "sure", "over", "real", "instead", "ever", "any", "anyth", "pleas", "nobodi", "alwai",
}  # fmt: skip


def resemblance(first: str, second: str) -> float:
    """0 to 1: shared content words over the smaller set, tempered by the difference in length."""
    one, other = _content(first), _content(second)
    if not one or not other:
        return 0.0
    shared = len(one & other)
    contained, jaccard = shared / min(len(one), len(other)), shared / len(one | other)
    return round(0.6 * contained + 0.4 * jaccard, 6)


def differs(first: str, second: str) -> bool:
    """Whether two lines about the same thing say different things: other numbers, other paths, or the opposite."""
    return (
        _conflict(_names(_NUMBER, first), _names(_NUMBER, second))
        or _conflict(_names(_PATH, first), _names(_PATH, second))
        or _is_negative(first) != _is_negative(second)
    )


def is_same(first: str, second: str) -> bool:
    """Whether both make the same claim: enough words in common, and nothing that sets them apart."""
    return resemblance(first, second) >= SAME and not differs(first, second)


@lru_cache(maxsize=16_384)
def _content(text: str) -> frozenset[str]:
    return frozenset(words(text.replace("**", ""))) - _FILLER


def _names(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(found.casefold().rstrip("./") for found in pattern.findall(text))


def _conflict(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other and not (one <= other or other <= one))


def _is_negative(text: str) -> bool:
    """`rgb, no indices` says what is wanted and what is not: only a negation that governs the line counts."""
    main = re.split(r"[,;(]|\binstead of\b|\brather than\b", text, maxsplit=1)[0]
    return bool(_NEGATION.search(main))
