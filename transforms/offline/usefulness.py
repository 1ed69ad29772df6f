"""The learned judgement of a candidate: how likely a reader of the memory finds it useful.

`benchmarks/learning/rows.py` fits the trees on rows of real sessions that readers judged, as the owner weeks later would. A
feature says where a row comes from, how long it and its exchange are, what follows, and whether another candidate says the
same. None is a word, so nothing depends on a project, an owner or a phrase.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from transforms.classify.boosted_trees import BoostedTrees
from transforms.language.sentences import find_content_words
from transforms.offline.candidates import Candidate
from transforms.offline.find_candidates import SOURCES, CandidateSource, SourcedCandidate
from transforms.tables.tokens import count_tokens

MESSAGE_ACTS = ("approval", "correction", "decision", "guidance", "none", "question", "report", "request")
"""Acts of a message, as `TurnClassifier.predict_act` names them."""
FEATURES = (
    "salience", "tokens", "content_words", "rarity", "covered", "better_wording",
    "typed_chars", "actions", "files", "reply_chars", "in_reply", "later_exchanges", *SOURCES, *MESSAGE_ACTS,
)  # fmt: skip
"""Columns of `compute_features`. Counts are logarithms; acts are the learned probabilities of the typed message."""
MIN_USEFULNESS = 0.5
"""A candidate below this probability is left out, unless a person said it."""
MIN_HIGH_USEFULNESS = 0.25
"""Least probability of a row of high priority; another one has medium priority."""
PRIOR_SHARE = 0.15
"""Part of its salience that a candidate keeps whatever its probability: salience × (PRIOR_SHARE + probability)."""
SPARED_SOURCES = frozenset[CandidateSource]({"options", "words", "answers"})
"""A person's own words are weighed, but never left out: of an owner who writes in three words the trees left out a fifth of what
mattered, and a wish that nobody kept costs more than a row too many."""


def predict_usefulness(sourced: Sequence[SourcedCandidate], exchange_count: int, trees: BoostedTrees) -> list[float]:
    """Return the probability of each candidate of a window of `exchange_count` exchanges."""
    assert trees.names == FEATURES, "the stored trees belong to other features: python -m benchmarks.learning.rows --write"
    return trees.predict(compute_features(sourced, exchange_count))


def weigh_by_usefulness(
    sourced: Sequence[SourcedCandidate], candidates: Sequence[Candidate], probabilities: Sequence[float]
) -> list[Candidate]:
    """Return the candidates without those that a reader would hardly find useful, with salience and priority that say how likely.

    `candidates` are those of `sourced`, in the same order, with the salience that they have by now.
    """
    weighed = []
    for item, candidate, probability in zip(sourced, candidates, probabilities, strict=True):
        if item.source not in SPARED_SOURCES and probability < MIN_USEFULNESS:
            continue
        is_doubtful = candidate.priority == "high" and probability < MIN_HIGH_USEFULNESS
        salience = candidate.salience * (PRIOR_SHARE + probability)
        weighed.append(replace(candidate, salience=salience, priority="medium" if is_doubtful else candidate.priority))
    return weighed


def compute_features(sourced: Sequence[SourcedCandidate], exchange_count: int) -> npt.NDArray[np.float64]:
    """Return the features of all candidates of a window, one row each."""
    words = [find_content_words(item.candidate.text) for item in sourced]
    seen_in = Counter(word for own in words for word in own)
    rarity = {word: math.log(1 + len(sourced) / count) for word, count in seen_in.items()}
    features = np.zeros((len(sourced), len(FEATURES)))
    for index, item in enumerate(sourced):
        own = words[index]
        features[index] = [
            item.candidate.salience,
            math.log1p(count_tokens(item.candidate.text)),
            math.log1p(len(own)),
            sum(rarity[word] for word in sorted(own)) / max(1, len(own)),
            _measure_cover(index, sourced, words),
            _has_better_wording(index, sourced),
            *_describe_exchange(item, exchange_count),
            *(item.source == source for source in SOURCES),
            *(item.exchange.acts.get(act, 0.0) if item.exchange else 0.0 for act in MESSAGE_ACTS),
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


def _measure_cover(index: int, sourced: Sequence[SourcedCandidate], words: Sequence[frozenset[str]]) -> float:
    """Return the largest share of a candidate's words that another one has which is no other wording of it."""
    own, group = words[index], sourced[index].candidate.group
    shared = (
        len(own & words[other])
        for other, item in enumerate(sourced)
        if other != index and not (group and item.candidate.group == group)
    )
    return max(shared, default=0) / max(1, len(own))


def _has_better_wording(index: int, sourced: Sequence[SourcedCandidate]) -> float:
    """Return 1 when a more salient candidate words the same."""
    own = sourced[index].candidate
    return float(
        bool(own.group) and any(item.candidate.group == own.group and item.candidate.salience > own.salience for item in sourced)
    )
