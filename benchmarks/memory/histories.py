"""Measures pairs of statements in whole histories: what do rules retire and merge, and is a replaced statement shown to a model?

    python -m benchmarks.memory.histories

`pairs/histories.jsonl.xz` has 120 invented owners by six writers who had seen neither rules nor code: some 28 sayings each in the
order of weeks, a third with what the agent said before, and what each does to an earlier one. None took part in any choice.

Keys, by relation: `pairs`, `retired` and `merged` (shares, when the two are compared alone, as dedupe does), `shown` (the share
that is among the pairs that a model is asked about, in the owner's whole history); `pairs_a_saying`: how many those are.
Baseline: `nearest`, the share that is among as many nearest earlier sayings by the bundled model's cosine alone.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.arguments import make_parser
from benchmarks.memory.pairs import decide_pair
from effects.embedding.embedder import open_embedder
from transforms.pairing.candidates import PairRow, choose_pairs

ARCHIVE = Path(__file__).parent / "pairs" / "histories.jsonl.xz"
FIRST_DAY, WEEK = datetime(2026, 1, 1, tzinfo=UTC), timedelta(days=7)
Link = tuple[int, int]
"""The numbers of an older and of a newer saying."""


@dataclass(frozen=True, slots=True)
class History:
    """What one owner said, as rows in the order of time, and the relations of pairs by their places."""

    owner: str
    rows: tuple[PairRow, ...]
    relations: dict[Link, str]


def main() -> int:
    """Run the benchmark."""
    make_parser(__doc__).parse_args()
    print(json.dumps(measure(read_histories())))
    return 0


def read_histories(archive: Path = ARCHIVE) -> list[History]:
    """Return the histories of all owners, in order."""
    with lzma.open(archive, "rt", encoding="utf-8") as lines:
        return [build_history(record) for record in map(json.loads, lines)]


def build_history(record: dict[str, Any]) -> History:
    """Return a line of the archive as rows of one project, a week between two sessions."""
    places = {saying["n"]: place for place, saying in enumerate(record["sayings"])}
    rows = []
    for place, saying in enumerate(record["sayings"]):
        about = f' (about: "{saying["agent"]}")' if saying["agent"] else ""
        said_at = FIRST_DAY + saying["session"] * WEEK + timedelta(minutes=place)
        rows.append(PairRow(str(place), "decision", record["owner"], said_at, f'"{saying["text"]}"{about}', is_from_owner=True))
    relations = {(places[link["older"]], places[link["newer"]]): link["relation"] for link in record["links"]}
    return History(record["owner"], tuple(rows), relations)


def measure(histories: list[History]) -> dict[str, Any]:
    """Return the figures of the module's docstring."""
    counts, shown_pairs, sayings = Counter[tuple[str, str]](), 0, 0
    embedder = open_embedder()
    for history in histories:
        vectors = np.asarray(embedder.embed_documents([row.text for row in history.rows]), np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        shown = list_shown(history, vectors)
        near = list_nearest(vectors, round(len(shown) / len(history.rows)))
        shown_pairs, sayings = shown_pairs + len(shown), sayings + len(history.rows)
        for link, relation in history.relations.items():
            counts[relation, "pairs"] += 1
            counts[relation, decide_alone(history, link)] += 1
            counts[relation, "shown"] += link in shown
            counts[relation, "nearest"] += link in near
    names = sorted({relation for relation, _ in counts})
    figures = {name: {"pairs": counts[name, "pairs"]} | _list_shares(counts, name) for name in names}
    return {"owners": len(histories), "relations": figures, "pairs_a_saying": round(shown_pairs / max(sayings, 1), 2)}


def list_shown(history: History, vectors: npt.NDArray[np.float32]) -> set[Link]:
    """Return the pairs that a model is asked about when each saying is new once."""
    chosen = choose_pairs(history.rows, {row.id for row in history.rows}, vectors)
    return {(int(pair.older.id), int(pair.newer.id)) for pairs in chosen.values() for pair in pairs}


def list_nearest(vectors: npt.NDArray[np.float32], count: int) -> set[Link]:
    """Return each saying with as many earlier ones as `count`, the nearest by cosine."""
    cosines = vectors @ vectors.T
    return {
        (int(older), newer)
        for newer in range(1, len(vectors))
        for older in np.argsort(-cosines[newer, :newer], kind="stable")[:count]
    }


def decide_alone(history: History, link: Link) -> str:
    """Return what dedupe does to the older saying when only these two are there: `retired`, `merged` or `kept`."""
    older, newer = (
        {"text": row.text, "said_at": row.said_at.isoformat(), "kind": row.kind}
        for row in (history.rows[place] for place in link)
    )
    return decide_pair({"older": older, "newer": newer, "project": history.owner})


def _list_shares(counts: Counter[tuple[str, str]], relation: str) -> dict[str, float]:
    names = ("retired", "merged", "shown", "nearest")
    return {name: round(counts[relation, name] / counts[relation, "pairs"], 3) for name in names}


if __name__ == "__main__":
    sys.exit(main())
