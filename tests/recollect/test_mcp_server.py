"""The MCP server as a client sees it: six tools, few tokens, errors that a model can act on."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import RequestParamsMeta

from effects.judging.line_cautions import ASKED_BY_AGENT
from effects.store.lake import Lake
from effects.store.run import Run
from recollect.mcp_server import build_server
from tests.effects.recall_world import BLOG, SHOP, filled, write
from transforms.conversation.message_spans import classify_turn
from transforms.tables.ids import shorten_id
from transforms.tables.tokens import count_tokens

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = ["memory_briefing", "memory_remember", "memory_search", "memory_show", "task_mutate", "task_query"]

Talk = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Two projects in a lake with a word index; the settings lead to it."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    for name, value in environment(run).items():
        monkeypatch.setenv(name, value)
    return run


def environment(run: Run) -> dict[str, str]:
    """Return the settings of a run as variables."""
    places = {"LAKE": run.settings.lake, "WORKSPACE": run.settings.workspace, "EMBEDDING__MODEL": run.settings.embedding.model}
    return {f"RECOLLECT_{name}": str(value) for name, value in {**places, "TIMEZONE": "UTC", "OWNER": "joel"}.items()}


def within(run: Run, talk: Talk) -> Any:
    """Talk to a server in this process."""

    async def connected() -> Any:
        async with Client(build_server(run.settings)) as client:
            return await talk(client)

    return asyncio.run(connected())


def call(run: Run, tool: str, meta: RequestParamsMeta | None = None, **arguments: Any) -> tuple[bool, str]:
    """Return whether the call failed, and its text."""

    async def talk(client: Client) -> tuple[bool, str]:
        done = await client.call_tool(tool, arguments, meta=meta)
        assert len(done.content) == 1
        assert done.structured_content is None  # the same words twice would cost twice
        return bool(done.is_error), str(getattr(done.content[0], "text", ""))

    result: tuple[bool, str] = within(run, talk)
    return result


def answer_text(run: Run, **arguments: Any) -> str:
    """Return the text of a search that did not fail."""
    is_error, text = call(run, "memory_search", **arguments)
    assert not is_error, text
    return text


def failed(run: Run, tool: str, **arguments: Any) -> str:
    """Return the readable text of a call that failed."""
    is_error, text = call(run, tool, **arguments)
    assert is_error, text
    assert "Traceback" not in text
    return text


@pytest.mark.parametrize(
    ("tool", "arguments", "unknown"),
    [("memory_search", {"query": "cache", "since_date": "2026-02-01"}, "since_date"), ("task_query", {"where": "shop"}, "where")],
)
def test_an_argument_that_a_tool_does_not_have_is_named(run: Run, tool: str, arguments: dict[str, Any], unknown: str) -> None:
    """It was passed over: every day was searched, and nothing said so."""
    assert unknown in failed(run, tool, **arguments)


REQUIRED = {
    "memory_search": {"query": "cache"}, "memory_show": {"id": "o-ttl"}, "memory_briefing": {}, "memory_remember": {"text": "A."},
    "task_mutate": {"action": "create", "title": "A"}, "task_query": {"action": "ready"},
}  # fmt: skip
NO_VALUE = {"an": "object"}
"""No argument of any tool takes it."""


@pytest.mark.parametrize("tool", TOOLS)
def test_arguments_that_a_tool_cannot_take_are_told_with_the_next_step(run: Run, tool: str) -> None:
    """Each of its arguments with a wrong type, each required one missing, and an unknown one."""

    async def list_arguments(client: Client) -> list[str]:
        tools = (await client.list_tools()).tools
        return [name for listed in tools if listed.name == tool for name in listed.input_schema["properties"]]

    calls = [(name, REQUIRED[tool] | {name: NO_VALUE}) for name in within(run, list_arguments)]
    calls += [
        (name, {key: value for key, value in REQUIRED[tool].items() if key != name}) for name in REQUIRED[tool] if name != "title"
    ]
    calls += [("other", REQUIRED[tool] | {"other": 1})]
    for name, arguments in calls:
        text = failed(run, tool, **arguments)
        assert f"`{name}`" in text
        assert f". Next: call {tool} again with " in text
        assert "pydantic" not in text
        assert "validation" not in text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"query": "cache", "limit": "many"},
            '`limit` of memory_search cannot be "many".'
            " Next: call memory_search again with `limit` as a whole number from 1 (Most hits.).",
        ),
        (
            {"limit": 0},
            "memory_search needs `query`; `limit` of memory_search cannot be 0. Next: call memory_search again with `query` as a"
            " text (A question, words, names, paths, error texts.), and `limit` as a whole number from 1 (Most hits.).",
        ),
        (
            {"query": "cache", "action": "find"},
            '`action` of memory_search cannot be "find". Next: call memory_search again with `action` as "search" (search).',
        ),
    ],
)
def test_a_wrong_argument_is_told_with_its_value_and_what_it_takes(run: Run, arguments: dict[str, Any], text: str) -> None:
    assert failed(run, "memory_search", **arguments) == text


def test_the_next_step_of_an_error_is_a_tool_or_a_command_for_the_person(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client may have no shell: "`recollect show` prints ids" led nowhere."""
    shown = failed(run, "memory_show", id="o-nothing")
    assert "memory_search" in shown
    assert "memory_show" in shown
    assert "recollect show" not in shown
    monkeypatch.chdir(tmp_path)
    homeless = failed(run, "memory_briefing")
    assert "memory_briefing project P, with one of" in homeless, "a tool has arguments, a command options"
    none = replace(run, settings=replace(run.settings, lake=tmp_path / "none"))
    assert "ask the person to run" in failed(none, "memory_show", id="o-1")


def test_a_real_client_lists_searches_shows_and_remembers_over_stdio(run: Run, tmp_path: Path) -> None:
    """Started as a client starts it, from a folder inside a project's path; nothing but the protocol is on stdout."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "recollect", "mcp"],
        env={**os.environ, **environment(run), "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )

    async def talk() -> None:
        async with Client(server) as client:
            assert client.server_info.name == "recollect"
            assert client.instructions
            assert sorted(tool.name for tool in (await client.list_tools()).tools) == TOOLS
            hits = await client.call_tool("memory_search", {"query": "session cache TTL", "project": "shop"})
            assert "Session cache: Redis, TTL 15 minutes (replaces 60 minutes)" in text_of(hits)
            assert "o-ttl | 2026-02-09 | decision | shop | " in text_of(hits)
            assert "m-d8b1654b | 2026-02-01 | rule | everywhere | (quoted above)" in text_of(hits)
            shown = await client.call_tool("memory_show", {"id": "o-ttl"})
            assert "Done: sessions live in Redis with a TTL of 15 minutes" in text_of(shown)
            kept = await client.call_tool("memory_remember", {"text": "Invoices are PDF/A", "section": "Patterns"})
            assert "waits in REVIEW.md" in text_of(kept)
            missing = await client.call_tool("memory_show", {"id": "o-nothing"})
            assert missing.is_error

    asyncio.run(talk())


def text_of(result: Any) -> str:
    """Return the text of a result."""
    return str(result.content[0].text)


def test_the_tools_are_few_and_cost_little_of_every_session(run: Run) -> None:
    """Their forms are in the context of each session whether memory is asked or not; only two tools write."""

    async def talk(client: Client) -> list[Any]:
        return list((await client.list_tools()).tools)

    tools = within(run, talk)
    assert sorted(tool.name for tool in tools) == TOOLS
    tool_forms = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
    assert sum(count_tokens(json.dumps(tool)) for tool in tool_forms) < 2_000
    assert all(field["description"] for tool in tool_forms for field in tool["inputSchema"]["properties"].values())
    assert [tool.name for tool in tools if not tool.annotations.read_only_hint] == ["memory_remember", "task_mutate"]


def test_hits_come_as_an_index_first_and_in_full_on_demand(run: Run) -> None:
    """A superseded hit names its successor."""
    index = answer_text(run, query="session cache TTL", project="shop")
    assert "o-old | 2026-02-06 | decision, superseded by o-ttl | shop | Session cache: Redis, TTL 60 minutes" in index
    assert index.startswith("<recollect-memory>\nEvidence: ")
    assert classify_turn(index) == "memory"  # a session that holds this result is not observed for it
    full = answer_text(run, query="slow checkout", project="shop", details=True)
    assert "said in shop-1, lines" in full


def test_project_time_and_kind_narrow_the_search(run: Run) -> None:
    """The filters are those of the command line."""
    assert "o-style | 2" not in answer_text(run, query="imperative commit messages", project="shop", kinds=["decision"])
    assert "o-style" in answer_text(run, query="imperative commit messages", project=BLOG, kinds=["preference"])
    assert "o-ttl | 2" not in answer_text(run, query="session cache", project=SHOP, until="2026-02-08")
    assert "o-old | 2" not in answer_text(run, query="session cache", project=SHOP, since="2026-02-09")


def test_in_a_folder_without_sessions_a_search_covers_what_holds_everywhere(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was said in one project is no business of a session in a folder that nobody has worked in."""
    monkeypatch.chdir(tmp_path)
    assert "o-style" in answer_text(run, query="imperative commit messages")
    for query in ("session cache redis TTL", "slow checkout invoices PDF"):
        text = answer_text(run, query=query)
        assert "o-ttl" not in text
        assert "pdfkit" not in text
        assert "shop-1" not in text
    assert "o-ttl" in answer_text(run, query="session cache redis TTL", project="all")


def test_a_result_stays_within_its_tokens_and_says_what_is_missing(run: Run) -> None:
    """Whole lines only."""
    text = answer_text(run, query="session cache redis TTL", project="all", max_tokens=220)
    assert count_tokens(text) <= 220
    assert "more do not fit max_tokens" in text
    is_error, shown = call(run, "memory_show", id="w-1", max_tokens=150)
    assert not is_error
    assert count_tokens(shown) <= 150
    assert "shortened to the token budget" in shown


def test_a_briefing_of_a_project_by_its_name(run: Run) -> None:
    """For a folder without sessions the answer lists the known projects."""
    is_error, text = call(run, "memory_briefing", project="shop")
    assert not is_error
    assert "# Briefing: shop" in text
    assert "blog, shop" in failed(run, "memory_briefing")


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("memory_show", {"id": "o-nothing"}, "nothing has the id"),
        ("memory_search", {"query": "x", "project": "nowhere"}, "known projects: blog, shop"),
        ("memory_search", {"query": "x", "since": "monday"}, "is not a date"),
        ("memory_search", {"query": "x", "kinds": ["bug"]}, "root_cause"),
        ("memory_search", {"query": "  "}, "empty"),
        ("memory_search", {}, "needs `query`"),
        ("memory_remember", {"text": "Tea", "section": "Teapots"}, "Hard Rules"),
    ],
)
def test_an_error_names_the_next_command(run: Run, tool: str, arguments: dict[str, Any], message: str) -> None:
    """A model reads it and tries again."""
    assert message in failed(run, tool, **arguments)


def test_what_is_remembered_waits_for_the_person_and_names_the_agent(run: Run) -> None:
    """MEMORY.md is as it was; while another run holds the lake the agent is told to try again."""
    before = (run.settings.workspace / "MEMORY.md").read_bytes()
    is_error, text = call(run, "memory_remember", text="Invoices are PDF/A")
    assert not is_error
    assert "waits in REVIEW.md" in text
    assert "Invoices are PDF/A" in (run.settings.workspace / "REVIEW.md").read_text(encoding="utf-8")
    assert (run.settings.workspace / "MEMORY.md").read_bytes() == before
    assert run.lake.read("proposal_events")["actor"].to_list() == ["agent"]
    with Lake(run.settings.lake).writing("recollect nightly"):
        assert "Try again" in failed(run, "memory_remember", text="Invoices have numbers")


def test_what_is_remembered_belongs_to_the_folders_project(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder without sessions it belongs to the session that asks; in the home folder to all."""
    write(run, "projects", [{"folder": str(tmp_path), "project": BLOG, "joined_by": "folder", "joined_to": None, "remote": None}])
    monkeypatch.chdir(Path.home())
    call(run, "memory_remember", text="Invoices are PDF/A")
    new = Path(__file__).parent
    monkeypatch.chdir(new)
    call(run, "memory_remember", text="Numbers have no gaps")
    monkeypatch.chdir(tmp_path)
    assert "(in blog)" in call(run, "memory_remember", text="Posts have a summary")[1]
    projects = dict(run.lake.read("proposals").select("text", "project").iter_rows())
    assert projects == {"Invoices are PDF/A": None, "Numbers have no gaps": str(new), "Posts have a summary": BLOG}
    page = (run.settings.workspace / "REVIEW.md").read_text(encoding="utf-8")
    assert page.partition("Posts have a summary")[2].partition("- [ ]")[0].count("  - Holds in blog") == 1
    assert page.count("Holds in") == 2


def test_an_agent_may_propose_a_line_that_holds_everywhere(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "Remember that I never want emojis", said in a project. It waits as every line of an agent does."""
    folder = {"folder": str(tmp_path), "project": BLOG, "joined_by": "folder", "joined_to": None, "remote": None}
    write(run, "projects", [folder])
    monkeypatch.chdir(tmp_path)
    assert "(in blog)" not in call(run, "memory_remember", text="Never use emojis", everywhere=True)[1]
    row = run.lake.read("proposals").row(0, named=True)
    assert (row["project"], row["status"], run.lake.read("proposal_events")["actor"].to_list()) == (None, "pending", ["agent"])
    page = (run.settings.workspace / "REVIEW.md").read_text(encoding="utf-8").partition("Never use emojis")[2]
    assert f"⚠️ {ASKED_BY_AGENT}" in page
    assert "Holds in" not in page


def test_review_md_tells_a_line_that_an_agent_asked_for_from_one_of_the_owner(run: Run) -> None:
    from recollect.pipeline_runs import save_line

    save_line(run, "Deploys happen on Tuesdays", None, False)
    call(run, "memory_remember", text="Always run i.sh before a commit")
    page = (run.settings.workspace / "REVIEW.md").read_text(encoding="utf-8")
    agents, owners = page.split("Always run i.sh")[1], page.split("Deploys happen on Tuesdays")[1].split("- [ ]")[0]
    assert f"⚠️ {ASKED_BY_AGENT}" in agents.split("- [ ]")[0]
    assert "⚠️" not in owners


def test_an_agent_changes_no_tasks_of_another_project_than_its_folders(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stand on the briefing of that project. A client that starts its servers in the home folder names one; a folder that
    memory has not seen yet is no licence."""
    blog = tmp_path / "blog"
    blog.mkdir()
    monkeypatch.chdir(blog)
    arguments = {"action": "create", "title": "Run i.sh first", "project": SHOP}
    assert "only the person changes tasks elsewhere" in call(run, "task_mutate", None, **arguments)[1]
    assert '"success": true' in call(run, "task_mutate", None, action="create", title="Write the first post")[1]
    with monkeypatch.context() as home:
        home.setenv("HOME", str(blog))
        assert '"success": true' in call(run, "task_mutate", None, **arguments)[1]
    write(run, "projects", [{"folder": str(blog), "project": BLOG, "joined_by": "folder", "joined_to": None, "remote": None}])
    for action in ("create", "update_context"):
        answered = call(run, "task_mutate", None, **arguments | {"action": action, "content": "Run i.sh first"})[1]
        assert "only the person changes tasks elsewhere" in answered
    assert '"success": true' in call(run, "task_mutate", None, **arguments | {"project": BLOG})[1]


def test_a_server_that_runs_for_days_sees_what_a_night_wrote(run: Run) -> None:
    """The index is opened again; before the first night there is an error instead of a crash."""

    async def talk(client: Client) -> None:
        first = text_of(await client.call_tool("memory_search", {"query": "invoices PDF/A archive", "project": "all"}))
        assert "m-" not in first
        from recollect.pipeline_runs import save_line

        await asyncio.to_thread(save_line, run, "Invoices are archived as PDF/A", None, True)
        second = text_of(await client.call_tool("memory_search", {"query": "invoices PDF/A archive", "project": "all"}))
        assert "Invoices are archived as PDF/A" in second

    within(run, talk)
    empty = Run(replace(run.settings, lake=run.settings.lake / "none"), run.lake, run.as_of)
    assert "recollect nightly" in failed(empty, "memory_search", query="x")


def test_what_nobody_foresaw_is_one_line_and_its_traceback_is_logged(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session goes on without memory."""

    def explode(*arguments: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("effects.recall.show_record.show_record", explode)
    assert "by nothing" in failed(run, "memory_show", id="o-ttl")
    assert "ZeroDivisionError" in (run.settings.lake / "_logs" / "errors.log").read_text(encoding="utf-8")


def test_a_search_may_ask_for_few_hits(run: Run) -> None:
    """Also with the `action` of other memories' tools, which says nothing here."""
    few = answer_text(run, query="session cache TTL", project="all", action="search", limit=1)
    many = answer_text(run, query="session cache TTL", project="all")
    assert [text.count(" | 2026-") for text in (few, many)] == [1, many.count(" | 2026-")]
    assert many.count(" | 2026-") > 1


def test_a_task_is_created_claimed_and_closed_in_the_shapes_of_the_plan(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals are answers with `success: false`; a client may tell its session, else the server is one."""
    monkeypatch.chdir(Path.home())

    def answer(tool: str, **arguments: Any) -> dict[str, Any]:
        is_error, text = call(run, tool, project="shop", **arguments)
        assert not is_error, text
        body: dict[str, Any] = json.loads(text.removeprefix("<recollect-memory>").removesuffix("</recollect-memory>"))
        return body

    schema = answer("task_mutate", action="create", title="Write the schema", priority=1)["task"]
    reader = answer("task_mutate", action="create", title="Write the reader", type="feature")["task"]
    assert (schema["status"], schema["priority"], schema["type"], schema["project"]) == ("open", 1, "task", SHOP)
    assert answer("task_mutate", action="dep", taskId=reader["id"], dependsOn=schema["id"])["success"] is True
    ready = answer("task_query", action="ready")
    assert [task["title"] for task in ready["tasks"]] == ["Write the schema", "Write the reader"]
    assert (ready["readyCount"], ready["blockedCount"]) == (1, 1)
    shown = answer("task_query", action="show", id=reader["id"])
    assert (shown["isBlocked"], [task["id"] for task in shown["blockingTasks"]]) == (True, [schema["id"]])
    refused = answer("task_mutate", action="claim", id=reader["id"], sessionId="s1")
    assert refused == {"success": False, "error": f"Task is blocked by open dependencies: {schema['id']}"}
    assert answer("task_mutate", action="claim", id=schema["id"])["task"]["sessionId"].startswith("mcp-")
    assert "Already claimed" in answer("task_mutate", action="claim", id=schema["id"], sessionId="s2")["error"]
    closed = answer("task_mutate", action="close", id=schema["id"], reason="completed", summary="Two tables in SQLite")["task"]
    assert (closed["status"], closed["closeReason"], closed["summary"]) == ("closed", "completed", "Two tables in SQLite")
    assert answer("task_query", action="search", query="tables of SQLite")["tasks"][0]["id"] == schema["id"]
    for wrong in ({"action": "dance"}, {"action": "close", "id": schema["id"], "reason": "completed"}, {"action": "create"}):
        assert answer("task_mutate", **wrong)["success"] is False
    assert answer("task_mutate", meta={"threadId": "work-1"}, action="claim", id=reader["id"])["task"]["sessionId"] == "work-1"
    answer("task_mutate", action="release", id=reader["id"])
    is_error, briefing = call(run, "memory_briefing", project="shop")
    assert not is_error
    assert f"- Write the reader (P2, `{reader['id']}`)" in briefing


def test_results_for_a_program_are_json_with_the_same_hits(run: Run) -> None:
    """The texts stay within the bound of tokens, as lines do."""
    text = answer_text(run, action="search", query="session cache TTL", project="shop", limit=2, json=True)
    found = json.loads(text.removeprefix("<recollect-memory>").removesuffix("</recollect-memory>"))
    assert [result["rank"] for result in found["results"]] == [1, 2]
    lines = answer_text(run, query="session cache TTL", project="shop", limit=2)
    assert all(f"{shorten_id(result['id'])} | " in lines for result in found["results"])
    assert count_tokens(answer_text(run, query="session cache TTL", project="all", json=True, max_tokens=100)) < 400
    assert 'as "search"' in failed(run, "memory_search", query="x", action="guess")
