"""Which candidates are kept: the most valuable ones within the budget, each judged by what it adds to those already kept.

Greedy concept coverage with costs (after Lin and Bilmes 2010; concepts weighted as in Gillick and Favre 2009).
"""

from __future__ import annotations

import math
from collections import Counter

from transforms.language import entities
from transforms.language.sentences import content_words
from transforms.offline.candidates import Candidate
from transforms.tables.tokens import tokens

ROW_COST = 15
"""Tokens that a row costs its reader beside its text: many tiny rows are no bargain."""
COST_POWER = 0.6
"""How much length counts: 0 not at all, 1 worth per token. Between: short rows win, but not by being empty."""
DURABLE = frozenset({"rule", "preference", "decision", "correction", "root_cause", "state_change"})


def choose(candidates: list[Candidate], budget: int, told: list[str], earlier: list[str]) -> list[Candidate]:
    """The kept candidates in their order; `told` are narratives beside them, `earlier` facts that must not be repeated."""
    if not candidates or budget <= 0:
        return []
    concepts = [content_words(one.text) for one in candidates]
    seen_in = Counter(word for words in concepts for word in words)
    weight = {word: math.log(1 + len(candidates) / count) for word, count in seen_in.items()}
    total = [sum(weight[word] for word in words) or 1.0 for words in concepts]
    costs = [tokens(one.text) for one in candidates]
    covered: Counter[str] = Counter(word for text in [*told, *earlier] for word in content_words(text))
    known = [(content_words(text), _told_marks(text)) for text in earlier]
    left, open_ = budget, set(range(len(candidates)))
    kept: list[int] = []
    while open_:
        best, best_gain = -1, 0.0
        for at in sorted(open_):
            if costs[at] > left:
                continue
            gain = _gain(candidates[at], concepts[at], weight, total[at], covered) / (costs[at] + ROW_COST) ** COST_POWER
            if gain > best_gain + 1e-12:
                best, best_gain = at, gain
        if best < 0:
            break
        open_.discard(best)
        if any(_says_same(concepts[best], marks_of(candidates[best].text), *other) for other in known):
            continue
        open_ -= {at for at in open_ if candidates[at].group and candidates[at].group == candidates[best].group}
        kept.append(best)
        known.append((concepts[best], _told_marks(candidates[best].text)))
        left -= costs[best]
        covered.update(concepts[best])
    kept = _fuller(candidates, concepts, costs, kept, left)
    return [candidates[at] for at in sorted(kept, key=lambda at: (candidates[at].topic_ordinal, at))]


def _fuller(
    candidates: list[Candidate], concepts: list[frozenset[str]], costs: list[int], kept: list[int], left: int
) -> list[int]:
    """Where room is left, the fuller wording of what is kept, the worthiest first, unless another row tells what it adds."""
    chosen = set(kept)
    for at in sorted(kept, key=lambda at: (-candidates[at].worth, at)):
        same = [
            other for other in range(len(candidates)) if candidates[at].group and candidates[other].group == candidates[at].group
        ]
        best = max(same, key=lambda other: (candidates[other].worth, -other), default=at)
        more = concepts[best] - concepts[at]
        if any(len(more & concepts[other]) > 0.8 * len(more) for other in chosen - {at}):
            continue
        if candidates[best].worth > candidates[at].worth and costs[best] - costs[at] <= left:
            left -= costs[best] - costs[at]
            chosen = chosen - {at} | {best}
    return list(chosen)


def _gain(one: Candidate, concepts: frozenset[str], weight: dict[str, float], total: float, covered: Counter[str]) -> float:
    """Worth × share of the concepts that are new; what people said keeps most of its worth even when words repeat."""
    fresh = sum(weight[word] * 0.5 ** covered[word] for word in concepts) / total
    floor = 0.5 if one.kind in DURABLE else 0.15
    return one.worth * (floor + (1 - floor) * fresh)


def marks_of(text: str) -> frozenset[str]:
    """The specifics that tell facts apart: names, paths and values, lower case."""
    return frozenset(mark.lower() for mark in (*entities.names(text), *entities.paths(text), *entities.values(text)))


def _told_marks(text: str) -> frozenset[str]:
    """The marks of a kept row; what it quotes is told, too: `Committed "x"` and "Committed `x`" are one fact."""
    return marks_of(text) | {quote.lower() for quote in entities.quoted(text)}


def _says_same(one: frozenset[str], marks: frozenset[str], other: frozenset[str], other_marks: frozenset[str]) -> bool:
    """Whether nearly all words are shared and nothing particular is new: another number or path is another fact."""
    shared = len(one & other)
    return shared >= 3 and shared >= 0.85 * min(len(one), len(other)) and marks <= other_marks
