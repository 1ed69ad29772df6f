"""Lives the nights of people, one after each day with a session, and asks weeks later: what is kept, and what leads?

    python -m benchmarks.memory.nights [FOLDER …] [--lakes FOLDER] [--model-answers FOLDER]

A FOLDER has `sessions/owners`, `bench/gold_owners` and `questions.json` (`keys`, `stale` values, `project`; or `answerable`
false) of one person, as `benchmarks/distil/people.py` unpacks them; without one its twelve are lived. Each night reads what was
there by then. Keys, per person and as sums in `all`, each "part/all":

    important          important facts that a row expresses and cites (within three lines), in force or replaced since
    traps              words that must not be remembered, expressed by a row in force
    kind               facts kept of which a row that expresses them has the kind (wishes, that is rules, preferences and
                       conventions, are one kind); `wish`: of the wishes alone
    three              questions with their answer in the first three hits
    stale_first        questions with a former value whose first hit has that value and not the answer
    stale_briefing     questions with a former value that a line of the project's briefing has, and no line has the answer
    retired            rows that a newer one retired, of all
    unanswered         questions with an answer that were refused; `refused`: those without an answer

`typed` has the baseline: every typed text cut into rows, and plain BM25 over them. Yesterday's code: run this file in its
checkout. `--lakes` keeps each person's lake and workspace. With `--model-answers` each request waits in FOLDER/PERSON/requests
until a reader, who knows neither the program nor the keys, has written its answer (`benchmarks/model/waiting_server.py`).
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.arguments import SHARED, load_module, make_parser, report_missing
from benchmarks.distil.gold import find_session
from benchmarks.distil.people import unpack_people
from benchmarks.memory.season_model import build_engine
from benchmarks.model.waiting_server import serve_waiting
from benchmarks.recall.bm25 import BM25
from effects.config.settings import EngineSettings, Settings
from effects.recall.ask import ask, open_recall
from effects.store.run import Run, open_run
from flows.pipelines import NIGHTLY_STEPS
from transforms.recall.documents import split_pieces
from transforms.recall.types import Filters

NIGHT = time(3, 30)
FIRST, HITS = 3, 10
WISHES = {"rule", "preference", "convention"}
LATER = timedelta(days=21)
"""When the questions are asked, after the last session."""

Row = dict[str, Any]
Parts = Counter[str]
"""Parts and totals by key: `three` and `three/all`."""


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    parser = make_parser(__doc__)
    parser.add_argument("folders", type=Path, nargs="*", help="folders of people")
    parser.add_argument("--lakes", type=Path, help="keep the lakes here")
    parser.add_argument("--model-answers", type=Path, help="a model answers: folder of requests and a reader's answers")
    arguments = parser.parse_args()
    scorer_path = SHARED / "bench" / "score_gold.py"
    if report_missing([scorer_path, *arguments.folders]):
        return 1
    scorer = load_module(scorer_path)
    scores: dict[str, tuple[Parts, Parts]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        people = {path.name: path for path in arguments.folders} or unpack_people(Path(temporary))
        for name, folder in people.items():
            home = (arguments.lakes or Path(temporary) / "lakes") / name
            with open_engine(arguments.model_answers and arguments.model_answers / name) as engine:
                run = live_nights(folder, home, engine)
            own, typed = scores[name] = score_person(run, folder, scorer)
            print(name, json.dumps(show(own)), "typed", json.dumps(show(typed)), file=sys.stderr, flush=True)
    result = {name: {**show(own), "typed": show(typed)} for name, (own, typed) in scores.items()}
    sums = [Counter[str](), Counter[str]()]
    for score in scores.values():
        for total, parts in zip(sums, score, strict=True):
            total.update(parts)  # adding counters would drop the zeros
    print(json.dumps({"benchmark": "nights", "all": {**show(sums[0]), "typed": show(sums[1])}, **result}))
    return 0


@contextlib.contextmanager
def open_engine(folder: Path | None) -> Iterator[EngineSettings]:
    """Yield the offline engine, or that of a reader who answers in `folder`."""
    if folder is None:
        yield EngineSettings()
        return
    folder.mkdir(parents=True, exist_ok=True)
    with serve_waiting(folder) as waiting:
        yield build_engine(waiting.url)


def live_nights(folder: Path, home: Path, engine: EngineSettings) -> Run:
    """Run a night after each day with a session, over the session files that had begun by then; return the last run."""
    begun = sorted((read_first_time(path), path) for path in (folder / "sessions" / "owners").glob("*.jsonl"))
    sessions = home / "sessions"
    sessions.mkdir(parents=True, exist_ok=True)
    settings = Settings(sessions=(sessions,), lake=home / "lake", workspace=home / "workspace", timezone="UTC", engine=engine)
    nights = sorted({datetime.combine(first.date() + timedelta(days=1), NIGHT, first.tzinfo) for first, _ in begun})
    for night in nights:
        for first, path in begun:
            if first < night:
                (sessions / path.name).write_bytes(path.read_bytes())
        run = open_run(settings, night)
        with run.lake.writing("nights benchmark"):
            for step in NIGHTLY_STEPS:
                step(run)
    return open_run(replace(settings, engine=EngineSettings()), nights[-1] + LATER)


def read_first_time(path: Path) -> datetime:
    """Return the time of the first line of a session file that has one."""
    times = (json.loads(line).get("timestamp") for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return datetime.fromisoformat(next(str(said) for said in times if said).replace("Z", "+00:00"))


def score_person(run: Run, folder: Path, scorer: Any) -> tuple[Parts, Parts]:
    """Return the parts of what memory has, and those of the typed text."""
    own, typed = Counter[str](), Counter[str]()
    for path in sorted((folder / "bench" / "gold_owners").glob("*.gold.json")):
        gold = json.loads(path.read_bytes())
        session, _ = find_session(run, path)
        count_facts(own, scorer, gold, list_kept(run, session))
        count_facts(typed, scorer, gold, list_typed(run, session, scorer.CHARS))
    count_answers(own, typed, scorer, run, json.loads((folder / "questions.json").read_bytes()))
    kept = run.lake.read("observations")
    own["retired"] += kept.filter(pl.col("superseded_by").is_not_null()).height
    own["retired/all"] += kept.height
    return own, typed


def count_facts(parts: Parts, scorer: Any, gold: Row, rows: Sequence[Row]) -> None:
    """Count important facts, traps and kinds of one session."""
    short = [row | {"text": row["text"][: scorer.CHARS], "lines": row["lines"][: scorer.LINES]} for row in rows]
    for fact in gold["facts"]:
        telling = [
            row for row in short if scorer.holds(row["text"], fact["keys"]) and scorer.near(row["lines"], fact["evidence"])
        ]
        if fact["priority"] == "high":
            add(parts, "important", bool(telling))
        kinds = {row["kind"] for row in telling if "kind" in row}
        is_wish = fact["kind"] in WISHES
        if kinds:
            add(parts, "kind", bool(kinds & (WISHES if is_wish else {fact["kind"]})))
        if is_wish:
            add(parts, "wish", bool(kinds & WISHES))
    holding = [row for row in short if not row.get("superseded_by")]
    for trap in gold["must_not"]:
        if isinstance(trap, dict):
            add(parts, "traps", any(scorer.holds(row["text"], trap["keys"]) for row in holding))


def list_kept(run: Run, session: str) -> list[Row]:
    """Return the rows of a session that memory keeps, those that a later one replaced, too."""
    is_kept = (pl.col("session_id") == session) & (pl.col("verdict") == "allow")
    rows = run.lake.scan("observations").filter(is_kept).select("text", "lines", "kind", "superseded_by")
    return rows.collect().to_dicts()


def list_typed(run: Run, session: str | None, length: int) -> list[Row]:
    """Return the typed texts of a session, or of all, cut into rows."""
    entries = run.lake.scan("entries").filter((pl.col("role") == "user") & (pl.col("turn_kind") == "typed"))
    if session:
        entries = entries.filter(pl.col("session_id") == session)
    found = entries.sort("said_at", "ordinal").collect().iter_rows(named=True)
    return [
        {"text": piece, "lines": [entry["line_no"]]} for entry in found for piece in split_pieces(entry["text"] or "", length)
    ]


def count_answers(own: Parts, typed: Parts, scorer: Any, run: Run, questions: Iterable[Row]) -> None:
    """Ask the questions: of memory, and of plain BM25 over the typed text."""
    recall, texts = open_recall(run), [row["text"] for row in list_typed(run, None, scorer.CHARS)]
    bm25, briefing = BM25(texts), read_briefing(run)
    for row in questions:
        answer = ask(recall, row["question"], Filters(k=HITS))
        if "keys" not in row:
            add(own, "refused", answer.answer is None)
            continue
        add(own, "unanswered", answer.answer is None)
        hits = {"own": [hit.text for hit in answer.hits], "typed": [texts[number] for number in bm25.rank(row["question"])]}
        for parts, texts_found in ((own, hits["own"]), (typed, hits["typed"])):
            add(parts, "three", any(scorer.holds(text, row["keys"]) for text in texts_found[:FIRST]))
            if row.get("stale"):
                add(parts, "stale_first", any(is_stale(scorer, text, row) for text in texts_found[:1]))
        if row.get("stale"):
            is_right = any(scorer.holds(line, row["keys"]) for line in briefing)
            add(own, "stale_briefing", not is_right and any(is_stale(scorer, line, row) for line in briefing))


def is_stale(scorer: Any, text: str, row: Row) -> bool:
    """Whether a text has a former value and not the answer."""
    return scorer.holds(text, [row["stale"]]) and not scorer.holds(text, row["keys"])


def read_briefing(run: Run) -> list[str]:
    """Return the lines of all briefings."""
    pages = sorted((run.settings.workspace / "briefing").glob("*.md"))
    return [line for page in pages for line in page.read_text(encoding="utf-8").splitlines() if line.strip()]


def add(parts: Parts, key: str, is_counted: bool) -> None:
    """Count one case of a key."""
    parts[key] += is_counted
    parts[f"{key}/all"] += 1


def show(parts: Parts) -> dict[str, str]:
    """Return "part/all" by key."""
    return {key: f"{parts[key]}/{parts[f'{key}/all']}" for key in sorted(key for key in parts if not key.endswith("/all"))}


if __name__ == "__main__":
    sys.exit(main())
