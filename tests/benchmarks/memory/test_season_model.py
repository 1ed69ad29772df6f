"""A short season with a model: a reader who takes notes of what the owner typed, and the counts of what became of them."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from benchmarks.memory.season import FOLDER, play_season
from benchmarks.memory.season_life import Life
from benchmarks.memory.season_model import build_engine, count_losses, count_stages
from benchmarks.memory.season_voice import read_voices
from benchmarks.model.waiting_server import serve_waiting
from effects.store.run import open_run

DAYS = 6
_TYPED = re.compile(r"^\[\d\d:\d\d\] #(\d+) \[User\]: (.+)$", re.M)


def test_a_season_with_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request is answered by the reader, none by the offline engine, and its facts reach memory's pages."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")  # the benchmark sets it for its whole process
    (voice,) = read_voices(FOLDER)
    stop = threading.Event()
    reader = threading.Thread(target=_answer_requests, args=(tmp_path, stop))
    reader.start()
    try:
        with serve_waiting(tmp_path) as waiting:
            life = Life(tmp_path / "home", voice, DAYS, night_every=5, engine=build_engine(waiting.url))
            scores, _ = play_season(life)
    finally:
        stop.set()
        reader.join()
    run = open_run(life.settings, life.find_night(DAYS - 1))
    stages, losses = count_stages(life, run, DAYS - 1), count_losses(run)
    assert waiting.requests["observe"] == losses["windows"]["distilled"] == 2 * DAYS
    assert waiting.requests["propose"] >= 1
    assert losses["calls"] == {"ok": waiting.requests.total()}
    assert losses["offline_instead"] == {}
    assert stages["facts"] >= stages["observed"] >= stages["observed_allowed"] > 0
    assert scores["in_tier_0"] > 0.5


def _answer_requests(folder: Path, stop: threading.Event) -> None:
    while not stop.wait(0.05):
        for request in sorted((folder / "requests").glob("*.md")):
            answer = folder / "answers" / f"{request.stem}.json"
            if not answer.exists():
                text = request.read_text(encoding="utf-8").partition("\n---\n")[2]
                answer.write_text(json.dumps(_answer(request.stem.partition("-")[0], text)), encoding="utf-8")


def _answer(kind: str, text: str) -> dict[str, Any]:
    if kind == "observe":
        typed = [(int(ordinal), words) for ordinal, words in _TYPED.findall(text)]
        facts = [{"text": words, "kind": "decision", "priority": "high", "refs": [ordinal]} for ordinal, words in typed]
        return {"segments": [{"topic": 1, "title": "Work", "narrative": "", "facts": facts}], "current_task": ""}
    if kind == "read":
        count = int(re.findall(r"Judge facts 1 to (\d+)", text)[0])
        return {"facts": [{"fact": number, "verdict": "supported"} for number in range(1, count + 1)]}
    return {"relate": {"pairs": []}, "propose": {"proposals": [], "summary": ""}}.get(kind, {"narrative": "", "lines": []})
