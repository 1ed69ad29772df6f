"""The example queries and the notebook of docs/ answer over a lake of the samples, through the connection of `recollect sql`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from effects.config.settings import DistilSettings, Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.health.sample_sessions import copy_sample_sessions
from effects.ingest.ingest_step import ingest
from effects.memory.dedupe_step import dedupe
from effects.store.lake import Lake
from effects.store.run import Run
from effects.store.sql_console import connect
from tests.agent_lines import (
    CLAUDE_ID,
    CODEX_ID,
    claude_answer,
    claude_prompt,
    codex_answer,
    codex_line,
    codex_meta,
    codex_prompt,
    text_part,
)
from tests.effects.session_home import write
from tests.effects.store.sql_query import run_query

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebooks" / "memory.ipynb"
PAGE = Path(__file__).parents[2] / "docs" / "queries.md"
CLAUDE = [
    claude_prompt("p1", None, 0, "please read the table"),
    claude_answer("a1", "p1", 1, "m1", text_part("It has four rows."), output=700),
    claude_prompt("p2", "a1", 2, "no, the other table"),
]
CODEX = [
    codex_meta(),
    codex_line("turn_context", 1, model="gpt-x"),
    *codex_prompt(1, "fix the linter"),
    codex_answer(2, "It is fixed."),
    codex_line("event_msg", 3, type="token_count", info={"total_token_usage": {"input_tokens": 9, "output_tokens": 500}}),
]
CHILD_ID = f"{CODEX_ID[:-1]}2"
CHILD = [
    codex_meta(id=CHILD_ID, source={"subagent": {"thread_spawn": {"parent_thread_id": CODEX_ID}}}),
    *codex_prompt(1, "stop at the first fault and report it"),
    codex_answer(2, "There is none."),
]
QUERIES = dict(re.findall(r"^## (.+?)\n.*?```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S | re.M))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run on a lake of all samples and a session of each other client, read, cut and distilled."""
    root = tmp_path_factory.mktemp("queries")
    write(root / "sessions" / "claude" / f"{CLAUDE_ID}.jsonl", *CLAUDE)
    write(root / "sessions" / "codex" / "codex.jsonl", *CODEX)
    write(root / "sessions" / "codex" / "child.jsonl", *CHILD)
    copy_sample_sessions(Path(__file__).parents[2] / "data" / "samples" / "sessions", root / "sessions")
    settings = Settings(
        sessions=(root / "sessions",), lake=root / "lake", workspace=root / "workspace", timezone="Europe/Berlin",
        distil=DistilSettings(),
    )  # fmt: skip
    run = Run(settings, Lake(settings.lake), datetime(2026, 6, 1, tzinfo=UTC))
    with run.lake.writing("test"):
        ingest(run)
        window(run)
        distil(run)
        dedupe(run)
    return run


@pytest.fixture(scope="module")
def connection(run: Run) -> Iterator[Any]:
    """The connection of `recollect sql` to this lake."""
    with connect(run.lake, run.settings.timezone) as duckdb:
        yield duckdb


def test_there_are_at_least_ten_questions() -> None:
    assert len(QUERIES) >= 10
    assert len(QUERIES) == PAGE.read_text(encoding="utf-8").count("\n## ")


@pytest.mark.parametrize("question", QUERIES)
def test_a_question_has_an_answer_in_the_samples(connection: Any, question: str) -> None:
    names, results = run_query(connection, QUERIES[question])
    answers = list(results)
    assert answers, question
    assert len(names) >= 2
    empty = [name for at, name in enumerate(names) if all(row[at] is None for row in answers)]
    assert empty == [], "a column without any value answers nothing"


def select_rows(connection: Any, question: str) -> list[dict[str, Any]]:
    """Return the answer to a question of the page as rows by column."""
    names, results = run_query(connection, QUERIES[question])
    return [dict(zip(names, row, strict=True)) for row in results]


def test_costs_of_all_weeks_are_the_costs_of_all_sessions(connection: Any) -> None:
    rows = select_rows(connection, "What does each project cost per week?")
    _, results = run_query(connection, "SELECT sum(cost_usd), sum(output_tokens) FROM sessions")
    usd, tokens = next(iter(results))
    assert sum(row["usd"] or 0 for row in rows) == pytest.approx(usd, abs=0.05)
    assert sum(row["output_tokens"] for row in rows) == tokens


def test_a_cost_that_no_client_wrote_is_unknown_and_its_tokens_count(connection: Any) -> None:
    weeks = [row for row in select_rows(connection, "What does each project cost per week?") if row["project"] == "app"]
    assert [(row["usd"], row["output_tokens"], row["sessions"]) for row in weeks] == [(None, 1200, 2)]
    mine = {row["agent"]: row for row in select_rows(connection, "How many sessions were mine, and what did they cost?")}
    assert (mine["claude"]["usd"], mine["codex"]["usd"]) == (None, None)
    assert mine["pi"]["usd"] > 0


def test_answers_of_all_clients_have_their_tokens(connection: Any) -> None:
    models = {row["model"]: row for row in select_rows(connection, "How do the models compare?")}
    claude, codex = (next(row for name, row in models.items() if name.endswith(end)) for end in ("claude-x", "gpt-x"))
    assert (claude["answers"], claude["tokens_an_answer"]) == (1, 700)
    assert (codex["answers"], codex["tokens_an_answer"]) == (1, 500)


def test_messages_of_mine_are_those_that_sessions_count(connection: Any) -> None:
    """Not the order of a parent agent to its sub-agent, which begins with "stop"."""
    _, results = run_query(connection, "SELECT sum(user_message_count) FROM sessions")
    total = next(iter(results))[0]
    projects = select_rows(connection, "How often do I have to stop or correct the agent?")
    assert sum(row["messages"] for row in projects) == total
    assert sum(row["messages"] for row in select_rows(connection, "When do I work?")) == total
    assert [(row["messages"], row["corrected"]) for row in projects if row["folder"] == "app"] == [(3, 1)]
    assert len({row["folder"] for row in projects}) == len(projects)


def test_the_commands_of_all_clients_are_counted(connection: Any) -> None:
    """pi and Claude Code write them into their answers, Codex as calls with arguments in a text, older versions as words."""
    question = QUERIES["Which commands does the agent run most?"]

    def call(kind: str, name: str, **more: Any) -> dict[str, Any]:
        return {"type": kind, "name": name, **more}

    entries = [
        {"message": {"content": [call("toolCall", "bash", arguments={"command": '# all\ncd "/w/a b" && A=1 make test'})]}},
        {"message": {"content": [{"type": "text", "text": "So."}, call("tool_use", "Bash", input={"command": "make check"})]}},
        {"message": {"content": "plain text"}},
        {"message": {"content": [call("tool_use", "Read", input={"file_path": "a"})]}},
        {"payload": call("function_call", "exec_command", arguments=json.dumps({"cmd": "make lint"}))},
        {"payload": call("function_call", "shell", arguments=json.dumps({"command": ["bash", "-lc", "git status"]}))},
        {"payload": call("function_call", "update_plan", arguments="{broken")},
    ]
    rows = ", ".join(f"($${json.dumps(entry)}$$, 'assistant', []::VARCHAR[])" for entry in entries)
    _, results = run_query(
        connection, question.replace("WITH calls", f"WITH entries(raw_json, role, flags) AS (VALUES {rows}), calls")
    )
    assert list(results) == [("make", 3), ("git", 1)]


def read_cells() -> list[dict[str, Any]]:
    """Return the cells of the notebook."""
    return list(json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"])


def test_the_notebook_draws_five_pictures_of_the_lake(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells run one after the other as in Jupyter, without a kernel, a screen or a network."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("RECOLLECT_LAKE", str(run.settings.lake))
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(pyplot, "show", lambda: None)
    names: dict[str, Any] = {}
    for cell in read_cells():
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), str(cell["id"]), "exec"), names)
    names["lake"].close()
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    drawn = [len(figure.axes[0].patches) + len(figure.axes[0].images) for figure in figures]
    titles = [figure.axes[0].get_title(loc="left") for figure in figures]
    pyplot.close("all")
    assert len(set(titles)) == len(figures) == 5
    assert all(drawn), dict(zip(titles, drawn, strict=True))


def test_the_notebook_holds_nothing_of_its_authors_lake() -> None:
    """No outputs, no counts of execution, and an explanation before each picture."""
    cells = read_cells()
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code"] * 6
