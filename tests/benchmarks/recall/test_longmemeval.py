"""The LongMemEval adapter, over a small file that was made in its format."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


def chat(*said: str, evidence: int = -1) -> list[dict[str, Any]]:
    """Turns of a user and an assistant; `evidence` is the place of the marked one."""
    turns = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(said)]
    return [turn | ({"has_answer": True} if place == evidence else {}) for place, turn in enumerate(turns)]


def question(name: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a question with three chats, the second of which holds the answer."""
    chats = [
        chat("Can you suggest a pasta recipe?", "Try cacio e pepe: pecorino and pepper."),
        chat("I adopted a greyhound named Biscuit in March.", "Congratulations on Biscuit!", evidence=0),
        chat("How do I prune roses?", "Cut above an outward bud in late winter."),
    ]
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": text,
        "answer": "Biscuit",
        "question_date": "2023/06/01 (Thu) 09:00",
        "haystack_session_ids": ["a", "b", "c"],
        "haystack_dates": ["2023/05/01 (Mon) 10:00", "2023/05/02 (Tue) 23:59", "2023/05/03 (Wed) 08:15"],
        "haystack_sessions": chats,
        "answer_session_ids": ["b"],
    } | more


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "benchmarks/recall/longmemeval.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_file_in_its_format_is_scored(tmp_path: Path) -> None:
    """Each question is searched in its own chats; questions without an answer are left out."""
    asked = [
        question("q1", "What is the name of the greyhound I adopted?"),
        question("q2", "When do I prune roses?", answer_session_ids=["c"], question_type="temporal-reasoning"),
        question("q3_abs", "What is the name of my cat?", answer_session_ids=[]),
    ]
    file = tmp_path / "longmemeval.json"
    file.write_text(json.dumps(asked), encoding="utf-8")
    done = run(str(file), "--questions", "0")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    assert (answer["questions"], answer["turns"]) == (2, 12)
    assert (answer["session_any@5"], answer["turn_any@5"]) == (1.0, 1.0)
    assert answer["types"]["single-session-user"]["session_ndcg@10"] == 1.0
    assert set(answer["types"]) == {"single-session-user", "temporal-reasoning"}


def test_without_the_file_it_says_how_to_get_it(tmp_path: Path) -> None:
    """A missing file is named, and the script fails."""
    done = run(str(tmp_path / "absent.json"))
    assert done.returncode == 1
    assert "huggingface.co/datasets/xiaowu0162/longmemeval-cleaned" in done.stderr
