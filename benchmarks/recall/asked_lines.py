"""Asks for each line that memory keeps in its owner's own words, months later: is it among the first three, as it holds now?

    python -m benchmarks.recall.asked_lines [VOICES] [--questions FOLDER] [--days 150] [--seed 1] [--worst]

VOICES are files of `benchmarks/memory/season_voice.py`; FOLDER has a file of questions per voice, without one they are mechanical
(`season_questions.py`). `asked_world.py` keeps each line as a careful model would; `CONDITIONS` there are how much of what was
replaced is retired and what stands in MEMORY.md. Keys, per condition as means over the questions: `ask` (recall), `bm25_kept` and
`cosine_kept` (the two simple rankings of what is kept, without replaced rows), `bm25_typed` (of every typed line). Each has
`right_in_three`, `stale_first` (the first line states a fact as it was) and, of `ask`, `unanswered`, `right_in_ten` and
`foreign_refused`: the share not answered of the questions of other voices. Yesterday's code: run these files in its checkout.
`--worst` prints what went wrong to stderr; leave it out on voices that are kept back.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

import numpy as np

from benchmarks.arguments import ROOT, make_parser, report_missing
from benchmarks.memory.season_life import Life
from benchmarks.memory.season_questions import FIRST, read_questions, word_question
from benchmarks.memory.season_voice import ALL, LENGTH, SeasonFact, mentions, read_voices
from benchmarks.recall.asked_world import CONDITIONS, AskedWorld, Kept
from benchmarks.recall.bm25 import BM25
from effects.embedding.embedder import open_embedder
from effects.recall.ask import Recall, ask, open_recall
from transforms.recall.types import Answer, Filters

FOLDER = ROOT / "benchmarks" / "memory" / "season" / "authors"
FOREIGN = 30
"""Questions of other voices that are asked."""

Asked = tuple[SeasonFact, str]
Score = dict[str, float]


def main() -> int:
    """Run the benchmark; return 1 when a folder is missing."""
    parser = make_parser(__doc__)
    parser.add_argument("voices", type=Path, nargs="?", default=FOLDER, help="folder of voices")
    parser.add_argument("--questions", type=Path, default=None, help="folder of questions, a file per voice")
    parser.add_argument("--days", type=int, default=LENGTH, help="days of the season; the files are for 150")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the dialogues")
    parser.add_argument("--worst", action="store_true", help="print the questions that were not right to stderr")
    arguments = parser.parse_args()
    if report_missing([arguments.voices, *([arguments.questions] if arguments.questions else [])]):
        return 1
    voices = read_voices(arguments.voices)
    scores: dict[str, dict[str, list[Score]]] = {name: {} for name in CONDITIONS}
    for voice in voices:
        foreign = [
            text for other in voices if other is not voice for text in read_questions(arguments.questions, other.name).values()
        ]
        with tempfile.TemporaryDirectory() as folder:
            life = Life(Path(folder), voice, arguments.days, arguments.seed, is_embedding=True)
            world = AskedWorld(life)
            asked = list_asked(life, read_questions(arguments.questions, voice.name))
            for name, condition in CONDITIONS.items():
                for method, score in score_condition(world, asked, world.keep(condition), foreign, arguments.worst).items():
                    scores[name].setdefault(method, []).append(score)
    means = {name: {method: average(values) for method, values in methods.items()} for name, methods in scores.items()}
    print(json.dumps({"benchmark": "asked_lines", "voices": len(voices), **means}))
    return 0


def list_asked(life: Life, questions: Mapping[str, str]) -> list[Asked]:
    """Return the facts that hold at the end, each with its question."""
    holding = [fact for fact in life.voice.facts if life.voice.find_state(fact, life.days - 1, life.days)]
    return [(fact, questions.get(fact["id"]) or word_question(fact)) for fact in holding]


def score_condition(
    world: AskedWorld, asked: Sequence[Asked], kept: Sequence[Kept], foreign: Sequence[str], is_telling: bool
) -> dict[str, Score]:
    """Return the scores of recall and of the baselines."""
    recall = open_recall(world.run)
    every = range(0, len(foreign), max(len(foreign) // FOREIGN, 1))
    refused = [ask(recall, foreign[number], Filters(project=ALL)).answer is None for number in every]
    scores = {"ask": _score_answers(world.life, recall, asked, is_telling) | {"foreign_refused": mean(refused or [0.0])}}
    for name, rank in make_baselines(world.life, kept).items():
        judged = []
        for fact, question in asked:
            texts = rank(fact, question)
            judged.append(judge(world.life, fact, texts[:FIRST], "".join(texts[:1])))
        scores[name] = average(judged)
    return scores


def judge(life: Life, fact: SeasonFact, texts: Sequence[str], first: str) -> Score:
    """Whether one of the texts states a fact as it holds and the first line not as it was, as in `season_questions.py`."""
    day = life.days - 1
    state, is_stale = life.voice.find_state(fact, day, life.days), life.states_past(fact, first, day)
    is_among = state is not None and any(mentions(text, state["keys"]) for text in texts)
    return {"right_in_three": float(is_among and not is_stale), "stale_first": float(is_stale)}


def make_baselines(life: Life, kept: Sequence[Kept]) -> dict[str, Callable[[SeasonFact, str], list[str]]]:
    """Return the simple rankings: of the kept rows of the fact's project by words and by meaning, and of typed lines by words."""
    embedder, typed, of_typed = open_embedder(), life.typed, BM25(life.typed)
    texts = list(dict.fromkeys(row.text for row in kept))
    projects = {row.text: row.project for row in kept}
    words, vectors = BM25(texts), embedder.embed_documents(texts)

    def take_own(fact: SeasonFact, order: Sequence[int]) -> list[str]:
        is_own = [fact["project"] == ALL or (projects[text] or "").rpartition("/")[2] in ("", fact["project"]) for text in texts]
        return [texts[number] for number in order if is_own[number]]

    return {
        "bm25_kept": lambda fact, question: take_own(fact, words.rank(question)),
        "cosine_kept": lambda fact, question: take_own(fact, np.argsort(-(vectors @ embedder.embed_question(question))).tolist()),
        "bm25_typed": lambda _, question: [typed[number] for number in of_typed.rank(question)],
    }


def average(scores: Sequence[Score]) -> Score:
    """Return the mean of each figure."""
    return {name: round(mean(score[name] for score in scores), 3) for name in scores[0]}


def _score_answers(life: Life, recall: Recall, asked: Sequence[Asked], is_telling: bool) -> Score:
    judged = []
    for fact, question in asked:
        answer = ask(recall, question, Filters(project=ALL if fact["project"] == ALL else fact["project"]))
        first = next((line for line in (answer.answer or "").splitlines() if line.strip()), "")
        texts = [hit.text for hit in answer.hits]
        score = judge(life, fact, texts[:FIRST], first) | {"unanswered": float(not first)}
        judged.append(score | {"right_in_ten": judge(life, fact, texts, "")["right_in_three"]})
        if is_telling and (not score["right_in_three"] or score["unanswered"]):
            print("\n".join(_tell(life, fact, question, answer)), file=sys.stderr)
    return average(judged)


def _tell(life: Life, fact: SeasonFact, question: str, answer: Answer) -> Iterator[str]:
    state = life.voice.find_state(fact, life.days - 1, life.days)
    assert state is not None
    features = (
        {name: round(value, 2) for name, value in answer.unanswerability.features.items() if value}
        if answer.unanswerability
        else {}
    )
    yield f"\n{fact['id']} ({fact['project']}): {question}\n  holds: {state['line']}"
    if answer.answer is None:
        yield f"  not answered: {answer.abstention} {features}"
    for number, hit in enumerate(answer.hits, 1):
        mark = "+" if mentions(hit.text, state["keys"]) else "-" if life.states_past(fact, hit.text, life.days - 1) else " "
        if number <= FIRST or mark == "+":
            yield f"  {number}{mark} {hit.score:.2f} {hit.source} {hit.kind} {' '.join(hit.text.split())[:140]}"


if __name__ == "__main__":
    raise SystemExit(main())
