"""Todoist's interface (API v1): a few requests, repeated where that can help. Opened only when the owner turned it on."""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener
from uuid import NAMESPACE_URL, uuid5

import orjson

from effects.system.errors import RecollectError
from effects.system.retry_notes import read_retry_after, repeat_request
from transforms.tables.json_object import JsonObject

REQUEST_ATTEMPTS = 3
TIMEOUT_SECONDS = 15.0
LONGEST_ANSWER_SECONDS = 60.0
"""Seconds that the body of an answer may take: one that drips would keep a night waiting for ever."""
MOST_ANSWER_BYTES = 64_000_000
MOST_PAGES = 500
LONGEST_TODOIST_PAUSE = 30.0
PAGE_SIZE = 200
EVERYTHING = "*"
"""The token of changes that stands for all tasks."""
_TRANSIENT = frozenset({408, 425, 429})


class TodoistError(RecollectError):
    """Todoist could not be reached, or refused a request."""

    code = "todoist"
    retryable = True


class TaskRefusedError(TodoistError):
    """Todoist took this one request for wrong; others may be answered."""

    retryable = False


class _TransientError(TodoistError):
    """A failure that may be gone in a moment; `after` are seconds that the server asks for."""

    after: float | None = None


@dataclass(frozen=True, slots=True)
class TodoistTask:
    """A task as Todoist has it."""

    id: str
    content: str
    description: str
    labels: tuple[str, ...]
    is_done: bool
    is_deleted: bool


@dataclass(frozen=True, slots=True)
class TaskChanges:
    """Tasks that changed since a token, and the next token; `is_full` when these are all open tasks instead."""

    tasks: tuple[TodoistTask, ...]
    token: str
    is_full: bool


class TodoistClient:
    """One account of Todoist. The token goes into the header of requests to `base_url` and nowhere else."""

    def __init__(self, base_url: str, token: str, wait: float = 1.0) -> None:
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._wait = wait
        self._opener = _build_opener()

    def read_changes(self, token: str) -> TaskChanges:
        """Return the changes since `token`; `*` stands for everything, which is read, too, when Todoist refuses the token."""
        try:
            answer = self._sync(token)
        except TaskRefusedError:
            if token == EVERYTHING:
                raise
            answer = self._sync(EVERYTHING)
        tasks, next_token = _read_tasks(answer, "items", "/sync"), _read_text(answer, "sync_token", "/sync")
        return TaskChanges(tasks, next_token, bool(cast("JsonObject", answer).get("full_sync")))

    def list_tasks(self, label: str) -> list[TodoistTask]:
        """Return the open tasks with a label, from all pages of results."""
        tasks: list[TodoistTask] = []
        cursors = {""}
        cursor = ""
        for _ in range(MOST_PAGES):
            query = {"label": label, "limit": str(PAGE_SIZE)} | ({"cursor": cursor} if cursor else {})
            page = self._send("GET", f"/tasks?{urlencode(query)}")
            tasks += _read_tasks(page, "results", "/tasks")
            cursor = str(cast("JsonObject", page).get("next_cursor") or "")
            if not cursor:
                return tasks
            if cursor in cursors:
                break
            cursors.add(cursor)
        raise _describe_strange("/tasks")

    def find_task(self, task_id: str) -> TodoistTask | None:
        """Return a task, also one that is done; None when there is none, because it was deleted."""
        place = f"/tasks/{quote(task_id)}"
        answer = self._send("GET", place, missing_ok=True)
        return None if answer is None else _read_task(answer, place)

    def add_task(self, fields: Mapping[str, object], key: str) -> TodoistTask:
        """Create a task; a repeated request with the same `key` creates no second one."""
        return _read_task(self._send("POST", "/tasks", fields, request_id=str(uuid5(NAMESPACE_URL, key))), "/tasks")

    def change_task(self, task_id: str, fields: Mapping[str, object]) -> TodoistTask | None:
        """Change a task; None when it is gone."""
        place = f"/tasks/{quote(task_id)}"
        answer = self._send("POST", place, fields, missing_ok=True)
        return None if answer is None else _read_task(answer, place)

    def close_task(self, task_id: str) -> None:
        """Complete a task; one that is gone counts as completed."""
        self._send("POST", f"/tasks/{quote(task_id)}/close", missing_ok=True)

    def delete_task(self, task_id: str) -> None:
        """Delete a task; one that is gone counts as deleted."""
        self._send("DELETE", f"/tasks/{quote(task_id)}", missing_ok=True)

    def _sync(self, token: str) -> object:
        return self._send("POST", "/sync", form={"sync_token": token, "resource_types": '["items"]'})

    def _send(
        self,
        method: str,
        path: str,
        fields: Mapping[str, object] | None = None,
        *,
        form: Mapping[str, str] | None = None,
        request_id: str = "",
        missing_ok: bool = False,
    ) -> object:
        """Return the answer of a request, None when its task is gone.

        It is repeated after a limit of the rate, a failure of the server or of the network.

        Raises:
            TodoistError: when it stays without an answer, or the answer is a refusal.
        """
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        headers |= {"X-Request-Id": request_id} if request_id else {}
        data = None
        if form is not None:
            data, headers["Content-Type"] = urlencode(form).encode(), "application/x-www-form-urlencoded"
        elif fields is not None:
            data, headers["Content-Type"] = orjson.dumps(fields), "application/json"
        request = Request(self._base_url + path, data, headers, method=method)
        for attempt in repeat_request(_choose_pause, REQUEST_ATTEMPTS, self._wait, LONGEST_TODOIST_PAUSE, self._wait):
            with attempt:
                return self._send_once(request, path.partition("?")[0], missing_ok)
        raise AssertionError("unreachable: the last attempt raises")

    def _send_once(self, request: Request, place: str, missing_ok: bool) -> object:
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                body = _read_body(response)
        except HTTPError as error:
            is_missing = error.code in (404, 410) and missing_ok
            is_told_by_todoist = is_missing and _is_object(error)
            error.close()
            if is_told_by_todoist:
                return None
            raise _describe_strange(place) if is_missing else _describe_refusal(error, place) from None
        except (URLError, OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise _TransientError(f"Todoist cannot be reached ({reason})", "the next run tries again; nothing is lost") from None
        if not body.strip():
            return {}
        try:
            return cast("object", orjson.loads(body))
        except orjson.JSONDecodeError:
            raise _describe_strange(place) from None


class _RefuseRedirect(HTTPRedirectHandler):
    """Follows no redirect."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Return no request: a redirect would carry the token to another host."""


def _build_opener() -> OpenerDirector:
    return build_opener(_RefuseRedirect, HTTPSHandler(context=ssl.create_default_context()))


def _choose_pause(error: Exception) -> bool | float:
    return (error.after or True) if isinstance(error, _TransientError) else False


def _describe_refusal(error: HTTPError, place: str) -> TodoistError:
    if error.code in (401, 403):  # the second may be meant for one task, in a project that is no longer the owner's
        kind = TaskRefusedError if error.code == 403 else TodoistError
        return kind(f"Todoist refused {place} (HTTP {error.code})", "check the token: docs/todoist.md")
    if error.code in _TRANSIENT or error.code >= 500:
        problem = _TransientError(f"Todoist answered {place} with HTTP {error.code}", "the next run tries again; nothing is lost")
        problem.after = read_retry_after(error.headers.get("Retry-After"), LONGEST_TODOIST_PAUSE)
        return problem
    kind = TaskRefusedError if 400 <= error.code < 500 else TodoistError
    return kind(f"Todoist answered {place} with HTTP {error.code}", "decide in REVIEW.md; docs/todoist.md has the settings")


def _describe_strange(place: str) -> _TransientError:
    problem = f"Todoist answered {place} with something else than asked for"
    return _TransientError(problem, "the next run tries again; nothing is lost")


def _is_object(error: HTTPError) -> bool:
    """Whether a refusal is Todoist's own: the page of a proxy that knows no such address says nothing of a task."""
    try:
        return isinstance(orjson.loads(_read_body(error)), dict)
    except (OSError, http.client.HTTPException, orjson.JSONDecodeError):
        return False


def _read_body(response: http.client.HTTPResponse | HTTPError) -> bytes:
    """Return the body of an answer; OSError for one that has no end, or drips."""
    deadline, pieces, size = time.monotonic() + LONGEST_ANSWER_SECONDS, list[bytes](), 0
    while piece := response.read1(65_536):
        pieces.append(piece)
        size += len(piece)
        if size > MOST_ANSWER_BYTES or time.monotonic() > deadline:
            raise OSError("its answer did not end in time")
    return b"".join(pieces)


def _read_tasks(answer: object, name: str, place: str) -> tuple[TodoistTask, ...]:
    items = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise _describe_strange(place)
    return tuple(_read_task(item, place) for item in items)


def _read_text(answer: object, name: str, place: str) -> str:
    """Return a text of an answer that is not empty. What has none is no answer: a page of a proxy, a list, half a table."""
    text = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(text, str) or not text:
        raise _describe_strange(place)
    return text


def _read_task(item: object, place: str) -> TodoistTask:
    """Return the task of an answer: one without an id would be taken for gone, or for one that was never made."""
    task_id = _read_text(item, "id", place)
    fields = cast("JsonObject", item)
    labels = fields.get("labels")
    return TodoistTask(
        id=task_id,
        content=str(fields.get("content") or ""),
        description=str(fields.get("description") or ""),
        labels=tuple(str(label) for label in labels) if isinstance(labels, list) else (),
        is_done=bool(fields.get("checked") or fields.get("is_completed")),
        is_deleted=bool(fields.get("is_deleted")),
    )
