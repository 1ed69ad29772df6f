"""Tables of task memory: tasks as they stand, and everything that happened to them."""

from datetime import datetime
from typing import Annotated, TypedDict

from transforms.tables.definition import Column, Table
from transforms.tables.enums import Actor, CloseReason, DependencyType, TaskEventName, TaskStatus, TaskType


class TaskDependency(TypedDict):
    """a task that another one depends on"""

    depends_on_id: Annotated[str, Column("the other task")]
    type: Annotated[DependencyType, Column("how they are connected; only `blocks` holds a task back")]


class TaskRow(TypedDict):
    """a task of a project as it stands"""

    task_id: Annotated[str, Column("hash of project, title and time of creation")]
    project: Annotated[str, Column("project")]
    title: Annotated[str, Column("title, at most 500 characters, redacted")]
    description: Annotated[str | None, Column("details, redacted")]
    status: Annotated[TaskStatus, Column("state; blocked is computed from the dependencies")]
    priority: Annotated[int, Column("0 most urgent to 4", bits=8)]
    type: Annotated[TaskType, Column("type of work")]
    labels: Annotated[list[str], Column("labels")]
    assignee: Annotated[str | None, Column("who claimed it; null before")]
    session_id: Annotated[str | None, Column("session that claimed it; null before", references="sessions")]
    dependencies: Annotated[list[TaskDependency], Column("other tasks")]
    messages: Annotated[list[str], Column("`session_id:entry_id` that somebody linked to it", references="entries")]
    created_at: Annotated[datetime, Column("logical time of the run that created it")]
    updated_at: Annotated[datetime, Column("logical time of the last change")]
    claimed_at: Annotated[datetime | None, Column("logical time of the claim; null before")]
    closed_at: Annotated[datetime | None, Column("logical time of closing; null before")]
    close_reason: Annotated[CloseReason | None, Column("why it was closed; null before")]
    summary: Annotated[str | None, Column("outcome in the words of whoever closed it, redacted")]
    observation_id: Annotated[str | None, Column("observation of its outcome; null before", references="observations")]


class TaskEventRow(TypedDict):
    """an event in the life of a task"""

    task_id: Annotated[str, Column("its task", references="tasks")]
    number: Annotated[int, Column("position among the task's events, from 0", bits=32)]
    event: Annotated[TaskEventName, Column("event")]
    at: Annotated[datetime, Column("logical time of the run")]
    actor: Annotated[Actor, Column("who acted")]
    session_id: Annotated[str | None, Column("session in which it happened, when it is known", references="sessions")]
    text: Annotated[str, Column("title, summary, other task or message that the event is about")]


TASKS = Table("tasks", TaskRow, ("task_id",), ("effects.tasks.task_step",), "state", is_daily=False)
TASK_EVENTS = Table("task_events", TaskEventRow, ("task_id", "number"), ("effects.tasks.task_step",), "append", is_daily=False)
