"""The tools of task memory: `task_query`, `task_mutate`, and `memory_search` with `json`, as `docs/contract.md` has them.

Every answer is an object with `success`; when it is false, `error` says why in a sentence that an agent can act on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING, get_args

from effects.system.errors import LockedError, RecollectError
from transforms.tables.enums import Actor, CloseReason, DependencyType, TaskStatus, TaskType
from transforms.tables.periods import find_local_day
from transforms.tasks.find_tasks import find_task_of_message
from transforms.tasks.task_json import (
    SearchAnswer,
    SearchResultJson,
    TaskAnswer,
    WorkingMemoryJson,
    count_milliseconds,
    make_task_json,
)

if TYPE_CHECKING:
    from effects.recall.ask import Recall
    from effects.store.run import Run
    from effects.tasks.task_step import ChangeTasks
    from transforms.recall.types import Filters, Hit
    from transforms.tables.rows import TaskRow

ToolRequest = Mapping[str, object]

QUERY_ACTIONS = ("ready", "show", "list", "search", "context")
MUTATE_ACTIONS = ("create", "claim", "release", "close", "dep", "link", "update_context")
READY_LIMIT, SEARCH_LIMIT = 5, 3
RESULT_LIMIT, RESULT_TOKENS, COUNTED_HITS = 1, 1500, 10
"""Results of a search where a request names no number, as in the plan; tokens for each, because a message can be a whole file;
and hits that a search counts at least."""
RESULT_SOURCES = {
    "turn": "raw",
    "segment": "compacted",
    "observation": "compacted",
    "distillate": "reflection",
    "memory": "reflection",
}
"""How far a source of recall is from the conversation: its own words, what was distilled, what was condensed or approved."""


class RequestError(RecollectError):
    """A request that lacks something or asks for the impossible."""

    code = "task"


def query_tasks(run: Run, request: ToolRequest, project: str | None) -> TaskAnswer:
    """Answer `ready`, `show`, `list`, `search` or `context`, the working memory; errors are answers.

    `project` bounds all of them but `show`.
    """
    from effects.tasks.task_step import list_session_messages, read_tasks
    from transforms.tasks.change_tasks import TaskError, get_task, list_blocking
    from transforms.tasks.find_tasks import list_by_status, list_unfinished, search_tasks, select_project

    try:
        action = _choose(request, "action", QUERY_ACTIONS)
        if action == "context":
            return _describe_context(run, project)
        everything = read_tasks(run)
        if action == "show":
            task = get_task(everything, _read_text(request, "id"))
            blocking = list_blocking(everything, task)
            shown = make_task_json(task, list_session_messages(run, task))
            others = [make_task_json(other) for other in blocking]
            return {"success": True, "task": shown, "isBlocked": bool(blocking), "blockingTasks": others}
        tasks = select_project(everything.values(), project)
        if action == "list":
            status = _choose_optional(request, "status", get_args(TaskStatus))
            matching = list_by_status(tasks, status)  # type: ignore[arg-type]  # one of the enum's values
        elif action == "search":
            matching = search_tasks(tasks, _read_text(request, "query"))[: _number(request, "limit", SEARCH_LIMIT)]
        else:
            matching = list_unfinished(tasks)
        blocked = sum(bool(list_blocking(everything, task)) for task in matching if task["status"] != "closed")
        ready = sum(not list_blocking(everything, task) for task in matching if task["status"] == "open")
        if action == "ready":
            matching = matching[: _number(request, "limit", READY_LIMIT)]
        return {"success": True, "tasks": list(map(make_task_json, matching)), "readyCount": ready, "blockedCount": blocked}
    except (TaskError, RequestError) as error:
        return {"success": False, "error": str(error)}


def search_past(run: Run, request: ToolRequest, project: str | None, cwd: str) -> SearchAnswer:
    """Answer `search`: the best records of memory with the tasks that they belong to; errors are answers.

    Without a `project` the one of the folder `cwd` is searched; where that is no known project, what holds everywhere.
    """
    from effects.recall.ask import open_recall
    from transforms.recall.types import Filters

    try:
        _choose_optional(request, "action", ("search",))
        query, limit = _read_text(request, "query"), max(1, _number(request, "limit", RESULT_LIMIT))
        filters = Filters(project=project, cwd=cwd, k=limit, max_tokens=RESULT_TOKENS * limit, is_folder_only=True)
        return find_results(open_recall(run), query, filters)
    except RecollectError as error:
        return {"success": False, "error": f"{error.message}. Next: {error.hint}" if error.hint else error.message}


def find_results(recall: Recall, query: str, filters: Filters) -> SearchAnswer:
    """Return the first `filters.k` results of a search, within `filters.max_tokens`.

    Raises:
        UsageError: for an empty query or an unknown filter value.
        NotFoundError: for a project that no session has.
    """
    from effects.recall.ask import ask
    from effects.tasks.task_step import read_tasks
    from transforms.recall.types import fit_hits_to_budget

    hits = ask(recall, query, replace(filters, k=max(filters.k, COUNTED_HITS), max_tokens=None)).hits
    tasks = read_tasks(recall.run)
    shown = fit_hits_to_budget(hits[: filters.k], filters.max_tokens)
    return {
        "success": True,
        "results": [_make_result(rank, hit, tasks, recall.run.zone) for rank, hit in enumerate(shown, 1)],
        "totalHits": len(hits),
    }


def _make_result(rank: int, hit: Hit, tasks: Mapping[str, TaskRow], zone: tzinfo) -> SearchResultJson:
    from transforms.answers.exchange_context import join_exchange
    from transforms.quoting.speaker_labels import label_spoken_text

    result: SearchResultJson = {
        "id": hit.id,
        "source": RESULT_SOURCES[hit.source],
        "content": join_exchange(hit) if hit.context else label_spoken_text(hit.text, hit.speaker, hit.quoted),
        "rank": rank,
        "createdAt": count_milliseconds(hit.said_at) if hit.said_at else None,
        "day": find_local_day(hit.said_at, zone).isoformat() if hit.said_at else None,
        "kind": hit.kind,
        "project": hit.project,
        "supersededBy": hit.superseded_by,
    }
    task_id = find_task_of_message(hit.session_id, hit.entry_ids, hit.said_at, tasks.values())
    return {**result, "taskId": task_id} if task_id else result


def mutate_tasks(run: Run, request: ToolRequest, project: str, session_id: str, actor: Actor = "agent") -> TaskAnswer:
    """Create, claim, release, close, connect or link a task, or write working memory; return the new state or the error."""
    from effects.tasks.task_step import TaskRequest, wait_for_lock
    from flows.owner_pipelines import tasks_pipeline
    from flows.runner import run_pipeline

    try:
        if request.get("action") == "update_context":
            return _update_context(run, request, project)
        asked = TaskRequest(_plan_change(run, request, project, session_id), actor, session_id)
        is_shown = request.get("action") == "close" and any(run.lake.list_files("pages"))  # there may be no pages yet
        wait_for_lock(partial(run_pipeline, run, tasks_pipeline(asked, is_shown=is_shown)))
        task: TaskRow | None = asked.task
        return {"success": True, "task": make_task_json(task)} if task else {"success": False, "error": asked.refusal}
    except RequestError as error:
        return {"success": False, "error": str(error)}
    except LockedError as error:
        return {"success": False, "error": f"{error.message}; try again in a minute", "retryable": True}


def _update_context(run: Run, request: ToolRequest, project: str) -> TaskAnswer:
    from effects.tasks.task_step import wait_for_lock
    from effects.tasks.working_memory import ContextRequest
    from flows.owner_pipelines import context_pipeline
    from flows.runner import run_pipeline

    if request.get("scope") not in (None, "resource"):
        raise RequestError("`scope` is resource: working memory of a conversation stays in it")
    asked = ContextRequest(project, _read_text(request, "content"), _read_optional_text(request, "base") or "")
    wait_for_lock(partial(run_pipeline, run, context_pipeline(asked)))
    return {"success": False, "error": asked.refusal} if asked.refusal else _describe_context(run, project)


def _describe_context(run: Run, project: str | None) -> TaskAnswer:
    """Return the working memory of a project; `hash` names the text for the next change."""
    from effects.tasks.working_memory import read_working_memory

    if project is None:
        raise RequestError("working memory belongs to one project; `all` has none")
    page = read_working_memory(run, project)
    shown: WorkingMemoryJson = {
        "resourceId": project, "content": page.text, "scope": "resource", "updatedAt": round(page.changed_at * 1000),
        "hash": page.text_hash, "path": str(page.path),
    }  # fmt: skip
    return {"success": True, "workingMemory": shown}


def _plan_change(run: Run, request: ToolRequest, project: str, session_id: str) -> ChangeTasks:
    """Return the change that a request asks for."""
    from transforms.tasks import change_tasks as rules

    action, now = _choose(request, "action", MUTATE_ACTIONS), run.as_of
    if action == "create":
        new = rules.NewTask(
            project=project,
            title=_read_text(request, "title"),
            description=_read_optional_text(request, "description"),
            priority=_number(request, "priority", 2),
            type=_choose_optional(request, "type", get_args(TaskType)) or "task",  # type: ignore[arg-type]
            labels=_read_texts(request, "labels"),
            depends_on=_read_texts(request, "dependsOn"),
        )
        return lambda tasks: rules.create_task(tasks, new, now)
    if action == "dep":
        task_id, other = _read_text(request, "taskId"), _read_text(request, "dependsOn")
        kind: DependencyType = _choose_optional(request, "type", get_args(DependencyType)) or "blocks"  # type: ignore[assignment]
        is_added = request.get("add", True) is not False
        return lambda tasks: rules.set_dependency(tasks, task_id, other, now, kind, is_added)
    if action == "link":
        task_id, message = _read_text(request, "taskId"), _read_text(request, "messageId")
        return lambda tasks: rules.link_message(tasks, task_id, _name_message(message, session_id), now)
    task_id = _read_text(request, "id")
    if action == "claim":
        assignee = _read_optional_text(request, "assignee") or session_id
        return lambda tasks: rules.claim_task(tasks, task_id, session_id, assignee, now)
    if action == "release":
        return lambda tasks: rules.release_task(tasks, task_id, now)
    reason: CloseReason = _choose(request, "reason", get_args(CloseReason))  # type: ignore[assignment]
    summary = _read_text(request, "summary")
    return lambda tasks: rules.close_task(tasks, task_id, reason, summary, now)


def _name_message(message: str, session_id: str) -> str:
    """Return `session:entry`; a bare entry is one of the session that asks."""
    return message if ":" in message else f"{session_id}:{message}"


def _choose(request: ToolRequest, name: str, choices: tuple[str, ...]) -> str:
    chosen = _choose_optional(request, name, choices)
    if chosen is None:
        raise RequestError(f"`{name}` is missing: one of {', '.join(choices)}")
    return chosen


def _choose_optional(request: ToolRequest, name: str, choices: tuple[str, ...]) -> str | None:
    value = request.get(name)
    if value is not None and value not in choices:
        raise RequestError(f"`{name}` is one of {', '.join(choices)}, not {value!r}")
    return None if value is None else str(value)


def _read_text(request: ToolRequest, name: str) -> str:
    value = request.get(name)
    if not isinstance(value, str) or not value.strip():
        raise RequestError(f"`{name}` is missing: a text")
    return value.strip()


def _read_optional_text(request: ToolRequest, name: str) -> str | None:
    return None if request.get(name) is None else _read_text(request, name)


def _read_texts(request: ToolRequest, name: str) -> tuple[str, ...]:
    value = request.get(name) or ()
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not all(isinstance(item, str) for item in listed):
        raise RequestError(f"`{name}` is a list of texts")
    return tuple(listed)


def _number(request: ToolRequest, name: str, default: int) -> int:
    value = request.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RequestError(f"`{name}` is a whole number from 0")
    return value
