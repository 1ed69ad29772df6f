"""Measures answerability: how often recall abstains from questions without an answer, and from questions with one.

    python -m benchmarks.recall.refusals [--bench FOLDER] [--sessions FOLDER] [--fit]

The questions are those of the folder `refusals` over `data/samples` and over `sessions/real`, and those of `bench/gold`. The
sets `own-*` and `new-*` took part in the fit of `transforms/recall/answerability.py`; `late-*`, `kept-*` and `after-*` never
did, and nobody looked at their failures. `new-*` and `kept-*` are the even and the odd rows of one list.

Keys: `documents`, what each memory holds: runs with other numbers, as with `--sessions` of another folder, cannot be compared;
per set `questions`, and for several thresholds the shares refused of questions without and with an answer; `held_out`, the same
by weights fitted on the other sets, as the baseline at the deployed threshold (`bound`); `refused_by_level`, counts
per level of difficulty for the fitted sets and for those kept aside. `--fit` adds the `weights` fitted on all fitted sets.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.arguments import ROOT, add_bench, add_sessions, make_parser, read_jsonl
from effects.config.settings import Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.embedding.embed_step import embed
from effects.health.sample_sessions import copy_sample_sessions
from effects.index.index_step import index
from effects.index.manifest import read_manifest
from effects.ingest.ingest_step import ingest
from effects.recall.ask import ask, open_recall
from effects.store.run import Run, open_run
from transforms.recall import answerability

KEPT_ASIDE = ("late", "kept", "after")
THRESHOLDS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8)
L2_PENALTY, STEPS = 0.1, 4_000
AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
FEATURES = tuple(answerability.ANSWERABILITY_WEIGHTS)
DIRECTION = np.array([0.0 if name == "bias" else -1.0 if name == "best_cosine" else 1.0 for name in FEATURES])
"""Sign that a weight may have: a feature of absence never speaks for presence."""

Floats = npt.NDArray[np.float64]
QuestionRow = dict[str, Any]


def main() -> int:
    """Run the benchmark."""
    arguments = _parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copy_sample_sessions(ROOT / "data" / "samples" / "sessions", root / "sessions")
        run = _make_lake(root / "samples", root / "sessions", "Europe/Berlin")
        rows = list(_estimate(run, _read_own_questions("samples")))
        documents = {"samples": _count_documents(run)}
        if arguments.sessions.is_dir():
            questions = [*_read_own_questions("real"), *_read_gold_questions(arguments.bench / "gold")]
            run = _make_lake(root / "real", arguments.sessions, "UTC")
            rows += _estimate(run, questions)
            documents["real"] = _count_documents(run)
    fitted = [row for row in rows if not row["set"].startswith(KEPT_ASIDE)]
    kept = [row for row in rows if row["set"].startswith(KEPT_ASIDE)]
    result: dict[str, Any] = {"benchmark": "refusals", "bound": answerability.ABSTAIN_FROM, "documents": documents}
    result |= {name: _score_set(name, rows, fitted) for name in sorted({row["set"] for row in rows})}
    result["refused_by_level"] = {"fitted": _count_by_level(fitted), "kept_aside": _count_by_level(kept)}
    if arguments.fit:
        result["weights"] = dict(zip(FEATURES, _fit_weights(fitted).round(2).tolist(), strict=True))
    print(json.dumps(result))
    return 0


def _score_set(name: str, rows: Sequence[QuestionRow], fitted: Sequence[QuestionRow]) -> dict[str, Any]:
    own = [row for row in rows if row["set"] == name]
    scores: dict[str, Any] = {"questions": len(own)} | _score_thresholds(own, np.array([row["probability"] for row in own]))
    if others := [row for row in fitted if row["set"] != name]:
        scores["held_out"] = _score_thresholds(own, _predict(own, _fit_weights(others)), (answerability.ABSTAIN_FROM,))
    return scores


def _read_own_questions(name: str) -> list[QuestionRow]:
    rows = read_jsonl(Path(__file__).parent / "refusals" / f"{name}.jsonl")
    return [row | {"is_absent": row["level"] != "answerable"} for row in rows]


def _read_gold_questions(folder: Path) -> Iterator[QuestionRow]:
    for path in sorted(folder.glob("*.gold.json")):
        for row in json.loads(path.read_text(encoding="utf-8"))["questions"]:
            name = path.name.removesuffix(".gold.json")
            yield {"set": f"gold-{name}", "question": row["question"], "is_absent": not row["evidence"]}


def _estimate(run: Run, questions: Sequence[QuestionRow]) -> Iterator[QuestionRow]:
    """Yield each question with its probability of being unanswerable and the features of that estimate."""
    recall = open_recall(run)
    for row in questions:
        estimate = ask(recall, row["question"]).unanswerability
        assert estimate is not None, "every question is estimated"
        yield row | {"probability": estimate.probability, "features": [estimate.features[name] for name in FEATURES]}


def _score_thresholds(
    rows: Sequence[QuestionRow], probabilities: Floats, thresholds: Sequence[float] = THRESHOLDS
) -> dict[str, list[float]]:
    """Return per threshold the share refused of questions without and with an answer."""
    absent = np.array([row["is_absent"] for row in rows])
    return {
        f"{threshold}": [round(float((probabilities[kind] >= threshold).mean()), 3) for kind in (absent, ~absent)]
        for threshold in thresholds
    }


def _count_by_level(rows: Sequence[QuestionRow]) -> dict[str, str]:
    levels = sorted({row["level"] for row in rows if "level" in row})
    return {level: _count_refused(row for row in rows if row.get("level") == level) for level in levels}


def _count_refused(rows: Iterable[QuestionRow]) -> str:
    refused = [row["probability"] >= answerability.ABSTAIN_FROM for row in rows]
    return f"{sum(refused)}/{len(refused)}"


def _fit_weights(rows: Sequence[QuestionRow]) -> Floats:
    """Fit a logistic regression by gradient descent, with an L2 penalty and weights of a fixed sign."""
    features, absent = np.array([row["features"] for row in rows]), np.array([float(row["is_absent"]) for row in rows])
    weights = np.zeros(len(FEATURES))
    for _ in range(STEPS):
        penalty = np.where(DIRECTION, L2_PENALTY * weights / len(rows), 0.0)
        weights -= features.T @ (_logistic(features @ weights) - absent) / len(rows) + penalty
        weights = np.where(DIRECTION * weights < 0, 0.0, weights)
    return weights


def _predict(rows: Sequence[QuestionRow], weights: Floats) -> Floats:
    return _logistic(np.array([row["features"] for row in rows]) @ weights)


def _logistic(values: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-values))
    return result


def _count_documents(run: Run) -> int:
    return read_manifest(run.lake).document_count


def _make_lake(root: Path, sessions: Path, zone: str) -> Run:
    settings = Settings(sessions=(sessions,), lake=root / "lake", workspace=root / "workspace", timezone=zone)
    run = open_run(settings, AS_OF)
    with run.lake.writing("refusals benchmark"):
        ingest(run)
        window(run)
        distil(run)
    embed(run)
    index(run)
    return run


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_bench(parser)
    add_sessions(parser)
    parser.add_argument("--fit", action="store_true", help="print the weights fitted on all sets that take part")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
