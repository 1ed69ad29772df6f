"""The commit questions: turns of Claude Code sessions, and ranks of sessions."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.recall.commit_questions import rank_by_bm25, read_turns, score


def test_turns_are_the_texts_of_users_and_assistants(tmp_path: Path) -> None:
    """Progress rows, tool results and empty messages are not turns."""
    rows = [
        {"type": "progress", "data": {}},
        {"type": "user", "message": {"content": "Add a linter"}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Added."}, {"type": "tool_use", "name": "Bash"}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": "ok"}]}},
    ]
    path = tmp_path / "owner+repo__s-1.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert list(read_turns(path)) == [("s-1", "Add a linter"), ("s-1", "Added.")]


def test_a_session_ranks_by_its_best_text() -> None:
    """Any evidence among the first sessions counts; a question without a hit counts as missed."""
    questions = [{"question": "linter", "sessions": ["b"]}, {"question": "typefaces", "sessions": ["a"]}]
    ranked = rank_by_bm25(questions, ["a", "b", "b"], ["tests", "a linter", "linter linter"])
    assert ranked == [["b"], []]
    assert score(questions, ranked) == {"any@1": 0.5, "any@5": 0.5, "any@10": 0.5, "mrr": 0.5}
