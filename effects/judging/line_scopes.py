"""The stored head that weighs whether a line holds in all projects of its owner, written by
`benchmarks.learning.scopes.fit_scopes --write`."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from effects.judging.clause_encoder import load_clause_encoder
from effects.judging.unread_clauses import load_english_counter
from transforms.attribution.typed_language import list_prose_words
from transforms.classify.clause_encoder import ClauseEncoder
from transforms.classify.unread_clauses import are_english_words
from transforms.language.sentences import split_words
from transforms.language.tokenizer import is_other_language
from transforms.memory.eligibility import LineCandidate
from transforms.memory.lasting.line_scope import WeighScope
from transforms.memory.normalise_claim import find_quote
from transforms.tables.rows import ObservationRow

SCOPES_FILE = Path(__file__).with_name("scope_weights.npz")
"""Weights (twice the dimensions, 2) and biases (2,), for one project and for all, and the checksum of the updates of the encoder
with which they were fitted: with others they mean nothing."""
KEPT_WEIGHTS = 256


def choose_scope_weigher(rows: Iterable[ObservationRow]) -> WeighScope:
    """Return what weighs candidates of these observations, with what was said beside them: those in typed words, which a row
    quotes; no summary's, no model's."""
    quoted = {row["observation_id"] for row in rows if find_quote(row["text"]) is not None}

    def weigh_candidate(candidate: LineCandidate) -> float | None:
        """Return how likely the candidate holds everywhere; None where that is not known."""
        is_typed = not (candidate.is_worded or candidate.message) and not quoted.isdisjoint(candidate.evidence[:1])
        return weigh_line_scope(candidate.whole or candidate.text) if is_typed else None

    return weigh_candidate


@lru_cache(KEPT_WEIGHTS)
def weigh_line_scope(line: str) -> float | None:
    """Return how likely a line of a person's words holds in all their projects; None in other languages than English, and where
    the bundled model is not installed."""
    if _is_other_language(line):
        return None
    encoder = load_scope_encoder()
    return encoder.weigh_clause(line, "", "") if encoder else None


@cache
def load_scope_encoder() -> ClauseEncoder | None:
    """Return the tuned encoder with the head of scopes, loaded once per process; None where either cannot be loaded: the words of
    a line alone tell then where it holds."""
    encoder = load_clause_encoder()
    if encoder is None:
        return None
    try:
        with np.load(SCOPES_FILE, allow_pickle=False) as arrays:
            head = np.asarray(arrays["weights"], np.float32), np.asarray(arrays["bias"], np.float32)
    except Exception as error:  # noqa: BLE001  # a damaged file raises what it likes; a night goes on
        logging.getLogger("recollect").warning("where lines hold is told by words alone: the head cannot be loaded (%s)", error)
        return None
    return replace(encoder, head=head)


def _is_other_language(line: str) -> bool:
    """Whether a line is clearly not English; terse English without its small words is."""
    if not is_other_language(split_words(line.casefold())):
        return False
    count_english = load_english_counter()
    return not (count_english and are_english_words(list_prose_words(line), count_english))
