"""Task memory in the lake: a change is durable or refused, closing leaves an observation, and nights leave both alone."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.config.settings import EmbeddingSettings, Settings
from effects.health.row_checks import check_citations
from effects.opening.session_opening import BRIEFING_TABLES
from effects.pages.project_briefing import render_briefing
from effects.recall.ask import ask, open_recall
from effects.recall.show_record import show_record
from effects.store.forgotten import read_remembered
from effects.store.run import Run, open_run
from effects.system.errors import LockedError
from effects.tasks.task_step import read_tasks, wait_for_lock
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline
from recollect.task_tools import mutate_tasks, query_tasks
from tests.effects.recall_world import files_of
from tests.effects.session_home import answer, header, user, write
from transforms.recall.types import Filters
from transforms.tables.schema import OBSERVATIONS, build_frame

PROJECT = "/w/app"
START = datetime(2026, 1, 1, 22, tzinfo=UTC)
SAID = (
    "We decided that the parser reads one table at a time.",
    "Orders and customers live in separate files from now on.",
    "Please write the schema down before you touch the reader.",
    "What happens to an order without a customer?",
    "It is kept and marked, nothing is dropped.",
    "Good, commit that and go on with the reader.",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with one session of six turns, ten minutes apart."""
    lines = [header("s-1")]
    for number in range(6):
        lines.append(user(f"u{number}", f"a{number - 1}" if number else None, 10 * number, SAID[number]))
        lines.append(answer(f"a{number}", f"u{number}", 10 * number + 1, "Noted."))
    write(tmp_path / "sessions" / "one.jsonl", *lines)
    return tmp_path


def open_at(root: Path, minute: float) -> Run:
    """Return a run at a minute after the session began."""
    settings = Settings(
        sessions=(root / "sessions",), lake=root / "lake", workspace=root / "ws", timezone="UTC", owner="mara",
        embedding=EmbeddingSettings(model=str(root / "no-model")),
    )  # fmt: skip
    return open_run(settings, START + timedelta(minutes=minute))


def mutate(root: Path, minute: float, session: str = "s-1", **request: Any) -> dict[str, Any]:
    """Change a task at a minute; return the answer."""
    return dict(mutate_tasks(open_at(root, minute), request, PROJECT, session))


def query(root: Path, **request: Any) -> dict[str, Any]:
    """Ask about tasks."""
    return dict(query_tasks(open_at(root, 0), request, PROJECT))


def night(root: Path, day: int = 3) -> Run:
    """Run a night some days later."""
    run = open_at(root, day * 1440)
    run_pipeline(run, nightly_pipeline(None))
    return run


def test_closing_leaves_an_observation_that_nights_keep_and_questions_find(root: Path) -> None:
    """It cites the linked messages, stands in the briefing's table, and goes with its id like any other."""
    task = mutate(root, 5, action="create", title="Write the schema", priority=1)["task"]["id"]
    mutate(root, 15, action="claim", id=task)
    mutate(root, 16, action="link", taskId=task, messageId="u1")
    mutate(root, 35, action="close", id=task, reason="completed", summary="Two tables: orders and customers")
    run = night(root)
    rows = run.lake.read("observations").filter(pl.col("engine") == "tasks").rows(named=True)
    assert [(row["text"], row["kind"], row["priority"], row["project"], row["verdict"]) for row in rows] == [
        ('Completed the task "Write the schema": Two tables: orders and customers', "completion", "high", PROJECT, "allow")
    ]
    assert (rows[0]["session_id"], rows[0]["entry_ids"]) == ("s-1", ["u1"])
    assert read_tasks(run)[task]["observation_id"] == rows[0]["observation_id"]
    assert show_record(run, rows[0]["observation_id"]).row["text"] == rows[0]["text"]
    events = run.lake.read("task_events").sort("number")
    assert events["event"].to_list() == ["created", "claimed", "linked", "closed"]
    assert run.lake.read("windows")["status"].to_list() == ["distilled"]
    again = night(root, 4)
    assert again.lake.read("observations").filter(pl.col("engine") == "tasks").rows(named=True) == rows


def test_an_outcome_without_a_session_stays_too(root: Path) -> None:
    """A task that nobody claimed has no message to cite: nights keep its outcome, and doctor misses nothing."""
    night(root, 1)
    task = mutate(root, 1441, session="command-line", action="create", title="Write the schema")["task"]["id"]
    mutate(root, 1442, session="command-line", action="close", id=task, reason="wontfix", summary="SQLite is enough")
    run = night(root, 40)
    [row] = run.lake.read("observations").filter(pl.col("engine") == "tasks").rows(named=True)
    assert (row["session_id"], row["kind"]) == ("", "status")
    assert check_citations(run).level == "ok"


def test_messages_of_a_claimed_task_belong_to_it(root: Path) -> None:
    """Those that its session wrote between claim and closing, as soon as they are in the lake; and linked ones."""
    task = mutate(root, 5, action="create", title="Write the schema")["task"]["id"]
    mutate(root, 15, action="claim", id=task)
    mutate(root, 35, action="close", id=task, reason="wontfix", summary="SQLite is enough")
    assert query(root, action="show", id=task)["task"]["linkedMessageIds"] == []
    night(root)
    linked = query(root, action="show", id=task[:6])["task"]["linkedMessageIds"]
    assert linked == [f"s-1:{name}" for name in ("u2", "a2", "u3", "a3")]


def test_what_changes_nothing_writes_nothing(root: Path) -> None:
    """A client may send a request twice; a refused one leaves no trace but its run."""
    requests: list[dict[str, Any]] = [{"action": "create", "title": "Write the schema"}]
    task = mutate(root, 5, **requests[0])["task"]["id"]
    requests += [{"action": "claim", "id": task}, {"action": "link", "taskId": task, "messageId": "u1"}]
    requests += [{"action": "close", "id": task, "reason": "completed", "summary": "Two tables"}]
    for request in requests[1:]:
        assert mutate(root, 6, **request)["success"] is True

    def list_files() -> dict[str, bytes]:
        kept = files_of(root / "lake")
        return {name: data for name, data in kept.items() if not name.startswith(("runs", "_"))}

    before = list_files()
    assert [mutate(root, 7, **request)["success"] for request in requests[1:]] == [False, True, True], (
        "a closed task stays closed"
    )
    assert mutate(root, 7, action="claim", id="t-none") == {"success": False, "error": "Task not found: t-none"}
    assert list_files() == before


def test_secrets_of_a_task_are_redacted(root: Path) -> None:
    """In the title, the description, the outcome, the events and the observation."""
    secret = "ghp_" + "".join("aB3dE6gH9jK2mN5pQ8rS"[number % 20] for number in range(36))
    task = mutate(root, 5, action="create", title=f"Rotate {secret}", description=f"It is {secret}")["task"]["id"]
    mutate(root, 6, action="close", id=task, reason="completed", summary=f"{secret} is gone")
    lake = open_at(root, 7).lake
    for table in ("tasks", "task_events", "observations"):
        assert lake.read(table).height
        assert secret not in str(lake.read(table).rows()), table
    assert secret not in str(query(root, action="list"))


def test_a_change_waits_for_another_run(root: Path) -> None:
    """It is made when the lock is free; when it is held for long, the agent is told to try again."""
    lake = open_at(root, 0).lake
    held, free = threading.Event(), threading.Event()

    def hold() -> None:
        with lake.writing("another run"):
            held.set()
            free.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)
    with pytest.raises(LockedError):
        wait_for_lock(lambda: run_pipeline(open_at(root, 1), nightly_pipeline(None)), 0.01)
    threading.Timer(0.3, free.set).start()
    assert mutate(root, 5, action="create", title="Write the schema")["success"] is True
    thread.join(30)


def test_briefings_show_open_tasks_of_their_project_alone(root: Path) -> None:
    """Closed ones leave the page."""
    task = mutate(root, 5, action="create", title="Write the schema")["task"]["id"]
    mutate_tasks(open_at(root, 5), {"action": "create", "title": "Elsewhere"}, "/w/other", "s-9")
    page = night(root).settings.workspace / "briefing" / "app.md"
    text = page.read_text(encoding="utf-8")
    assert f"## Open tasks\n\n- Write the schema (P2, `{task}`)" in text
    assert "Elsewhere" not in text
    mutate(root, 6000, action="close", id=task, reason="completed", summary="Two tables")
    night(root, 5)
    assert "Open tasks" not in page.read_text(encoding="utf-8")


def test_a_task_that_was_closed_is_offered_nowhere_and_its_outcome_is_found_before_the_next_night(root: Path) -> None:
    """The page of a late opening is the stored one, and a question reads the index: both waited for the night."""
    task = mutate(root, 5, action="create", title="Write the schema of the shop")["task"]["id"]
    mutate(root, 5, action="create", title="Draw the chart of the stock")
    page = night(root).settings.workspace / "briefing" / "app.md"
    assert task in page.read_text(encoding="utf-8")
    mutate(root, 6000, action="close", id=task, reason="completed", summary="Two tables, orders and customers")
    text = page.read_text(encoding="utf-8")
    assert task not in text
    assert "Draw the chart" in text
    run = open_at(root, 6001)
    assert "Two tables" in (
        ask(open_recall(run), "What became of the schema of the shop?", Filters(project=PROJECT)).answer or ""
    )
    assert not list((run.settings.workspace / "briefing").glob("*.new")), "no page of ours counts as edited"


def test_what_sessions_left_open_is_no_work_to_continue_once_a_task_of_its_words_was_closed(root: Path) -> None:
    """Neither in the state of the last window nor among tasks and open questions; what was said after the closing stays."""
    run = night(root)
    title = "Draw the chart of the stock"
    task = mutate(root, 6000, action="create", title=title)["task"]["id"]
    row = run.lake.read("observations").head(1).to_dicts()[0]
    left = 'User left open: "draw the chart of the stock as bars?"'
    later = START + timedelta(days=9)
    rows = [
        row
        | {"observation_id": f"o-{number}", "kind": kind, "text": text, "said_at": at, "priority": "high", "engine": "pi:haiku"}
        for number, (kind, text, at) in enumerate([
            ("task", f"{title} with bars", START), ("question", left, START), ("task", f"{title} again, in colour", later),
        ])
    ]  # fmt: skip
    frames = {name: read_remembered(run.lake, name) for name in BRIEFING_TABLES}
    frames["observations"] = pl.concat([frames["observations"], build_frame(OBSERVATIONS, rows)], how="diagonal_relaxed")
    frames["windows"] = frames["windows"].with_columns(
        current_task=pl.lit(f"{title}."), suggested_response=pl.lit(f"Next: {title} as bars")
    )
    before = render_briefing(open_at(root, 6001), frames, PROJECT, 2000)
    assert before.count("hart of the stock") == 6
    mutate(root, 6002, action="close", id=task, reason="completed", summary="Bars")
    after = render_briefing(open_at(root, 6003), frames, PROJECT, 2000)
    assert [line for line in after.splitlines() if "hart of the stock" in line] == [
        f"- {title} again, in colour ({later:%b} {later.day}, `o-2`)"
    ]
    assert "To continue" not in after
