"""Measures recall of chats and turns on LongMemEval (Wu et al., ICLR 2025): about fifty past chats per question.

    python -m benchmarks.recall.longmemeval longmemeval_s_cleaned.json [--questions 50]

Each question has its own chats, which become a project of pi sessions in a temporary lake. Keys, also per question type in
`types`: session_ and turn_ any@5/10, all@5/10 and ndcg@10. Questions without an answer (`_abs`) are left out, as in the authors'
retrieval scores, which are the figures to compare with. Without the file it says where to get it and returns 1.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from benchmarks.recall.retrieval import make_lake
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from effects.recall.ask import ask_batch, open_recall
from transforms.recall.types import Answer, Filters

HOW_TO_GET = """LongMemEval is not here: {path}
It is free (MIT licence). Either of these files does:
    https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned    longmemeval_s_cleaned.json (500 questions, ~50 chats each)
                                                                      longmemeval_oracle.json (only the chats with evidence)
then: python -m benchmarks.recall.longmemeval FILE"""

CUTS = (5, 10)
_DATE = re.compile(r"(\d{4})/(\d{2})/(\d{2})[^\d]*(\d{2}):(\d{2})")

Question = Mapping[str, Any]
Place = tuple[str, str]


def main() -> int:
    """Run the benchmark; return 1 when the file is missing."""
    arguments = _parse_arguments()
    if not arguments.file.is_file():
        print(HOW_TO_GET.format(path=arguments.file), file=sys.stderr)
        return 1
    read: list[Question] = json.loads(arguments.file.read_bytes())
    asked = [question for question in read if not question["question_id"].endswith("_abs")]
    step = max(len(asked) // arguments.questions, 1) if arguments.questions else 1
    asked = asked[::step][: arguments.questions or None]  # all along the file, which is sorted by type
    print(json.dumps(run_questions(asked)))
    return 0


def run_questions(questions: Sequence[Question]) -> dict[str, Any]:
    """Score these questions, each over its own chats."""
    with tempfile.TemporaryDirectory() as temporary:
        sessions = Path(temporary) / "sessions"
        turns = sum(write_sessions(question, sessions) for question in questions)
        run = make_lake(sessions, Path(temporary), max(map(_read_question_time, questions)), is_distilled=False)
        embed(run)
        index(run)
        rows = [
            {"id": question["question_id"], "question": question["question"], "project": _project(question)}
            for question in questions
        ]
        answers = list(ask_batch(open_recall(run), rows, Filters(k=50)))
    scored = [score_answer(question, answer) for question, answer in zip(questions, answers, strict=True)]
    types = sorted({str(question["question_type"]) for question in questions})
    of_type = {
        name: _average(score for score, question in zip(scored, questions, strict=True) if question["question_type"] == name)
        for name in types
    }
    return {"benchmark": "longmemeval", "questions": len(questions), "turns": turns, **_average(scored), "types": of_type}


def write_sessions(question: Question, folder: Path) -> int:
    """Write the chats of a question as session files; return the number of turns."""
    home = folder / f"--{_project(question).strip('/').replace('/', '-')}--"
    home.mkdir(parents=True, exist_ok=True)
    total = 0
    for number, (name, date, turns) in enumerate(_chats(question)):
        begun = _parse_time(date)
        session = _session_id(question, name)
        lines = [{"type": "session", "version": 3, "id": session, "timestamp": _format_time(begun), "cwd": _project(question)}]
        for place, turn in enumerate(turns):
            at = begun + timedelta(minutes=place)
            content = [{"type": "text", "text": turn["content"]}]
            message = {"role": turn["role"], "content": content, "timestamp": round(at.timestamp() * 1000)}
            before = _make_entry_id(place - 1) if place else None
            lines.append(
                {
                    "type": "message",
                    "id": _make_entry_id(place),
                    "parentId": before,
                    "timestamp": _format_time(at),
                    "message": message,
                }
            )
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (home / f"{begun:%Y-%m-%dT%H-%M}-{number:03}_{session}.jsonl").write_text(text, encoding="utf-8")
        total += len(turns)
    return total


def score_answer(question: Question, answer: Answer) -> dict[str, float]:
    """Return recall and NDCG of sessions and turns with evidence; turns only where the file marks them (`has_answer`)."""
    wanted = {_session_id(question, name) for name in question["answer_session_ids"]}
    marked = {
        (_session_id(question, name), _make_entry_id(place))
        for name, _, turns in _chats(question)
        for place, turn in enumerate(turns)
        if turn.get("has_answer")
    }
    turns: list[Place] = list(dict.fromkeys((hit.session_id or "", entry) for hit in answer.hits for entry in hit.entry_ids))
    scores = _score_ranking("session", list(dict.fromkeys(session for session, _ in turns)), wanted)
    return scores | (_score_ranking("turn", turns, marked) if marked else {})


def _score_ranking(name: str, ranked: Sequence[Any], wanted: set[Any]) -> dict[str, float]:
    scores = {f"{name}_any@{k}": float(bool(wanted & set(ranked[:k]))) for k in CUTS}
    scores |= {f"{name}_all@{k}": float(wanted <= set(ranked[:k])) for k in CUTS}
    gain = sum(1 / math.log2(place + 2) for place, document in enumerate(ranked[:10]) if document in wanted)
    return scores | {f"{name}_ndcg@10": gain / sum(1 / math.log2(place + 2) for place in range(min(len(wanted), 10)))}


def _average(scored: Iterable[Mapping[str, float]]) -> dict[str, float]:
    kept = list(scored)
    names = dict.fromkeys(name for scores in kept for name in scores)
    return {name: round(mean(scores[name] for scores in kept if name in scores), 4) for name in names}


def _chats(question: Question) -> Iterable[tuple[str, str, Sequence[Mapping[str, Any]]]]:
    return zip(question["haystack_session_ids"], question["haystack_dates"], question["haystack_sessions"], strict=True)


def _project(question: Question) -> str:
    return f"/longmemeval/{question['question_id']}"


def _session_id(question: Question, name: str) -> str:
    """The same chat may stand in the haystack of many questions."""
    return str(uuid5(NAMESPACE_URL, f"{question['question_id']}/{name}"))


def _make_entry_id(place: int) -> str:
    return f"{place:08x}"


def _read_question_time(question: Question) -> datetime:
    return _parse_time(question["question_date"])


def _parse_time(written: str) -> datetime:
    """`2023/05/30 (Tue) 23:40`."""
    match = _DATE.search(written)
    if not match:
        raise SystemExit(f"not a date of LongMemEval: {written!r}")
    year, month, day, hour, minute = map(int, match.groups())
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def _format_time(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=Path("longmemeval_s_cleaned.json"))
    parser.add_argument("--questions", type=int, default=50, help="how many, all along the file; 0 for all (hours of embedding)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
