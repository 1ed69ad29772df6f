"""What a clause of a person's words is in a language that no rule reads: an order, a choice, a rule, a report …

The multilingual sentence encoder gives words that mean the same in sixteen languages vectors that are near each other. So what a
clause is in one of them can be learned from clauses in the others, English most of all. This clause network reads the vectors
of the clause and of the agent's last words. `benchmarks/distil/clauses/fit_unread.py` fits it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.classify.clause_kinds import list_sentences
from transforms.classify.linear_model import PROBABILITY_DIGITS, softmax

CLAUSE_CHARS, BEFORE_CHARS = 400, 200
"""Beginning of a clause, and end of the agent's words before it, that are read."""
_WIDE_ENDS = "。！？"
"""Marks that end a sentence, behind which scripts without spaces have none."""

Vector = npt.NDArray[np.float32]
Embed = Callable[[str], Vector]
"""A text to its vector, of unit length."""


@dataclass(frozen=True, slots=True)
class JudgedClause:
    """How likely a clause is of each family (`transforms.classify.row_kinds`), and how likely it is a rule, a preference or a
    convention for good."""

    families: Mapping[str, float]
    lasts: float


JudgeUnread = Callable[[str, str], JudgedClause | None]
"""A clause and what the agent said before it to what it is; None where the multilingual model is not installed."""


@dataclass(frozen=True, slots=True)
class UnreadClauses:
    """A network with one hidden layer: weights (twice the dimensions, units) and biases (units,), and the same of its scores: one
    for each of `labels`, then those of "once" and "lasts"."""

    embed: Embed
    labels: tuple[str, ...]
    hidden: tuple[Vector, Vector]
    scores: tuple[Vector, Vector]

    def judge_clause(self, clause: str, before: str) -> JudgedClause:
        """Return what a clause is, to which the agent's text `before` led; that may be empty."""
        weights, bias = self.hidden
        units = np.maximum(describe_clause(self.embed, clause, before) @ weights + bias, 0)
        weights, bias = self.scores
        scores = units @ weights + bias
        shares = np.round(softmax(scores[: len(self.labels)]), PROBABILITY_DIGITS).tolist()
        lasts = round(float(softmax(scores[len(self.labels) :])[1]), PROBABILITY_DIGITS)
        return JudgedClause(dict(zip(self.labels, shares, strict=True)), lasts)


def describe_clause(embed: Embed, clause: str, before: str) -> Vector:
    """Return the vectors of a clause and of the agent's words before it, zeros without any, as one."""
    clause, before = " ".join(clause.split())[:CLAUSE_CHARS], " ".join(before.split())[-BEFORE_CHARS:]
    own = embed(clause)
    return np.concatenate([own, embed(before) if before else np.zeros_like(own)])


def judge_quotation(quote: str, before: str, judge: JudgeUnread) -> JudgedClause | None:
    """Return what a quotation is: the mean of the whole and of its sentences, and the likeliest of its sentences that lasts; None
    where nothing judges."""
    sentences = list_unread_sentences(quote)
    whole = judge(quote, before)
    parts = [judged for sentence in sentences if (judged := judge(sentence, before)) is not None]
    if whole is None or len(parts) < 2:
        return whole
    shares = {
        name: (share + sum(part.families[name] for part in parts) / len(parts)) / 2 for name, share in whole.families.items()
    }
    return JudgedClause(shares, max(part.lasts for part in parts))


def list_unread_sentences(quote: str) -> list[str]:
    """Return the sentences and lines of a quotation, by the marks of any script."""
    for mark in _WIDE_ENDS:
        quote = quote.replace(mark, f"{mark}\n")
    return list_sentences(quote)
