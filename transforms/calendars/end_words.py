"""The words of languages that stand beside a day and mean "until": a closed class, as its articles are.

A model computes the day on which a span ends and writes it in figures, in the fact's language ("até 2026-03-14"). A word counts
only beside such figures: several ("do", "til", "to") mean something else beside other words. Languages are those of
`calendar_words` and four more of other scripts. Source: the entry "until" of Wiktionary.
"""

from __future__ import annotations

from collections.abc import Sequence

BEFORE_DAY: dict[str, str] = {
    "ar": "حتى لغاية",
    "bg": "до",
    "ca": "fins",
    "cs": "do",
    "da": "til indtil",
    "de": "bis",
    "el": "μέχρι έως ως",
    "es": "hasta",
    "et": "kuni",
    "fa": "تا",
    "fi": "asti saakka",
    "fr": "jusqu jusque",
    "gl": "ata ate",
    "he": "עד",
    "hr": "do",
    "id": "sampai hingga",
    "it": "fino sino",
    "lt": "iki",
    "lv": "līdz",
    "nb": "til inntil fram frem",
    "nl": "tot",
    "pl": "do",
    "pt": "até ate",
    "ro": "până pana",
    "ru": "до по",
    "sk": "do",
    "sl": "do",
    "sv": "till tills",
    "th": "ถึง จนถึง",
    "uk": "до по",
    "vi": "đến tới",
    "zh": "至 到 直到 截至",
}
BEHIND_DAY: dict[str, str] = {
    "et": "-ni",
    "fi": "asti saakka",
    "hi": "तक",
    "hu": "-ig",
    "ja": "まで",
    "ko": "까지",
    "tr": "kadar tarihine",
    "zh": "为止 為止 止",
}
FILLERS = 1
"""Words between such a word and the day: "jusqu'au 2026-03-14". None behind a word of two letters: "what to do by 2026-03-14"."""
LEAST_LETTERS = 3
_BEFORE = frozenset(word for words in BEFORE_DAY.values() for word in words.split())
_BEHIND = tuple(word.removeprefix("-") for words in BEHIND_DAY.values() for word in words.split())
_FIGURES = r"20\d\d-\d\d-\d\d"
DAY_WITH_END_WORD = (
    rf"(?:{'|'.join(sorted(_BEFORE))})\b['’]?\s*(?:[^\W\d]+\s+)?{_FIGURES}|{_FIGURES}[\s-]*(?:{'|'.join(sorted(_BEHIND))})"
)
"""Pattern of a day with its word, in lower case."""


def ends_at(tokens: Sequence[str], place: int) -> bool:
    """Whether a day, which stands at a place among the words of a text in lower case, is said to be the last one."""
    nearest = tokens[max(place - 1, 0) : place]
    farther = [word for word in tokens[max(place - 1 - FILLERS, 0) : max(place - 1, 0)] if len(word) >= LEAST_LETTERS]
    return not _BEFORE.isdisjoint([*nearest, *farther]) or any(
        token.startswith(_BEHIND) for token in tokens[place + 1 : place + 2]
    )
