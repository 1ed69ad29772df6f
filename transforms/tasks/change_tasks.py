"""The rules of task memory: each change takes the tasks as they stand and returns one task anew, or says why it cannot be.

The shapes stand in `docs/contract.md`. Blocked is computed, a claimed task belongs to its session, closing needs a
summary. A change that was made already changes nothing, so that a client may send it twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from transforms.tables.enums import CloseReason, DependencyType, TaskEventName, TaskType
from transforms.tables.ids import hash_fields
from transforms.tables.rows import TaskDependency, TaskRow

TITLE_CHARS = 500
SUMMARY_CHARS = 2000
USUAL_PRIORITY, LOWEST_PRIORITY = 2, 4

Tasks = Mapping[str, TaskRow]


class TaskError(ValueError):
    """A change that the tasks as they stand do not allow, in words for an agent."""


@dataclass(frozen=True, slots=True)
class TaskChange:
    """The task after a change with the event; `event` is None when nothing changed."""

    task: TaskRow
    event: TaskEventName | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class NewTask:
    """The fields of a new task."""

    project: str
    title: str
    description: str | None = None
    priority: int = USUAL_PRIORITY
    type: TaskType = "task"
    labels: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()


def create_task(tasks: Tasks, new: NewTask, now: datetime) -> TaskChange:
    """Return a new open task. One of the same title that is not closed in the project is returned as it is.

    Raises:
        TaskError: without a title, with too long a one, a wrong priority, or a dependency that does not exist; or when the task
            of the same title is another one by what was given.
    """
    title = " ".join(new.title.split())
    if not title:
        raise TaskError("A task needs a title")
    if len(title) > TITLE_CHARS:
        raise TaskError(f"A title has at most {TITLE_CHARS} characters, not {len(title)}")
    if not 0 <= new.priority <= LOWEST_PRIORITY:
        raise TaskError(f"A priority is 0 (most urgent) to {LOWEST_PRIORITY}, not {new.priority}")
    same = (task for task in tasks.values() if (task["project"], task["title"].casefold()) == (new.project, title.casefold()))
    if existing := next((task for task in same if task["status"] != "closed"), None):
        if differing := _list_differing(tasks, new, existing):
            others = " and ".join(differing)
            raise TaskError(f"{existing['task_id']} has this title and another {others}: close it, or choose another title")
        return TaskChange(existing, None)
    dependencies: list[TaskDependency] = [
        {"depends_on_id": get_task(tasks, other)["task_id"], "type": "blocks"} for other in dict.fromkeys(new.depends_on)
    ]
    task: TaskRow = {
        "task_id": make_task_id(tasks, new.project, title, now), "project": new.project, "title": title,
        "description": (new.description or "").strip() or None, "status": "open", "priority": new.priority, "type": new.type,
        "labels": sorted(set(new.labels)), "assignee": None, "session_id": None, "dependencies": dependencies, "messages": [],
        "created_at": now, "updated_at": now, "claimed_at": None, "closed_at": None, "close_reason": None, "summary": None,
        "observation_id": None,
    }  # fmt: skip
    return TaskChange(task, "created", title)


def _list_differing(tasks: Tasks, new: NewTask, task: TaskRow) -> list[str]:
    """Return the names of fields that were given for a new task and that a task has otherwise."""
    depends_on = {get_task(tasks, other)["task_id"] for other in new.depends_on}
    differs = {
        "description": (new.description or "").strip() not in ("", task["description"]),
        "priority": new.priority not in (USUAL_PRIORITY, task["priority"]),
        "type": new.type not in ("task", task["type"]),
        "labels": not set(new.labels) <= set(task["labels"]),
        "dependency": not depends_on <= {edge["depends_on_id"] for edge in task["dependencies"]},
    }
    return [name for name, is_other in differs.items() if is_other]


def make_task_id(tasks: Tasks, project: str, title: str, now: datetime) -> str:
    """Return the id of a new task; one of the same title that was closed at the same moment keeps its own."""
    number = 0
    while (task_id := "t-" + hash_fields(project, title.casefold(), now.isoformat(), number, size=4)) in tasks:
        number += 1
    return task_id


def claim_task(tasks: Tasks, task_id: str, session_id: str, assignee: str, now: datetime) -> TaskChange:
    """Return the task in progress, claimed by a session.

    Raises:
        TaskError: when there is no such task, it is closed or blocked, or another session claimed it.
    """
    task = get_task(tasks, task_id)
    if task["status"] == "closed":
        raise TaskError(f"Task is closed: {task['task_id']}")
    if task["status"] == "in_progress":
        if task["session_id"] == session_id:
            return TaskChange(task, None)
        raise TaskError(f"Already claimed by session {task['session_id']}")
    if blocking := list_blocking(tasks, task):
        raise TaskError(f"Task is blocked by open dependencies: {', '.join(other['task_id'] for other in blocking)}")
    claimed: TaskRow = {
        **task, "status": "in_progress", "session_id": session_id, "assignee": assignee, "claimed_at": now, "updated_at": now,
    }  # fmt: skip
    return TaskChange(claimed, "claimed", assignee)


def release_task(tasks: Tasks, task_id: str, now: datetime) -> TaskChange:
    """Return the task open again: another session may claim the unfinished work.

    Raises:
        TaskError: when there is no such task, or it is closed.
    """
    task = get_task(tasks, task_id)
    if task["status"] == "closed":
        raise TaskError(f"Task is closed: {task['task_id']}")
    if task["status"] == "open":
        return TaskChange(task, None)
    released: TaskRow = {**task, "status": "open", "session_id": None, "assignee": None, "claimed_at": None, "updated_at": now}
    return TaskChange(released, "released", task["assignee"] or "")


def close_task(tasks: Tasks, task_id: str, reason: CloseReason, summary: str, now: datetime) -> TaskChange:
    """Return the task closed, with its outcome.

    Raises:
        TaskError: when there is no such task, it was closed with another outcome, or the summary is empty or too long.
    """
    task = get_task(tasks, task_id)
    words = " ".join(summary.split())
    if not words:
        raise TaskError("Closing needs a summary: what was done, or why it will not be")
    if len(words) > SUMMARY_CHARS:
        raise TaskError(f"A summary has at most {SUMMARY_CHARS} characters, not {len(words)}")
    if task["status"] == "closed":
        if (task["close_reason"], task["summary"]) == (reason, words):
            return TaskChange(task, None)
        raise TaskError(f"Task is closed already: {task['task_id']}")
    closed: TaskRow = {
        **task, "status": "closed", "closed_at": now, "close_reason": reason, "summary": words, "updated_at": now,
    }  # fmt: skip
    return TaskChange(closed, "closed", words)


def set_dependency(
    tasks: Tasks, task_id: str, depends_on: str, now: datetime, kind: DependencyType = "blocks", is_added: bool = True
) -> TaskChange:
    """Return the task with or without a dependency.

    Raises:
        TaskError: when one of both does not exist, or they would wait for each other.
    """
    task, other = get_task(tasks, task_id), get_task(tasks, depends_on)
    dependency: TaskDependency = {"depends_on_id": other["task_id"], "type": kind}
    has_it = dependency in task["dependencies"]
    if has_it == is_added:
        return TaskChange(task, None)
    if is_added and kind == "blocks" and task["task_id"] in _list_reachable(tasks, other["task_id"]):
        raise TaskError(f"{task['task_id']} and {other['task_id']} would wait for each other")
    other_dependencies = [kept_dependency for kept_dependency in task["dependencies"] if kept_dependency != dependency]
    changed: TaskRow = {
        **task,
        "dependencies": [*other_dependencies, dependency] if is_added else other_dependencies,
        "updated_at": now,
    }
    return TaskChange(changed, "depends" if is_added else "freed", f"{kind} {other['task_id']}")


def link_message(tasks: Tasks, task_id: str, message: str, now: datetime) -> TaskChange:
    """Return the task with a link to a message (`session_id:entry_id`).

    Raises:
        TaskError: when there is no such task, or no message is named.
    """
    task = get_task(tasks, task_id)
    if not message.strip():
        raise TaskError("A link needs a message: session:entry")
    if (message := message.strip()) in task["messages"]:
        return TaskChange(task, None)
    linked: TaskRow = {**task, "messages": [*task["messages"], message], "updated_at": now}
    return TaskChange(linked, "linked", message)


def get_task(tasks: Tasks, task_id: str) -> TaskRow:
    """Return the task with this id, or with the only one that begins like it.

    Raises:
        TaskError: when there is none, or there are several.
    """
    if task_id in tasks:
        return tasks[task_id]
    matching = [task for key, task in tasks.items() if key.startswith(task_id)] if task_id.startswith("t-") else []
    if len(matching) > 1:
        raise TaskError(f"Several tasks begin with {task_id}: {', '.join(sorted(task['task_id'] for task in matching))}")
    if not matching:
        raise TaskError(f"Task not found: {task_id}")
    return matching[0]


def list_blocking(tasks: Tasks, task: TaskRow) -> list[TaskRow]:
    """Return the tasks that are not closed and hold this one back."""
    others = [tasks.get(edge["depends_on_id"]) for edge in task["dependencies"] if edge["type"] == "blocks"]
    return [other for other in others if other is not None and other["status"] != "closed"]


def _list_reachable(tasks: Tasks, start: str) -> set[str]:
    """Return the tasks that a task waits for, itself included."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        task_id = waiting.pop()
        if task_id in seen or task_id not in tasks:
            continue
        seen.add(task_id)
        waiting += [edge["depends_on_id"] for edge in tasks[task_id]["dependencies"] if edge["type"] == "blocks"]
    return seen
