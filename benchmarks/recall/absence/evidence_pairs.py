"""Measures what recall refuses in each owner's own memory: the same questions with their evidence in memory and without it.

    python -m benchmarks.recall.absence.evidence_pairs [SHARED] [--single]

SHARED has `bench/gold_owners` and `sessions/owners`. Each owner gets a lake; with `--single` each gold session does. Without its
evidence a question cannot be answered although the conversation is about it: the rows that cite the evidence or an entry beside
it, and those that contain what the answer must name, are taken out of the candidates and of the word counts.

Keys, per lake and for `all`: `refused`, `wrongly_refused` and `removed_refused` count questions without an answer, with one, and
with their evidence taken out that get no answer, each as "part/all"; `unsure` and `wrongly_unsure` those that get one marked as
unsure. `areas`: how well the estimate tells unanswerable from answerable questions, and the same questions with and without
evidence (area under the curve). `baselines` has the same areas for "the question asks for a value", and for the share of its
term weight that memory lacks.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.arguments import add_shared, load_module, make_parser, report_missing
from benchmarks.recall.retrieval import make_lake, new_year
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from effects.recall import search
from effects.recall.ask import ask, open_recall
from effects.recall.index_search import Candidates, Index
from effects.recall.recall_state import Recall, open_index_and_model
from transforms.recall.answerability import Unanswerability
from transforms.recall.question import Question
from transforms.recall.rank import CorpusStatistics
from transforms.recall.ranking_record import RankingRecord, parse_ranking_records, parse_reader_columns

REACH = 1
"""Lines beside the evidence that go with it."""
FEW_ROWS = 12
"""Most rows that are taken out because they contain the answer's words: more of them say that the words are common."""

Row = dict[str, Any]
Holds = Callable[[str, Any], bool]


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    arguments = _parse_arguments()
    bench, sessions = arguments.shared / "bench", arguments.shared / "sessions" / "owners"
    if report_missing([bench / "score_gold.py", bench / "gold_owners", sessions]):
        return 1
    holds: Holds = load_module(bench / "score_gold.py").holds
    memories: dict[str, list[Path]] = {}
    for path in sorted((bench / "gold_owners").glob("*.gold.json")):
        name = path.name.removesuffix(".gold.json")
        memories.setdefault(name if arguments.single else name.partition("-")[0], []).append(path)
    scores: dict[str, list[Row]] = {}
    for name, golds in memories.items():
        with tempfile.TemporaryDirectory() as folder:
            scores[name] = list(
                _score_memory(Path(folder), sessions, [json.loads(gold.read_bytes()) for gold in golds], holds, arguments.single)
            )
    everything = [score for own in scores.values() for score in own]
    result = {
        "benchmark": "evidence_pairs",
        "all": summarise(everything),
        **{name: summarise(own) for name, own in scores.items()},
    }
    print(json.dumps(result))
    return 0


def find_evidence_rows(rows: Sequence[Mapping[str, Any]], session: str, gold: Row, holds: Holds) -> set[int]:
    """Return the places of the rows that cite a question's evidence or a line beside it, or contain what the answer names."""
    near = {line + step for line in gold["evidence"] for step in range(-REACH, REACH + 1)}
    cited = {place for place, row in enumerate(rows) if session in (row["session_id"] or "") and near & {*(row["lines"] or ())}}
    telling = [place for place, row in enumerate(rows) if holds(row["text"] or "", gold["answer_keys"])]
    return cited | {*(telling if len(telling) <= FEW_ROWS else ())}


def measure_area(negative: Sequence[float], positive: Sequence[float]) -> float:
    """Return how often a positive case has the higher value, ties counted half."""
    wins = sum((high > low) + (high == low) / 2 for high in positive for low in negative)
    return round(wins / max(len(positive) * len(negative), 1), 3)


def summarise(scores: Sequence[Row]) -> Row:
    """Return the figures of some questions; each score has its `case` (present, absent or removed), `state` and estimates."""
    cases = {case: [score for score in scores if score["case"] == case] for case in ("present", "absent", "removed")}

    def count(case: str, state: str) -> str:
        return f"{sum(score['state'] == state for score in cases[case])}/{len(cases[case])}"

    def list_areas(name: str) -> Row:
        values = {case: [float(score[name]) for score in own] for case, own in cases.items()}
        return {
            "unanswerable": measure_area(values["present"], values["absent"]),
            "pairs": measure_area(values["present"], values["removed"]),
        }

    return {
        "refused": count("absent", "refused"),
        "wrongly_refused": count("present", "refused"),
        "removed_refused": count("removed", "refused"),
        "unsure": count("absent", "unsure"),
        "wrongly_unsure": count("present", "unsure"),
        "areas": list_areas("probability"),
        "baselines": {name: list_areas(name) for name in ("asks_for_value", "unknown_share")},
    }


def _score_memory(folder: Path, sessions: Path, golds: Sequence[Row], holds: Holds, is_single: bool) -> Iterator[Row]:
    own = folder / "sessions"
    own.mkdir()
    owners = {gold["file"].partition("__")[0] for gold in golds}
    for path in sessions.iterdir():
        if path.name in {gold["file"] for gold in golds} if is_single else path.name.partition("__")[0] in owners:
            shutil.copy(path, own / path.name)
    run = make_lake(own, folder, new_year(2027), is_distilled=True)
    embed(run)
    index(run)
    recall = open_recall(run)
    open_index_and_model(recall)
    rows = _read_rows(recall)
    for gold in golds:
        session = gold["file"].partition("__")[2].removesuffix(".jsonl")
        for question in gold["questions"]:
            yield _ask(recall, question["question"], "present" if question["evidence"] else "absent")
            if question["evidence"]:
                removed = [rows[place] for place in sorted(find_evidence_rows(rows, session, question, holds))]
                with_removed = _make_search(removed)
                original, search.search_index = search.search_index, with_removed  # type: ignore[assignment]
                try:
                    yield _ask(recall, question["question"], "removed")
                finally:
                    search.search_index = original


def _read_rows(recall: Recall) -> list[RankingRecord]:
    assert recall.index is not None, "it was built above"
    store = recall.index.rows
    cards = store.read_ranking_records(store.read_all_numbers())
    shown = store.read_reader_columns(cards)
    rows = parse_ranking_records(list(cards.values()))
    for number, row in zip(cards, rows, strict=True):
        row["number"] = number
        row.update(parse_reader_columns(shown[number]))  # type: ignore[typeddict-item]  # columns of the same names
    return rows


def _make_search(removed: Sequence[RankingRecord]) -> Callable[..., Candidates]:
    """Return the search of the index without these rows, in its candidates and in its counts of words."""
    numbers = {row["number"] for row in removed}
    lost = Counter(word for row in removed for word in set(row["terms"]))
    search_index = search.search_index

    def search_rest(opened: Index, question: Question, *arguments: Any) -> Candidates:
        found = search_index(opened, question, *arguments)
        kept = [place for place, row in enumerate(found.rows) if row["number"] not in numbers]
        corpus = found.corpus
        return Candidates(
            [found.rows[place] for place in kept],
            CorpusStatistics(corpus.documents - len(numbers), corpus.mean_words, _subtract(corpus.frequency, lost)),
            None if found.vectors is None else (found.vectors[0][kept], found.vectors[1]),
            replace(found.vocabulary, frequency=_subtract(found.vocabulary.frequency, lost)),
        )

    return search_rest


def _subtract(frequency: Mapping[str, int], lost: Mapping[str, int]) -> dict[str, int]:
    return {word: count - lost.get(word, 0) for word, count in frequency.items()}


def _ask(recall: Recall, question: str, case: str) -> Row:
    answer = ask(recall, question)
    estimate = answer.unanswerability
    assert isinstance(estimate, Unanswerability), "every question is estimated"
    state = "refused" if answer.answer is None else "unsure" if answer.doubt else "sure"
    features = {name: estimate.features[name] for name in ("asks_for_value", "unknown_share")}
    return {"case": case, "state": state, "probability": estimate.probability, **features}


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--single", action="store_true", help="a memory for each gold session instead of each owner")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
