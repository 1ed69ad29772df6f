"""Asks the learned weights which typed words are meant for good, and names what is held back all the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from effects.judging.kind_models import load_kind_models
from effects.judging.unread_clauses import judge_unread
from transforms.attribution.typed_language import measure_quotations
from transforms.classify.clause_kinds import LEAST_WORDS, judge_lasting
from transforms.language.sentences import split_sentences, split_words
from transforms.language.tokenizer import is_other_language
from transforms.memory.eligibility import LASTING_KINDS, Lasts
from transforms.memory.normalise_claim import find_quote
from transforms.tables.rows import ObservationRow

MAX_NAMED = 6
"""Most observations that REVIEW.md names as held back."""
NAMED_REASONS = frozenset({"not_lasting", "disputed", "minor"})
"""Reasons to hold back what a person said, which they may see otherwise."""


def choose_weigher(rows: Iterable[ObservationRow]) -> Lasts:
    """Return what weighs the lines of these rows: where most that they quote of their owner is not English, the multilingual
    model weighs what no rule reads, too. Terse English without its small words is of no other language."""
    typed = measure_quotations(row["text"] for row in rows if row["origin"] == "owner")
    return weigh_any_language if typed.is_other else weigh_standing


def weigh_any_language(line: str, quote: str) -> float:
    """Return how likely a line of typed words is a rule for good, in any language that a model here reads; 0 in all others."""
    if not is_other_language(split_words(quote.casefold())):
        return weigh_standing(line, quote)
    judged = judge_unread(line, "")
    return judged.lasts if judged else 0.0


def weigh_standing(line: str, quote: str) -> float:
    """Return how likely a line of typed words is a rule for good by learned weights; 0 for other languages than English."""
    is_read = not is_other_language(split_words(quote.casefold()))
    models = load_kind_models()
    return judge_lasting(line, models.lasting, models.weigh_clause) if is_read else 0.0


def choose_named_rows(held: Sequence[tuple[str, ObservationRow]], weigh: Lasts = weigh_standing) -> list[str]:
    """Return the ids of the rows of a person that REVIEW.md names as held back, the likeliest rules first; `held` are reasons and
    rows."""
    said = [row for reason, row in held if reason in NAMED_REASONS and row["origin"] == "owner" and row["kind"] in LASTING_KINDS]
    named = [row for row in said if len(split_words(find_quote(row["text"]) or "")) >= LEAST_WORDS]
    named.sort(key=lambda row: (-_weigh_row(row, weigh), LASTING_KINDS.index(row["kind"]), row["observation_id"]))
    return [row["observation_id"] for row in named[:MAX_NAMED]]


def _weigh_row(row: ObservationRow, weigh: Lasts) -> float:
    """Return how likely the likeliest sentence of a row is a rule for good."""
    quote = find_quote(row["text"]) or ""
    return max((weigh(sentence, quote) for sentence in split_sentences(quote)), default=0.0)
