"""Measures recall of sessions by the subjects of the commits that came out of them: `bench/commit_questions_dev.jsonl`.

    python -m benchmarks.recall.commit_questions [SHARED] [--sessions FOLDER] [--keep FILE] [--quiet]

A question is the subject of a commit, its evidence the sessions that the commit's checkpoint names. SHARED has `bench/`; the
sessions are those of `sessions/claude`, written by Claude Code. Keys of `recollect` (the hits of `ask`), of
`recollect_sessions` (the command `recollect sessions`), and of the baselines `bm25_sessions` (plain
BM25 over whole sessions) and `bm25_turns` (over turns, a session ranks by its best turn): any@1/5/10, the share of questions
with a session of evidence among the first, and mrr, the mean reciprocal rank of the first one. `recollect` is null when the
pipeline reads no session of this format; `sessions_read` counts those that it reads. With `--quiet` git printed no commit there.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.arguments import add_shared, make_parser, read_jsonl, report_missing, write_jsonl
from benchmarks.recall.bm25 import BM25
from benchmarks.recall.retrieval import make_lake, new_year
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from effects.recall.ask import ask_batch, open_recall
from effects.recall.project_filter import ALL_PROJECTS
from effects.sessions.find_sessions import find_sessions
from effects.store.run import Run
from transforms.recall.types import Filters

AS_OF = new_year(2027)
HITS = 50
PRINTED = re.compile(rb"\[[\w./() -]+ [0-9a-f]{7,40}\] ")
"""What `git commit` prints before the subject, also within a string of JSON."""
CUTS = (1, 5, 10)

Turn = tuple[str, str]
"""Session id and text."""


def main() -> int:
    """Run the benchmark; return 1 when the set is missing."""
    arguments = _parse_arguments()
    path = arguments.shared / "bench" / "commit_questions_dev.jsonl"
    folder = arguments.sessions or arguments.shared / "sessions" / "claude"
    if report_missing([path, folder]):
        return 1
    questions = read_jsonl(path)
    turns = [turn for file in sorted(folder.rglob("*.jsonl")) for turn in read_turns(file)]
    sessions = sorted({session for session, _ in turns})
    result: dict[str, Any] = {"benchmark": "commit_questions", "questions": len(questions), "sessions": len(sessions)}
    with tempfile.TemporaryDirectory() as temporary:
        read_from = copy_quietly(folder, Path(temporary) / "sessions") if arguments.quiet else folder
        run = make_lake(read_from, Path(temporary), AS_OF, is_distilled=True)
        result["sessions_read"] = run.lake.read("sessions").height
        embed(run)
        index(run)
        result["recollect"] = (
            score(questions, rank_by_recall(run, questions, arguments.keep)) if result["sessions_read"] else None
        )
        result["recollect_sessions"] = score(questions, rank_by_command(run, questions)) if result["sessions_read"] else None
    texts = [" ".join(text for session, text in turns if session == name) for name in sessions]
    result["bm25_sessions"] = score(questions, rank_by_bm25(questions, sessions, texts))
    result["bm25_turns"] = score(
        questions, rank_by_bm25(questions, [session for session, _ in turns], [text for _, text in turns])
    )
    print(json.dumps(result))
    return 0


def copy_quietly(folder: Path, target: Path) -> Path:
    """Copy session files without the lines in which git says that it made a commit."""
    target.mkdir()
    for file in folder.rglob("*.jsonl"):
        (target / file.name).write_bytes(PRINTED.sub(b"", file.read_bytes()))
    return target


def read_turns(path: Path) -> Iterator[Turn]:
    """Yield the texts of users and assistants in a session file of Claude Code."""
    for row in read_jsonl(path):
        content = (row.get("message") or {}).get("content") if row.get("type") in ("user", "assistant") else None
        parts = [content] if isinstance(content, str) else [part.get("text") for part in content or () if isinstance(part, dict)]
        if text := "\n".join(part for part in parts if part):
            yield path.stem.rpartition("__")[2], text


def rank_by_recall(run: Run, questions: Sequence[dict[str, Any]], keep: Path | None) -> list[list[str]]:
    """Return the sessions of each question's hits, best first."""
    rows = [{"id": row["id"], "question": row["question"]} for row in questions]
    answers = list(ask_batch(open_recall(run), rows, Filters(project=ALL_PROJECTS, k=HITS)))
    if keep:
        write_jsonl(keep, [answer.as_json() for answer in answers])
    return [list(dict.fromkeys(hit.session_id for hit in answer.hits if hit.session_id)) for answer in answers]


def rank_by_command(run: Run, questions: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return the sessions that `recollect sessions` lists for each question; no repository is there to ask."""
    nowhere = Path("/nowhere")
    return [
        [session["session_id"] for session in find_sessions(run, row["question"], ALL_PROJECTS, HITS, nowhere)]
        for row in questions
    ]


def rank_by_bm25(questions: Sequence[dict[str, Any]], sessions: Sequence[str], texts: Sequence[str]) -> list[list[str]]:
    """Return the sessions of each question's texts by plain BM25, best first."""
    bm25 = BM25(texts)
    return [list(dict.fromkeys(sessions[number] for number in bm25.rank(row["question"]))) for row in questions]


def score(questions: Sequence[dict[str, Any]], ranked: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return the shares of questions with evidence among the first sessions, and the mean reciprocal rank."""
    ranks = [
        next((rank for rank, session in enumerate(sessions, 1) if session in row["sessions"]), None)
        for row, sessions in zip(questions, ranked, strict=True)
    ]
    shares = {f"any@{cut}": round(mean(float(rank is not None and rank <= cut) for rank in ranks), 4) for cut in CUTS}
    return shares | {"mrr": round(mean(1 / rank if rank else 0.0 for rank in ranks), 4)}


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--sessions", type=Path, help="other session files of the same names")
    parser.add_argument("--keep", type=Path, help="write recollect's answers here")
    parser.add_argument("--quiet", action="store_true", help="leave out what git printed about commits")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
