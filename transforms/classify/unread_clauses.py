"""What a clause of a person's words is in a language that no rule reads: an order, a choice, a rule, a report …

The multilingual sentence encoder gives words that mean the same in sixteen languages vectors that are near each other. So what a
clause is in one of them can be learned from clauses in the others, English most of all. This clause network reads the vectors
of the clause and of the agent's last words. `benchmarks/distil/clauses/fit_unread.py` fits it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.classify.clause_kinds import list_sentences
from transforms.classify.linear_model import PROBABILITY_DIGITS, softmax

CLAUSE_CHARS, BEFORE_CHARS, MOST_READ = 400, 200, 2000
"""Beginning of a clause, and end of the agent's words before it, that are read; beginning of words whose language is told."""
_WIDE_ENDS = "。！？"
"""Marks that end a sentence, behind which scripts without spaces have none."""

ENOUGH_WORDS, FEW_WORDS = 8, 4
"""Words from which the share below tells a language, and from which a lower one does."""
LEAST_CHARS, FEW_LEAST_CHARS = 3.05, 2.8
"""Characters by piece from which the encoder knows the words of a text, and the same of few words. Of messages in German,
Spanish, French and Portuguese one in a hundred has less than 3.0; Swedish, Danish, Finnish, Czech, Hungarian have 2.1 to 2.8."""
_OTHER_LEAST = ((("\u0400-\u04ff",), 2.6), (("\u0600-\u06ff",), 2.1), (tuple(f"{letter}-{letter}" for letter in "ąęłńśźż"), 2.4))
"""The same of Cyrillic (Russian 3.5, Ukrainian 2.2), of Arabic letters (Arabic 3.2, Persian 1.8), and of Polish ones (3.1)."""
ENGLISH_CHARS, ACCENTED_SHARE, PIECES_READ = 4.0, 0.02, 400
"""Characters by piece of the bundled model, which knows English alone, from which words are English ones without its small words;
share of words with other letters than those of ASCII above which they are not; characters that it reads at once. Terse English
has 4.3 to 7 characters by piece; of messages in eight languages one in a hundred has more than 3.8, of French ones 4.2."""
_UNSPACED = ("\u0e00-\u0e7f", "\u3040-\u30ff", "\u3400-\u4dbf", "\u4e00-\u9fff", "\uac00-\ud7af")
"""Thai, Japanese, Chinese and Korean: scripts that the encoder reads whole, and that no other language has."""
_LATIN = ("a-z",)

Vector = npt.NDArray[np.float32]
Embed = Callable[[str], Vector]
"""A text to its vector, of unit length."""
CountPieces = Callable[[str], int]
"""A text to the number of pieces into which an encoder cuts its words."""


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


def knows_words(words: Sequence[str], count_pieces: CountPieces) -> bool:
    """Whether the encoder knows the language of lower-case words: what it knows it cuts into few pieces. A few words tell none,
    but for those of a script that only other languages have."""
    text = " ".join(words)[:MOST_READ]
    if _has_letter(text, _UNSPACED):
        return True
    bars = [least for letters, least in _OTHER_LEAST if _has_letter(text, letters)]
    if not bars and text and not _has_letter(text, _LATIN):
        return not any(map(str.isalpha, text))
    if len(words) < FEW_WORDS:
        return True
    least = bars[0] if bars else LEAST_CHARS if len(words) >= ENOUGH_WORDS else FEW_LEAST_CHARS
    return len(text) >= least * count_pieces(text)


def are_english_words(words: Sequence[str], count_pieces: CountPieces) -> bool:
    """Whether lower-case words are English, also without its small words, by the pieces of an encoder that knows English alone;
    a few words tell nothing."""
    text, accented = " ".join(words)[:MOST_READ], sum(not word.isascii() for word in words)
    if len(words) < FEW_WORDS or accented > ACCENTED_SHARE * len(words):
        return False
    pieces = sum(count_pieces(text[start : start + PIECES_READ]) for start in range(0, len(text), PIECES_READ))
    return len(text) >= ENGLISH_CHARS * pieces


def _has_letter(text: str, ranges: Sequence[str]) -> bool:
    return any(letters[0] <= char <= letters[-1] for char in set(text) for letters in ranges)


def describe_clause(embed: Embed, clause: str, before: str) -> Vector:
    """Return the vectors of a clause and of the agent's words before it, zeros without any, as one."""
    clause, before = " ".join(clause.split())[:CLAUSE_CHARS], " ".join(before.split())[-BEFORE_CHARS:]
    own = embed(clause)
    return np.concatenate([own, embed(before) if before else np.zeros_like(own)])


def judge_quotation(quote: str, before: str, judge: JudgeUnread) -> JudgedClause | None:
    """Return what a quotation is: the mean of the whole and of its sentences, and the likeliest of its sentences that lasts; None
    where nothing judges."""
    whole = judge(quote, before)
    if whole is None:
        return None
    parts = [judged for sentence in list_unread_sentences(quote) if (judged := judge(sentence, before)) is not None]
    if len(parts) < 2:
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
