"""Reads a clause of a person's words in its message by the bundled sentence encoder, tuned for it.

Hashed words know the words that writers used; the encoder knows which other words mean the same. Each is wrong in other places,
so `mix_shares` joins both. `benchmarks/distil/clause_encoder.py` tunes it: low-rank updates of all matrices (Hu et al. 2021,
LoRA) and two heads over the first state and the mean of the clause's own states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.classify.linear_model import PROBABILITY_DIGITS, softmax

FAMILIES = ("correction", "decision", "error", "question", "request", "rule", "status")
FIRST, BREAK, GAP = 101, 102, 103
"""Tokens of BERT: the beginning, the end of a part, and the place of the clause in its message."""
MOST_OWN, MOST_BESIDE, MOST_BEFORE = 40, 20, 20
"""Tokens of the clause, of its message on each side, and of the end of the agent's words that are read."""
MOST_CHARS = 200
"""Characters of the message on each side, and of the agent's words, that become tokens."""
LEAST_SHARE = 1e-4
"""A smaller share of the hashed words counts as this one, so that they rule nothing out by themselves."""

TokenIds = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float32]
ComputeStates = Callable[[TokenIds, TokenIds], Matrix]
"""Token ids and their types (tokens,), 0 for the clause and 1 around it, to states (tokens, dimensions)."""


@dataclass(frozen=True, slots=True)
class ClauseReading:
    """What a clause is: the share of each family, and how likely it is a rule, a preference or a convention for good."""

    shares: Mapping[str, float]
    lasting: float


ReadClause = Callable[[str, str, str], ClauseReading | None]
"""A clause, its message and what the agent said before it, to what the clause is; None where no encoder is installed."""


@dataclass(frozen=True, slots=True)
class ClauseEncoder:
    """A tuned encoder: its tokens, its forward pass, and weights (twice the dimensions, labels) with biases of both heads."""

    tokenize: Callable[[str], Sequence[int]]
    compute: ComputeStates
    families: tuple[Matrix, Matrix]
    lasting: tuple[Matrix, Matrix]

    def read_clause(self, clause: str, message: str, before: str) -> ClauseReading:
        """Return what a clause is; message and agent's words may be empty."""
        ids, types = lay_out_clause(self.tokenize, clause, message, before)
        states = self.compute(ids, types)
        summary = np.concatenate([states[0], states[types == 0].mean(axis=0)])
        shares, lasting = (
            np.round(softmax(summary @ weights + bias), PROBABILITY_DIGITS).tolist()
            for weights, bias in (self.families, self.lasting)
        )
        return ClauseReading(dict(zip(FAMILIES, shares, strict=True)), lasting[1])


def lay_out_clause(tokenize: Callable[[str], Sequence[int]], clause: str, message: str, before: str) -> tuple[TokenIds, TokenIds]:
    """Return the token ids of a clause, of its message with a gap in its place, and of the agent's words; and their types."""
    clause, message, before = (" ".join(text.split()) for text in (clause, message, before))
    ahead, _, behind = message.partition(clause) if clause and clause in message else ("", "", message)
    own = [FIRST, *tokenize(clause)[:MOST_OWN], BREAK]
    beside = [*tokenize(ahead[-MOST_CHARS:])[-MOST_BESIDE:], GAP, *tokenize(behind[:MOST_CHARS])[:MOST_BESIDE], BREAK]
    around = [*beside, *tokenize(before[-MOST_CHARS:])[-MOST_BEFORE:], BREAK]
    return np.array([*own, *around], np.int64), np.repeat(np.array([0, 1], np.int64), (len(own), len(around)))


def mix_shares(words: Mapping[str, float], encoded: Mapping[str, float]) -> dict[str, float]:
    """Return the shares of hashed words and of the encoder joined: their geometric mean."""
    means = {family: math.sqrt(max(words[family], LEAST_SHARE) * encoded[family]) for family in words}
    whole = sum(means.values()) or 1.0
    return {family: round(mean / whole, PROBABILITY_DIGITS) for family, mean in means.items()}
