"""Changes tasks in one commit: the tasks, their events, and the observation that closing leaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import polars as pl

from effects.store.run import Counts, Run
from effects.system.errors import LockedError
from transforms.tables.enums import Actor
from transforms.tables.ids import hash_fields
from transforms.tables.rows import ObservationRow, TaskEventRow, TaskRow
from transforms.tables.schema import OBSERVATIONS, TASK_EVENTS, TASKS, build_frame, read_rows
from transforms.tables.tokens import count_tokens
from transforms.tasks.change_tasks import TaskChange, TaskError, Tasks

ENGINE = "tasks"
"""Engine of an observation that a closed task left, in the words of the one who closed it."""
LOCK_PATIENCE_S, LOCK_PAUSE_S = 10.0, 0.2
"""A change waits so long for another run, because an agent has nobody who tries again tomorrow."""

ChangeResult = TypeVar("ChangeResult")
ChangeTasks = Callable[[Tasks], TaskChange]
"""Returns the change from the tasks as they stand."""


@dataclass(slots=True)
class TaskRequest:
    """A change that is asked for, and the task after it; or, in `refusal`, why the tasks do not allow it."""

    change: ChangeTasks
    actor: Actor = "owner"
    session_id: str | None = None
    tasks: dict[str, TaskRow] = field(default_factory=dict)
    task: TaskRow | None = None
    refusal: str = ""


def read_tasks(run: Run) -> dict[str, TaskRow]:
    """Return all tasks by id, each with the project that its folder belongs to now."""
    project_of = dict(run.lake.scan("projects").select("folder", "project").collect().iter_rows())
    rows = read_rows(TASKS, run.lake.read("tasks"))
    return {row["task_id"]: {**row, "project": project_of.get(row["project"], row["project"])} for row in rows}


def change_tasks(run: Run, request: TaskRequest) -> Counts:
    """Make a change durable; `request.task` is the task after it. Nothing is written when it is refused or changes nothing."""
    request.tasks = read_tasks(run)
    try:
        change = request.change(request.tasks)
    except TaskError as error:
        request.refusal = str(error)
        return {"changed": 0, "refused": 1}
    request.task = change.task
    if change.event is None:
        return {"changed": 0}
    task = _redact_task(change.task)
    is_closed = change.event == "closed"
    if is_closed:
        observation = _build_observation(run, task)
        task["observation_id"] = observation["observation_id"]
    past = run.lake.scan("task_events").filter(pl.col("task_id") == task["task_id"]).collect().height
    event: TaskEventRow = {
        "task_id": task["task_id"], "number": past, "event": change.event, "at": run.as_of, "actor": request.actor,
        "session_id": request.session_id, "text": _redact_words(change.text),
    }  # fmt: skip
    request.task = request.tasks[task["task_id"]] = task
    with run.lake.commit() as commit:
        commit.replace("tasks", build_frame(TASKS, request.tasks.values()))
        commit.append("task_events", build_frame(TASK_EVENTS, [event]))
        if is_closed:
            commit.add_days("observations", build_frame(OBSERVATIONS, [observation]))
    return {"changed": 1, "observations": int(is_closed)}


def list_session_messages(run: Run, task: TaskRow) -> list[str]:
    """Return the messages that the claiming session wrote between claim and closing, as far as they are in the lake."""
    if task["session_id"] is None or task["claimed_at"] is None:
        return []
    is_own = (pl.col("session_id") == task["session_id"]) & (pl.col("said_at") >= task["claimed_at"])
    if task["closed_at"] is not None:
        is_own &= pl.col("said_at") <= task["closed_at"]
    is_message = pl.col("role").is_in(["user", "assistant"]) & pl.col("on_active_branch")
    rows = run.lake.scan("entries").filter(is_own & is_message).select("session_id", "ordinal", "entry_id").collect()
    return [f"{session}:{entry}" for session, _, entry in rows.sort("ordinal").iter_rows()]


def wait_for_lock(call: Callable[[], ChangeResult], patience_s: float = LOCK_PATIENCE_S) -> ChangeResult:
    """Return the result of a call that needs the lake's lock; tried again for a while when another run holds it.

    Raises:
        LockedError: when it is held longer.
    """
    end = time.monotonic() + patience_s
    while True:
        try:
            return call()
        except LockedError:
            if time.monotonic() >= end:
                raise
            time.sleep(LOCK_PAUSE_S)


def _redact_task(task: TaskRow) -> TaskRow:
    return {
        **task,
        "title": _redact_words(task["title"]),
        "description": _redact_words(task["description"]) if task["description"] else None,
        "summary": _redact_words(task["summary"]) if task["summary"] else None,
    }


def _redact_words(text: str) -> str:
    from transforms.redaction.redact import redact  # the judge of secrets: a session's start only reads tasks and must be quick

    return redact(text, is_user=True)


def _build_observation(run: Run, task: TaskRow) -> ObservationRow:
    """Return the outcome of a closed task as an observation of its session. It belongs to no window."""
    outcomes = {"completed": "Completed", "wontfix": "Decided not to do", "duplicate": "Closed as a duplicate"}
    text = f'{outcomes[task["close_reason"] or "completed"]} the {task["type"]} "{task["title"]}": {task["summary"]}'
    own_entries = [message.rpartition(":")[2] for message in task["messages"] if message.startswith(f"{task['session_id']}:")]
    return {
        "observation_id": "o-" + hash_fields(task["task_id"], run.as_of.isoformat(), text),
        "segment_id": "",
        "window_id": "",
        "session_id": task["session_id"] or "",
        "project": task["project"],
        "day": run.as_of.astimezone(run.zone).date(),
        "said_at": run.as_of,
        "refers_to": None,
        "kind": "completion" if task["close_reason"] == "completed" else "status",
        "priority": "high" if task["priority"] <= 1 else "medium",
        "category": "projects",
        "origin": "agent",
        "text": text,
        "ordinals": [],
        "entry_ids": own_entries,
        "lines": [],
        "files": [],
        "line_numbers": [],
        "verdict": "allow",
        "verdict_reason": "",
        "confidence": 0.9,
        "tokens": count_tokens(text),
        "engine": ENGINE,
        "template_hash": "",
        "superseded_by": None,
        "retires": [],
        "merged_count": 1,
        "also": [message for message in task["messages"] if message.rpartition(":")[2] not in own_entries],
        "compared_with": None,
        "rests_on": [],
        "compared_keys": [],
    }
