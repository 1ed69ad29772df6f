"""The learned kind of a row that quotes a person: whether they decided something.

Rules name a kind by the words of one sentence; what the same words do depends on what stood before them and on what the agent
made of them. `benchmarks/distil/row_kinds.py` fits a linear model on rows whose kind readers named; the rules' kind is one of
its features.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transforms.classify.features import extract_features, hash_features
from transforms.classify.linear_model import LinearModel
from transforms.tables.enums import FactKind

FAMILY_OF_KIND: Mapping[FactKind, str] = {
    "rule": "rule", "preference": "rule", "convention": "rule", "decision": "decision", "state_change": "decision",
    "rejected": "decision", "correction": "correction", "request": "request", "task": "request", "question": "question",
    "error": "error",
}  # fmt: skip
"""Kinds that readers hardly tell apart count as one; every other kind is a report, "status"."""
FAMILIES = ("correction", "decision", "error", "question", "request", "rule", "status")
DOUBTFUL = frozenset[FactKind]({"correction", "status"})
"""Kinds of the rules that the model may overrule: one of five was right, of ten people left out. Words of a rule, a request, a
question or a fault say so themselves, and there the rules were right more often than the model."""
MIN_LEAD = 0.3
"""Probability by which a decision must lead the rules' kind: of 224 such rows of ten people left out 65 of 100 were decisions,
and 9 what the rules say."""
KIND_WEIGHT, ACT_WEIGHT, LATER_WEIGHT, SIGN_WEIGHT = 3.0, 4.0, 2.0, 1.4
"""Weights of the rules' kind, of learned acts of the message and of the next one, and of a sign; a word has 1."""
MAX_FILES, MAX_SENTENCES = 3, 6


@dataclass(frozen=True, slots=True)
class QuotedRow:
    """A row that quotes a person, as far as its kind depends on it.

    `quote` are their words, `before` the agent's text before them, `kind` what the rules say; `acts`, `quote_acts` and
    `later_acts` are the learned acts of the whole message, of the quotation, and of the next message; `signs` are names of what
    is so beside it; `files` counts the files that the agent then changed, `sentences` the informative sentences of the message.
    """

    quote: str
    before: str
    kind: FactKind
    acts: Mapping[str, float]
    quote_acts: Mapping[str, float]
    later_acts: Mapping[str, float]
    signs: frozenset[str]
    files: int
    sentences: int


def find_family(kind: FactKind) -> str:
    """Return the family of a kind."""
    return FAMILY_OF_KIND.get(kind, "status")


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


def choose_row_kind(row: QuotedRow, model: LinearModel, least: float = MIN_LEAD) -> FactKind:
    """Return the kind of a row: that of the rules, or a decision that leads a doubtful kind by `least`."""
    if row.kind not in DOUBTFUL:
        return row.kind
    shares = model.predict(hash_features(list_row_features(row)))
    is_decided = max(FAMILIES, key=lambda family: shares[family]) == "decision"
    return "decision" if is_decided and shares["decision"] - shares[find_family(row.kind)] >= least else row.kind
