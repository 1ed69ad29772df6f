"""Finds the names of secrets in some 80 languages: words for a password or a token, and words for a code or a key beside one
that says what they open. English names are found elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from unicodedata import bidirectional

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.names.name_words import NAME_WORDS

PASSWORD, CODE, TOKEN, KEY = range(4)
"""Kinds of names, in the order of NAME_WORDS."""
LEAST_CUT, LEAST_ASCII_CUT = 5, 6
"""Letters of a word from which the last one may be another: an ending. Shorter words of ASCII would begin too many others."""
MOST_PREFIX = 3
"""Letters of an article and prepositions in one with the next word, in Arabic and Hebrew."""
BESIDE_CHARS = 32
"""Characters before a word for a code in which the word stands that says what it opens."""
NAME_CHARS = 160
"""Characters from the beginning of a name on in which all its words and the word behind it stand."""
FIRST_UNSPACED = "\u2e80"
"""The first of the signs that are written without blanks between words."""
_ARTICLE = "(?:\u0627\u0644|\u05d4)?"
_ENDING = r"[^\W\d_\u2e80-\uffff]{0,4}"
_BLANK = r"[\s_-]{0,2}"
_WIDE_LETTER = compile_late(r"[^\W\d_a-z]")
_SMALL_WORD = r"(?:[^\W\d_]{1,4}\s)?"


@dataclass(frozen=True)
class TranslatedName:
    """A word for a secret: its kind, its words without their endings, and the words of which one makes a code or a key one."""

    kind: int
    stems: tuple[str, ...]
    modifiers: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The words with their endings, and maybe a word of `modifiers` behind them."""
        words = rf"{_BLANK}{_ARTICLE}".join(re.escape(stem) + _ENDING for stem in self.stems)
        behind = rf"(?P<behind>{_BLANK}{_SMALL_WORD}{_ARTICLE}(?:{self._beside}){_ENDING})?" if self.modifiers else ""
        return re.compile(words + behind)  # a few of them, where their first word stands

    @cached_property
    def before(self) -> re.Pattern[str]:
        """A word of `modifiers` at the end of what stands before the name."""
        return re.compile(rf"(?<![^\W\d_\u2e80-\uffff])(?:{self._beside}){_ENDING}{_BLANK}\Z")

    @property
    def _beside(self) -> str:
        return "|".join(map(re.escape, self.modifiers))


def find_names(lower: str, is_user: bool, beginnings: Iterable[str] | None = None) -> Iterator[tuple[int, int]]:
    """Yield where names end in a text in small letters, and their kind.

    Where no person typed, a name or the word beside it is written with a letter beyond ASCII. `beginnings` are those of
    `list_beginnings` that stand in the text, when they are known.
    """
    has_wide = _WIDE_LETTER.search(lower) is not None
    starts = _list_names() if beginnings is None else sorted(beginnings)
    for start in starts if has_wide or is_user else ():
        for place in find_places(lower, start) if has_wide or start.isascii() else ():
            if not _begins_word(lower, place):
                continue
            for name in _list_names()[start]:
                span = _match_name(lower, place, name) if _has_parts(lower, place, name) else None
                if span is not None and (is_user or not lower[slice(*span)].isascii()):
                    yield span[1], name.kind


def list_beginnings() -> list[str]:
    """Return the beginnings of names in small letters; one stands in every text in which `find_names` finds something."""
    return list(_list_names())


@cache
def _list_names() -> dict[str, list[TranslatedName]]:
    """Return the beginnings of all names, each with the names that begin so."""
    names: dict[str, dict[TranslatedName, None]] = {}
    for parts in NAME_WORDS.values():
        *kinds, beside = (part.split("/") if part else [] for part in parts.split("|"))
        modifiers = tuple(map(_cut_ending, beside))
        for kind, words in enumerate(kinds):
            for word in words:
                stems = tuple(map(_cut_ending, word.split(" ")))
                if kind not in (CODE, KEY):
                    names.setdefault(stems[0], {})[TranslatedName(kind, stems)] = None
                elif modifiers:
                    some = (*modifiers, "api") if kind == KEY else modifiers
                    names.setdefault(stems[0], {})[TranslatedName(kind, stems, some)] = None
    return {start: list(some) for start, some in sorted(names.items())}


def _cut_ending(word: str) -> str:
    least = LEAST_ASCII_CUT if word[:-1].isascii() else LEAST_CUT
    return word[:-1] if len(word) >= least and word[-1] < FIRST_UNSPACED else word


def _begins_word(lower: str, place: int) -> bool:
    """Whether a word begins at a place; Arabic and Hebrew join short words to the front of it."""
    if place == 0 or not lower[place - 1].isalpha() or max(lower[place - 1 : place + 1]) >= FIRST_UNSPACED:
        return True
    if bidirectional(lower[place]) not in ("R", "AL"):
        return False
    return not all(map(str.isalpha, lower[max(0, place - MOST_PREFIX - 1) : place])) or place <= MOST_PREFIX


def _has_parts(lower: str, place: int, name: TranslatedName) -> bool:
    """Whether the other words of a name stand around a place; most patterns need not be compiled then."""
    around = lower[max(0, place - BESIDE_CHARS) : place + NAME_CHARS]
    if not all(map(around.__contains__, name.stems[1:])):
        return False
    return not name.modifiers or any(map(around.__contains__, name.modifiers))


def _match_name(lower: str, place: int, name: TranslatedName) -> tuple[int, int] | None:
    """Return where a name begins and ends whose first word may stand at a place; None for another word, or what opens nothing."""
    match = name.pattern.match(lower, place)
    if match is None:
        return None
    if not name.modifiers or match["behind"]:
        return match.span()
    before = name.before.search(lower, max(0, place - BESIDE_CHARS), place)
    return (before.start(), match.end()) if before else None
