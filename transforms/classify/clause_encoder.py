"""Tells by the bundled sentence encoder, tuned for it, whether a clause of a person's words is meant for good.

Hashed words know the words that writers used; the encoder knows which other words mean the same.
`benchmarks/distil/clauses/tune_encoder.py` tunes it: low-rank updates of all matrices (Hu et al. 2021, LoRA), and a head over the
first state and the mean of the clause's own states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.classify.linear_model import PROBABILITY_DIGITS, softmax

FIRST, BREAK, GAP = 101, 102, 103
"""Tokens of BERT: the beginning, the end of a part, and the place of the clause in its message."""
MOST_OWN, MOST_BESIDE, MOST_BEFORE = 40, 20, 20
"""Tokens of the clause, of its message on each side, and of the end of the agent's words that are read."""
READ_CHARS = 200
"""Characters of the message on each side, and of the agent's words, that become tokens; of the clause twice as many."""

TokenIds = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float32]
ComputeStates = Callable[[TokenIds, TokenIds], Matrix]
"""Token ids and their types (tokens,), 0 for the clause and 1 around it, to states (tokens, dimensions)."""
WeighClause = Callable[[str, str, str], float | None]
"""A clause, its message and what the agent said before it, to how likely it is a rule, a preference or a convention for good;
None where no encoder is installed."""


@dataclass(frozen=True, slots=True)
class ClauseEncoder:
    """A tuned encoder: its tokens, its forward pass, and the head: weights (twice the dimensions, 2) and biases (2,)."""

    tokenize: Callable[[str], Sequence[int]]
    compute: ComputeStates
    head: tuple[Matrix, Matrix]

    def weigh_clause(self, clause: str, message: str, before: str) -> float:
        """Return how likely a clause is a rule, a preference or a convention for good; message and agent's words may be empty."""
        weights, bias = self.head
        shares = softmax(self.summarise(clause, message, before) @ weights + bias)
        return round(float(shares[1]), PROBABILITY_DIGITS)

    def summarise(self, clause: str, message: str, before: str) -> Matrix:
        """Return the first state and the mean of the clause's own states (twice the dimensions,), from which heads read."""
        ids, types = lay_out_clause(self.tokenize, clause, message, before)
        states = self.compute(ids, types)
        return np.concatenate([states[0], states[types == 0].mean(axis=0)])


def lay_out_clause(tokenize: Callable[[str], Sequence[int]], clause: str, message: str, before: str) -> tuple[TokenIds, TokenIds]:
    """Return the token ids of a clause, of its message with a gap in its place, and of the agent's words; and their types."""
    clause, message, before = (" ".join(text.split()) for text in (clause, message, before))
    ahead, _, behind = message.partition(clause) if clause and clause in message else ("", "", message)
    own = [FIRST, *tokenize(clause[: 2 * READ_CHARS])[:MOST_OWN], BREAK]
    beside = [*tokenize(ahead[-READ_CHARS:])[-MOST_BESIDE:], GAP, *tokenize(behind[:READ_CHARS])[:MOST_BESIDE], BREAK]
    around = [*beside, *tokenize(before[-READ_CHARS:])[-MOST_BEFORE:], BREAK]
    return np.array([*own, *around], np.int64), np.repeat(np.array([0, 1], np.int64), (len(own), len(around)))
