"""Fits the weights of dialogue segmentation, and scores them on dialogues and sets that the fit has not seen.

    python -m benchmarks.windowing.segmentation_fit [--bench FOLDER] [--lexical]

Fits one logistic regression of "a topic begins here" on the features of the sets in `bench/segmentation`; all sets weigh the
same, each with its own constant. Segments are then searched as in the product. Keys: `weights`; scores with the product's
rounded weights as the baseline (`product`), with weights and granularity of four folds (`folds`), with weights of the other
sets (`other_sets`), and `without` each feature (folds). Granularity makes the density 1 on the training part, for `other_sets`
on the set itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.arguments import add_bench, make_parser, read_jsonl
from benchmarks.windowing.dialogue_topics import WEIGHTS, compute_features
from benchmarks.windowing.segmentation import Row, embed_texts, find_topic_turns, list_speakers, predict, score_dialogues
from transforms.windowing.segments import LengthPrior, find_best_boundaries

FOLDS = 4
RIDGE = 60.0
Matrix = npt.NDArray[np.float64]
Dialogue = tuple[Row, Matrix, Matrix]
"""A row, its features (one line per turn but the first), and whether a topic begins there."""
Sets = dict[str, list[Dialogue]]


def main() -> int:
    """Fit and print; return 1 when the sets are missing."""
    parser = make_parser(__doc__)
    add_bench(parser)
    parser.add_argument("--lexical", action="store_true", help="words alone, no vectors")
    arguments = parser.parse_args()
    rows = {
        path.stem.removesuffix("_dev"): read_jsonl(path) for path in sorted((arguments.bench / "segmentation").glob("*.jsonl"))
    }
    if not rows:
        print(f"no sets in {arguments.bench / 'segmentation'}", file=sys.stderr)
        return 1
    sets = {name: _compute_dialogues(record, arguments.lexical) for name, record in rows.items()}
    every = list(range(len(WEIGHTS)))
    values = {
        "benchmark": "segmentation_fit",
        "weights": dict(zip(WEIGHTS, (round(float(record), 2) for record in fit_weights(sets, every)), strict=True)),
        "product": {name: score_dialogues(record, predict(record, arguments.lexical)) for name, record in rows.items()},
        "folds": score_folds(sets, every),
        "other_sets": {name: _score_unseen_set(sets, name, every) for name in sets} if len(sets) > 1 else {},
        "without": {name: score_folds(sets, [record for record in every if record != at]) for at, name in enumerate(WEIGHTS)},
    }
    print(json.dumps(values))
    return 0


def fit_weights(sets: Sets, used: Sequence[int]) -> Matrix:
    """Return the weights of the used features: ridge logistic regression by Newton's method on standardised features."""
    parts = [dialogues for dialogues in sets.values() if dialogues]
    lines = np.vstack([dialogue[1][:, used] for dialogues in parts for dialogue in dialogues])
    begins = np.concatenate([dialogue[2] for dialogues in parts for dialogue in dialogues])
    counts = [sum(len(dialogue[2]) for dialogue in dialogues) for dialogues in parts]
    share = np.concatenate([np.full(count, len(begins) / len(parts) / count) for count in counts])
    constants = np.repeat(np.eye(len(parts)), counts, axis=0)
    spread = lines.std(axis=0) + 1e-9
    table = np.hstack([(lines - lines.mean(axis=0)) / spread, constants])
    ridge = np.diag([RIDGE] * len(used) + [1e-6] * len(parts))
    weights = np.zeros(table.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (share * (chance - begins)) + ridge @ weights
        curve = (table * (share * chance * (1 - chance))[:, None]).T @ table + ridge
        weights = weights - np.linalg.solve(curve, slope)
    result: Matrix = weights[: len(used)] / spread
    return result


def score_folds(sets: Sets, used: Sequence[int]) -> Row:
    """Score each set with weights and granularity that have not seen the dialogue."""
    cuts: dict[str, dict[int, list[int]]] = {name: {} for name in sets}
    for fold in range(FOLDS):
        seen = {name: [record for at, record in enumerate(rows) if at % FOLDS != fold] for name, rows in sets.items()}
        weights = fit_weights(seen, used)
        for name, rows in sets.items():
            usual = _find_granularity(seen[name], weights, used)
            for at in range(fold, len(rows), FOLDS):
                cuts[name][at] = _cut_topics(rows[at], weights, used, usual)
    return {
        name: score_dialogues([row for row, _, _ in rows], [cuts[name][at] for at in range(len(rows))])
        for name, rows in sets.items()
    }


def _score_unseen_set(sets: Sets, name: str, used: Sequence[int]) -> Row:
    weights = fit_weights({other: rows for other, rows in sets.items() if other != name}, used)
    usual = _find_granularity(sets[name], weights, used)
    return score_dialogues([row for row, _, _ in sets[name]], [_cut_topics(item, weights, used, usual) for item in sets[name]])


def _find_granularity(rows: list[Dialogue], weights: Matrix, used: Sequence[int]) -> float:
    """Return the threshold of evidence that finds as many topics as there are (bisection)."""
    low, high, wanted = -20.0, 20.0, sum(int(begins.sum()) for _, _, begins in rows)
    for _ in range(14):
        middle = (low + high) / 2
        topic_count = sum(len(_cut_topics(row, weights, used, middle)) for row in rows)
        low, high = (middle, high) if topic_count > wanted else (low, middle)
    return high


def _cut_topics(dialogue: Dialogue, weights: Matrix, used: Sequence[int], usual: float) -> list[int]:
    row, lines, _ = dialogue
    evidence = lines[:, used] @ weights - usual
    cuts = find_best_boundaries(len(row["utterances"]), dict(enumerate(evidence.tolist(), 1)), LengthPrior(find_topic_turns(row)))
    return [start - 1 for start in cuts[1:]]


def _compute_dialogues(rows: list[Row], is_lexical: bool) -> list[Dialogue]:
    vectors: Any = None if is_lexical else embed_texts(sorted({turn for row in rows for turn in row["utterances"]}))
    dialogues = []
    for row in rows:
        turns = row["utterances"]
        named = compute_features(turns, list_speakers(row), [vectors[turn] for turn in turns] if vectors is not None else None)
        lines = np.array([named[name] for name in WEIGHTS]).T.reshape(-1, len(WEIGHTS))
        begins = np.array([at - 1 in row["boundaries"] for at in range(1, len(turns))], dtype=float)
        dialogues.append((row, lines, begins))
    return dialogues


if __name__ == "__main__":
    sys.exit(main())
