"""Finds tasks: the ready ones in the order of work, those of a status, and those that share words with a question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from transforms.language.sentences import find_content_words
from transforms.tables.enums import TaskStatus
from transforms.tables.rows import TaskRow
from transforms.tasks.change_tasks import Tasks, list_blocking

BRIEFED_TITLE_CHARS = 160


def list_unfinished(tasks: Tasks) -> list[TaskRow]:
    """Return the tasks that are not closed: in progress, ready, blocked; inside each by priority, then by age."""
    order = {"in_progress": 0, "open": 1}
    unfinished = [task for task in tasks.values() if task["status"] != "closed"]

    def rank(task: TaskRow) -> tuple[bool, int, int, str, str]:
        """Sort ready tasks before blocked ones, then by state, priority and age."""
        return (
            bool(list_blocking(tasks, task)), order[task["status"]], task["priority"], task["created_at"].isoformat(),
            task["task_id"],
        )  # fmt: skip

    return sorted(unfinished, key=rank)


def list_by_status(tasks: Tasks, status: TaskStatus | None) -> list[TaskRow]:
    """Return the tasks of a status, or all: unfinished ones in the order of work, then closed ones, the newest first."""
    closed = [task for task in tasks.values() if task["status"] == "closed"]
    closed.sort(key=lambda task: ((task["closed_at"] or task["updated_at"]).isoformat(), task["task_id"]), reverse=True)
    return [task for task in [*list_unfinished(tasks), *closed] if status is None or task["status"] == status]


def search_tasks(tasks: Tasks, query: str) -> list[TaskRow]:
    """Return the tasks that share words with the query, rare words first; words of a title count twice."""
    wanted = find_content_words(query)
    words = {key: _count_words(task) for key, task in tasks.items()}
    seen_in = Counter(word for counted in words.values() for word in counted)
    scores = {
        key: sum(math.log(1 + len(tasks) / seen_in[word]) * counted[word] for word in wanted if word in counted)
        for key, counted in words.items()
    }
    matching = [key for key, score in scores.items() if score > 0]
    return [tasks[key] for key in sorted(matching, key=lambda key: (-round(scores[key], 9), key))]


def select_project(tasks: Iterable[TaskRow], project: str | None) -> dict[str, TaskRow]:
    """Return the tasks of a project (all without one) by id."""
    return {task["task_id"]: task for task in tasks if project is None or task["project"] == project}


def find_task_of_message(
    session_id: str | None, entry_ids: Iterable[str], said_at: datetime | None, tasks: Iterable[TaskRow]
) -> str | None:
    """Return the task that one of the entries is linked to, else the last one that the session had claimed when it was said."""
    messages = {f"{session_id}:{entry}" for entry in entry_ids}
    claimed: list[tuple[datetime, str]] = []
    for task in tasks:
        if messages.intersection(task["messages"]):
            return task["task_id"]
        start, end = task["claimed_at"], task["closed_at"]
        if start is None or said_at is None or task["session_id"] is None or task["session_id"] != session_id:
            continue
        if start <= said_at and (end is None or said_at <= end):
            claimed.append((start, task["task_id"]))
    return max(claimed)[1] if claimed else None


def describe_open_tasks(tasks: Tasks) -> tuple[str, ...]:
    """Return the lines of a briefing: the tasks that are not closed, in the order of work."""
    lines = []
    for task in list_unfinished(tasks):
        state = "in progress" if task["status"] == "in_progress" else f"P{task['priority']}"
        blocking = list_blocking(tasks, task)
        waits = f", waits for {', '.join(other['task_id'] for other in blocking)}" if blocking else ""
        title = task["title"] if len(task["title"]) <= BRIEFED_TITLE_CHARS else f"{task['title'][: BRIEFED_TITLE_CHARS - 1]}…"
        lines.append(f"{title} ({state}{waits}, `{task['task_id']}`)")
    return tuple(lines)


def _count_words(task: TaskRow) -> Counter[str]:
    counted = Counter(find_content_words(task["title"]))
    counted.update(find_content_words(task["title"]))
    for text in (task["description"], task["summary"], " ".join(task["labels"])):
        counted.update(find_content_words(text or ""))
    return counted
