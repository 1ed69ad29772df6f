"""Finds where in a message the words of facts stand, in any language: facts of one message are shown in its order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from transforms.patterns.repeated_sentences import list_words, split_outcome

MAX_LEAD_CHARS = 60
"""Characters before a quotation that only say whose words these are."""
SEARCHED_CHARS = 12
"""Letters from which a piece of a fact tells where it is from."""
LEAST_WORDS = 3
"""Words from which a fact may be one that another one has whole; fewer may stand anywhere."""
SEARCHED_WORDS = 40
"""Words of a fact, from its beginning and from its end, at which a piece may begin."""


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
    head = split_outcome(text)[0]
    lead, mark, quoted = head.partition(': "')
    said = quoted.partition('" (')[0] if mark and len(lead) <= MAX_LEAD_CHARS and '"' not in lead else head
    return said or head


def find_repeated(facts: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the facts of one message, of ids and texts, that say nothing but what stands whole in another one, each with the
    longest such one, by id."""
    read = [(key, *_split_fact(text)) for key, text in facts]
    ordered = sorted(((key, said, behind, said + behind) for key, said, behind in read), key=lambda fact: (len(fact[3]), fact[0]))
    repeated: dict[str, str] = {}
    for place, (key, said, behind, _) in enumerate(ordered):
        whole = [other for other, _, _, words in ordered[place + 1 :] if said in words and behind in words]
        if whole and said.count(" ") > LEAST_WORDS:
            repeated[key] = whole[-1]
    return repeated


def _split_fact(text: str) -> tuple[str, str]:
    """Return the words of a fact between blanks: what it has of its message, and what stands behind that but for files."""
    bare = text.rpartition(" [")[0] if text.endswith("]") else text
    said = _cut_said(bare or text)
    return _join_words(said), _join_words(bare.partition(said)[2] if said else bare)


def _join_words(text: str) -> str:
    words = list_words(text)
    return f" {' '.join(words)} " if words else ""
