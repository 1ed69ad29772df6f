"""Fits the weights of the ranking over dialogues and coding sessions together, and scores each set with weights of the others.

    python -m benchmarks.recall.rank_fit [SHARED] [--seconds 60]

SHARED has `bench/` (`locomo_dev`, `beam_dev`, `gold`, `gold_owners`) and `sessions/` (`real`, `owners`). A coordinate search
moves one weight of `transforms/recall/rank.py` at a time while the sum over the sets grows: recall@10 and .4 recall@25 of
dialogues, answerable@10 and .4 evidence@10 of coding sessions. Keys: per set `deployed`, its two shares by the weights of the
module (the baseline), and `left_out`, by weights searched on the other sets; `fitted`, the weights searched on all. Plain BM25
stands in `benchmarks/recall/beam.py`. `turns_left` names the sets whose turns are not all embedded: their figures mislead.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.arguments import add_shared, load_module, make_parser, read_jsonl, report_missing
from benchmarks.distil.gold import find_session
from benchmarks.recall.retrieval import SearchedQuestion, changed_weights, make_lake, new_year, rank_by_weights, search_questions
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from effects.store.run import Run
from transforms.recall.rank import RANKING_WEIGHTS
from transforms.recall.ranking_record import RankingRecord

AS_OF = new_year(2027)
FACTORS = (0.6, 0.8, 1.25, 1.6)
LEAST_GAIN = 0.003
SECOND_SHARE = 0.4
"""Share of the second figure of a set in the objective of the search."""
FIRST, SECOND = 10, 25
NEAR_LINES, CITED_LINES = 3, 8

Score = tuple[float, float]
Holds = Callable[[str, Any], bool]


@dataclass(frozen=True, slots=True)
class RankedSet:
    """A set of searched questions with evidence, and how to score the ranked rows of one."""

    name: str
    questions: Sequence[SearchedQuestion]
    score: Callable[[Mapping[str, Any], Sequence[RankingRecord]], Score]


def main() -> int:
    """Fit and print; return 1 when a set is missing."""
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--seconds", type=float, default=60.0, help="time of each search")
    arguments = parser.parse_args()
    bench, sessions = arguments.shared / "bench", arguments.shared / "sessions"
    folders = [bench / "locomo_dev", bench / "beam_dev", bench / "gold", bench / "gold_owners"]
    if report_missing([*folders, sessions / "real", sessions / "owners"]):
        return 1
    holds: Holds = load_module(bench / "score_gold.py").holds
    result: dict[str, Any] = {"benchmark": "rank_fit", "turns_left": []}
    sets: list[RankedSet] = []
    for folder, files in zip(folders, (None, None, sessions / "real", sessions / "owners"), strict=True):
        with tempfile.TemporaryDirectory() as temporary:
            run = make_lake(files or folder / "sessions", Path(temporary), AS_OF, is_distilled=files is not None)
            if embed(run)["turns_left"]:
                result["turns_left"].append(folder.name)
            index(run)
            rows = read_jsonl(folder / "questions.jsonl") if files is None else _read_gold_questions(run, folder)
            searched = search_questions(run, [row for row in rows if row["evidence"]])
        sets.append(RankedSet(folder.name, searched, score_dialogue if files is None else make_session_score(holds)))
    for ranked_set in sets:
        weights = search_weights([other for other in sets if other is not ranked_set], arguments.seconds)
        result[ranked_set.name] = {"deployed": score_set(ranked_set, {}), "left_out": score_set(ranked_set, weights)}
        print(ranked_set.name, weights, result[ranked_set.name], file=sys.stderr)
    print(json.dumps(result | {"fitted": search_weights(sets, arguments.seconds)}))
    return 0


def search_weights(sets: Sequence[RankedSet], seconds: float) -> dict[str, float]:
    """Return weights that no change of a single one improves on these sets, or the best so far when the time is over."""
    weights, started, chance = dict(RANKING_WEIGHTS), time.perf_counter(), random.Random(1)
    best, has_moved = _sum_scores(sets, weights), True
    while has_moved:
        has_moved = False
        for name in chance.sample(sorted(weights), len(weights)):
            for factor in FACTORS:
                if time.perf_counter() - started > seconds:
                    return weights
                changed = weights | {name: round(weights[name] * factor, 2)}
                total = _sum_scores(sets, changed)
                if total > best + LEAST_GAIN:
                    best, weights, has_moved = total, changed, True
    return weights


def score_set(ranked_set: RankedSet, weights: Mapping[str, float]) -> Score:
    """Return the two shares of a set, ranked by these weights."""
    with changed_weights(weights):
        scores = [ranked_set.score(question.row, rank_by_weights(question, AS_OF, SECOND)) for question in ranked_set.questions]
    first, second = (round(sum(values) / max(len(values), 1), 4) for values in zip(*scores, strict=True))
    return first, second


def score_dialogue(row: Mapping[str, Any], ranked: Sequence[RankingRecord]) -> Score:
    """Return recall@10 and recall@25 of the entries of evidence."""
    evidence = {tuple(entry) for entry in row["evidence"]}
    cited = list(dict.fromkeys((hit["session_id"], entry) for hit in ranked for entry in hit["entry_ids"] or ()))
    return tuple(len(evidence & set(cited[:cut])) / len(evidence) for cut in (FIRST, SECOND))  # type: ignore[return-value]


def make_session_score(holds: Holds) -> Callable[[Mapping[str, Any], Sequence[RankingRecord]], Score]:
    """Return the score of coding sessions: answerable@10 (by the scorer's `holds`) and evidence@10 in the gold session."""

    def score(row: Mapping[str, Any], ranked: Sequence[RankingRecord]) -> Score:
        own = [hit for hit in ranked[:FIRST] if hit["session_id"] == row["session"]]
        lines = [line for hit in own for line in (hit["lines"] or ())[:CITED_LINES]]
        is_near = any(abs(line - other) <= NEAR_LINES for line in lines for other in row["evidence"])
        return float(holds("\n".join(hit["text"] for hit in own), row["answer_keys"])), float(is_near)

    return score


def _sum_scores(sets: Sequence[RankedSet], weights: Mapping[str, float]) -> float:
    scores = [score_set(ranked_set, weights) for ranked_set in sets]
    return sum(first + SECOND_SHARE * second for first, second in scores)


def _read_gold_questions(run: Run, folder: Path) -> list[dict[str, Any]]:
    """Read the questions of a folder of gold files, each with the id of its `session`."""
    rows: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.gold.json")):
        session, _ = find_session(run, path)
        rows += [question | {"session": session} for question in json.loads(path.read_bytes())["questions"]]
    return rows


if __name__ == "__main__":
    sys.exit(main())
