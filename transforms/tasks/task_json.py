"""The shapes of task memory's answers, with the names of `docs/contract.md`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NotRequired, TypedDict

from transforms.tables.rows import TaskRow


class DependencyJson(TypedDict):
    """A dependency of a task."""

    taskId: str
    dependsOnId: str
    type: str


class TaskJson(TypedDict):
    """A task; times are milliseconds since 1970, as in the plan."""

    id: str
    title: str
    description: str | None
    status: str
    priority: int
    type: str
    project: str
    assignee: str | None
    sessionId: str | None
    createdAt: int
    updatedAt: int
    closedAt: int | None
    closeReason: str | None
    dependencies: list[DependencyJson]
    labels: list[str]
    summary: str | None
    linkedMessageIds: list[str]


class WorkingMemoryJson(TypedDict):
    """The working memory of a project; `hash` names its text for the next change."""

    resourceId: str
    content: str
    scope: str
    updatedAt: int
    hash: str
    path: str


class TaskAnswer(TypedDict, total=False):
    """The answer to a request: the members that the request asks for, or `error` when `success` is false."""

    success: bool
    error: str
    retryable: bool
    task: TaskJson
    tasks: list[TaskJson]
    readyCount: int
    blockedCount: int
    isBlocked: bool
    blockingTasks: list[TaskJson]
    workingMemory: WorkingMemoryJson


class SearchResultJson(TypedDict):
    """A hit of a search. `rank` is its place, 1 is the best; `createdAt` (milliseconds) and `day` are null where memory
    knows no day, `kind` of a turn, `supersededBy` (an id) while a fact holds."""

    id: str
    source: str
    content: str
    rank: int
    createdAt: int | None
    day: str | None
    kind: str | None
    project: str | None
    supersededBy: str | None
    taskId: NotRequired[str]


class SearchAnswer(TypedDict, total=False):
    """The results that were asked for and how many were found; or `error` when `success` is false."""

    success: bool
    error: str
    results: list[SearchResultJson]
    totalHits: int


def make_task_json(task: TaskRow, messages: Sequence[str] = ()) -> TaskJson:
    """Return the task as agents get it; `messages` are those of its session while it was claimed."""
    task_id = task["task_id"]
    return {
        "id": task_id,
        "title": task["title"],
        "description": task["description"],
        "status": task["status"],
        "priority": task["priority"],
        "type": task["type"],
        "project": task["project"],
        "assignee": task["assignee"],
        "sessionId": task["session_id"],
        "createdAt": count_milliseconds(task["created_at"]),
        "updatedAt": count_milliseconds(task["updated_at"]),
        "closedAt": count_milliseconds(task["closed_at"]) if task["closed_at"] else None,
        "closeReason": task["close_reason"],
        "dependencies": [
            {"taskId": task_id, "dependsOnId": edge["depends_on_id"], "type": edge["type"]} for edge in task["dependencies"]
        ],
        "labels": task["labels"],
        "summary": task["summary"],
        "linkedMessageIds": [*dict.fromkeys([*task["messages"], *messages])],
    }


def count_milliseconds(moment: datetime) -> int:
    """Return the milliseconds from 1970 to a moment."""
    return round(moment.timestamp() * 1000)
