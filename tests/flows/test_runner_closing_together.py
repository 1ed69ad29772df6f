"""Sessions that close at the same moment: each is distilled at once, none waits for the night."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from effects.config.settings import EmbeddingSettings, Settings
from effects.ingest.waiting_sessions import WaitingSession, enqueue_session, list_waiting_sessions
from effects.store.lake import Lake
from effects.store.run import Counts, Run, open_run
from flows import runner
from flows.pipeline import Pipeline
from flows.runner import run_pipeline

ROOT = Path(__file__).resolve().parent.parent.parent
START = datetime(2026, 5, 17, 10, tzinfo=UTC)
TYPED = (
    "we decided to keep port {port} for the {name} gateway from now on",
    "please run the tests of {name} again, the last run was red",
    "I never want tabs in the Python files here, always four spaces",
    "why does the {name} build take ten minutes?",
    "no, the cache of {name} lives in Redis, not in Postgres",
    "ok, then write the changelog and commit it",
)
"""Six messages of different forms: one form again and again is what a program types."""


def session_file(folder: Path, name: str) -> Path:
    """Write a session of six typed messages with an answer each: enough to be distilled."""
    lines: list[dict[str, object]] = [
        {"type": "session", "version": 3, "id": name, "timestamp": START.isoformat(), "cwd": f"/home/mara/{name}"}
    ]
    for number in range(12):
        at = START + timedelta(minutes=number)
        text = TYPED[number // 2].format(name=name, port=4000 + number) if number % 2 == 0 else "Done."
        message = {"role": "user" if number % 2 == 0 else "assistant", "content": [{"type": "text", "text": text}]}
        parent = f"e{number - 1}" if number else None
        lines.append({"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": at.isoformat(), "message": message})
    path = folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def distilled(lake: Lake) -> set[str]:
    """Return the sessions with a distilled window."""
    windows = lake.read("windows")
    return {row["session_id"] for row in windows.to_dicts() if row["status"] == "distilled"}


def test_sessions_that_close_at_once_are_all_distilled(tmp_path: Path) -> None:
    """Three processes; the one that gets the lake reads what the others left, and no night is needed."""
    names = [f"s-{number}" for number in range(3)]
    files = [session_file(tmp_path / "sessions", name) for name in names]
    places = {f"RECOLLECT_{name.upper()}": str(tmp_path / name) for name in ("lake", "workspace", "sessions")}
    environment = os.environ | places | {"RECOLLECT_EMBEDDING__MODEL": str(tmp_path / "no-model")}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "recollect", "session", str(path), "--closed", "--direct"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for path in files
    ]
    ended = [(process.communicate()[1].decode(), process.returncode) for process in started]
    assert {code for _, code in ended} == {0}, ended
    lake = Lake(tmp_path / "lake")
    assert distilled(lake) == set(names)
    assert list_waiting_sessions(lake) == []
    assert not list((tmp_path / "lake" / "_queue").glob("*.json"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings with a lake in the folder of the test, without a model."""
    return Settings(
        lake=tmp_path / "lake",
        workspace=tmp_path / "workspace",
        sessions=(tmp_path / "sessions",),
        embedding=EmbeddingSettings(model=str(tmp_path / "no-model")),
    )


def test_a_note_that_comes_while_a_run_ends_is_read_by_that_run(settings: Settings, tmp_path: Path) -> None:
    """Even when the run itself has nothing to do with sessions."""
    run, path = open_run(settings, START), session_file(tmp_path / "sessions", "late")

    def leave_note(_: Run) -> Counts:
        enqueue_session(run.lake, WaitingSession(path, is_closed=True))
        return {}

    summary = run_pipeline(run, Pipeline("review", (leave_note,)))
    assert (summary["flow"], list(summary["counts"])) == ("review", ["leave_note"])
    assert distilled(run.lake) == {"late"}
    assert sorted(run.lake.read("runs")["flow"]) == ["review", "session"]


def test_a_note_is_left_to_the_one_who_holds_the_lake_by_then(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run that found the lake taken ends well: whoever holds it looks for notes when it is done."""
    run, path = open_run(settings, START), session_file(tmp_path / "sessions", "late")
    run_locked, other = runner._run_locked, Lake(settings.lake).writing("other")

    def taken_afterwards(*arguments: Any) -> Any:
        monkeypatch.setattr(runner, "_run_locked", run_locked)
        summary = run_locked(*arguments)
        enqueue_session(run.lake, WaitingSession(path, is_closed=True))
        other.__enter__()
        return summary

    monkeypatch.setattr(runner, "_run_locked", taken_afterwards)
    run_pipeline(run, Pipeline("review", ()))
    assert list_waiting_sessions(run.lake) == [WaitingSession(path, is_closed=True)]
    other.__exit__(None, None, None)
