"""Where the weights of `transforms.windowing.dialogue_topics` come from, and how they do on dialogues and sets they have not seen.

    python benchmarks/segmentation_fit.py [--bench FOLDER] [--lexical]

One logistic regression of "a topic begins here" on the signals, all sets weighing the same, each with its own constant;
segments are then searched as in the product. Prints one JSON line: the weights; scores with the rounded weights of the
product, and with weights and granularity of four folds (`folds`) or weights of the other sets alone (`other_sets`);
`without` each signal (folds). Granularity is found on the training part so that density is 1, for `other_sets` on the set.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.segmentation import SHARED, Row, predict, read_rows, scores, speakers_of, typical_of, vectors_of
from transforms.windowing.dialogue_topics import WEIGHTS, compute_features
from transforms.windowing.segmentation import LengthPrior, find_best_boundaries

FOLDS = 4
RIDGE = 60.0
Matrix = npt.NDArray[np.float64]
Dialogue = tuple[Row, Matrix, Matrix]
"""A row, its signals (one line per turn but the first), and whether a topic begins there."""
Sets = dict[str, list[Dialogue]]


def main() -> int:
    """Fits and prints; 1 when the sets are missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bench", type=Path, default=SHARED / "bench")
    parser.add_argument("--lexical", action="store_true", help="words alone, no vectors")
    arguments = parser.parse_args()
    rows = {
        path.stem.removesuffix("_dev"): read_rows(path) for path in sorted((arguments.bench / "segmentation").glob("*.jsonl"))
    }
    if not rows:
        print(f"no sets in {arguments.bench / 'segmentation'}", file=sys.stderr)
        return 1
    sets = {name: _dialogues(one, arguments.lexical) for name, one in rows.items()}
    every = list(range(len(WEIGHTS)))
    found = {
        "benchmark": "segmentation_fit",
        "weights": dict(zip(WEIGHTS, (round(float(one), 2) for one in fit(sets, every)), strict=True)),
        "product": {name: scores(one, predict(one, arguments.lexical)) for name, one in rows.items()},
        "folds": across_folds(sets, every),
        "other_sets": {name: _unseen_set(sets, name, every) for name in sets} if len(sets) > 1 else {},
        "without": {name: across_folds(sets, [one for one in every if one != at]) for at, name in enumerate(WEIGHTS)},
    }
    print(json.dumps(found))
    return 0


def fit(sets: Sets, used: Sequence[int]) -> Matrix:
    """Weights of the used signals: ridge logistic regression by Newton's method on standardised signals."""
    parts = [one for one in sets.values() if one]
    lines = np.vstack([dialogue[1][:, used] for one in parts for dialogue in one])
    begins = np.concatenate([dialogue[2] for one in parts for dialogue in one])
    counts = [sum(len(dialogue[2]) for dialogue in one) for one in parts]
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


def across_folds(sets: Sets, used: Sequence[int]) -> Row:
    """Scores per set when neither weights nor granularity have seen the dialogue."""
    cuts: dict[str, dict[int, list[int]]] = {name: {} for name in sets}
    for fold in range(FOLDS):
        seen = {name: [one for at, one in enumerate(rows) if at % FOLDS != fold] for name, rows in sets.items()}
        weights = fit(seen, used)
        for name, rows in sets.items():
            usual = _granularity(seen[name], weights, used)
            for at in range(fold, len(rows), FOLDS):
                cuts[name][at] = _cut(rows[at], weights, used, usual)
    return {name: scores([row for row, _, _ in rows], [cuts[name][at] for at in range(len(rows))]) for name, rows in sets.items()}


def _unseen_set(sets: Sets, name: str, used: Sequence[int]) -> Row:
    weights = fit({other: rows for other, rows in sets.items() if other != name}, used)
    usual = _granularity(sets[name], weights, used)
    return scores([row for row, _, _ in sets[name]], [_cut(one, weights, used, usual) for one in sets[name]])


def _granularity(rows: list[Dialogue], weights: Matrix, used: Sequence[int]) -> float:
    """The evidence to be usual with which as many topics are found as there are (bisection)."""
    low, high, wanted = -20.0, 20.0, sum(int(begins.sum()) for _, _, begins in rows)
    for _ in range(14):
        middle = (low + high) / 2
        found = sum(len(_cut(one, weights, used, middle)) for one in rows)
        low, high = (middle, high) if found > wanted else (low, middle)
    return high


def _cut(dialogue: Dialogue, weights: Matrix, used: Sequence[int], usual: float) -> list[int]:
    row, lines, _ = dialogue
    evidence = lines[:, used] @ weights - usual
    cuts = find_best_boundaries(len(row["utterances"]), dict(enumerate(evidence.tolist(), 1)), LengthPrior(typical_of(row)))
    return [start - 1 for start in cuts[1:]]


def _dialogues(rows: list[Row], is_lexical: bool) -> list[Dialogue]:
    vectors: Any = None if is_lexical else vectors_of(sorted({turn for row in rows for turn in row["utterances"]}))
    found = []
    for row in rows:
        turns = row["utterances"]
        named = compute_features(turns, speakers_of(row), [vectors[turn] for turn in turns] if vectors is not None else None)
        lines = np.array([named[name] for name in WEIGHTS]).T.reshape(-1, len(WEIGHTS))
        begins = np.array([at - 1 in row["boundaries"] for at in range(1, len(turns))], dtype=float)
        found.append((row, lines, begins))
    return found


if __name__ == "__main__":
    sys.exit(main())
