"""Tools that a user would pick instead of recollect, on the same sessions and questions, with the same room for what is found.

    python -m benchmarks.recall.peers [SHARED] [--folders real,owners,claude,codex] [--tokens 500,2000]

SHARED has `bench/` and `sessions/`. All sessions are one history; the questions are those of `bench/gold` and
`bench/gold_owners`. Each method returns hits, best first, cut where the room for them ends (tokens of four characters). Methods:

    recollect       a whole night, then `ask`
    bm25_lines      BM25 over the raw lines of the files, in pieces, as with a search engine over the folder (with stems by
                    tantivy when it is installed)
    bm25_turns      the same over the texts of messages, in pieces
    minilm_turns    vectors of these pieces by the same MiniLM in LanceDB, exact search
    pi_summaries    BM25 over the paragraphs of the summaries that pi's own compactions left

Keys per method and room: answerable (share of answerable questions whose hits hold everything that the answer must name),
evidence (share whose hits come from a line within 3 of the gold evidence; summaries count where they stand), tokens (mean of the
hits: what goes to the model that asks). Per method: silent (share of unanswerable questions for which nothing is shown), sent_mb
(sent to a model while building; for summaries the context before each compaction), build_s and build_cpu_s, ask_ms (median of a
warm question) and disk_mb (beside the session files). `questions` and `unanswerable` are the numbers of both kinds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, median
from typing import Any

import lancedb
import numpy as np
import polars as pl
import pyarrow as pa

from benchmarks.arguments import add_shared, make_parser, report_missing
from benchmarks.recall.bm25 import BM25
from benchmarks.speed.clocks import measure_clocks, read_clocks
from effects.config.settings import EmbeddingSettings, Settings
from effects.embedding.embedder import open_embedder
from effects.recall.ask import ask, open_recall
from effects.store.run import Run, open_run
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline
from transforms.recall.documents import split_pieces
from transforms.recall.types import Filters

AS_OF = datetime(2027, 1, 1, tzinfo=UTC)
PIECE_CHARS, HITS, NEAR_LINES, CHARS_PER_TOKEN = 1200, 40, 3, 4
Find = Callable[[str], Sequence["Hit"]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that a method shows, and where it stands."""

    text: str
    session_id: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A way to find, the seconds and processor seconds that it took to build, its bytes on disk and those sent to a model."""

    find: Find
    build_s: float
    build_cpu_s: float
    disk_bytes: int
    sent_bytes: int = 0


def main() -> int:
    """Run all methods and print their figures; return 1 when a set is missing."""
    arguments = _parse_arguments()
    folders = [arguments.shared / "sessions" / name for name in arguments.folders.split(",")]
    bench = arguments.shared / "bench"
    if report_missing([bench / "gold", bench / "gold_owners", *folders]):
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        run, recollect = build_recollect(tuple(folders), Path(temporary))
        questions = [pair for name in ("gold", "gold_owners") for pair in read_questions(run, bench / name)]
        turns, summaries = read_pieces(run), read_summaries(run)
        methods = {
            "recollect": recollect,
            "bm25_lines": build_bm25(read_lines(run)),
            "bm25_turns": build_bm25(turns),
            "minilm_turns": build_vectors(turns, Path(temporary) / "peer"),
            "pi_summaries": replace(build_bm25(summaries), sent_bytes=count_summarised(run)),
        }
        rooms = [int(tokens) for tokens in arguments.tokens.split(",")]
        figures = {name: measure(method, questions, rooms) for name, method in methods.items()}
    size = sum(path.stat().st_size for folder in folders for path in folder.rglob("*.jsonl"))
    print(
        json.dumps(
            {
                "benchmark": "peers",
                "questions": sum(bool(question["answer_keys"]) for question, _ in questions),
                "unanswerable": sum(not question["answer_keys"] for question, _ in questions),
                "session_mb": round(size / 1e6, 1),
                "summaries": len(summaries),
                **figures,
            }
        )
    )
    return 0


def measure(method: Method, questions: Sequence[tuple[dict[str, Any], str]], rooms: Sequence[int]) -> dict[str, Any]:
    """Return the figures of a method over (question, session) pairs."""
    rankings, seconds = [], []
    for question, _ in questions:
        started = time.perf_counter()
        rankings.append(method.find(question["question"]))
        seconds.append(time.perf_counter() - started)
    answerable = [(*pair, hits) for pair, hits in zip(questions, rankings, strict=True) if pair[0]["answer_keys"]]
    silent = [not hits for (question, _), hits in zip(questions, rankings, strict=True) if not question["answer_keys"]]
    return {
        **{f"at_{tokens}": measure_room(answerable, tokens * CHARS_PER_TOKEN) for tokens in rooms},
        "silent": round(mean(silent), 3) if silent else None,
        "sent_mb": round(method.sent_bytes / 1e6, 1),
        "build_s": round(method.build_s, 1),
        "build_cpu_s": round(method.build_cpu_s, 1),
        "ask_ms": round(median(seconds) * 1000, 1),
        "disk_mb": round(method.disk_bytes / 1e6, 1),
    }


def measure_room(answers: Sequence[tuple[dict[str, Any], str, Sequence[Hit]]], room: int) -> dict[str, float]:
    """Return the figures of (question, session, hits) when the hits are cut to so many characters."""
    named, evidence, shown = [], [], []
    for question, session_id, hits in answers:
        cut = cut_hits(hits, room)
        text = " ".join(hit.text for hit in cut).lower()
        named.append(all(any(key.lower() in text for key in group) for group in question["answer_keys"]))
        evidence.append(any(hit.session_id == session_id and _is_near(hit.lines, question["evidence"]) for hit in cut))
        shown.append(sum(len(hit.text) for hit in cut) / CHARS_PER_TOKEN)
    return {"answerable": round(mean(named), 3), "evidence": round(mean(evidence), 3), "tokens": round(mean(shown))}


def cut_hits(hits: Sequence[Hit], room: int) -> list[Hit]:
    """Return the hits that fit into so many characters, the last one cut."""
    cut: list[Hit] = []
    for hit in hits:
        if room <= 0:
            break
        cut.append(Hit(hit.text[:room], hit.session_id, hit.lines))
        room -= len(hit.text)
    return cut


def build_recollect(folders: tuple[Path, ...], temporary: Path) -> tuple[Run, Method]:
    """Run a whole night over the sessions and return the run with the method `ask`."""
    settings = Settings(
        sessions=folders,
        lake=temporary / "lake",
        workspace=temporary / "workspace",
        timezone="UTC",
        owner="Owner",
        embedding=EmbeddingSettings(turn_minutes="all"),
    )
    run = open_run(settings, AS_OF)
    started = read_clocks()
    run_pipeline(run, nightly_pipeline(None))
    seconds = measure_clocks(started)
    recall = open_recall(run)

    def find(question: str) -> list[Hit]:
        rows = ask(recall, question, Filters(project="all", k=HITS)).as_json()["hits"]
        return [Hit(row["text"], row["session_id"] or "", tuple(row["lines"] or ())) for row in rows]

    return run, Method(find, *seconds, measure_folder(settings.lake) + measure_folder(settings.workspace))


def build_bm25(pieces: Sequence[Hit]) -> Method:
    """Index the pieces with tantivy when it is installed, else with the plain BM25 of these benchmarks, in memory."""
    started = read_clocks()
    find = _build_tantivy(pieces) if importlib.util.find_spec("tantivy") else _build_plain(pieces)
    return Method(find, *measure_clocks(started), 0)


def _build_plain(pieces: Sequence[Hit]) -> Find:
    ranking = BM25([piece.text for piece in pieces])
    return lambda question: [pieces[number] for number in ranking.rank(question)[:HITS]]


def _build_tantivy(pieces: Sequence[Hit]) -> Find:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="en_stem")
    builder.add_integer_field("number", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer()
    for number, piece in enumerate(pieces):
        writer.add_document(tantivy.Document(text=piece.text, number=number))
    writer.commit()
    index.reload()

    def find(question: str) -> list[Hit]:
        words = "".join(character if character.isalnum() else " " for character in question)
        searcher = index.searcher()
        query, _ = index.parse_query_lenient(words, ["text"])
        return [pieces[searcher.doc(address)["number"][0]] for _, address in searcher.search(query, HITS).hits]

    return find


def build_vectors(pieces: Sequence[Hit], folder: Path) -> Method:
    """Embed the pieces with the bundled model and keep them in LanceDB, searched exactly."""
    embedder = open_embedder("bundled")
    started = read_clocks()
    vectors = np.asarray(embedder.embed_documents([piece.text for piece in pieces]), dtype=np.float32)
    columns = {"number": list(range(len(pieces))), "vector": pa.FixedSizeListArray.from_arrays(vectors.ravel(), vectors.shape[1])}
    table = lancedb.connect(folder).create_table("turns", pa.table(columns))
    seconds = measure_clocks(started)

    def find(question: str) -> list[Hit]:
        vector = np.asarray(embedder.embed_question(question), dtype=np.float32).ravel()
        rows = table.search(vector).metric("cosine").limit(HITS).to_list()
        return [pieces[row["number"]] for row in rows]

    return Method(find, *seconds, measure_folder(folder))


def read_pieces(run: Run) -> list[Hit]:
    """Return the texts of all messages of users and agents in pieces."""
    entries = run.lake.scan("entries").filter(pl.col("role").is_in(["user", "assistant"]))
    return _split_entries(entries)


def read_summaries(run: Run) -> list[Hit]:
    """Return the paragraphs of the summaries that compactions left."""
    return _split_entries(run.lake.scan("entries").filter(pl.col("entry_type").is_in(["compaction", "branch_summary"])))


def _split_entries(entries: pl.LazyFrame) -> list[Hit]:
    rows = entries.sort("session_id", "ordinal").select("session_id", "line_no", "text").collect().iter_rows()
    return [Hit(piece, session, (line,)) for session, line, text in rows for piece in split_pieces(text or "", PIECE_CHARS)]


def read_lines(run: Run) -> list[Hit]:
    """Return the raw lines of the session files, long ones in pieces."""
    sources = run.lake.scan("sessions").select("session_id", "source_path").collect().iter_rows()
    return [
        Hit(line[at : at + PIECE_CHARS], session, (number,))
        for session, path in sources
        if path.endswith(".jsonl")
        for number, line in enumerate(Path(path).read_text(encoding="utf-8", errors="replace").split("\n"))
        for at in range(0, len(line), PIECE_CHARS)
    ]


def read_questions(run: Run, folder: Path) -> list[tuple[dict[str, Any], str]]:
    """Return the questions of all gold files of a folder, each with its session."""
    paths = dict(run.lake.scan("sessions").select("source_path", "session_id").collect().iter_rows())
    pairs = []
    for gold in sorted(folder.glob("*.gold.json")):
        content = json.loads(gold.read_bytes())
        name = content.get("file") or gold.name.removesuffix(".gold.json")
        session_id = next(session for path, session in paths.items() if name in path)
        pairs += [(question, session_id) for question in content["questions"]]
    return pairs


def count_summarised(run: Run) -> int:
    """Return the bytes of context that pi's compactions summarised: the tokens that each one notes, of four bytes."""
    rows = run.lake.scan("entries").filter(pl.col("entry_type") == "compaction").select("raw_json").collect()["raw_json"]
    return sum(json.loads(raw).get("tokensBefore", 0) for raw in rows if raw) * CHARS_PER_TOKEN


def measure_folder(folder: Path) -> int:
    """Return the bytes below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _is_near(lines: Sequence[int], evidence: Sequence[int]) -> bool:
    return any(abs(line - other) <= NEAR_LINES for line in lines for other in evidence)


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--folders", default="real,owners,claude,codex", help="folders of SHARED/sessions that are the history")
    parser.add_argument("--tokens", default="500,2000", help="rooms for the hits of a question")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
