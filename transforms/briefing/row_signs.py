"""Expressions over observations that tell how far a row's kind is to be believed, and how long it matters."""

from __future__ import annotations

import polars as pl

from transforms.tables.enums import OFFLINE, PERSON_KINDS, PERSONAL_KINDS

SETTLED_KINDS = ("decision", "convention", "state_change", "fact", "task", "rejected")
"""Kinds that an agent may report as well, but that are not read off a page or a program's output."""
LEAD = r'^[^":]{1,60}: "'
"""What stands before a saying that a row quotes: who said it, and as what."""
_CHOICE = r'" \((?:asked|chosen): '
"""What stands behind a saying that picks one of several options."""
_LABEL = rf"{LEAD}(?:[^\"]*[.!?] )?(?i:(?:[\w']+ ){{0,3}}({'|'.join(sorted(PERSON_KINDS))}|decided)s?)(?::| [-–—] )"
"""The name of a kind at the beginning of a sentence: `rule: never …`, `we change the decision: …`."""


def read_label() -> pl.Expr:
    """Return the kind that the owner named before a saying of which the offline engine chose the kind, else null."""
    label = pl.col("text").str.extract(_LABEL, 1).str.to_lowercase().replace("decided", "decision")
    is_asked = (pl.col("kind") == "question") | pl.col("text").str.contains(r'\?"')
    is_own = _is_quoted_by_rules() & ~pl.col("text").str.contains(_CHOICE)  # options are an agent's words
    return pl.when(is_own & ~is_asked).then(label)


def is_doubtful() -> pl.Expr:
    """Whether a rule chose the kind of a saying by its words; of an answer to a menu the form of the exchange tells."""
    return _is_quoted_by_rules() & ~pl.col("text").str.contains(_CHOICE) & (pl.col("kind") != "fix")


def fill_origin() -> pl.Expr:
    """Return the origin of a row; rows of older versions passed the checks of their time."""
    return pl.col("origin").fill_null("owner")


def is_foreign() -> pl.Expr:
    """Whether a row says something of the owner or of a settled matter that does not come from where such things are said."""
    return (pl.col("kind").is_in(PERSONAL_KINDS) & ~fill_origin().is_in(["owner", "summary"])) | (
        pl.col("kind").is_in(SETTLED_KINDS) & fill_origin().is_in(["tool", "other"])
    )


def is_passing() -> pl.Expr:
    """Whether a row reports or asks something, and settles nothing."""
    is_asked = (fill_origin() == "owner") & pl.col("text").str.contains(r'\?"')
    return ~pl.col("kind").is_in([*PERSONAL_KINDS, *SETTLED_KINDS]) | (pl.col("kind") == "task") | is_asked


def _is_quoted_by_rules() -> pl.Expr:
    is_quoted = (fill_origin() == "owner") & pl.col("text").str.contains(LEAD)
    return (pl.col("engine") == OFFLINE).fill_null(value=False) & is_quoted
