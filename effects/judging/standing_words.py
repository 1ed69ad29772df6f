"""Asks the learned weights which typed words are meant for good, and names what is held back all the same."""

from __future__ import annotations

from collections.abc import Sequence

from effects.judging.kind_models import load_kind_models
from transforms.classify.clause_kinds import LEAST_WORDS, judge_lasting
from transforms.language.sentences import split_sentences, split_words
from transforms.language.tokenizer import is_other_language
from transforms.memory.eligibility import LASTING_KINDS
from transforms.memory.normalise_claim import find_quote
from transforms.tables.rows import ObservationRow

MAX_NAMED = 6
"""Most observations that REVIEW.md names as held back."""
NAMED_REASONS = frozenset({"not_lasting", "disputed", "minor"})
"""Reasons to hold back what a person said, which they may see otherwise."""


def weigh_standing(line: str, quote: str) -> float:
    """Return how likely a line of typed words is a rule for good by learned weights; 0 for other languages than English."""
    is_read = not is_other_language(split_words(quote.casefold()))
    models = load_kind_models()
    return judge_lasting(line, models.lasting, models.weigh_clause) if is_read else 0.0


def choose_named_rows(held: Sequence[tuple[str, ObservationRow]]) -> list[str]:
    """Return the ids of the rows of a person that REVIEW.md names as held back, the likeliest rules first; `held` are reasons and
    rows."""
    said = [row for reason, row in held if reason in NAMED_REASONS and row["origin"] == "owner" and row["kind"] in LASTING_KINDS]
    named = [row for row in said if len(split_words(find_quote(row["text"]) or "")) >= LEAST_WORDS]
    named.sort(key=lambda row: (-_weigh_row(row), LASTING_KINDS.index(row["kind"]), row["observation_id"]))
    return [row["observation_id"] for row in named[:MAX_NAMED]]


def _weigh_row(row: ObservationRow) -> float:
    """Return how likely the likeliest sentence of a row is a rule for good."""
    quote = find_quote(row["text"]) or ""
    return max((weigh_standing(sentence, quote) for sentence in split_sentences(quote)), default=0.0)
