"""Asks the learned weights which typed words are meant for good, and names what is held back all the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from effects.judging.kind_models import load_kind_models
from effects.judging.unread_clauses import is_judged_language, judge_unread
from effects.store.run import Run
from transforms.attribution.typed_language import measure_quotations
from transforms.classify.clause_kinds import LEAST_WORDS, judge_lasting
from transforms.language.sentences import split_sentences, split_words
from transforms.language.tokenizer import is_other_language
from transforms.memory.eligibility import Lasts
from transforms.memory.lasting.held_line import names_matter
from transforms.memory.normalise_claim import find_quote
from transforms.tables.enums import PERSON_KINDS
from transforms.tables.rows import ObservationRow

LATEST_ROWS = 200
"""Rows that tell in which language an owner types."""
MAX_NAMED = 6
"""Most observations that REVIEW.md names as held back."""
NAMED_REASONS = frozenset({"not_lasting", "disputed", "minor"})
"""Reasons to hold back what a person said, which they may see otherwise."""
_KIND_RANK = {"rule": 0, "preference": 1, "convention": 2, "decision": 3, "correction": 4}
"""Of equally likely ones the kind with the lowest comes first."""


def choose_weigher(texts: Iterable[str]) -> Lasts:
    """Return what weighs lines of an owner whom rows quote: where most that they quote is not English, the multilingual model
    weighs what no rule reads, too, if it knows the language. Terse English without its small words is of no other language."""
    quoted = list(texts)
    newest = ". ".join(find_quote(text) or "" for text in reversed(quoted))
    is_other = measure_quotations(quoted).is_other and is_judged_language(newest)
    return weigh_any_language if is_other else weigh_standing


def read_latest_quotations(run: Run) -> list[str]:
    """Return the newest rows that quote the owner: a day's alone are too few to tell a language."""
    is_own = (pl.col("origin") == "owner").fill_null(value=False)
    own = run.lake.scan("observations").filter(is_own).select("said_at", "observation_id", "text")
    return own.sort("said_at", "observation_id").tail(LATEST_ROWS).collect()["text"].to_list()


def weigh_any_language(line: str, quote: str, least: float = 0.0, /) -> float:
    """Return how likely a line of typed words is a rule for good, in any language that a model here reads; 0 in all others."""
    if not is_other_language(split_words(quote.casefold())):
        return weigh_standing(line, quote, least)
    judged = judge_unread(line, "") if is_judged_language(quote) else None
    return judged.lasts if judged else 0.0


def weigh_standing(line: str, quote: str, least: float = 0.0, /) -> float:
    """Return how likely a line of typed words is a rule for good by learned weights, of one that cannot reach `least` some number
    below it; 0 for other languages than English."""
    is_read = not is_other_language(split_words(quote.casefold()))
    models = load_kind_models()
    return judge_lasting(line, models.lasting, models.weigh_clause, least) if is_read else 0.0


def choose_named_rows(held: Sequence[tuple[str, ObservationRow]], weigh: Lasts = weigh_standing) -> list[str]:
    """Return the ids of the rows of a person that REVIEW.md names as held back, the likeliest rules first; `held` are reasons and
    rows."""
    said = [row for reason, row in held if reason in NAMED_REASONS and row["origin"] == "owner" and row["kind"] in PERSON_KINDS]
    long = [row for row in said if len(split_words(find_quote(row["text"]) or "")) >= LEAST_WORDS]
    named = [row for row in long if names_matter(row["text"], row["kind"])]
    likeliest: list[tuple[float, int, str]] = []
    for row in named:
        least = -likeliest[-1][0] if len(likeliest) == MAX_NAMED else 0.0
        weighed = (-_weigh_row(row, weigh, least), _KIND_RANK[row["kind"]], row["observation_id"])
        likeliest = sorted([*likeliest, weighed])[:MAX_NAMED]
    return [observation_id for _, _, observation_id in likeliest]


def _weigh_row(row: ObservationRow, weigh: Lasts, least: float) -> float:
    """Return how likely the likeliest sentence of a row is a rule for good; where none reaches `least`, a number below it."""
    quote = find_quote(row["text"]) or ""
    return max((weigh(sentence, quote, least) for sentence in split_sentences(quote)), default=0.0)
