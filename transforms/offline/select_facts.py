"""Select candidates: the most valuable ones within the budget, each judged by its gain over those already selected.

Greedy concept coverage with costs (after Lin and Bilmes 2010; concepts weighted as in Gillick and Favre 2009). What is left of
the budget is filled with passages of the agent, judged by their form.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from transforms.exchanges.exchange import Exchange
from transforms.exchanges.menus import cut_menu, find_menus
from transforms.exchanges.passages import (
    PASSAGE_WEIGHTS,
    AgentPassage,
    PassageWeights,
    describe_passage,
    drop_announcements,
    find_passages,
    judge_passage,
)
from transforms.language import entities
from transforms.language.sentences import find_content_words
from transforms.offline.candidates import Candidate, is_unfit, shorten_row
from transforms.tables.enums import SETTLING_KINDS
from transforms.tables.tokens import count_tokens

ROW_COST = 15
"""Tokens that a row costs its reader in addition to its text, so that many tiny rows are not bargain."""
COST_POWER = 0.6
"""Influence of length: 0 none, 1 salience per token. In between short rows win, but not by being empty."""
DURABLE_FLOOR, PASSING_FLOOR = 0.5, 0.15
"""Share of its salience that a durable and any other fact keeps when all of its words are covered."""
REPEATED_WORD = 0.5
"""Weight of a word, per selected row that has it."""
SAME_ADDITION = 0.8
"""A fuller wording adds nothing when another row has more than this share of its additional words."""
REPETITION_SHARE, REPETITION_WORDS = 0.85, 3
"""Share and number of words in common from which two rows may repeat each other."""
GAIN_TOLERANCE = 1e-12
"""Gains that differ by less are equal, so that the result does not depend on the machine."""
MIN_PASSAGE_WORTH = 0.4
"""Least probability of a passage that is kept."""
MAX_COVERED, MAX_SHARED = 0.8, 0.7
"""Largest shares of a passage's words that kept rows, and another passage, may have."""
PASSAGE_SALIENCE = 0.3
DURABLE = SETTLING_KINDS - {"convention"} | {"root_cause"}


def select_candidates(candidates: list[Candidate], budget: int, narratives: list[str], earlier: list[str]) -> list[Candidate]:
    """Return the selected candidates in order. `narratives` already cover concepts; facts in `earlier` are not repeated."""
    if not candidates or budget <= 0:
        return []
    concepts = [find_content_words(candidate.text) for candidate in candidates]
    seen_in = Counter(word for words in concepts for word in words)
    weight = {word: math.log(1 + len(candidates) / count) for word, count in seen_in.items()}
    total = [math.fsum(weight[word] for word in words) or 1.0 for words in concepts]
    costs = [count_tokens(candidate.text) for candidate in candidates]
    covered: Counter[str] = Counter(word for text in [*narratives, *earlier] for word in find_content_words(text))
    covered_facts = [(find_content_words(text), _find_specifics_and_quotes(text)) for text in earlier]
    remaining, open_ = budget, set(range(len(candidates)))
    selected: list[int] = []
    gains = [math.inf] * len(candidates)  # as last computed: what is selected since then can only have lowered them
    while open_:
        best, best_gain = -1, 0.0
        for index in sorted(open_):
            if costs[index] > remaining or gains[index] <= best_gain + GAIN_TOLERANCE:
                continue
            gain = gains[index] = (
                _compute_gain(candidates[index], concepts[index], weight, total[index], covered)
                / (costs[index] + ROW_COST) ** COST_POWER
            )
            if gain > best_gain + GAIN_TOLERANCE:
                best, best_gain = index, gain
        if best < 0:
            break
        open_.discard(best)
        specifics = find_specifics(candidates[best].text)
        if any(_is_repetition(concepts[best], specifics, *other) for other in covered_facts):
            continue
        open_ -= {index for index in open_ if candidates[index].group and candidates[index].group == candidates[best].group}
        selected.append(best)
        covered_facts.append((concepts[best], _find_specifics_and_quotes(candidates[best].text)))
        remaining -= costs[best]
        covered.update(concepts[best])
    selected = _prefer_fuller_wording(candidates, concepts, costs, selected, remaining)
    return [candidates[index] for index in sorted(selected, key=lambda index: (candidates[index].topic_ordinal, index))]


def _prefer_fuller_wording(
    candidates: list[Candidate], concepts: list[frozenset[str]], costs: list[int], selected: list[int], remaining: int
) -> list[int]:
    """Use remaining room for the fuller wording of selected rows, the worthiest first, unless another row adds the same."""
    chosen = set(selected)
    wordings: defaultdict[str, list[int]] = defaultdict(list)
    for index, candidate in enumerate(candidates):
        if candidate.group:
            wordings[candidate.group].append(index)
    for index in sorted(selected, key=lambda index: (-candidates[index].salience, index)):
        same = wordings.get(candidates[index].group, ())
        best = max(same, key=lambda other: (candidates[other].salience, -other), default=index)
        more = concepts[best] - concepts[index]
        if best == index or any(len(more & concepts[other]) > SAME_ADDITION * len(more) for other in chosen - {index}):
            continue
        if candidates[best].salience > candidates[index].salience and costs[best] - costs[index] <= remaining:
            remaining -= costs[best] - costs[index]
            chosen = chosen - {index} | {best}
    return list(chosen)


def _compute_gain(
    candidate: Candidate, concepts: frozenset[str], weight: dict[str, float], total: float, covered: Counter[str]
) -> float:
    """Return salience × share of new concepts; durable facts keep most of their salience even when words repeat."""
    fresh = math.fsum(weight[word] * REPEATED_WORD ** covered[word] for word in concepts) / total
    floor = DURABLE_FLOOR if candidate.kind in DURABLE else PASSING_FLOOR
    return candidate.salience * (floor + (1 - floor) * fresh)


def find_specifics(text: str) -> frozenset[str]:
    """Return the specifics that distinguish facts: names, paths and values, lower case."""
    return frozenset(
        mark.lower() for mark in (*entities.find_names(text), *entities.find_paths(text), *entities.find_values(text))
    )


def _find_specifics_and_quotes(text: str) -> frozenset[str]:
    """Return the specifics and quotations of a row: `Committed "x"` and "Committed `x`" are one fact."""
    return find_specifics(text) | {quote.lower() for quote in entities.find_double_quoted(text)}


def _is_repetition(
    concepts: frozenset[str], specifics: frozenset[str], other_concepts: frozenset[str], other_specifics: frozenset[str]
) -> bool:
    """Whether two rows share nearly all words and no specific is new: another number or path is another fact."""
    shared = len(concepts & other_concepts)
    is_shared = shared >= REPETITION_WORDS and shared >= REPETITION_SHARE * min(len(concepts), len(other_concepts))
    return is_shared and specifics <= other_specifics


def fill_with_passages(
    exchanges: Sequence[Exchange],
    room: int,
    kept: Sequence[str],
    earlier: Sequence[str],
    weights: PassageWeights = PASSAGE_WEIGHTS,
) -> list[Candidate]:
    """Return the passages worth keeping that fit into `room` tokens beside the rows `kept`, in order.

    None says mostly what the rows, a fact in `earlier` or another passage says.
    """
    said = [find_content_words(text) for text in earlier]
    menus = find_menus(exchanges)
    kept_words = frozenset(word for text in kept for word in find_content_words(text))
    judged = []
    for index, passage in enumerate(find_passages(exchanges) if room > 0 else ()):
        features = describe_passage(passage.text, kept_words)
        worth = judge_passage(features, weights)
        if (
            worth >= MIN_PASSAGE_WORTH
            and features[-1] <= MAX_COVERED
            and drop_announcements(passage.text)
            and not (is_unfit(passage.text) or cut_menu(passage.text, [passage.entry.ordinal], menus) != passage.text)
        ):
            judged.append((-worth, index, passage))
    taken: list[tuple[int, AgentPassage]] = []
    for _, index, passage in sorted(judged, key=lambda item: item[:2]):
        cost, words = count_tokens(passage.text), find_content_words(passage.text)
        if cost <= room and all(len(words & other) <= MAX_SHARED * len(words) for other in said):
            taken.append((index, passage))
            said.append(words)
            room -= cost
    return [_make_candidate(passage) for _, passage in sorted(taken, key=lambda item: item[0])]


def _make_candidate(passage: AgentPassage) -> Candidate:
    asked = [passage.exchange.user.ordinal] if passage.exchange.user else []
    files = tuple(entities.find_file_names(passage.text)[:8])
    ordinal = passage.entry.ordinal
    text = shorten_row(drop_announcements(passage.text))
    return Candidate(text, "status", "medium", (ordinal, *asked), files, PASSAGE_SALIENCE, topic=ordinal)
