"""The learned kind of a row that quotes a person: whether they decided, objected, ordered, asked or told something.

Rules name a kind by the words of one sentence; what the same words do depends on what stood before them and on what the agent
made of them. `benchmarks/distil/row_kinds.py` fits a linear model on rows whose kind readers named: over what each clause is by
itself, what stands around the words, and the rules' kind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.classify.clause_encoder import FAMILIES, ClauseReading, ReadClause, mix_shares
from transforms.classify.clause_kinds import MOST_CHARS, hash_clause, list_clauses
from transforms.classify.linear_model import LinearModel
from transforms.tables.enums import FactKind

FAMILY_OF_KIND: Mapping[FactKind, str] = {
    "rule": "rule", "preference": "rule", "convention": "rule", "decision": "decision", "rejected": "decision",
    "correction": "correction", "request": "request", "task": "request", "question": "question", "error": "error",
}  # fmt: skip
"""Kinds that readers hardly tell apart count as one; every other kind is a report, "status"."""
KIND_OF_FAMILY: Mapping[str, FactKind] = {
    "correction": "correction", "decision": "decision", "error": "error", "question": "question", "request": "request",
    "rule": "rule", "status": "status",
}  # fmt: skip
"""The kind that the models name by its family."""
MIN_LEAD = 0.2
"""Share by which a decision must lead what the rules say where they cannot read the language."""
MIN_RULE = 0.3
"""Least share of a rule: what is none would stand among the owner's rules for good."""
MIN_LASTING_CLAUSE = 0.7
"""Likelihood from which a row with a clause that is a rule, a preference or a convention for good is a rule."""
MIN_CHOICE = 0.3
"""Share of a decision from which a row that orders something, too, is one: of a message with a choice and an order the choice is
what is worth knowing later."""
MIN_SURE = 0.5
"""Share of a family from which a row tells what its words do; below it the person "said" them. Of people left out a family with
such a share is right in three of four rows."""
MAX_FILES, MAX_SENTENCES = 3, 6
ACTS = ("approval", "correction", "decision", "guidance", "none", "question", "report", "request")
SIGNS = (
    "about", "answers", "asked", "commands", "conceded", "debugging", "direct", "disputes", "doubted", "first", "outcome",
    "rejected", "reply", "undone", "unread",
)  # fmt: skip
FORM = (
    "salience", "tokens", "content_words", "rarity", "covered", "better_wording", "typed_chars", "actions", "files",
    "reply_chars", "in_reply", "later_exchanges",
)  # fmt: skip
"""Features of a row's length and place, as `transforms.offline.usefulness` computes them."""
LEAST_ACT = 1e-3
"""Smaller shares of an act count as this one, so that their logarithm is finite."""
STRUCTURE = (
    *(f"kind:{family}" for family in FAMILIES), *(f"sign:{sign}" for sign in SIGNS), "files", "sentences",
    *(f"{name}:{act}" for name in ("act", "quote-act", "later-act") for act in ACTS), *(f"form:{name}" for name in FORM),
    *(f"clause-{name}:{family}" for name in ("most", "mean", "last") for family in FAMILIES),
)  # fmt: skip
"""Columns of `measure_structure`."""
Shares = Mapping[str, float]
"""The share of each family."""


@dataclass(frozen=True, slots=True)
class QuotedRow:
    """A row that quotes a person, as far as its kind depends on it.

    `quote` are their words, `message` all that they typed, `before` the agent's text before them, `kind` what the rules say;
    `acts`, `quote_acts` and `later_acts` are the learned acts of the whole message, of the quotation, and of the next message;
    `signs` are names of what is so beside it; `files` counts the files that the agent then changed, `sentences` the informative
    sentences of the message; `form` has the features of FORM.
    """

    quote: str
    message: str
    before: str
    kind: FactKind
    acts: Mapping[str, float]
    quote_acts: Mapping[str, float]
    later_acts: Mapping[str, float]
    signs: frozenset[str]
    files: int
    sentences: int
    form: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class KindModels:
    """The models of structure and of clauses, whose labels are FAMILIES, and that of clauses which last (`judge_lasting`); slots
    of `structure` are the columns of STRUCTURE. `read_clause` is the tuned encoder, if there is one."""

    structure: LinearModel
    clauses: LinearModel
    lasting: LinearModel
    read_clause: ReadClause | None = None


@dataclass(frozen=True, slots=True)
class NamedKind:
    """The kind of a row, and whether it is likely enough to be told."""

    kind: FactKind
    is_sure: bool


def find_family(kind: FactKind) -> str:
    """Return the family of a kind."""
    return FAMILY_OF_KIND.get(kind, "status")


def judge_clauses(row: QuotedRow, clauses: LinearModel, read_clause: ReadClause | None = None) -> list[Shares]:
    """Return the shares of the families for each clause of a row, by its words and by the encoder, if there is one."""
    judged = list[Shares]()
    for clause, reading in _read_clauses(row, read_clause):
        shares = clauses.predict(hash_clause(clause, row.message, row.before))
        judged.append(mix_shares(shares, reading.shares) if reading else shares)
    return judged


def find_lasting(row: QuotedRow, read_clause: ReadClause | None) -> float:
    """Return how likely the likeliest clause of a row is a rule, a preference or a convention for good; 0 without encoder."""
    return max((reading.lasting for _, reading in _read_clauses(row, read_clause) if reading), default=0.0)


def _read_clauses(row: QuotedRow, read_clause: ReadClause | None) -> list[tuple[str, ClauseReading | None]]:
    """Return the clauses of a row, and what the encoder reads in each; nothing in a language that no rule reads."""
    reads = None if "unread" in row.signs else read_clause
    message = row.message[:MOST_CHARS]
    return [(clause, reads(clause, message, row.before) if reads else None) for clause in list_clauses(row.quote)]


def measure_structure(row: QuotedRow, clauses: Sequence[Shares]) -> npt.NDArray[np.float32]:
    """Return what stands around a row's words, and what its `clauses` are by themselves, by the columns of STRUCTURE."""
    own = find_family(row.kind)
    shares = [acts.get(act, 0.0) for acts in (row.acts, row.quote_acts, row.later_acts) for act in ACTS]
    judged = np.array([[clause[family] for family in FAMILIES] for clause in clauses])
    kept = np.clip([judged.max(axis=0), judged.mean(axis=0), judged[-1]], LEAST_ACT, 1 - LEAST_ACT).ravel()
    kept = np.full_like(kept, 0.5) if "unread" in row.signs else kept  # clauses are judged by English words
    return np.array([
        *(family == own for family in FAMILIES), *(sign in row.signs for sign in SIGNS), min(row.files, MAX_FILES),
        min(row.sentences, MAX_SENTENCES), *(math.log(max(share, LEAST_ACT)) for share in shares),
        *(row.form[name] for name in FORM), *np.log(kept / (1 - kept)),
    ], dtype=np.float32)  # fmt: skip


def predict_families(row: QuotedRow, models: KindModels) -> dict[str, float]:
    """Return the share of each family."""
    columns = measure_structure(row, judge_clauses(row, models.clauses, models.read_clause))
    return models.structure.predict((np.arange(len(STRUCTURE), dtype=np.int64), columns))


def choose_row_kind(row: QuotedRow, models: KindModels, *, may_last: bool = True) -> NamedKind:
    """Return the kind of a row: the likeliest family's, in the rules' word where it is theirs; a choice with an order is a
    decision. A rule by their word, or of which a clause is meant for good, is one: one that is lost costs more than one too many.
    What ends soon by its own words (not `may_last`) becomes none."""
    own, shares = find_family(row.kind), predict_families(row, models)
    if "unread" in row.signs:  # rules gave such a row no kind that could be wrong
        leads = shares["decision"] - shares[own] >= MIN_LEAD
        return NamedKind("decision" if leads and own not in ("rule", "decision") else row.kind, False)
    named = [family for family in FAMILIES if family != "rule" or (may_last and shares[family] >= MIN_RULE)]
    lasts = may_last and find_lasting(row, models.read_clause) >= MIN_LASTING_CLAUSE
    likely = "rule" if own == "rule" or lasts else max(named, key=lambda family: shares[family])
    likely = "decision" if likely == "request" and shares["decision"] >= MIN_CHOICE else likely
    asks = shares["question"] + shares["request"]
    share = asks if likely in ("question", "request") else shares[likely]
    is_certain = own == "rule" or (likely == "question" and "asked" in row.signs)
    return NamedKind(row.kind if likely == own else KIND_OF_FAMILY[likely], share >= MIN_SURE or is_certain)
