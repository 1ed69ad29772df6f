"""The end of `recollect init`, for somebody who has never seen a step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from effects.config.settings import EmbeddingSettings
from effects.report.first_memory import describe_memory
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline
from tests.effects.session_home import Home
from tests.flows.test_runner_closing_together import session_file


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_it_says_what_memory_holds_where_it_is_and_what_comes_next(home: Home, tmp_path: Path) -> None:
    session_file(home.sessions, "s-1")
    home.run = replace(home.run, settings=replace(home.run.settings, embedding=EmbeddingSettings(model=str(tmp_path / "none"))))
    run_pipeline(home.run, nightly_pipeline(None))
    memory = describe_memory(home.run, "cron")
    facts = len([row for row in home.rows("observations") if row["verdict"] == "allow" and row["superseded_by"] is None])
    day = home.rows("sessions")[0]["day"]
    assert memory.holds[0] == f"memory     {facts} facts from 1 session in 1 project, {day} to {day}"
    assert memory.holds[1] == f"pages      {home.run.settings.workspace}"
    commands = [line[11:].split("   ")[0] for line in memory.next if line[11:].startswith("recollect ")]
    assert commands == ['recollect ask "what did we decide about …?"', "recollect review", "recollect doctor"]
    waiting = len([row for row in home.rows("proposals") if row["status"] == "pending"])
    assert ("nothing waits" in memory.next[1]) == (waiting == 0)
    assert "at 03:30 (cron)" in memory.next[-1]
    assert "`recollect nightly --direct`" in describe_memory(home.run, "none").next[-1]


def test_a_memory_without_a_session_is_called_empty(home: Home) -> None:
    home.night()
    assert describe_memory(home.run, "none").holds == ("memory     is empty: no session has been read yet",)
