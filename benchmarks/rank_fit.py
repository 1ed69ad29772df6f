"""Where the ranking's weights come from: fitted on all conversations but one, asked on that one, in turn.

    python benchmarks/rank_fit.py BENCH/locomo_dev

The likelihood of the evidence among the candidates is maximised (the top-one loss of ListNet, Cao et al. 2007) by gradient ascent
with a small penalty for large weights; everything else of the ranking stays as it is. Prints one JSON line: the scores
`held_out` and with the `rounded` weights of `transforms/recall/rank.py`, and the weights that were `fitted` on everything. The weight
`row` is only shown: questions about coding sessions decide it (`benchmarks/gold_recall.py`), since chats have hardly any kinds.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks.locomo import AS_OF, score
from benchmarks.retrieval import Asked, ask_all, lake_of
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from transforms.recall.rank import WEIGHTS, Floats, factors
from transforms.recall.ranking_features import signals

STEPS, RATE, PENALTY = 400, 0.05, 1e-3


def main() -> None:
    """Fits and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as temporary:
        run = lake_of(folder / "sessions", Path(temporary), AS_OF, is_distilled=False)
        embed(run)
        index(run)
        kept = ask_all(run, questions)
    signs, wanted = [signs_of(asked) for asked in kept], [evidence_of(asked) for asked in kept]
    weights: list[dict[str, float]] = [{} for _ in kept]
    for project in sorted({str(asked.row["project"]) for asked in kept}):
        others = [number for number, asked in enumerate(kept) if asked.row["project"] != project]
        found = fitted([signs[number] for number in others], [wanted[number] for number in others])
        print(project, found, file=sys.stderr)
        for number, asked in enumerate(kept):
            if asked.row["project"] == project:
                weights[number] = found
    told = {"held_out": score(folder, kept, weights), "rounded": score(folder, kept, [{}] * len(kept))}
    print(json.dumps({"benchmark": "rank_fit", **told, "fitted": fitted(signs, wanted)}))


def signs_of(asked: Asked) -> Floats:
    """A row per candidate, a column per weight."""
    found = signals(asked.found.rows, asked.question, asked.found.corpus, asked.found.vectors).weighed
    if asked.question.is_list:
        found = found | {"session": np.zeros(len(asked.found.rows))}
    found["row"] = np.log(factors(asked.found.rows, asked.question, AS_OF))
    return np.column_stack([found[name] for name in WEIGHTS])


def evidence_of(asked: Asked) -> Floats:
    """1 for each candidate that is evidence."""
    wanted = {tuple(entry) for entry in asked.row["evidence"]}
    return np.array([float(any((row["session_id"], entry) in wanted for entry in row["entry_ids"])) for row in asked.found.rows])


def fitted(signs: Sequence[Floats], wanted: Sequence[Floats]) -> dict[str, float]:
    """The weights under which the evidence is likeliest."""
    pairs = [(rows, evidence / evidence.sum()) for rows, evidence in zip(signs, wanted, strict=True) if evidence.any()]
    rows = np.concatenate([rows for rows, _ in pairs])
    scale = rows.std(axis=0) + 1e-9
    rows = (rows - rows.mean(axis=0)) / scale
    evidence = np.concatenate([share for _, share in pairs])
    sizes = np.array([len(share) for _, share in pairs])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    weights, mean, square = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = rows @ weights
        likely = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        likely /= np.repeat(np.add.reduceat(likely, starts), sizes)
        slope = rows.T @ (likely - evidence) / len(pairs) + PENALTY * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2  # Adam, Kingma and Ba 2015
        weights = weights - RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    found: dict[str, Any] = dict(zip(WEIGHTS, (weights / scale).round(2).tolist(), strict=True))
    return found


if __name__ == "__main__":
    main()
