"""The learned kind of a row that quotes a person: whether they decided, objected, ordered, asked or told something.

Rules name a kind by the words of one sentence; what the same words do depends on what stood before them and on what the agent
made of them. `benchmarks/distil/row_kinds.py` fits two linear models on rows whose kind readers named: one over words, one over
what stands around them. Each is wrong in other places, so the kind is where both together lead; the rules' kind is a feature of
both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.classify.clause_encoder import WeighClause
from transforms.classify.clause_kinds import MOST_CHARS, hash_clause, list_clauses, list_sentences
from transforms.classify.features import extract_features, hash_features
from transforms.classify.linear_model import LinearModel
from transforms.classify.unread_clauses import JudgeUnread, judge_quotation
from transforms.tables.enums import FactKind

FAMILY_OF_KIND: Mapping[FactKind, str] = {
    "rule": "rule", "preference": "rule", "convention": "rule", "decision": "decision", "rejected": "decision",
    "correction": "correction", "request": "request", "task": "request", "question": "question", "error": "error",
}  # fmt: skip
"""Kinds that readers hardly tell apart count as one; every other kind is a report, "status"."""
FAMILIES = ("correction", "decision", "error", "question", "request", "rule", "status")
KIND_OF_FAMILY: Mapping[str, FactKind] = {
    "correction": "correction", "decision": "decision", "error": "error", "question": "question", "request": "request",
    "rule": "rule", "status": "status",
}  # fmt: skip
"""The kind that the models name by its family."""
MIN_LEAD = 0.2
"""Share by which a decision must lead what the rules say where they cannot read the language."""
MIN_RULE = 0.35
"""Least share of a rule: what is none would stand among the owner's rules for good."""
MIN_LASTING_SENTENCE = 0.7
"""Likelihood from which a row with a sentence that is a rule, a preference or a convention for good is a rule."""
MIN_LASTING_UNREAD = 0.6
"""The same for a sentence in a language that no rule reads, by the network: of writers left out three of four are for good."""
MIN_CHOICE = 0.3
"""Share of a decision from which a row that orders something, too, is one: of a message with a choice and an order the choice is
what is worth knowing later."""
MIN_CHOICE_UNREAD = 0.2
"""The same in a language that no rule reads, for remarks, too: of messages of languages left out the strongest family is right in
.485 instead of .462, any family that is in them in .776 both."""
MIN_SURE = 0.5
"""Share of a family from which a row tells what its words do; below it the person "said" them. Of people left out a family with
such a share is right in three of four rows."""
KIND_WEIGHT, ACT_WEIGHT, LATER_WEIGHT, SIGN_WEIGHT = 3.0, 4.0, 2.0, 1.4
"""Weights of the rules' kind, of learned acts of the message and of the next one, and of a sign; a word has 1."""
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
    """The models of words, of structure and of clauses, whose labels are FAMILIES, and that of clauses which last
    (`judge_lasting`); slots of `structure` are the columns of STRUCTURE. `weigh_clause` asks the tuned encoder, `judge_unread`
    the network for languages that no rule reads."""

    words: LinearModel
    structure: LinearModel
    clauses: LinearModel
    lasting: LinearModel
    weigh_clause: WeighClause | None = None
    judge_unread: JudgeUnread | None = None


@dataclass(frozen=True, slots=True)
class NamedKind:
    """The kind of a row, and whether it is likely enough to be told."""

    kind: FactKind
    is_sure: bool


def find_family(kind: FactKind) -> str:
    """Return the family of a kind."""
    return FAMILY_OF_KIND.get(kind, "status")


def judge_clauses(row: QuotedRow, clauses: LinearModel) -> list[Shares]:
    """Return the shares of the families for each clause of a row."""
    return [clauses.predict(hash_clause(clause, row.message, row.before)) for clause in list_clauses(row.quote)]


def find_lasting(row: QuotedRow, weigh_clause: WeighClause | None) -> float:
    """Return how likely the likeliest sentence of a row is a rule, a preference or a convention for good by the tuned encoder; 0
    without one, in a language that it does not read, and for an answer: what was asked says how far its words reach."""
    if not row.signs.isdisjoint(("unread", "answers")) or weigh_clause is None:
        return 0.0
    message = row.message[:MOST_CHARS]
    return max(weigh_clause(sentence, message, row.before) or 0.0 for sentence in list_sentences(row.quote))


def list_row_features(row: QuotedRow) -> dict[str, float]:
    """Return the named features of a row."""
    features = extract_features(row.quote, row.before)
    features[f"kind:{row.kind}"] = KIND_WEIGHT
    features[f"kind:{row.kind}:{'asked' in row.signs}"] = SIGN_WEIGHT
    for name, acts, weight in (
        ("act", row.acts, ACT_WEIGHT), ("quote-act", row.quote_acts, ACT_WEIGHT), ("later-act", row.later_acts, LATER_WEIGHT)
    ):  # fmt: skip
        features |= {f"{name}:{act}": weight * share for act, share in acts.items()}
    features |= {f"sign:{sign}": SIGN_WEIGHT for sign in sorted(row.signs)}
    features[f"files:{min(row.files, MAX_FILES)}"] = SIGN_WEIGHT
    features[f"sentences:{min(row.sentences, MAX_SENTENCES)}"] = SIGN_WEIGHT
    return features


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
    """Return the share of each family by the models of words and of structure, their geometric mean."""
    words = models.words.predict(hash_features(list_row_features(row)))
    columns = measure_structure(row, judge_clauses(row, models.clauses))
    structure = models.structure.predict((np.arange(len(STRUCTURE), dtype=np.int64), columns))
    means = {family: math.sqrt(words[family] * structure[family]) for family in FAMILIES}
    whole = sum(means.values()) or 1.0
    return {family: mean / whole for family, mean in means.items()}


def choose_row_kind(row: QuotedRow, models: KindModels, *, may_last: bool = True) -> NamedKind:
    """Return the kind of a row: the likeliest family's, in the rules' word where it is theirs; a choice with an order is a
    decision. A rule by their word, or of which a sentence is meant for good, is one: one that is lost costs more than one too
    many. What ends soon by its own words (not `may_last`) becomes none."""
    if "unread" in row.signs:
        return NamedKind(_choose_unread_kind(row, models, may_last=may_last), False)
    own, shares = find_family(row.kind), predict_families(row, models)
    named = [family for family in FAMILIES if family != "rule" or (may_last and shares[family] >= MIN_RULE)]
    likely = own if own == "rule" else max(named, key=lambda family: shares[family])
    if likely != "rule" and may_last and find_lasting(row, models.weigh_clause) >= MIN_LASTING_SENTENCE:
        likely = "rule"
    likely = "decision" if likely == "request" and shares["decision"] >= MIN_CHOICE else likely
    asks = shares["question"] + shares["request"]
    share = asks if likely in ("question", "request") else shares[likely]
    is_certain = own == "rule" or (likely == "question" and "asked" in row.signs)
    return NamedKind(row.kind if likely == own else KIND_OF_FAMILY[likely], share >= MIN_SURE or is_certain)


def _choose_unread_kind(row: QuotedRow, models: KindModels, *, may_last: bool) -> FactKind:
    """Return the kind of a row in a language that no rule reads: what the network says of its sentences. What it takes for an
    order or a remark is a decision where it, or what stands around the words, leads there: of a message with several things that
    is the one worth knowing. Without a network, and for an answer, whose form tells it, only a clear decision is another kind."""
    own, around = find_family(row.kind), predict_families(row, models)
    is_settled = own == "decision" or (own != "rule" and around["decision"] - around[own] >= MIN_LEAD)
    is_named = "answers" in row.signs or own == "rule"
    judged = judge_quotation(row.quote, row.before, models.judge_unread) if models.judge_unread and not is_named else None
    if judged is None:
        return "decision" if is_settled and own != "decision" else row.kind
    shares = judged.families
    named = [family for family in FAMILIES if family != "rule" or (may_last and shares[family] >= MIN_RULE)]
    likely = max(named, key=lambda family: shares[family])
    if may_last and judged.lasts >= MIN_LASTING_UNREAD:
        likely = "rule"
    elif likely in ("request", "status") and (is_settled or shares["decision"] >= MIN_CHOICE_UNREAD):
        likely = "decision"
    return row.kind if likely == own else KIND_OF_FAMILY[likely]
