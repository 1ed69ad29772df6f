"""Fit the weights by which the offline engine judges passages of an agent, or measure them with the owner left out.

    python -m benchmarks.learning.passages SHARED [SHARED …]

Each SHARED has `bench/gold_owners`, `bench/score_gold.py` and `sessions/`. A passage counts as useful when it states a fact of
its session's gold and no trap. Weights are fitted by logistic regression; an owner counts by the root of the number of passages.
Keys: `passages`, `useful` (their share), `weights` (fitted on all owners), `curve` (area under the curve, owner by owner, of
weights that never saw the owner), and per SHARED the figures of the sessions without passages (`without`), with all passages that
fit, the longest first (`all`), and with passages judged by weights that never saw the owner (`left_out`) and by those of the
engine (`shipped`). Imports `rows.py`, so it needs scikit-learn, too.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.arguments import load_module, make_parser, report_missing
from benchmarks.learning.fit import fit_logistic, round_weights
from benchmarks.learning.row_windows import Window, read_windows
from benchmarks.learning.rows import distil_session, score_rows
from benchmarks.learning.train import area_under_curve
from effects.distil.stored_weights import load_turn_classifier, load_usefulness_trees
from transforms.exchanges.exchange import split_exchanges
from transforms.exchanges.passages import PASSAGE_WEIGHTS, PassageWeights, describe_passage, find_passages, judge_passage
from transforms.language.sentences import find_content_words
from transforms.tables.tokens import count_tokens

RIDGE = 1.0
"""The penalty on the weights."""
NONE = PassageWeights(-50.0, 0.0, 0.0, 0.0)
ALL = PassageWeights(0.0, 1.0, 0.0, 0.0)
"""Weights that keep no passage, and those that keep every passage, the longest first."""
HOME = re.compile(r'"cwd": ?"/[^/"]+/([^/"]+)')


@dataclass(frozen=True, slots=True)
class GoldSession:
    """A session with its gold and its windows; the owner is the folder of the home in which it ran."""

    group: str
    owner: str
    gold: dict[str, Any]
    windows: list[Window]


@dataclass(frozen=True, slots=True)
class JudgedPassage:
    """A passage of a session's agent with its features, and whether it states a fact of the gold and no trap."""

    owner: str
    features: tuple[float, ...]
    is_useful: bool


def read_sessions(shared: Path, folder: Path) -> list[GoldSession]:
    """Return the gold sessions of a folder with their windows; sessions of a few messages, too."""
    windows = defaultdict[str, list[Window]](list)
    for window in read_windows(shared / "sessions", folder, ("owners",), min_user_messages=1):
        windows[window.file].append(window)
    sessions = []
    for path in sorted((shared / "bench" / "gold_owners").glob("*.gold.json")):
        gold = json.loads(path.read_bytes())
        name = path.name.removesuffix(".gold.json")
        file = next(file for file in windows if (file == Path(gold["file"]).name if gold.get("file") else name in file))
        home = HOME.search((shared / "sessions" / "owners" / file).read_text(encoding="utf-8"))
        sessions.append(GoldSession(str(shared), home[1] if home else file, gold, windows[file]))
    return sessions


def read_passages(scorer: Any, session: GoldSession) -> list[JudgedPassage]:
    """Return the passages of a session beside the rows that the engine keeps without them."""
    traps = [trap["keys"] for trap in session.gold["must_not"] if isinstance(trap, dict)]
    judged = []
    for window in session.windows:
        kept = [row["text"] for row in distil_session([window], load_usefulness_trees(), NONE)]
        words = frozenset(word for text in kept for word in find_content_words(text))
        for passage in find_passages(split_exchanges(window.entries, load_turn_classifier())):
            states = any(scorer.holds(passage.text, fact["keys"]) for fact in session.gold["facts"])
            is_useful = states and not any(scorer.holds(passage.text, keys) for keys in traps)
            judged.append(JudgedPassage(session.owner, describe_passage(passage.text, words), is_useful))
    return judged


def fit_weights(passages: Sequence[JudgedPassage]) -> PassageWeights:
    """Fit the weights by logistic regression; passages of an owner with many count less."""
    features = np.array([passage.features for passage in passages])
    truth = np.array([passage.is_useful for passage in passages], dtype=np.float64)
    weights = fit_logistic(features, truth, RIDGE, [passage.owner for passage in passages])
    return PassageWeights(*round_weights(weights))


def measure_sessions(scorers: dict[str, Any], sessions: Sequence[GoldSession], weights: dict[str, PassageWeights]) -> Any:
    """Return the figures of each group of sessions, with the weights of each session's owner."""
    figures = defaultdict[str, list[dict[str, float]]](list)
    for session in sessions:
        rows = distil_session(session.windows, load_usefulness_trees(), weights[session.owner])
        scores = score_rows(scorers[session.group], session.gold, rows)
        figures[session.group].append(scores | {"tokens": sum(count_tokens(row["text"]) for row in rows)})
    return {
        group: {key: round(mean(scores[key] for scores in of_group), 3) for key in ("important", "all", "useful")}
        | {key: sum(scores[key] for scores in of_group) for key in ("traps", "rows", "tokens")}
        for group, of_group in figures.items()
    }


def main() -> int:
    """Measure; the fitted weights of all owners are printed."""
    parser = make_parser(__doc__)
    parser.add_argument("shared", nargs="+", type=Path, help="folders with sessions/owners and bench/gold_owners")
    arguments = parser.parse_args()
    if report_missing([shared / "bench" / "score_gold.py" for shared in arguments.shared]):
        return 1
    sessions: list[GoldSession] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, shared in enumerate(arguments.shared):
            sessions += read_sessions(shared, Path(folder) / str(number))
    scorers = {str(shared): load_module(shared / "bench" / "score_gold.py") for shared in arguments.shared}
    passages = [passage for session in sessions for passage in read_passages(scorers[session.group], session)]
    owners = sorted({session.owner for session in sessions})
    without = {owner: fit_weights([passage for passage in passages if passage.owner != owner]) for owner in owners}
    curves = {}
    for owner in owners:
        own = [passage for passage in passages if passage.owner == owner]
        scores = [judge_passage(passage.features, without[owner]) for passage in own]
        curves[owner] = area_under_curve(scores, [passage.is_useful for passage in own])
    figures = {
        "passages": len(passages),
        "useful": round(mean(passage.is_useful for passage in passages), 3),
        "weights": fit_weights(passages),
        "curve": curves,
        "without": measure_sessions(scorers, sessions, dict.fromkeys(owners, NONE)),
        "all": measure_sessions(scorers, sessions, dict.fromkeys(owners, ALL)),
        "left_out": measure_sessions(scorers, sessions, without),
        "shipped": measure_sessions(scorers, sessions, dict.fromkeys(owners, PASSAGE_WEIGHTS)),
    }
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
