"""Names that no file system takes, and stray files, stop no night."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from effects.config.settings import EmbeddingSettings, Settings
from effects.ingest.waiting_sessions import QUEUE_FOLDER, list_waiting_sessions
from effects.store.run import Run, open_run
from flows.pipelines import nightly_pipeline
from flows.runner import RunSummary, run_pipeline

START = datetime(2026, 5, 17, 10, tzinfo=UTC)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a run with a lake in the folder of the test, without a model."""
    return open_run(
        Settings(
            lake=tmp_path / "lake",
            workspace=tmp_path / "workspace",
            sessions=(tmp_path / "sessions",),
            embedding=EmbeddingSettings(model=str(tmp_path / "no-model")),
        ),
        START + timedelta(days=2),
    )


def write_session(folder: Path, file_name: str, session_id: str, cwd: str, name: str = "", parent: str | None = None) -> None:
    """Write a session of six typed messages with an answer each: enough to be distilled."""
    lines: list[dict[str, object]] = [
        {"type": "session", "version": 3, "id": session_id, "timestamp": START.isoformat(), "cwd": cwd, "parentSession": parent},
        {"type": "session_info", "id": "name", "parentId": None, "timestamp": START.isoformat(), "name": name},
    ]
    for number in range(12):
        is_user = number % 2 == 0
        text = f"we decided to keep port {4000 + number} for the gateway from now on" if is_user else "Done."
        message = {"role": "user" if is_user else "assistant", "content": [{"type": "text", "text": text}]}
        time = (START + timedelta(minutes=number)).isoformat()
        parent_id = f"e{number - 1}" if number else "name"
        lines.append({"type": "message", "id": f"e{number}", "parentId": parent_id, "timestamp": time, "message": message})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{file_name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def run_night(run: Run) -> RunSummary:
    return run_pipeline(run, nightly_pipeline(None))


@pytest.mark.parametrize(
    "odd",
    [
        {"session_id": "odd", "cwd": "/w/a\0b"},
        {"session_id": "odd", "cwd": "/w/" + "long" * 100},
        {"session_id": "odd", "cwd": "/w/odd", "name": "na\0me"},
        {"session_id": "o\0dd", "cwd": "/w/odd"},
        {"session_id": "odd", "cwd": "/w/odd", "parent": "/w/\0.jsonl"},
    ],
    ids=["cwd", "long cwd", "name", "session id", "parent"],
)
def test_a_session_with_an_unusable_name_stops_no_night(run: Run, tmp_path: Path, odd: dict[str, str]) -> None:
    """Both sessions are distilled and both projects have a page; the second night changes nothing."""
    write_session(tmp_path / "sessions", "good", "good", "/w/good")
    write_session(tmp_path / "sessions", "odd", **odd)
    run_night(run)
    pages = {path: path.read_bytes() for path in (tmp_path / "workspace" / "briefing").glob("*.md")}
    assert len(pages) == 2
    assert set(run.lake.read("windows")["status"]) == {"distilled"}
    run_night(run)
    assert {path: path.read_bytes() for path in (tmp_path / "workspace" / "briefing").glob("*.md")} == pages


def test_a_note_with_an_unusable_path_is_named_and_does_not_wait_again(run: Run, tmp_path: Path) -> None:
    write_session(tmp_path / "sessions", "good", "good", "/w/good")
    notes = tmp_path / "lake" / QUEUE_FOLDER
    notes.mkdir(parents=True)
    for number, path in enumerate(["/w/a\0b.jsonl", "/w/" + "long" * 100 + ".jsonl"]):
        (notes / f"{number}.json").write_text(json.dumps({"path": path, "is_closed": True}), encoding="utf-8")
    (notes / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    summary = run_night(run)
    problems = summary["counts"]["read_waiting"]["problems"]
    assert len(problems) == 3
    assert list_waiting_sessions(run.lake) == []
    assert set(run.lake.read("sessions")["session_id"]) == {"good"}


def test_a_stray_file_among_the_commits_stops_no_night(run: Run, tmp_path: Path) -> None:
    write_session(tmp_path / "sessions", "good", "good", "/w/good")
    commits = tmp_path / "lake" / "_tx"
    commits.mkdir(parents=True)
    (commits / ".DS_Store").write_bytes(b"\0")
    run_night(run)
    assert run.lake.read("sessions").height == 1
    assert (commits / ".DS_Store").exists()
