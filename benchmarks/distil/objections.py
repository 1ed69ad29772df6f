"""Fit the weights by which the offline engine tells an objection by its form, or measure them on owners left out.

    python -m benchmarks.distil.objections [SHARED …]

Fitted are turns behind an agent's text of `learning/voices`, by logistic regression. Each SHARED has `bench/gold_owners`
and `sessions/`; its owners take no part in the fit. Keys: `turns`, `corrections`, `weights` (fitted on all voices), `voices`
(area under the curve of weights that never saw the voice), and per SHARED the areas of the fitted weights (`form`), and of the
baselines: the length of the message (`chars`) and the learned acts of the engine (`acts`, which have seen four of the owners).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.arguments import make_parser, report_missing
from benchmarks.learning.fit import fit_logistic, round_weights
from benchmarks.learning.labels import VOICES, LabelledTurn, read_labelled_turns
from benchmarks.learning.train import area_under_curve, typed_part
from effects.distil.stored_weights import load_turn_classifier
from transforms.classify.objections import ObjectionWeights, judge_objection
from transforms.offline.replies.doubted_words import describe_later_words

RIDGE = 0.1
"""The penalty on the weights."""


def fit_weights(turns: Sequence[LabelledTurn]) -> ObjectionWeights:
    """Fit the weights by logistic regression."""
    features = [describe_later_words(turn.before, typed_part(turn)) for turn in turns]
    truth = np.array([is_correction(turn) for turn in turns], dtype=np.float64)
    return ObjectionWeights(*round_weights(fit_logistic(np.array(features), truth, RIDGE)))


def is_correction(turn: LabelledTurn) -> bool:
    """Whether a reader took a turn for a correction of the agent."""
    return turn.act == "correction"


def judge_turns(turns: Sequence[LabelledTurn], weights: ObjectionWeights) -> list[float]:
    """Return the probability of an objection for each turn."""
    return [judge_objection(describe_later_words(turn.before, typed_part(turn)), weights) for turn in turns]


def judge_left_out(turns: Sequence[LabelledTurn]) -> list[float]:
    """Return the probability for each turn, by weights that never saw its voice."""
    by_voice = {
        voice: fit_weights([turn for turn in turns if turn.owner != voice]) for voice in sorted({turn.owner for turn in turns})
    }
    return [judge_turns([turn], by_voice[turn.owner])[0] for turn in turns]


def read_turns(bench: Path) -> list[LabelledTurn]:
    """Return the owners' turns behind an agent's text."""
    return [turn for turn in read_labelled_turns(bench) if turn.is_owner and turn.before.strip() and typed_part(turn).strip()]


def main() -> int:
    """Measure; the weights fitted on all voices are printed."""
    parser = make_parser(__doc__)
    parser.add_argument("shared", nargs="*", type=Path, help="folders with sessions/owners and bench/gold_owners")
    arguments = parser.parse_args()
    if report_missing([shared / "bench" / "gold_owners" for shared in arguments.shared]):
        return 1
    voices = {path.stem for path in VOICES.glob("*.jsonl")}
    turns = [turn for turn in read_turns(Path("no bench")) if turn.owner in voices]
    weights = fit_weights(turns)
    truth = [is_correction(turn) for turn in turns]
    figures: dict[str, object] = {"turns": len(turns), "corrections": sum(truth), "weights": weights}
    figures["voices"] = area_under_curve(judge_left_out(turns), truth)
    classifier = load_turn_classifier()
    for shared in arguments.shared:
        others = [turn for turn in read_turns(shared / "bench") if turn.owner not in voices]
        truth = [is_correction(turn) for turn in others]
        acts = [classifier.predict_act(typed_part(turn), turn.before)["correction"] for turn in others]
        figures[str(shared)] = {
            "turns": len(others),
            "corrections": sum(truth),
            "form": area_under_curve(judge_turns(others, weights), truth),
            "chars": area_under_curve([float(len(typed_part(turn))) for turn in others], truth),
            "acts": area_under_curve(acts, truth),
        }
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
