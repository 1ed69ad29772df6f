"""Finds where in a message the words of facts stand, in any language: facts of one message are shown in its order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.repeated_sentences import list_words, split_outcome

MAX_LEAD_CHARS = 60
"""Characters before a quotation that only say whose words these are."""
SEARCHED_CHARS = 12
"""Letters from which a piece of a fact tells where it is from."""
LEAST_WORDS = 3
"""Words from which a fact may be one that another one has whole; fewer may stand anywhere."""
SEARCHED_WORDS = 40
"""Words of a fact, from its beginning and from its end, at which a piece may begin."""

FactOfMessage = tuple[str, str, Sequence[str]]
"""The id, the text and the files of a fact."""

_BEGINS = compile_late(r"^$|[.!?…][\"”»)]*\s$|[。！？]$")
_ENDS = compile_late(r"$|[.!,;][\"”»)]*(?:\s|$)|[。！；，、]")
"""What stands before the beginning of a sentence, and what behind the end of a clause: "fails? No" does not say "fails"."""
_LINES = compile_late(r":\d+(?:-\d+)?(?=, |$)")


def order_facts(facts: Iterable[tuple[str, str]], message: str) -> dict[str, int]:
    """Return the place of each fact among those of a message, of ids and texts: by the first words of it that the message has,
    of several that begin with the same words by the last. What the message has nowhere stands behind them."""
    said = "".join(list_words(message))
    spans = sorted((*_find_span(text, said), key) for key, text in facts)
    return {key: place for place, (_, _, key) in enumerate(spans)}


def _find_span(text: str, said: str) -> tuple[int, int]:
    """Return where the first and the last words of a fact that a message has begin in its letters; else its end."""
    words = list_words(_cut_said(text))
    pieces = ["".join(words[place:])[:SEARCHED_CHARS] for place in range(len(words))]
    whole = [piece for piece in pieces if len(piece) == SEARCHED_CHARS] or pieces[:1]
    places = (said.find(piece) for piece in whole[:SEARCHED_WORDS])
    first = next((place for place in places if place >= 0), len(said))
    places = (said.find(piece) for piece in reversed(whole[-SEARCHED_WORDS:]))
    return first, next((place for place in places if place >= 0), len(said))


def _cut_said(text: str) -> str:
    """Return what a fact has of its message: the quotation, or all up to the outcome."""
    return _split_lead(text)[1]


def _split_lead(text: str) -> tuple[str, str]:
    """Return what leads a quotation in, and the quotation; of a fact without one nothing, and all up to the outcome."""
    head = split_outcome(text)[0]
    lead, mark, quoted = head.partition(': "')
    said = quoted.partition('" (')[0] if mark and len(lead) <= MAX_LEAD_CHARS and '"' not in lead else ""
    return (lead, said) if said else ("", head)


def find_repeated(facts: Sequence[FactOfMessage]) -> dict[str, str]:
    """Return the facts of one message that say nothing but what stands whole in another one of the same kind, from the beginning
    of a sentence to the end of a clause, sign by sign; each with the longest such one, by id."""
    read = [(key, *_split_fact(text, files)) for key, text, files in facts]
    ordered = sorted(read, key=lambda fact: (len(fact[2]) + len(fact[3]), fact[0]))
    repeated: dict[str, str] = {}
    for place, (key, lead, said, behind) in enumerate(ordered):
        alike = (fact for fact in ordered[place + 1 :] if fact[1] == lead and behind in ("", fact[3]))
        whole = [other for other, _, longer, _ in alike if _has_whole(longer, said)]
        if whole and len(list_words(said)) >= LEAST_WORDS:
            repeated[key] = whole[-1]
    return repeated


def _split_fact(text: str, files: Iterable[str]) -> tuple[str, str, str]:
    """Return what leads the words of a fact in, the words that it has of its message, and what stands behind them, without the
    names of its files."""
    bare, bracket, listed = text.rpartition(" [")
    names = {path.rpartition("/")[2] for path in files}
    is_listed = bool(bracket) and listed.endswith("]") and names.issuperset(_LINES.sub("", listed[:-1]).split(", "))
    bare = bare if is_listed else text
    lead, said = _split_lead(bare)
    behind = bare.partition(said)[2] if said else ""
    return lead, " ".join(said.split()).rstrip('". '), " ".join(behind.split()).strip('" ')


def _has_whole(text: str, said: str) -> bool:
    """Whether a text has some words sign by sign from the beginning of a sentence to the end of a clause."""
    starts = (match.start() for match in re.finditer(re.escape(said), text))
    is_ended = said.endswith(("?", "!", "。", "？", "！"))
    return any(_BEGINS.search(text[:start]) and (is_ended or _ENDS.match(text[start + len(said) :])) for start in starts)
