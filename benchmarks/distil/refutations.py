"""Fit what tells the offline engine that an agent's short statement fell with what came behind it, or measure it on others.

    python -m benchmarks.distil.refutations [FOLDER …]

Fitted are the exchanges of seven of the made-up people (`people.py`) in which the agent said at most as much as is judged: a text
of the agent falls when it holds the keys of a trap. Keys: `exchanges`, `fell`, `bias` and `weights` (for
`transforms/classify/refutations.py`), and areas under the curve, each person left out, as a mean: `aftermath`, with the
baselines `retractions` (the message and the opening of its answer, as `retractions.py` judges them) and `chars` (the length of
the text). Per FOLDER with `sessions/owners` and `bench/gold_owners` the same by the stored weights, and `doubted`: how many texts
reach the bound, and how many of them fell.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.arguments import make_parser, report_missing
from benchmarks.distil.people import unpack_people
from benchmarks.learning.fit import Columns, fit_logistic, round_weights
from benchmarks.learning.row_windows import Window, read_windows
from benchmarks.learning.train import area_under_curve
from effects.distil.stored_weights import load_turn_classifier
from transforms.classify.refutations import MIN_REFUTATION, MOST_JUDGED_CHARS, Aftermath, judge_refutation
from transforms.classify.retractions import judge_openings, judge_retraction
from transforms.exchanges.exchange import Exchange
from transforms.offline.engine import OfflineEngine
from transforms.offline.replies.doubted_words import describe_aftermath, describe_later_words

PEOPLE = ("bastien", "dae", "ines", "kofi", "marek", "rafa", "tove")
"""Whose exchanges are fitted; the other five take no part."""
RIDGE = 33.0
"""Penalty on the weights of columns of equal spread."""


@dataclass(frozen=True, slots=True)
class JudgedText:
    """What follows an agent's text, its chance by openings and form alone, its length, and whether it is a trap."""

    after: Aftermath
    retraction: float
    chars: int
    fell: bool


def read_texts(folder: Path, lakes: Path) -> list[JudgedText]:
    """Return the last texts of the agent in the exchanges of a person that are short enough and that a message follows."""
    golds = [json.loads(path.read_bytes()) for path in sorted((folder / "bench" / "gold_owners").glob("*.gold.json"))]
    traps = {Path(gold["file"]).name: gold["must_not"] for gold in golds}
    windows = read_windows(folder / "sessions", lakes, ["owners"])
    return [text for window in windows if window.file in traps for text in _judge_window(window, traps[window.file])]


def _judge_window(window: Window, traps: Sequence[dict[str, Any]]) -> Iterator[JudgedText]:
    classifier = load_turn_classifier()
    assert classifier.openings is not None
    exchanges = OfflineEngine(classifier=classifier).read_window(window.entries, window.summarised).exchanges
    for exchange, later in pairwise(exchanges):
        said = exchange.agent_messages[-1].text if exchange.agent_messages else ""
        if not said or len(said) > MOST_JUDGED_CHARS or not later.typed.strip():
            continue
        answer = later.agent_messages[0].text if later.agent_messages else ""
        log_odds = judge_openings(later.typed, answer, classifier.openings)
        retraction = judge_retraction(describe_later_words(said, later.typed), log_odds)
        yield JudgedText(describe_aftermath(exchange, later, log_odds), retraction, len(said), _fell(exchange, traps))


def _fell(exchange: Exchange, traps: Sequence[dict[str, Any]]) -> bool:
    texts = [entry.text.lower() for entry in exchange.agent_messages]
    return any(
        all(any(key.lower() in text for key in group) for group in trap["keys"])
        for trap in traps
        for text in texts
        if trap["keys"]
    )


def fit_aftermath(texts: Sequence[JudgedText]) -> tuple[float, Aftermath]:
    """Return the bias and the weights of a logistic regression, penalised on columns of equal spread."""
    columns = np.array([text.after for text in texts])
    truth = np.array([text.fell for text in texts], np.float64)
    middle, spread = columns.mean(0), columns.std(0) + 1e-9
    bias, *scaled = fit_logistic((columns - middle) / spread, truth, RIDGE)
    weights: Columns = np.array(scaled) / spread
    return round(float(bias - weights @ middle), 2), Aftermath(*round_weights(weights))


def measure(texts: Sequence[JudgedText], judged: Sequence[float]) -> dict[str, float]:
    """Return the areas under the curve of what was judged and of the baselines."""
    truth = [text.fell for text in texts]
    baselines = {"retractions": [text.retraction for text in texts], "chars": [float(text.chars) for text in texts]}
    return {name: area_under_curve(list(chances), truth) for name, chances in ({"aftermath": judged} | baselines).items()}


def main() -> int:
    """Fit and measure."""
    parser = make_parser(__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="folders with sessions/owners and bench/gold_owners")
    arguments = parser.parse_args()
    if report_missing([folder / "bench" / "gold_owners" for folder in arguments.folders]):
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        homes = unpack_people(Path(temporary))
        texts = {name: read_texts(homes[name], Path(temporary) / "lakes" / name) for name in PEOPLE}
        others = {
            str(folder): read_texts(folder, Path(temporary) / str(number)) for number, folder in enumerate(arguments.folders)
        }
    everybody = [text for own in texts.values() for text in own]
    left_out = []
    for name, own in texts.items():
        bias, weights = fit_aftermath([text for other, theirs in texts.items() if other != name for text in theirs])
        left_out.append(measure(own, [judge_refutation(text.after, bias, weights) for text in own]))
    bias, weights = fit_aftermath(everybody)
    figures: dict[str, Any] = {"exchanges": len(everybody), "fell": sum(text.fell for text in everybody)}
    figures |= {"bias": bias, "weights": weights, **{key: round(mean(area[key] for area in left_out), 3) for key in left_out[0]}}
    for folder, own in others.items():
        judged = [judge_refutation(text.after) for text in own]
        doubted = [text.fell for text, chance in zip(own, judged, strict=True) if chance >= MIN_REFUTATION]
        figures[folder] = measure(own, judged) | {"doubted": len(doubted), "doubted_fell": sum(doubted), "exchanges": len(own)}
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
