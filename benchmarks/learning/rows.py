"""Fit the trees that judge how useful a row of the offline engine is, or measure them with the owner left out.

    python -m benchmarks.learning.rows [SHARED] [--gold] [--write]

`row_labels.jsonl` has the judgements of readers on rows of the sessions in SHARED and of twelve made-up people
(`benchmarks.distil.people`): session, first entry of the window, hash of the row's text, worth (0 to 3, of one reader or
two), what holds at the end, and the kind that the row really is; no words. A row counts as useful from a mean worth of 1.5.
Keys: `labels`, `rows` (those that the engine still makes), `useful` (their share), and, per owner and as `mean` and `pooled`,
the area under the curve of trees that never saw the owner (`trees`), beside the rules' salience (`salience`) and the row's
length (`tokens`). With `--gold` also the gold figures of `benchmarks.distil.owners` and `gold`, each owner by such trees
(`left_out`), beside the engine without trees (`rules`), and of the rows that were selected and judged: `selected`, `useful`,
the share of useful ones, and `recall`. `--write` fits on all labels and stores the trees; those that ship know the first six
owners only (`docs/decisions/distilling-offline.md`). Needs scikit-learn (`pip install 'recollect[learning]'`).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import GradientBoostingClassifier

from benchmarks.arguments import add_shared, load_module, make_parser, read_jsonl, report_missing
from benchmarks.distil.people import unpack_people
from benchmarks.learning.row_windows import Window, read_windows
from benchmarks.learning.train import area_under_curve
from effects.distil.stored_weights import TREES_FILE, load_turn_classifier
from transforms.classify.boosted_trees import FEATURE_DIGITS, BoostedTrees, pack_trees
from transforms.exchanges.passages import PASSAGE_WEIGHTS, PassageWeights
from transforms.offline.engine import OfflineEngine
from transforms.offline.usefulness import FEATURES, compute_features

LABELS = Path(__file__).with_name("row_labels.jsonl")
USEFUL_WORTH = 1.5
SEEDS = 4
"""Ensembles that are averaged; each draws other rows and features."""
TREES, DEPTH, RATE, ROWS_SHARE, FEATURES_SHARE, LEAF_ROWS = 200, 2, 0.05, 0.7, 0.3, 10
"""Trees of an ensemble, their depth, the shrinkage, the shares of rows and features that a tree sees, and rows of a leaf."""
OWNERS = {"raquezha": "raq", "mholtzscher": "herdr", "pinion05": "pin", "entireio+auth": "auth", "entireio": "ext"}
"""Owner of a session by the beginning of its file's name; made-up people stand before two underscores, the others are mario's."""

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A row that the engine makes, with its features and, where a reader judged it, its worth."""

    owner: str
    session: str
    text_hash: str
    features: Matrix
    worth: float | None


def hash_row(text: str) -> str:
    """Return the hash under which the labels keep a row's text."""
    return sha256(text.encode()).hexdigest()[:16]


def name_owner(file: str) -> str:
    """Return the owner of a session file."""
    person, mark, number = file.removesuffix(".jsonl").partition("__")
    if mark and number.isdigit():
        return person
    return next((owner for beginning, owner in OWNERS.items() if file.startswith(beginning)), "mario")


def read_rows(windows: Sequence[Window]) -> list[JudgedRow]:
    """Return the rows of all candidates of the windows, with their labels."""
    worth = {(label["session"], label["first"], label["row"]): mean(label["worth"]) for label in read_jsonl(LABELS)}
    rows = []
    for window in windows:
        read = OfflineEngine(classifier=load_turn_classifier(), mode=window.mode).read_window(window.entries, window.summarised)
        features_of = compute_features(read.sourced, len(read.exchanges))
        for item, features in zip(read.sourced, features_of, strict=True):
            text_hash = hash_row(item.candidate.text)
            key = (window.session, window.entries[0].ordinal, text_hash)
            rows.append(JudgedRow(name_owner(window.file), window.session, text_hash, features, worth.get(key)))
    return rows


def fit_trees(rows: Sequence[JudgedRow]) -> BoostedTrees:
    """Fit several ensembles on the judged rows and return them as one, whose log-odds are their mean."""
    judged = [row for row in rows if row.worth is not None]
    features = np.round(np.array([row.features for row in judged]), FEATURE_DIGITS).astype(np.float32)
    useful = np.array([(row.worth or 0.0) >= USEFUL_WORTH for row in judged])
    nodes: defaultdict[str, list[Any]] = defaultdict(list)
    roots, bias = [], 0.0
    for seed in range(SEEDS):
        model = GradientBoostingClassifier(
            n_estimators=TREES, max_depth=DEPTH, learning_rate=RATE, subsample=ROWS_SHARE, max_features=FEATURES_SHARE,
            min_samples_leaf=LEAF_ROWS, random_state=seed,
        ).fit(features, useful)  # fmt: skip
        share = float(useful.mean())
        bias += float(np.log(share / (1 - share))) / SEEDS
        for tree in (estimator.tree_ for estimator in model.estimators_[:, 0]):
            first = len(nodes["feature"])
            own = first + np.arange(tree.node_count)
            is_leaf = tree.children_left < 0
            roots.append(first)
            nodes["feature"] += np.where(is_leaf, 0, tree.feature).tolist()
            nodes["threshold"] += np.where(is_leaf, 0.0, tree.threshold).tolist()
            nodes["left"] += np.where(is_leaf, own, tree.children_left + first).tolist()
            nodes["right"] += np.where(is_leaf, own, tree.children_right + first).tolist()
            nodes["value"] += np.where(is_leaf, RATE * tree.value[:, 0, 0] / SEEDS, 0.0).tolist()
    whole = {name: np.array(nodes[name], np.int32) for name in ("feature", "left", "right")}
    real = {name: np.array(nodes[name], np.float32) for name in ("threshold", "value")}
    return BoostedTrees(names=FEATURES, roots=np.array(roots, np.int32), bias=bias, **whole, **real)


def fit_without(rows: Sequence[JudgedRow]) -> dict[str, BoostedTrees]:
    """Return for each owner the trees of all others."""
    return {owner: fit_trees([row for row in rows if row.owner != owner]) for owner in sorted({row.owner for row in rows})}


def measure_curves(rows: Sequence[JudgedRow], trees: dict[str, BoostedTrees]) -> dict[str, dict[str, float]]:
    """Return the areas under the curve, owner by owner, their mean and of all rows together."""
    judged = [row for row in rows if row.worth is not None]
    truth = [(row.worth or 0.0) >= USEFUL_WORTH for row in judged]
    scores: dict[str, list[float]] = {
        "trees": [trees[row.owner].predict(row.features[None])[0] for row in judged],
        "salience": [float(row.features[FEATURES.index("salience")]) for row in judged],
        "tokens": [float(row.features[FEATURES.index("tokens")]) for row in judged],
    }
    figures: dict[str, dict[str, float]] = {}
    for name, values in scores.items():
        of_owner = {
            owner: area_under_curve(
                [value for row, value in zip(judged, values, strict=True) if row.owner == owner],
                [useful for row, useful in zip(judged, truth, strict=True) if row.owner == owner],
            )
            for owner in trees
        }
        figures[name] = {**of_owner, "mean": round(mean(of_owner.values()), 3), "pooled": area_under_curve(values, truth)}
    return figures


def measure_gold(
    shared: Path, windows: Sequence[Window], rows: Sequence[JudgedRow], trees: dict[str, BoostedTrees] | None
) -> Any:
    """Return the gold figures of the engine with these trees (without any for None), by group of owners."""
    scorer = load_module(shared / "bench" / "score_gold.py")
    worth = {(row.session, row.text_hash): row.worth for row in rows if row.worth is not None}
    kept: list[float] = []
    scores: defaultdict[str, list[dict[str, float]]] = defaultdict(list)
    of_file: defaultdict[str, list[Window]] = defaultdict(list)
    for window in windows:
        of_file[window.file].append(window)
    sessions = set()
    for path in sorted([*(shared / "bench" / "gold_owners").glob("*.json"), *(shared / "bench" / "gold").glob("*.json")]):
        gold = json.loads(path.read_bytes())
        name = path.name.removesuffix(".gold.json")
        file = next(file for file in of_file if file == gold.get("file") or (not gold.get("file") and name in file))
        exported = distil_session(of_file[file], None if trees is None else trees[name_owner(file)])
        sessions.add(of_file[file][0].session)
        kept += [
            worth[key] for key in ((of_file[file][0].session, hash_row(row["text"])) for row in exported) if key in worth
        ]  # narratives and new wordings were judged by nobody
        figures = score_rows(scorer, gold, exported)
        scores["gold" if path.parent.name == "gold" else "owners"].append(figures)
    all_useful = sum((row.worth or 0.0) >= USEFUL_WORTH for row in rows if row.session in sessions)
    result: dict[str, Any] = {
        group: {key: round(mean(figures[key] for figures in of_group), 3) for key in ("important", "all", "useful")}
        | {key: sum(figures[key] for figures in of_group) for key in ("traps", "rows")}
        for group, of_group in scores.items()
    }
    useful = sum(value >= USEFUL_WORTH for value in kept)
    return result | {
        "selected": len(kept),
        "useful": round(useful / max(1, len(kept)), 3),
        "recall": round(useful / max(1, all_useful), 3),
    }


def distil_session(
    windows: Sequence[Window], trees: BoostedTrees | None, passages: PassageWeights = PASSAGE_WEIGHTS
) -> list[dict[str, Any]]:
    """Return what the offline engine keeps of a session, as rows of the scorer."""
    earlier: list[str] = []
    rows: list[dict[str, Any]] = []
    for window in sorted(windows, key=lambda window: window.entries[0].ordinal):
        engine = OfflineEngine(classifier=load_turn_classifier(), mode=window.mode, usefulness=trees, passages=passages)
        distilled = engine.distil(window.entries, window.topics, earlier[-60:], window.budget, window.summarised)
        for segment in distilled.segments:
            lines = [window.lines[ordinal] for ordinal in segment.ordinals if ordinal in window.lines]
            rows.append({"text": f"{segment.title}\n{segment.narrative}", "lines": lines})
            for fact in segment.facts:
                lines = [window.lines[ordinal] for ordinal in fact.ordinals if ordinal in window.lines]
                rows.append({"text": fact.text, "lines": lines})
                earlier.append(fact.text)
    return rows


def score_rows(scorer: Any, gold: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the shares of important and all facts that a row cites, of rows that state a fact, and the traps kept."""
    read = [(row["text"][: scorer.CHARS], row["lines"][: scorer.LINES]) for row in rows]

    def is_cited(fact: dict[str, Any]) -> bool:
        """Whether a row states the fact and names a line of its evidence."""
        return any(scorer.holds(text, fact["keys"]) and scorer.near(lines, fact["evidence"]) for text, lines in read)

    def share_cited(facts: list[dict[str, Any]]) -> float:
        """Return the share of these facts that a row cites."""
        return sum(map(is_cited, facts)) / max(1, len(facts))

    useful = sum(any(scorer.holds(text, fact["keys"]) for fact in gold["facts"]) for text, _ in read)
    traps = [trap for trap in gold["must_not"] if isinstance(trap, dict)]
    return {
        "important": share_cited([fact for fact in gold["facts"] if fact["priority"] == "high"]),
        "all": share_cited(gold["facts"]),
        "useful": useful / max(1, len(read)),
        "traps": sum(any(scorer.holds(text, trap["keys"]) for text, _ in read) for trap in traps),
        "rows": len(read),
    }


def main() -> int:
    """Measure, and with --write fit on everything and store the trees."""
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--gold", action="store_true", help="also distil the gold sessions with trees that never saw their owner")
    parser.add_argument("--write", action="store_true", help="fit on all labels and store the trees")
    arguments = parser.parse_args()
    if report_missing([arguments.shared / "sessions" / name for name in ("owners", "real", "claude", "codex")]):
        return 1
    with tempfile.TemporaryDirectory() as folder:
        windows = read_windows(arguments.shared / "sessions", Path(folder))
        people = [
            window
            for name, home in unpack_people(Path(folder)).items()
            for window in read_windows(home / "sessions", Path(folder) / name, ["owners"])
        ]
    rows = read_rows([*windows, *people])
    judged = [row for row in rows if row.worth is not None]
    without = fit_without(rows)
    figures: dict[str, Any] = {
        "rows": len(judged),
        "useful": round(mean((row.worth or 0.0) >= USEFUL_WORTH for row in judged), 3),
        "labels": len(read_jsonl(LABELS)),
        **measure_curves(rows, without),
    }
    if arguments.gold:
        figures["left_out"] = measure_gold(arguments.shared, windows, rows, without)
        figures["rules"] = measure_gold(arguments.shared, windows, rows, None)
    if arguments.write:
        np.savez_compressed(TREES_FILE, **pack_trees(fit_trees(rows)))
        figures["written"] = TREES_FILE.stat().st_size
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
