"""Measures topic segmentation of plain dialogues (`bench/segmentation`) and of the gold sessions (`bench/gold`, `sessions/real`).

    python -m benchmarks.windowing.segmentation --predict GOLD.jsonl > PRED.jsonl     rows {id, boundaries}
    python -m benchmarks.windowing.segmentation [--bench FOLDER] [--sessions FOLDER] [--lexical]

GOLD rows: {id, set, utterances, speakers, boundaries}; a boundary i follows utterance i. The algorithm is the pipeline's; the
usual length of a topic is calibrated per set on its development part. Vectors come from the bundled model; `--lexical` uses
words alone. Keys, per set in `sets` and per session in `sessions`: pk and wd (WindowDiff), with a window of half a mean gold
segment; f1; density, predicted by gold boundaries. Baselines beside them: `words_alone`, `none`, `evenly` (with the gold count),
`at_users`; for sessions `evenly_on_user_turns` and `windows_alone`. Sessions are windowed first, as in a night.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.arguments import add_bench, add_sessions, make_parser, read_jsonl
from benchmarks.windowing.dialogue_topics import find_dialogue_topics
from effects.embedding.embedder import open_embedder
from effects.system.errors import ModelMissing
from transforms.conversation.entries import Entry, build_entries
from transforms.reading.entry_rows import add_tree_columns, make_entry_rows
from transforms.reading.json_lines import parse_chunk
from transforms.reading.pi.session_header import is_header, read_header
from transforms.reading.placed_entry import EntryGroup, FilePosition
from transforms.reading.session_header import SessionHeader
from transforms.windowing.segments import segment_entries
from transforms.windowing.window_entries import make_window_entries
from transforms.windowing.windows import WindowParams, cut_windows

TOPIC_TURNS = {"dialseg711": 8.0, "superdialseg": 3.5, "tiage": 3.0}
"""Turns of a topic, per set, so that density is about 1 (within .8 to 1.25 from 6 to 11, 2.5 to 4.5 and 2 to 3.5)."""
OTHER_SETS = 3.5
"""Turns of a topic in a set that is not named above."""
NEAR_LINES = 3
"""Distance at which a boundary of a session counts as found."""

Row = dict[str, Any]
Boundaries = list[int]


def main() -> int:
    """Predict or score; return 1 when the sets are missing."""
    arguments = _parse_arguments()
    if arguments.predict:
        rows = read_jsonl(arguments.predict)
        for row, boundaries in zip(rows, predict(rows, arguments.lexical), strict=True):
            print(json.dumps({"id": row["id"], "boundaries": boundaries}))
        return 0
    sets = sorted((arguments.bench / "segmentation").glob("*.jsonl"))
    if not sets:
        print(f"no sets in {arguments.bench / 'segmentation'}", file=sys.stderr)
        return 1
    scores_of_sets = {path.stem: _score_set(read_jsonl(path), arguments.lexical) for path in sets}
    sessions = _score_sessions(sorted((arguments.bench / "gold").glob("*.gold.json")), arguments.sessions)
    print(json.dumps({"benchmark": "segmentation", "sets": scores_of_sets, "sessions": sessions}))
    return 0


def predict(rows: list[Row], is_lexical: bool) -> list[Boundaries]:
    """Return for each dialogue the utterances that end a topic, without the last one."""
    vectors = None if is_lexical else embed_texts(sorted({turn for row in rows for turn in row["utterances"]}))
    boundaries = []
    for row in rows:
        turns = row["utterances"]
        speakers = list_speakers(row)
        typical = find_topic_turns(row)
        own = [vectors[turn] for turn in turns] if vectors is not None else None
        boundaries.append([start - 1 for start in find_dialogue_topics(turns, speakers, typical, own)[1:]])
    return boundaries


def find_topic_turns(row: Row) -> float:
    """Return the usual length of a topic in the set that a row names, or that its id begins with."""
    name = str(row.get("set") or row["id"]).lower()
    return next((length for known, length in TOPIC_TURNS.items() if name.startswith(known)), OTHER_SETS)


def list_speakers(row: Row) -> list[str]:
    """Return the speaker of each turn; user and agent by turns when a row has no speakers."""
    return row.get("speakers") or ["user" if at % 2 == 0 else "agent" for at in range(len(row["utterances"]))]


def embed_texts(texts: list[str]) -> dict[str, Any] | None:
    """Return vectors of the bundled model by text; None, with a note on stderr, when it is not installed."""
    try:
        embedder = open_embedder()
    except ModelMissing as error:
        print(f"{error}: words alone", file=sys.stderr)
        return None
    return dict(zip(texts, embedder.embed_documents(texts), strict=True))


# ---- scores


def _score_set(rows: list[Row], is_lexical: bool) -> Row:
    return {
        "dialogues": len(rows),
        **score_dialogues(rows, predict(rows, is_lexical)),
        "words_alone": score_dialogues(rows, predict(rows, True)),
        "none": score_dialogues(rows, [[] for _ in rows]),
        "evenly": score_dialogues(rows, [_space_evenly(len(row["utterances"]), len(row["boundaries"])) for row in rows]),
        "at_users": score_dialogues(
            rows, [[at for at, who in enumerate(list_speakers(row)[1:]) if who == "user"] for row in rows]
        ),
    }


def score_dialogues(rows: list[Row], predicted: list[Boundaries]) -> dict[str, float]:
    """Return the means of Pk and WindowDiff over dialogues; F1 and density over all boundaries."""
    pk, wd = zip(
        *(_compute_pk_wd(len(r["utterances"]), r["boundaries"], mine) for r, mine in zip(rows, predicted, strict=True)),
        strict=True,
    )
    hits = sum(len(set(row["boundaries"]) & set(mine)) for row, mine in zip(rows, predicted, strict=True))
    ours, theirs = sum(map(len, predicted)), sum(len(set(row["boundaries"])) for row in rows)
    f1 = 2 * hits / max(ours + theirs, 1)
    return {"pk": round(mean(pk), 4), "wd": round(mean(wd), 4), "f1": round(f1, 4), "density": round(ours / max(theirs, 1), 3)}


def _compute_pk_wd(count: int, gold: Iterable[int], mine: Iterable[int], window: int | None = None) -> tuple[float, float]:
    """Return Pk (Beeferman 1999) and WindowDiff (Pevzner and Hearst 2002) with NLTK's window."""
    theirs, ours = set(gold), set(mine)
    size = min(window or max(2, round(count / (2 * (len(theirs) + 1)))), count - 1)
    if size < 1:
        return 0.0, 0.0
    spans = [range(at, at + size) for at in range(count - size)]
    pairs = [(sum(at in theirs for at in span), sum(at in ours for at in span)) for span in spans]
    return sum((a > 0) != (b > 0) for a, b in pairs) / len(pairs), sum(a != b for a, b in pairs) / len(pairs)


def _space_evenly(count: int, wanted: int) -> Boundaries:
    return sorted({round(number * count / (wanted + 1)) - 1 for number in range(1, wanted + 1)})


# ---- sessions: windows first, then topics, by line


def _score_sessions(golds: list[Path], folder: Path) -> Row:
    scores: Row = {}
    for path in golds:
        gold = json.loads(path.read_text(encoding="utf-8"))
        files = sorted(folder.glob(f"*{gold['session']}*.jsonl"))
        if files:
            scores[gold["session"]] = _score_session([(segment["from"], segment["to"]) for segment in gold["segments"]], files[0])
    return scores


def _score_session(gold: list[tuple[int, int]], path: Path) -> Row:
    entries = read_session(path)
    starts = {first for first, _ in gold[1:]}
    last = gold[-1][1]
    turns = [entry.line_no for entry in entries if entry.role == "user"][1:]
    evenly = [turns[number * len(turns) // len(starts)] for number in range(len(starts))] if turns else []
    return {
        name: _score_lines(last + 1, starts, set(lines))
        for name, lines in {
            "topics": find_topic_lines(entries),
            "evenly_on_user_turns": evenly,
            "windows_alone": _find_window_lines(entries),
        }.items()
    }


def read_session(path: Path) -> list[Entry]:
    """Return the entries of a session file, in order."""
    objects = parse_chunk(path.read_bytes()).objects
    header = read_header(objects[0])
    assert isinstance(header, SessionHeader), header
    entries = [parsed for parsed in objects if not is_header(parsed)]
    rows, _, _ = make_entry_rows([EntryGroup(FilePosition(header, str(path), ZoneInfo("UTC")), entries)])
    return build_entries(add_tree_columns(rows))


def find_topic_lines(entries: list[Entry], topics: Callable[[list[Entry]], list[tuple[int, int]]] = segment_entries) -> list[int]:
    """Return the lines at which topics begin, window by window, without the first of the session."""
    line_of = {entry.ordinal: entry.line_no for entry in entries}
    return sorted(line_of[first] for window in _cut_windows(entries) for first, _ in topics(window))[1:]


def _find_window_lines(entries: list[Entry]) -> list[int]:
    return sorted(window[0].line_no for window in _cut_windows(entries))[1:]


def _cut_windows(entries: list[Entry]) -> list[list[Entry]]:
    by_ordinal = {entry.ordinal: entry for entry in entries}
    windows = cut_windows("gold", make_window_entries(entries), WindowParams(), datetime(2100, 1, 1, tzinfo=UTC))
    return [[by_ordinal[ordinal] for ordinal in window.ordinals] for window in windows]


def _score_lines(count: int, gold: set[int], mine: set[int]) -> dict[str, float]:
    pk, wd = _compute_pk_wd(count, gold, mine)
    precision = sum(any(abs(at - start) <= NEAR_LINES for start in gold) for at in mine) / max(len(mine), 1)
    recall = sum(any(abs(at - start) <= NEAR_LINES for at in mine) for start in gold) / max(len(gold), 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return {
        "pk": round(pk, 4),
        "wd": round(wd, 4),
        f"f1@{NEAR_LINES}": round(f1, 4),
        "density": round(len(mine) / max(len(gold), 1), 3),
    }


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--predict", type=Path, metavar="GOLD.jsonl")
    add_bench(parser)
    add_sessions(parser)
    parser.add_argument("--lexical", action="store_true", help="words alone, no vectors")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
