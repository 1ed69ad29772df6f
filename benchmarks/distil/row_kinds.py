"""Fit the models that name the kind of a row which quotes a person, or measure them with the person left out.

    python -m benchmarks.distil.row_kinds [SHARED] [--write]

`benchmarks/learning/row_labels.jsonl` has the kinds that readers named, of the sessions in SHARED and of twelve made-up people
(`people.py`). A kind counts as right when its family is (`transforms.classify.row_kinds`). Keys: `rows`; per person and as
`mean`, for `learned` (weights that never saw the person), `rules` and `majority`: `right`, the share of right kinds, `told`,
how many rows are called decisions, and `decisions`, the share of these that are, 0 without any. `--write` fits on all labels
and stores the weights. Needs scikit-learn (`pip install 'recollect[learning]'`).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from benchmarks.arguments import add_shared, make_parser, read_jsonl, report_missing
from benchmarks.distil.people import unpack_people
from benchmarks.learning.fit import fit_model
from benchmarks.learning.row_windows import Window, read_windows
from benchmarks.learning.rows import LABELS, hash_row, name_owner
from effects.distil.stored_weights import KINDS_FILE, load_turn_classifier
from transforms.classify.features import BITS, hash_features
from transforms.classify.linear_model import LinearModel, pack_models
from transforms.classify.row_kinds import (
    FAMILIES,
    KindModels,
    QuotedRow,
    choose_row_kind,
    find_family,
    list_row_features,
    measure_structure,
)
from transforms.offline.engine import OfflineEngine, describe_row
from transforms.offline.usefulness import compute_features
from transforms.tables.enums import FactKind

STRENGTH = 0.05
"""Inverse strength of the regularisation: .02 to .1 are the same for ten people left out."""
LEAST_SPREAD = 1e-3


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A row of a person, and the kind that a reader named."""

    person: str
    row: QuotedRow
    kind: FactKind


def read_named_rows(windows: Sequence[Window]) -> list[NamedRow]:
    """Return the rows that the engine makes of a person's words and a reader judged."""
    kinds = {(label["session"], label["first"], label["row"]): label["kind"][0] for label in read_jsonl(LABELS)}
    classifier, rows = load_turn_classifier(), []
    for window in windows:
        read = OfflineEngine(classifier=classifier, mode=window.mode).read_window(window.entries, window.summarised)
        for item, form in zip(read.sourced, compute_features(read.sourced, len(read.exchanges)), strict=True):
            kind = kinds.get((window.session, window.entries[0].ordinal, hash_row(item.candidate.text)))
            row = describe_row(item, form, read.exchanges, classifier) if kind and item.source == "words" else None
            if row is not None and kind is not None:
                rows.append(NamedRow(name_owner(window.file), row, kind))
    return rows


def fit_kinds(rows: Sequence[NamedRow]) -> KindModels:
    """Return the models fitted on these rows."""
    vectors = [hash_features(list_row_features(named.row)) for named in rows]
    families = [find_family(named.kind) for named in rows]
    return KindModels(
        fit_model(vectors, families, FAMILIES, size=1 << BITS),
        _fit_structure(np.array([measure_structure(named.row) for named in rows], np.float64), families),
    )


def _fit_structure(columns: npt.NDArray[np.float64], families: Sequence[str]) -> LinearModel:
    """Return a regularised logistic regression; its weights hold the scale of each column, so that no caller has to."""
    mean, scale = columns.mean(axis=0), columns.std(axis=0) + LEAST_SPREAD
    fitted = LogisticRegression(C=STRENGTH, max_iter=400).fit((columns - mean) / scale, families)
    order = [list(fitted.classes_).index(family) for family in FAMILIES]
    weights = fitted.coef_[order].T / scale[:, None]
    return LinearModel(FAMILIES, weights.astype(np.float32), (fitted.intercept_[order] - mean @ weights).astype(np.float32))


def measure(rows: Sequence[NamedRow]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the figures of each person by weights of all others, beside the rules and the most frequent family."""
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for person in sorted({named.person for named in rows}):
        own, others = [n for n in rows if n.person == person], [n for n in rows if n.person != person]
        models = fit_kinds(others)
        majority = Counter(find_family(named.kind) for named in others).most_common(1)[0][0]
        figures[person] = {
            "learned": _score(own, [find_family(choose_row_kind(named.row, models)) for named in own]),
            "rules": _score(own, [find_family(named.row.kind) for named in own]),
            "majority": _score(own, [majority] * len(own)),
        }
    names = ("learned", "rules", "majority")
    means = {
        name: {key: float(np.mean([figures[p][name][key] for p in figures])) for key in ("right", "decisions")} for name in names
    }
    return {**figures, "mean": means}


def _score(rows: Sequence[NamedRow], families: Sequence[str]) -> dict[str, float]:
    truth = [find_family(named.kind) for named in rows]
    decided = [true == "decision" for true, told in zip(truth, families, strict=True) if told == "decision"]
    right = [true == told for true, told in zip(truth, families, strict=True)]
    return {
        "rows": len(rows), "right": round(float(np.mean(right)), 3), "told": len(decided),
        "decisions": round(float(np.mean(decided)), 3) if decided else 0.0,
    }  # fmt: skip


def main() -> int:
    """Print the figures, or store the weights."""
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--write", action="store_true", help="fit on everything and store the weights")
    arguments = parser.parse_args()
    if report_missing([arguments.shared / "sessions" / name for name in ("owners", "real", "claude", "codex")]):
        return 1
    with tempfile.TemporaryDirectory() as folder:
        windows = read_windows(arguments.shared / "sessions", Path(folder))
        for name, home in unpack_people(Path(folder)).items():
            windows += read_windows(home / "sessions", Path(folder) / name, ["owners"])
    rows = read_named_rows(windows)
    if arguments.write:
        models = fit_kinds(rows)
        np.savez_compressed(KINDS_FILE, **pack_models({"words": models.words, "structure": models.structure}))
    print(json.dumps({"rows": len(rows), **({} if arguments.write else measure(rows))}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
