"""The learned kind of a row that quotes a person: whether they decided, objected, ordered, asked or told something.

Rules name a kind by the words of one sentence; what the same words do depends on what stood before them and on what the agent
made of them. `benchmarks/distil/row_kinds.py` fits two linear models on rows whose kind readers named: one over words, one over
what stands around them. Each is wrong in other places, so the kind is where both together lead; the rules' kind is a feature of
both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
KIND_OF_FAMILY: Mapping[str, FactKind] = {
    "correction": "correction", "decision": "decision", "question": "question", "request": "request", "status": "status",
}  # fmt: skip
"""The kind that the models name by its family. What holds for good, and what failed, must be said in so many words: of ten people
left out rules named them more rightly than the models did."""
MIN_LEAD = 0.2
"""Share by which a family must lead that of the rules. From .1 to .3 people left out gain .07 to .11, and real owners nothing."""
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
)  # fmt: skip
"""Columns of `measure_structure`."""


@dataclass(frozen=True, slots=True)
class QuotedRow:
    """A row that quotes a person, as far as its kind depends on it.

    `quote` are their words, `before` the agent's text before them, `kind` what the rules say; `acts`, `quote_acts` and
    `later_acts` are the learned acts of the whole message, of the quotation, and of the next message; `signs` are names of
    what is so beside it; `files` counts the files that the agent then changed, `sentences` the informative sentences of the
    message; `form` has the features of FORM.
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
    form: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class KindModels:
    """The models of words and of structure, whose labels are FAMILIES; slots of `structure` are the columns of STRUCTURE."""

    words: LinearModel
    structure: LinearModel


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


def measure_structure(row: QuotedRow) -> npt.NDArray[np.float32]:
    """Return what stands around a row's words, one number for each column of STRUCTURE."""
    own = find_family(row.kind)
    shares = [acts.get(act, 0.0) for acts in (row.acts, row.quote_acts, row.later_acts) for act in ACTS]
    return np.array([
        *(family == own for family in FAMILIES), *(sign in row.signs for sign in SIGNS), min(row.files, MAX_FILES),
        min(row.sentences, MAX_SENTENCES), *(math.log(max(share, LEAST_ACT)) for share in shares),
        *(row.form[name] for name in FORM),
    ], dtype=np.float32)  # fmt: skip


def predict_families(row: QuotedRow, models: KindModels) -> dict[str, float]:
    """Return the share of each family by both models, their geometric mean."""
    words = models.words.predict(hash_features(list_row_features(row)))
    structure = models.structure.predict((np.arange(len(STRUCTURE), dtype=np.int64), measure_structure(row)))
    means = {family: math.sqrt(words[family] * structure[family]) for family in FAMILIES}
    whole = sum(means.values()) or 1.0
    return {family: mean / whole for family, mean in means.items()}


def choose_row_kind(row: QuotedRow, models: KindModels, least: float = MIN_LEAD) -> FactKind:
    """Return the kind of a row: that of the rules, or one whose family leads theirs by `least`."""
    own = find_family(row.kind)
    if own == "rule":  # readers found most of them right, and a rule that is lost costs more than one too many
        return row.kind
    shares = predict_families(row, models)
    choices = KIND_OF_FAMILY if "unread" not in row.signs else ("decision",)  # rules gave such a row no kind that could be wrong
    likely = max(choices, key=lambda family: shares[family])
    return KIND_OF_FAMILY[likely] if likely != own and shares[likely] - shares[own] >= least else row.kind
