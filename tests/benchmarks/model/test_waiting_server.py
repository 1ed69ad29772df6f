"""A request waits for its reader, and is named by what it shows."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.model.waiting_server import REST_S, name_request, serve_waiting
from tests.benchmarks.model.test_recordings import ask

PROMPT = "Session in /work, days in UTC. This part ends here.\n\n<transcript>\n[09:00] #1 [User]: go\n</transcript>\n"


@pytest.mark.timeout(60)
def test_a_request_waits_until_its_answer_is_whole(tmp_path: Path) -> None:
    """A file that is still being written is no answer yet."""
    with serve_waiting(tmp_path) as waiting, ThreadPoolExecutor(1) as pool:
        reply = pool.submit(ask, waiting.url, PROMPT)
        request = _find_request(tmp_path)
        assert "#1 [User]: go" in request.read_text(encoding="utf-8")
        answer = tmp_path / "answers" / f"{request.stem}.json"
        answer.write_text('{"segments": [', encoding="utf-8")
        time.sleep(1)
        assert not reply.done()
        answer.write_text('{"segments": []}', encoding="utf-8")
        assert reply.result(20)["choices"][0]["message"]["content"] == '{"segments": []}'
        assert not (tmp_path / "ended").exists()
        assert waiting.requests == {"other": 1}
        assert waiting.tokens_read > waiting.tokens_written > 0
    assert (tmp_path / "ended").read_text(encoding="utf-8") == "played to the end\n"


@pytest.mark.timeout(60)
def test_an_answer_that_is_no_json_is_handed_over_once_it_rests(tmp_path: Path) -> None:
    """The pipeline then asks again, as it asks a model."""
    with serve_waiting(tmp_path) as waiting, ThreadPoolExecutor(1) as pool:
        reply = pool.submit(ask, waiting.url, PROMPT)
        answer = tmp_path / "answers" / f"{_find_request(tmp_path).stem}.json"
        answer.write_text("I would rather not.", encoding="utf-8")
        rested = time.time() - REST_S - 1
        os.utime(answer, (rested, rested))
        assert reply.result(20)["choices"][0]["message"]["content"] == "I would rather not."


def test_names_of_requests() -> None:
    """Reworded instructions and another number of lines find the old answer; another transcript and a complaint do not."""
    observed = name_request("observe", PROMPT)
    assert (
        name_request("observe", PROMPT.replace("This part ends here.", "This part is over.\n\nEarlier observations:")) == observed
    )
    assert name_request("observe", PROMPT.replace(": go", ": stop")) != observed
    assert name_request("observe", PROMPT + "\nYour former answer could not be used.") != observed
    assert name_request("propose", "rows\nPropose at most 3 lines.\n") == name_request(
        "propose", "rows\nPropose at most 5 lines.\n"
    )


def _find_request(folder: Path) -> Path:
    for _ in range(200):
        if found := list((folder / "requests").glob("*.md")):
            return found[0]
        threading.Event().wait(0.05)
    raise AssertionError("no request came")
