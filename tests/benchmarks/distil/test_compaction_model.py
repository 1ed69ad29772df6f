"""The benchmark of compactions by a model: the extension's own requests as files, and its texts from the answers."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from benchmarks.distil.compaction import Compaction
from benchmarks.distil.compaction_model import start_extension
from effects.distil.observe_messages import read_conversation
from tests.pi.clients import node

pytestmark = pytest.mark.pi
STORE = "Store the rows in SQLite."
LONG = "\n".join(f"- [i] 14:{minute:02} The agent read src/store/part-{minute}.ts once more" for minute in range(40))
SHORT = "Date: 2026-02-10\n- [!] 14:30 User wants the rows in SQLite"


def _session(text: str) -> bytes:
    header = {"type": "session", "version": 3, "id": "one", "timestamp": "2026-02-10T14:30:00.000Z", "cwd": "/work/shop"}
    message = {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1770733800000}
    entry = {"type": "message", "id": "aa", "parentId": None, "timestamp": "2026-02-10T14:30:00.000Z", "message": message}
    return b"".join(json.dumps(line).encode() + b"\n" for line in (header, entry))


def _answer(folder: Path, asked: dict[str, str]) -> None:
    """Answer the two requests that come, as a reader would."""
    answers = {"observe": f"<observations>\nDate: 2026-02-10\n{LONG}\n</observations>", "reflect": SHORT}
    while len(asked) < len(answers):
        for request in folder.glob("requests/*.md"):
            kind = request.stem.partition("-")[0]
            asked[kind] = request.read_text(encoding="utf-8")
            (folder / "answers" / f"{request.stem}.txt").write_text(answers[kind], encoding="utf-8")
        time.sleep(0.1)


def test_a_compaction_asks_the_extensions_prompts_and_has_the_size_of_pis_summary(tmp_path: Path) -> None:
    """The observer reads the conversation and what is known; the reflector is told the size of pi's own summary."""
    node()
    asked: dict[str, str] = {}
    reader = threading.Thread(target=_answer, args=(tmp_path, asked), daemon=True)
    reader.start()
    compaction = Compaction(read_conversation(_session(STORE), ZoneInfo("UTC")), "x" * 400, 9)
    with start_extension(tmp_path) as extension:
        whole, fitted = extension.compact(compaction, "Date: 2026-02-09\n- [!] 10:00 User wants tabs")
    assert whole == f"Date: 2026-02-09\n- [!] 10:00 User wants tabs\n\nDate: 2026-02-10\n{LONG}"
    assert fitted == SHORT
    assert f"[2026-02-10 14:30] User: {STORE}" in asked["observe"]
    assert "User wants tabs" in asked["observe"]
    assert "at most 400 characters (about 100 tokens)" in asked["reflect"]
