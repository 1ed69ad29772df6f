"""The segmentation benchmark: rows that scorers read, and scores that mean what they say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ROW = {
    "id": "d-1",
    "set": "superdialseg",
    "utterances": ["I need a cheap hotel in the north", "The Ashley hotel in the north is cheap and has parking for your car",
                   "Will we get rain on Sunday?", "The forecast for Sunday is dry and clear, with some wind in the evening"],
    "speakers": ["user", "agent", "user", "agent"],
    "boundaries": [1],
}  # fmt: skip


def test_predictions_are_rows_of_id_and_boundaries(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps(ROW) + "\n" + json.dumps(ROW | {"id": "d-2", "utterances": ["hi"], "speakers": ["user"]}) + "\n")
    script = [sys.executable, "benchmarks/windowing/segmentation.py", "--predict", str(gold), "--lexical"]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"id": "d-1", "boundaries": [1]},
        {"id": "d-2", "boundaries": []},
    ]


def test_scores_of_the_gold_itself_are_perfect_and_of_nothing_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.windowing.segmentation import score_dialogues

    assert score_dialogues([ROW], [[1]]) == {"pk": 0.0, "wd": 0.0, "f1": 1.0, "density": 1.0}
    nothing = score_dialogues([ROW], [[]])
    assert nothing["pk"] > 0
    assert (nothing["f1"], nothing["density"]) == (0.0, 0.0)


def test_the_fit_learns_which_signals_begin_a_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    import numpy as np

    from benchmarks.windowing.segmentation_fit import fit_weights

    rng = np.random.default_rng(1)
    lines = rng.normal(size=(20_000, 3))
    begins = (rng.random(20_000) < 1 / (1 + np.exp(-(2 * lines[:, 0] - lines[:, 2] - 1)))).astype(float)
    weights = fit_weights({"one": [(ROW, lines[::2], begins[::2])], "other": [(ROW, lines[1::2], begins[1::2])]}, [0, 1, 2])
    assert weights.tolist() == pytest.approx([2, 0, -1], abs=0.2)


def test_the_usual_length_is_that_of_the_set_that_a_row_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.windowing.segmentation import OTHER_SETS, TOPIC_TURNS, find_topic_turns

    assert find_topic_turns({"id": "x", "set": "tiage_test"}) == TOPIC_TURNS["tiage"]
    assert find_topic_turns({"id": "dialseg711_test_9"}) == TOPIC_TURNS["dialseg711"]
    assert find_topic_turns({"id": "x", "set": "unheard of"}) == OTHER_SETS
