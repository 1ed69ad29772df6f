"""`recollect tasks`: the tasks of a project on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.store.lake import Lake
from effects.tasks.task_step import wait_for_lock
from recollect.cli import run
from tests.effects.recall_world import SHOP, filled


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set a lake that does not exist yet, and work in a project."""
    for name in ("lake", "workspace"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "UTC")
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path


def tell(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """Run the command; return what it printed."""
    assert run(["tasks", *arguments]) == code, capsys.readouterr().err
    out, err = capsys.readouterr()
    return out if code == 0 else err


def test_a_task_from_its_title_to_its_outcome(capsys: pytest.CaptureFixture[str]) -> None:
    """Before any night, in a folder that memory does not know."""
    schema = tell(capsys, "add", "Write the schema", "--priority", "1", "--labels", "db,orders").split()[0]
    reader = tell(capsys, "add", "Write the reader", "--type", "feature", "--needs", schema).split()[0]
    assert (
        tell(capsys)
        == f"{schema}  P1  open  task  Write the schema\n{reader}  P2  open  feature  Write the reader  (needs {schema})\n"
    )
    refused = tell(capsys, "claim", reader, code=1)
    assert "blocked by open dependencies" in refused
    assert f"next: recollect tasks show {reader}" in refused, "it tells what the task waits for"
    assert "next: recollect tasks list --all" in tell(capsys, "claim", "t-none", code=1)
    assert tell(capsys, "claim", schema[:6], "--session", "s1") == f"{schema}  P1  in_progress  task  Write the schema\n"
    assert "Already claimed by session s1" in tell(capsys, "claim", schema, code=1)
    assert "open" in tell(capsys, "release", schema)
    closed = tell(capsys, "close", schema, "--summary", "Two tables", "--as-of", "2026-05-17")
    assert closed == f"{schema}  P1  closed  task  Write the schema\n"
    assert "Write the schema" not in tell(capsys)
    assert "Write the schema" in tell(capsys, "list", "--all")
    assert "Write the schema" in tell(capsys, "list", "--status", "closed")
    assert tell(capsys, "search", "two tables").startswith(schema)
    shown = tell(capsys, "show", schema)
    assert "outcome: Two tables" in shown
    assert "labels: db, orders" in shown
    assert "(needs" in tell(capsys, "needs", reader, schema)
    assert "(needs" not in tell(capsys, "needs", reader, schema, "--remove")
    assert "messages: 1" in tell(capsys, "link", reader, "s1:e1") + tell(capsys, "show", reader)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no open task; "),
        (("list", "--all"), "no task; "),
        (("list", "--status", "closed"), "no closed task; "),
        (("search", "schema"), "no task shares a word with it; "),
    ],
)
def test_a_list_without_a_task_says_which_tasks_there_are_none_of(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    """Nobody named a task that could be missing."""
    assert run(["tasks", *arguments]) == 0
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "X", "--priority", "9"), "--priority"),
        (("add", " "), "TITLE: it is empty"),
        (("add", "x" * 501), "TITLE: it has at most 500 characters"),
        (("close", "t-1", "--summary", ""), "--summary: it is empty"),
    ],
)
def test_a_value_that_no_task_can_have_is_wrong_usage(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    """Exit 2 with the help of the action; no task is at fault, so none is listed."""
    message = tell(capsys, *arguments, code=2)
    assert said in message
    assert f"next: recollect tasks {arguments[0]} --help" in message


def test_a_task_waits_for_the_run_that_holds_the_lake(
    capsys: pytest.CaptureFixture[str], own_places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 4, as of every other command."""
    monkeypatch.setattr(wait_for_lock, "__defaults__", (0.0,))
    with Lake(own_places / "lake").writing("recollect nightly"):
        assert "run the same command again" in tell(capsys, "add", "Write the schema", code=4)


def test_tasks_belong_to_their_project(
    capsys: pytest.CaptureFixture[str], own_places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another folder has its own; `--project all` shows everything."""
    tell(capsys, "add", "Write the schema")
    (own_places / "blog").mkdir()
    monkeypatch.chdir(own_places / "blog")
    assert tell(capsys) == ""
    assert "Write the schema" in tell(capsys, "--project", "all")
    assert "one project" in tell(capsys, "add", "Anywhere", "--project", "all", code=2)


def test_a_client_calls_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    """A refusal is an answer; what is not a request is wrong usage."""
    made = json.loads(tell(capsys, "call", '{"action": "create", "title": "Write the schema"}', "--session", "s1"))
    assert made["task"]["title"] == "Write the schema"
    assert json.loads(tell(capsys, "call", '{"action": "ready"}'))["readyCount"] == 1
    assert json.loads(tell(capsys, "call", '{"action": "claim", "id": "t-none"}')) == {
        "success": False,
        "error": "Task not found: t-none",
    }
    assert json.loads(tell(capsys, "call", '{"action": "dance"}'))["success"] is False
    for wrong in ("[]", "{"):
        assert "JSON" in tell(capsys, "call", wrong, code=2)
    assert [json.loads(line)["title"] for line in tell(capsys, "--json").splitlines()] == ["Write the schema"]


def test_past_conversations_are_searched_with_the_shape_of_the_plan(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result says what task its session had claimed when it was said; what cannot be searched is an answer, too."""
    world = filled(tmp_path / "world", model=str(tmp_path / "no-model"))
    monkeypatch.setenv("RECOLLECT_LAKE", str(world.settings.lake))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(world.settings.embedding.model))
    task = tell(capsys, "add", "Choose a cache", "--project", SHOP).split()[0]

    def search(**request: object) -> dict[str, Any]:
        request = {"tool": "memory_search", "action": "search"} | request
        answer: dict[str, Any] = json.loads(tell(capsys, "call", json.dumps(request), "--project", SHOP, "--json"))
        return answer

    def find() -> dict[str, Any]:
        return next(result for result in search(query="session cache TTL", limit=3)["results"] if result["id"] == "o-ttl")

    assert len(search(query="session cache TTL")["results"]) == 1
    assert find()["source"] == "compacted"
    assert "taskId" not in find()
    observations = pl.read_parquet(world.lake.list_files("observations"))
    session = observations.filter(pl.col("observation_id") == "o-ttl")["session_id"].item()
    tell(capsys, "claim", task, "--session", session, "--as-of", "2026-02-08", "--project", SHOP)
    found = search(query="session cache TTL", limit=3)
    assert [result["rank"] for result in found["results"]] == [1, 2, 3]
    assert find()["taskId"] == task
    assert found["totalHits"] >= 3
    assert {result["source"] for result in search(query="session cache TTL", limit=10)["results"]} <= {
        "raw",
        "compacted",
        "reflection",
    }
    assert search(query=" ") == {"success": False, "error": "`query` is missing: a text"}
    assert "whole number" in search(query="cache", limit=-1)["error"]
    assert "not 'guess'" in search(query="cache", action="guess")["error"]
