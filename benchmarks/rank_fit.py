"""Fits the weights of the ranking on LoCoMo: on all conversations but one, scored on that one, in turn.

    python benchmarks/rank_fit.py [BENCH/locomo_dev]

Maximises the likelihood of the evidence among the candidates (top-one loss of ListNet, Cao et al. 2007) by gradient descent with
a small penalty for large weights. Keys: `held_out`, the scores with weights fitted on the other conversations; `rounded`, the
scores with the weights of `transforms/recall/rank.py` as the baseline; `fitted`, the weights fitted on everything. The weight
`boost` is only reported: coding sessions decide it (`benchmarks/gold_recall.py`), since chats have hardly any kinds.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks.arguments import SHARED, make_parser, read_jsonl, report_missing
from benchmarks.locomo import AS_OF, score_ranking
from benchmarks.retrieval import SearchedQuestion, make_lake, search_questions
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from transforms.recall.rank import WEIGHTS, compute_boosts
from transforms.recall.ranking_features import Floats, compute_features

STEPS, RATE, PENALTY = 400, 0.05, 1e-3
ADAM_MEAN, ADAM_SQUARE, TINY = 0.9, 0.999, 1e-8
"""Decay rates of Adam (Kingma and Ba 2015)."""


def main() -> int:
    """Fit and print; return 1 when the set is missing."""
    parser = make_parser(__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=SHARED / "bench" / "locomo_dev")
    folder: Path = parser.parse_args().folder
    if report_missing([folder / "questions.jsonl", folder / "sessions"]):
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        run = make_lake(folder / "sessions", Path(temporary), AS_OF, is_distilled=False)
        embed(run)
        index(run)
        searched = search_questions(run, read_jsonl(folder / "questions.jsonl"))
    features, evidence = [compute_columns(question) for question in searched], [mark_evidence(question) for question in searched]
    weights: list[dict[str, float]] = [{} for _ in searched]
    for project in sorted({str(question.row["project"]) for question in searched}):
        others = [number for number, question in enumerate(searched) if question.row["project"] != project]
        fitted = fit_weights([features[number] for number in others], [evidence[number] for number in others])
        print(project, fitted, file=sys.stderr)
        for number, question in enumerate(searched):
            if question.row["project"] == project:
                weights[number] = fitted
    scores = {
        "held_out": score_ranking(folder, searched, weights),
        "rounded": score_ranking(folder, searched, [{}] * len(searched)),
    }
    print(json.dumps({"benchmark": "rank_fit", **scores, "fitted": fit_weights(features, evidence)}))
    return 0


def compute_columns(searched: SearchedQuestion) -> Floats:
    """Return the features of a question's candidates: a line per candidate, a column per weight."""
    candidates, question = searched.candidates, searched.question
    columns = compute_features(candidates.rows, question, candidates.corpus, candidates.vectors).weighted
    if question.is_list:
        columns = columns | {"session": np.zeros(len(candidates.rows))}
    columns["boost"] = np.log(compute_boosts(candidates.rows, question, AS_OF))
    return np.column_stack([columns[name] for name in WEIGHTS])


def mark_evidence(searched: SearchedQuestion) -> Floats:
    """Return 1 for each candidate that is evidence, else 0."""
    wanted = {tuple(entry) for entry in searched.row["evidence"]}
    rows = searched.candidates.rows
    return np.array([float(any((row["session_id"], entry) in wanted for entry in row["entry_ids"] or ())) for row in rows])


def fit_weights(features: Sequence[Floats], evidence: Sequence[Floats]) -> dict[str, float]:
    """Return the weights under which the evidence is likeliest."""
    pairs = [(rows, marks / marks.sum()) for rows, marks in zip(features, evidence, strict=True) if marks.any()]
    rows = np.concatenate([rows for rows, _ in pairs])
    scale = rows.std(axis=0) + 1e-9
    rows = (rows - rows.mean(axis=0)) / scale
    target = np.concatenate([share for _, share in pairs])
    sizes = np.array([len(share) for _, share in pairs])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    weights, mean, square = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = rows @ weights
        likelihood = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        likelihood /= np.repeat(np.add.reduceat(likelihood, starts), sizes)
        slope = rows.T @ (likelihood - target) / len(pairs) + PENALTY * weights
        mean = ADAM_MEAN * mean + (1 - ADAM_MEAN) * slope
        square = ADAM_SQUARE * square + (1 - ADAM_SQUARE) * slope**2
        weights = weights - RATE * (mean / (1 - ADAM_MEAN**step)) / (np.sqrt(square / (1 - ADAM_SQUARE**step)) + TINY)
    return dict(zip(WEIGHTS, (weights / scale).round(2).tolist(), strict=True))


if __name__ == "__main__":
    sys.exit(main())
