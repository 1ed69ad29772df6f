"""Refusals: how often a question without an answer is refused, and one with an answer as well. Prints one JSON line.

    python benchmarks/refusals.py [--bench FOLDER] [--sessions FOLDER] [--fit]

The questions of `benchmarks/refusals/`: `own-*` and `new-*` are part of the fit of `transforms/recall/answerability.py`; `late-*`,
`kept-*` and `after-*` never were, and nobody looked at their failures. `new-*` and `kept-*` are the even and the odd ones of
one list that was written before any of its failures was looked at, `after-*` was written when the rule was done; `evidence`
names the session and the line that answers. With the gold sets of --bench, when they are there, and the sessions of
--sessions. A set's `held_out` is judged by a rule fitted on the other sets that take part, at the deployed bound.
`refused_by_level` tells the sets that take part from those kept aside. --fit prints the weights of all.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from effects.config.settings import Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.embedding.embed_step import embed
from effects.health.sample_sessions import copy_sample_sessions
from effects.index.index_step import index
from effects.ingest.ingest_step import ingest
from effects.recall.ask import ask, open_recall
from effects.store.run import Run, open_run
from transforms.recall import answerability

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "shared"
KEPT_ASIDE = ("late", "kept", "after")
BOUNDS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8)
L2 = 0.1
NAMES = tuple(answerability.WEIGHTS)
SIGN = np.array([0.0 if name == "bias" else -1.0 if name == "best_cosine" else 1.0 for name in NAMES])
"""A sign of absence never speaks for presence: its weight is kept from turning over."""

Floats = npt.NDArray[np.float64]


def main() -> int:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, default=SHARED / "bench")
    parser.add_argument("--sessions", type=Path, default=SHARED / "sessions" / "real")
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copy_sample_sessions(HERE.parent / "data" / "samples" / "sessions", root / "sessions")
        asked = list(_asked(_lake(root / "samples", root / "sessions", "Europe/Berlin"), _own("samples")))
        if given.sessions.is_dir():
            questions = [*_own("real"), *_gold(given.bench / "gold")]
            asked += _asked(_lake(root / "real", given.sessions, "UTC"), questions)
    names = sorted({row["set"] for row in asked})
    fitted = [row for row in asked if not row["set"].startswith(KEPT_ASIDE)]
    kept = [row for row in asked if row["set"].startswith(KEPT_ASIDE)]
    result: dict[str, Any] = {"benchmark": "refusals", "bound": answerability.ABSTAIN_FROM}
    for name in names:
        mine = [row for row in asked if row["set"] == name]
        told: dict[str, Any] = {"questions": len(mine)} | _rates(mine, np.array([row["doubt"] for row in mine]))
        if others := [row for row in fitted if row["set"] != name]:
            told["held_out"] = _rates(mine, _doubts(mine, _fit(others)), (answerability.ABSTAIN_FROM,))
        result[name] = told
    result["refused_by_level"] = {"fitted": _by_level(fitted), "kept_aside": _by_level(kept)}
    if given.fit:
        result["weights"] = dict(zip(NAMES, _fit(fitted).round(2).tolist(), strict=True))
    print(json.dumps(result))
    return 0


def _own(name: str) -> list[dict[str, Any]]:
    lines = (HERE / "refusals" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [row | {"is_absent": row["level"] != "answerable"} for row in map(json.loads, lines)]


def _gold(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.gold.json")):
        for row in json.loads(path.read_text(encoding="utf-8"))["questions"]:
            name = path.name.removesuffix(".gold.json")
            yield {"set": f"gold-{name}", "question": row["question"], "is_absent": not row["evidence"]}


def _asked(run: Run, questions: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each question with its doubt and the signs of it, and whether it was refused."""
    recall = open_recall(run)
    for row in questions:
        answer = ask(recall, row["question"])
        assert answer.unanswerability is not None, "every question is weighed"
        yield row | {
            "doubt": answer.unanswerability.probability,
            "signs": [answer.unanswerability.features[name] for name in NAMES],
        }


def _rates(rows: Sequence[dict[str, Any]], doubts: Floats, bounds: Sequence[float] = BOUNDS) -> dict[str, list[float]]:
    """Per bound the share refused of those without and of those with an answer."""
    absent = np.array([row["is_absent"] for row in rows])
    return {f"{bound}": [round(float((doubts[one] >= bound).mean()), 3) for one in (absent, ~absent)] for bound in bounds}


def _by_level(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    levels = sorted({row["level"] for row in rows if "level" in row})
    return {level: _rate(row for row in rows if row.get("level") == level) for level in levels}


def _rate(rows: Iterable[dict[str, Any]]) -> str:
    doubts = [row["doubt"] >= answerability.ABSTAIN_FROM for row in rows]
    return f"{sum(doubts)}/{len(doubts)}"


def _fit(rows: Sequence[dict[str, Any]]) -> Floats:
    """Logistic regression by gradient descent, with an L2 penalty and the signs that are known."""
    signs, absent = np.array([row["signs"] for row in rows]), np.array([float(row["is_absent"]) for row in rows])
    weights = np.zeros(len(NAMES))
    for _ in range(4_000):
        slope = signs.T @ (_logistic(signs @ weights) - absent) / len(rows) + np.where(SIGN, L2 * weights / len(rows), 0.0)
        weights -= slope
        weights = np.where(SIGN * weights < 0, 0.0, weights)
    return weights


def _doubts(rows: Sequence[dict[str, Any]], weights: Floats) -> Floats:
    return _logistic(np.array([row["signs"] for row in rows]) @ weights)


def _logistic(values: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-values))
    return result


def _lake(root: Path, sessions: Path, zone: str) -> Run:
    settings = Settings(sessions=(sessions,), lake=root / "lake", workspace=root / "workspace", timezone=zone)
    run = open_run(settings, datetime(2026, 12, 1, tzinfo=UTC))
    with run.lake.writing("refusals benchmark"):
        ingest(run)
        window(run)
        distil(run)
    embed(run)
    index(run)
    return run


if __name__ == "__main__":
    sys.exit(main())
