"""Cuts a cited entry to the stretch that supports a fact: a summary has pages, and one sentence of it was kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from typing import NamedTuple

from transforms.language.tokenizer import tokenize
from transforms.patterns.late_pattern import compile_late
from transforms.quoting.closed_cut import MORE, cut_closed

MOST_SEARCHED = 200_000
"""Characters of an entry in which the stretch is looked for: a log has megabytes."""
UNIT_CHARS = 300
"""A line or sentence that is longer is looked at in pieces."""
LEAST_GAIN = 1.2
"""A stretch replaces the beginning of an entry when it has more of the fact's words by this factor."""

_BREAK = compile_late(r"\n+|(?<=[.!?;])\s+")


class _Unit(NamedTuple):
    """A line or sentence of an entry: its place, and the words of the fact that it has."""

    start: int
    end: int
    words: frozenset[str]


def cut_cited(text: str, words: Set[str], limit: int) -> str:
    """Return about `limit` characters of an entry: its beginning, or the lines that have more of `words`. Dots stand where
    something was left out."""
    if len(text) <= limit:
        return text
    start = _find_start(text[:MOST_SEARCHED], words, limit)
    shown = cut_closed(text[start:], limit)
    is_cut = len(text) - start > limit and not shown.endswith(MORE)
    return (f"{MORE}\n" if start else "") + shown + (f"\n{MORE}" if is_cut else "")


def _find_start(text: str, words: Set[str], limit: int) -> int:
    """Return the place from which a stretch has most of the words, where a rare one counts more; 0 when the beginning does nearly
    as well. Of several the middle one: then something stands on both sides of what was cited."""
    units = [_Unit(start, end, frozenset(words & set(tokenize(text[start:end])))) for start, end in _list_places(text)]
    places = Counter(word for unit in units for word in unit.words)
    weights = _weigh_stretches(units, {word: 1 / count for word, count in places.items()}, limit)
    best = max(weights, default=0.0)
    if not best or best < LEAST_GAIN * weights[0]:
        return 0
    starts = [unit.start for unit, weight in zip(units, weights, strict=True) if weight == best]
    return starts[len(starts) // 2]


def _weigh_stretches(units: list[_Unit], weights: dict[str, float], limit: int) -> list[float]:
    """Return for each unit the weight of the different words in the units from it on that have room together."""
    words, result, last = Counter[str](), [], 0
    for unit in units:
        while last < len(units) and (units[last].end <= unit.start + limit or units[last] is unit):
            words.update(units[last].words)
            last += 1
        result.append(round(sum(weights[word] for word, count in words.items() if count > 0), 9))
        words.subtract(unit.words)
    return result


def _list_places(text: str) -> Iterator[tuple[int, int]]:
    """Yield the first character of each unit and the one behind its last."""
    start = 0
    for end, following in [*(match.span() for match in _BREAK.finditer(text)), (len(text), len(text))]:
        while end - start > UNIT_CHARS and (space := text.find(" ", start + UNIT_CHARS, end)) >= 0:
            yield start, space
            start = space + 1
        yield start, end
        start = following
