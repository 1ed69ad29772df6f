"""The learned judgement of a candidate: how likely a reader of the memory finds it useful.

`benchmarks/learning/rows.py` fits the trees on rows of real sessions that readers judged, as the owner weeks later would. A
feature says where a row comes from, how long it and its exchange are, what follows, and whether another candidate says the
same. None is a word, so nothing depends on a project, an owner or a phrase.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from transforms.classify.boosted_trees import BoostedTrees
from transforms.exchanges.current_values import find_assignments, find_superseding_text
from transforms.language.sentences import find_content_words
from transforms.offline.candidates import Candidate
from transforms.offline.find_candidates import SOURCES, CandidateSource, SourcedCandidate
from transforms.tables.enums import STANDING_KINDS, FactKind
from transforms.tables.tokens import count_tokens

FEATURES = (
    "salience", "tokens", "content_words", "rarity", "covered", "better_wording",
    "typed_chars", "actions", "files", "reply_chars", "in_reply", "later_exchanges", *SOURCES,
)  # fmt: skip
"""Columns of `compute_features`. Counts are logarithms."""
MIN_USEFULNESS = 0.15
"""A candidate below this probability is left out, unless a person said it."""
MIN_HIGH_USEFULNESS = 0.25
"""Least probability of a row of high priority; another one has medium priority."""
PRIOR_SHARE = 0.15
"""Part of its salience that a candidate keeps whatever its probability: salience × (PRIOR_SHARE + probability)."""
UNJUDGED_KINDS = STANDING_KINDS | {"task"}
"""Kinds of which the readers saw five rows or fewer: standing orders and open work. They keep their priority."""
UNJUDGED_SOURCES = frozenset[CandidateSource]({"options", "causes"})
"""Sources of which the readers saw four rows: options that a person picked; and none: the cause that a search came to."""
CHOICE_USEFULNESS = 0.5
"""Least usefulness of an option that a person picked: short as the message is, it says what a plan or a menu came to."""
MOST_SHARING = 400
"""Candidates of a window with one word that are compared by it: each with all others took a minute for 10,000 points."""
SPARED_SOURCES = frozenset[CandidateSource]({"options", "words", "answers"})
"""A person's own words are weighed, but never left out: a wish that nobody kept costs more than a row too many."""


def predict_usefulness(features: npt.NDArray[np.float64], trees: BoostedTrees) -> list[float]:
    """Return the probability of each candidate by its features (`compute_features`)."""
    assert trees.names == FEATURES, "the stored trees belong to other features: python -m benchmarks.learning.rows --write"
    return trees.predict(features)


def weigh_by_usefulness(
    sourced: Sequence[SourcedCandidate], candidates: Sequence[Candidate], probabilities: Sequence[float]
) -> list[Candidate]:
    """Return the candidates without those that a reader would hardly find useful, with salience and priority that say how likely.

    `candidates` are those of `sourced`, in the same order, with the salience that they have by now.
    """
    weighed = []
    for item, candidate, probability in zip(sourced, candidates, probabilities, strict=True):
        is_judged = candidate.kind not in UNJUDGED_KINDS and item.source not in UNJUDGED_SOURCES
        if is_judged and item.source not in SPARED_SOURCES and probability < MIN_USEFULNESS:
            continue
        least = CHOICE_USEFULNESS if item.source in UNJUDGED_SOURCES else 0.0 if is_judged else MIN_HIGH_USEFULNESS
        usefulness = max(probability, least)
        is_doubtful = candidate.priority == "high" and usefulness < MIN_HIGH_USEFULNESS
        salience = candidate.salience * (PRIOR_SHARE + usefulness)
        weighed.append(replace(candidate, salience=salience, priority="medium" if is_doubtful else candidate.priority))
    return weighed


NEW_VALUE_SALIENCE = 1.1
MODE_FACTOR = 1.25
"""Factor of the kinds of fact that a mode is about."""


def raise_kinds(sourced: list[SourcedCandidate], kinds: Collection[FactKind]) -> list[Candidate]:
    """Return the candidates, those of `kinds` with more salience; statements of summaries stay as they are."""
    return [
        replace(item.candidate, salience=item.candidate.salience * MODE_FACTOR)
        if item.candidate.kind in kinds and item.source != "summaries"
        else item.candidate
        for item in sourced
    ]


def raise_new_values(candidates: list[Candidate], earlier: list[str]) -> list[Candidate]:
    """Raise the salience of candidates that give a known name another value: they supersede an outdated fact."""
    known_texts = [text for text in earlier if find_assignments(text)]
    return [
        replace(candidate, salience=max(candidate.salience, NEW_VALUE_SALIENCE))
        if any(find_superseding_text(text, [candidate.text]) == 0 for text in known_texts)
        else candidate
        for candidate in candidates
    ]


def compute_features(sourced: Sequence[SourcedCandidate], exchange_count: int) -> npt.NDArray[np.float64]:
    """Return the features of all candidates of a window, one row each."""
    words = [find_content_words(item.candidate.text) for item in sourced]
    seen_in = Counter(word for own in words for word in own)
    rarity = {word: math.log(1 + len(sourced) / count) for word, count in seen_in.items()}
    best = _find_best_wordings(sourced)
    features = np.zeros((len(sourced), len(FEATURES)))
    for index, (item, cover) in enumerate(zip(sourced, _measure_covers(sourced, words), strict=True)):
        own = words[index]
        features[index] = [
            item.candidate.salience,
            math.log1p(count_tokens(item.candidate.text)),
            math.log1p(len(own)),
            sum(rarity[word] for word in sorted(own)) / max(1, len(own)),
            cover,
            float(item.candidate.salience < best.get(item.candidate.group, 0.0)),
            *_describe_exchange(item, exchange_count),
            *(item.source == source for source in SOURCES),
        ]
    return features


def _describe_exchange(item: SourcedCandidate, exchange_count: int) -> tuple[float, ...]:
    exchange = item.exchange
    if exchange is None:
        return (0.0,) * 6
    reply = exchange.final_reply
    return (
        math.log1p(len(exchange.typed)),
        math.log1p(len(exchange.actions)),
        math.log1p(len(exchange.files)),
        math.log1p(len(reply.text)) if reply else 0.0,
        float(reply is not None and reply.ordinal in item.candidate.ordinals),
        math.log1p(exchange_count - 1 - exchange.index),
    )


def _measure_covers(sourced: Sequence[SourcedCandidate], words: Sequence[frozenset[str]]) -> Iterator[float]:
    """Yield for each candidate the largest share of its words that another one has which is no other wording of it.

    Of a word that more than `MOST_SHARING` candidates have, the later ones are not looked at: only a long list has so many.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for index, own in enumerate(words):
        for word in own:
            places[word].append(index)
    groups = [item.candidate.group for item in sourced]
    for index, own in enumerate(words):
        shared = Counter(chain.from_iterable(places[word][:MOST_SHARING] for word in own))
        shared.pop(index, None)
        if group := groups[index]:
            shared = Counter({other: count for other, count in shared.items() if groups[other] != group})
        yield max(shared.values(), default=0) / max(1, len(own))


def _find_best_wordings(sourced: Sequence[SourcedCandidate]) -> dict[str, float]:
    """Return for each group the salience of its most salient wording."""
    best = dict[str, float]()
    for item in sourced:
        if group := item.candidate.group:
            best[group] = max(item.candidate.salience, best.get(group, 0.0))
    return best
