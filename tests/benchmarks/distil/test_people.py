"""The made-up people of the archive: whole, and named as the labels name them."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.arguments import read_jsonl
from benchmarks.distil.people import unpack_people
from benchmarks.learning.row_windows import read_windows

LABELS = Path(__file__).resolve().parents[3] / "benchmarks" / "learning" / "row_labels.jsonl"


def test_each_session_of_a_person_has_its_key_and_each_person_questions(tmp_path: Path) -> None:
    """A key names the file of its session, and a fact lines of it."""
    people = unpack_people(tmp_path)
    assert len(people) == 12
    for home in people.values():
        sessions = {path.name: path.read_text(encoding="utf-8").splitlines() for path in (home / "sessions" / "owners").iterdir()}
        keys = [json.loads(path.read_bytes()) for path in (home / "bench" / "gold_owners").iterdir()]
        assert {Path(key["file"]).name for key in keys} == set(sessions)
        assert len(sessions) >= 5
        for key in keys:
            lines = sessions[Path(key["file"]).name]
            assert all(line < len(lines) for fact in key["facts"] for line in fact["evidence"])
        assert json.loads((home / "questions.json").read_bytes())


def test_the_labels_of_a_person_are_of_sessions_in_the_archive(tmp_path: Path) -> None:
    """Otherwise the benchmark would silently fit on fewer rows."""
    home = unpack_people(tmp_path)["walt"]
    sessions = {window.session for window in read_windows(home / "sessions", tmp_path / "lake", ["owners"])}
    labelled = {label["session"] for label in read_jsonl(LABELS)}
    assert sessions
    assert sessions <= labelled
