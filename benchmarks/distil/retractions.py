"""Fit what tells the offline engine that an agent's words fell with the message behind them, or measure it on owners left out.

    python -m benchmarks.distil.retractions [--write] [SHARED …]

Fitted are the turns of `learning/voices` behind an agent's text: those that correct it, and those of `learning/refuted.txt`. The
openings of message and answer are judged first, then form and openings together, by voices left out of the first fit. Keys:
`turns`, `refuted`, `weights` and `opening_weight` (for `transforms/classify/retractions.py`), and areas under the curve of
voices left out: `both`, with the baselines `form` (the message alone, as `objections.py` judges it) and `openings`; per SHARED
`both` and `form` on its corrections. `--write` stores the openings.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.arguments import make_parser, report_missing
from benchmarks.distil.objections import is_correction, read_turns
from benchmarks.learning.fit import Columns, fit_logistic, round_weights
from benchmarks.learning.labels import LabelledTurn, read_refuted, refutes
from benchmarks.learning.train import area_under_curve, typed_part
from effects.distil.stored_weights import OPENINGS_FILE
from transforms.classify.linear_model import LinearModel, pack_models
from transforms.classify.objections import ObjectionWeights
from transforms.classify.retractions import FALLS, OPENING_BITS, STANDS, hash_openings, judge_openings, judge_retraction
from transforms.offline.replies.doubted_words import describe_later_words

FOLDS = 5
LEAST_TURNS, OPENING_RIDGE, RIDGE = 15, 3.0, 0.1
"""Turns that an opening needs to count, and penalties on the weights."""


def fit_openings(turns: Sequence[LabelledTurn], truth: Columns) -> LinearModel:
    """Fit the model of openings on those that several turns have."""
    columns = np.zeros((len(turns), 1 << OPENING_BITS))
    for row, turn in enumerate(turns):
        columns[row, hash_openings(typed_part(turn), turn.answer)[0]] = 1
    used = columns.sum(0) >= LEAST_TURNS
    bias, *fitted = fit_logistic(columns[:, used], truth, OPENING_RIDGE)
    weights = np.zeros((1 << OPENING_BITS, 2), np.float32)
    weights[used, 1] = fitted
    return LinearModel((STANDS, FALLS), weights.astype(np.float16).astype(np.float32), np.array([0, bias], np.float32))


def describe_turns(turns: Sequence[LabelledTurn], openings: LinearModel) -> Columns:
    """Return the form of each turn and the log-odds of its openings."""
    return np.array(
        [
            [*describe_later_words(turn.before, typed_part(turn)), judge_openings(typed_part(turn), turn.answer, openings)]
            for turn in turns
        ]
    )


def describe_left_out(turns: Sequence[LabelledTurn], truth: Columns) -> Columns:
    """Return the same by openings that never saw the voice."""
    columns = np.zeros((len(turns), 0))
    for fold in _list_folds(turns):
        openings = fit_openings([turn for turn, is_out in zip(turns, fold, strict=True) if not is_out], truth[~fold])
        described = describe_turns([turn for turn, is_out in zip(turns, fold, strict=True) if is_out], openings)
        columns = columns if columns.shape[1] else np.zeros((len(turns), described.shape[1]))
        columns[fold] = described
    return columns


def judge_left_out(turns: Sequence[LabelledTurn], columns: Columns, truth: Columns) -> Columns:
    """Return the log-odds of each turn, by weights of the columns that never saw its voice."""
    judged = np.zeros(len(turns))
    for fold in _list_folds(turns):
        bias, *weights = fit_logistic(columns[~fold], truth[~fold], RIDGE)
        judged[fold] = bias + columns[fold] @ np.array(weights)
    return judged


def _list_folds(turns: Sequence[LabelledTurn]) -> list[npt.NDArray[np.bool_]]:
    voices = sorted({turn.owner for turn in turns})
    return [np.array([turn.owner in voices[number::FOLDS] for turn in turns]) for number in range(FOLDS)]


def main() -> int:
    """Measure; `--write` stores the openings fitted on all voices."""
    parser = make_parser(__doc__)
    parser.add_argument("shared", nargs="*", type=Path, help="folders with sessions/owners and bench/gold_owners")
    parser.add_argument("--write", action="store_true", help="store the openings")
    arguments = parser.parse_args()
    if report_missing([shared / "bench" / "gold_owners" for shared in arguments.shared]):
        return 1
    refuted = read_refuted()
    turns = [turn for turn in read_turns(Path("no bench")) if turn.turn_id]
    truth = np.array([refutes(turn, refuted) for turn in turns], np.float64)
    columns = describe_left_out(turns, truth)
    bias, *weights = round_weights(fit_logistic(columns, truth, RIDGE))
    form, openings = ObjectionWeights(bias, *weights[:-1]), fit_openings(turns, truth)
    figures: dict[str, object] = {
        "turns": len(turns),
        "refuted": int(truth.sum()),
        "weights": form,
        "opening_weight": weights[-1],
        "both": area_under_curve(judge_left_out(turns, columns, truth).tolist(), (truth > 0).tolist()),
        "form": area_under_curve(judge_left_out(turns, columns[:, :-1], truth).tolist(), (truth > 0).tolist()),
        "openings": area_under_curve(columns[:, -1].tolist(), (truth > 0).tolist()),
    }
    for shared in arguments.shared:
        others = [turn for turn in read_turns(shared / "bench") if not turn.turn_id and turn.keep is None]
        described = describe_turns(others, openings)
        form_alone = fit_logistic(columns[:, :-1], truth, RIDGE)
        judged = {
            "both": [judge_retraction(row[:-1], row[-1], form, weights[-1]) for row in described],
            "form": (described[:, :-1] @ form_alone[1:]).tolist(),
        }
        corrections = [is_correction(turn) for turn in others]
        figures[str(shared)] = {name: area_under_curve(chances, corrections) for name, chances in judged.items()}
    if arguments.write:
        np.savez_compressed(OPENINGS_FILE, **pack_models({"openings": openings}))
        figures["written"] = OPENINGS_FILE.stat().st_size
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
