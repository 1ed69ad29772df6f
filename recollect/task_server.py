"""`task_query` and `task_mutate` for the MCP server; `recollect.task_tools` has their rules and shapes."""

from __future__ import annotations

import json
from os import getpid
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver import Context
from pydantic import Field

if TYPE_CHECKING:
    from effects.config.settings import Settings
    from transforms.tasks.task_json import TaskAnswer

QueryAction = Annotated[str, Field(description="ready, show, list, search, context")]
MutateAction = Annotated[str, Field(description="create, claim, release, close, dep, link, update_context")]
TaskId = Annotated[str | None, Field(description="t-…")]
Session = Annotated[str | None, Field(description="Your session's id, if you know it.")]
Project = Annotated[str | None, Field(description="Default: this folder's.")]


class TaskTools:
    """The tools. What is claimed belongs to the client's session; where the client does not tell, the server is one session."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.session_id = f"mcp-{getpid()}"
        self.lock = Lock()

    def query(
        self,
        action: QueryAction,
        id: TaskId = None,
        status: Annotated[str | None, Field(description="open, in_progress, closed")] = None,
        query: Annotated[str | None, Field(description="Words.")] = None,
        limit: Annotated[int | None, Field(description="Most tasks.")] = None,
        project: Project = None,
    ) -> str:
        """Query tasks. Answers are JSON with `success`.

        ready: unfinished tasks in the order of work, with readyCount and blockedCount. show (id): isBlocked, blockingTasks.
        list (status). search (query). context: the project's working memory with its hash.
        """
        from effects.projects.resolve_project import resolve_project
        from effects.store.run import open_run
        from recollect.task_tools import query_tasks

        run = open_run(self.settings)
        named = None if project == "all" else resolve_project(run, project, is_new_allowed=True)
        request = {"action": action, "id": id, "status": status, "query": query, "limit": limit}
        return _write_json(query_tasks(run, request, named))

    def mutate(  # noqa: PLR0913, PLR0917  the arguments are the schema that clients see
        self,
        context: Context,
        action: MutateAction,
        id: TaskId = None,
        title: Annotated[str | None, Field(description="The work.")] = None,
        description: Annotated[str | None, Field(description="Details.")] = None,
        priority: Annotated[int | None, Field(description="0 (urgent) to 4; default 2.")] = None,
        type: Annotated[str | None, Field(description="bug, feature, task, epic, chore")] = None,
        labels: Annotated[list[str] | None, Field(description="Labels.")] = None,
        reason: Annotated[str | None, Field(description="completed, wontfix, duplicate")] = None,
        summary: Annotated[str | None, Field(description="The outcome; memory keeps it.")] = None,
        taskId: TaskId = None,
        dependsOn: Annotated[str | None, Field(description="The task that comes first.")] = None,
        add: Annotated[bool, Field(description="false: remove it.")] = True,
        messageId: Annotated[str | None, Field(description="session:entry")] = None,
        content: Annotated[str | None, Field(description="The whole new text.")] = None,
        base: Annotated[str | None, Field(description="Hash of the text that it replaces.")] = None,
        sessionId: Session = None,
        project: Project = None,
    ) -> str:
        """Change tasks. Answers are JSON: the task, or `error`. Claim a task when you begin it.

        create (title). claim, release (id). close (id, reason, summary). dep (taskId, dependsOn). link (taskId, messageId).
        update_context (content, base): rewrite the project's working memory, which every session begins with.
        """
        from effects.projects.resolve_project import find_project, is_outside, resolve_project
        from effects.store.run import open_run
        from effects.tasks.client_session import find_client_session
        from recollect.task_tools import mutate_tasks

        run = open_run(self.settings)
        request = {
            "action": action, "id": id, "title": title, "description": description, "priority": priority, "type": type,
            "labels": labels, "reason": reason, "summary": summary, "taskId": taskId, "dependsOn": dependsOn, "add": add,
            "messageId": messageId, "content": content, "base": base,
        }  # fmt: skip
        with self.lock:
            named = resolve_project(run, project, is_new_allowed=True)
            here = find_project(run) or (None if is_outside(run) else str(Path.cwd()))
            if here not in (None, named):
                return _write_json(
                    {"success": False, "error": f"this session belongs to {here}; only the person changes tasks elsewhere"}
                )
            return _write_json(
                mutate_tasks(
                    run, request, named, sessionId or find_client_session(context.request_context.meta) or self.session_id
                )
            )


def _write_json(answer: TaskAnswer) -> str:
    return json.dumps(answer, ensure_ascii=False)
