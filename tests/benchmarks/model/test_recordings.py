"""The bank of facts is sound, and recorded requests are answered from files."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from benchmarks.arguments import read_jsonl
from benchmarks.model.checks import HELD, MADE
from benchmarks.model.recordings import serve_recordings
from tests.each_case import each_case

BANK = sorted(MADE.glob("*.facts.jsonl"))


@each_case("path", BANK)
def test_every_fact_cites_entries_of_its_session(path: Path) -> None:
    """Half of them are true, and a false one says what is wrong with it."""
    known = {entry.get("id") for entry in read_jsonl(path.with_name(path.name.replace(".facts", "")))}
    rows = read_jsonl(path)
    assert all(set(row["entry_ids"]) <= known for row in rows)
    assert sum(row["true"] for row in rows) * 2 == len(rows) == 30
    assert all(bool(row["lie"]) != row["true"] for row in rows)


def test_half_of_the_voices_are_held_back() -> None:
    """Nobody reads them while the checks are changed."""
    assert sum(path.name.partition(".")[0] in HELD for path in BANK) == len(BANK) // 2


def ask(url: str, prompt: str) -> dict[str, Any]:
    messages = [{"role": "system", "content": "Observe."}, {"role": "user", "content": prompt}]
    body = json.dumps({"model": "recorded", "messages": messages}).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(f"{url}/chat/completions", body)) as reply:
        answer: dict[str, Any] = json.load(reply)
    return answer


def test_a_request_is_recorded_once_and_answered_from_its_file(tmp_path: Path) -> None:
    """Its name depends on the references of the transcript, not on the words around them."""
    with serve_recordings(tmp_path) as recordings:
        with pytest.raises(urllib.error.HTTPError) as error:
            ask(recordings.url, "Session in /work\n[09:00] #1 [User]: go\n")
        assert error.value.code == 400
        error.value.close()
        [request] = (tmp_path / "requests").iterdir()
        assert "#1 [User]: go" in request.read_text(encoding="utf-8")
        (tmp_path / "answers" / f"{request.stem}.json").write_text('Here it is: {"segments": []}', encoding="utf-8")
        reply = ask(recordings.url, "Session in /work\n[09:00] #1 [User]: go on\n")
        assert reply["choices"][0]["message"]["content"] == '{"segments": []}'
        assert [written for _, written in recordings.seen.values()] == [4]
    assert len(list((tmp_path / "requests").iterdir())) == 1
