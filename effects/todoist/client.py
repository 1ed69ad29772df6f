"""Todoist's interface (API v1): a few requests, repeated where that can help. Opened only when the owner turned it on."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
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
LONGEST_TODOIST_PAUSE = 30.0
PAGE_SIZE = 200
_TRANSIENT = frozenset({408, 425, 429})


class TodoistError(RecollectError):
    """Todoist could not be reached, or refused a request."""

    code = "todoist"
    retryable = True


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
        """Return the changes since `token`; `*` stands for everything."""
        answer = self._send("POST", "/sync", form={"sync_token": token, "resource_types": '["items"]'})
        tasks = tuple(_read_task(item) for item in answer.get("items") or ())
        return TaskChanges(tasks, str(answer.get("sync_token") or "*"), bool(answer.get("full_sync")))

    def list_tasks(self, label: str) -> list[TodoistTask]:
        """Return the open tasks with a label, from all pages of results."""
        tasks: list[TodoistTask] = []
        cursor = ""
        while True:
            query = {"label": label, "limit": str(PAGE_SIZE)} | ({"cursor": cursor} if cursor else {})
            page = self._send("GET", f"/tasks?{urlencode(query)}")
            tasks += [_read_task(item) for item in page.get("results") or ()]
            cursor = str(page.get("next_cursor") or "")
            if not cursor:
                return tasks

    def find_task(self, task_id: str) -> TodoistTask | None:
        """Return a task, also one that is done; None when there is none, because it was deleted."""
        answer = self._send("GET", f"/tasks/{quote(task_id)}", missing_ok=True)
        return _read_task(answer) if answer else None

    def add_task(self, fields: Mapping[str, object], key: str) -> TodoistTask:
        """Create a task; a repeated request with the same `key` creates no second one."""
        return _read_task(self._send("POST", "/tasks", fields, request_id=str(uuid5(NAMESPACE_URL, key))))

    def change_task(self, task_id: str, fields: Mapping[str, object]) -> TodoistTask | None:
        """Change a task; None when it is gone."""
        answer = self._send("POST", f"/tasks/{quote(task_id)}", fields, missing_ok=True)
        return _read_task(answer) if answer else None

    def close_task(self, task_id: str) -> None:
        """Complete a task; one that is gone counts as completed."""
        self._send("POST", f"/tasks/{quote(task_id)}/close", missing_ok=True)

    def delete_task(self, task_id: str) -> None:
        """Delete a task; one that is gone counts as deleted."""
        self._send("DELETE", f"/tasks/{quote(task_id)}", missing_ok=True)

    def _send(
        self,
        method: str,
        path: str,
        fields: Mapping[str, object] | None = None,
        *,
        form: Mapping[str, str] | None = None,
        request_id: str = "",
        missing_ok: bool = False,
    ) -> JsonObject:
        """Return the answer of a request, repeated after a limit of the rate, a failure of the server or of the network.

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

    def _send_once(self, request: Request, place: str, missing_ok: bool) -> JsonObject:
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                body = response.read()
        except HTTPError as error:
            error.close()
            if error.code in (404, 410) and missing_ok:
                return {}
            raise _describe_refusal(error, place) from None
        except (URLError, OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise _TransientError(f"Todoist cannot be reached ({reason})", "the next run tries again; nothing is lost") from None
        try:
            answer = orjson.loads(body) if body.strip() else {}
        except orjson.JSONDecodeError:
            raise _TransientError(
                f"Todoist answered {place} with something other than JSON", "the next run tries again"
            ) from None
        return answer if isinstance(answer, dict) else {}


class _RefuseRedirect(HTTPRedirectHandler):
    """Follows no redirect."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Return no request: a redirect would carry the token to another host."""


def _build_opener() -> OpenerDirector:
    return build_opener(_RefuseRedirect, HTTPSHandler(context=ssl.create_default_context()))


def _choose_pause(error: Exception) -> bool | float:
    return (error.after or True) if isinstance(error, _TransientError) else False


def _describe_refusal(error: HTTPError, place: str) -> TodoistError:
    if error.code in (401, 403):
        return TodoistError(f"Todoist refused {place} (HTTP {error.code})", "check the token: docs/todoist.md")
    if error.code in _TRANSIENT or error.code >= 500:
        problem = _TransientError(f"Todoist answered {place} with HTTP {error.code}", "the next run tries again; nothing is lost")
        problem.after = read_retry_after(error.headers.get("Retry-After"), LONGEST_TODOIST_PAUSE)
        return problem
    return TodoistError(f"Todoist answered {place} with HTTP {error.code}", "recollect doctor")


def _read_task(item: JsonObject) -> TodoistTask:
    return TodoistTask(
        id=str(item.get("id") or ""),
        content=str(item.get("content") or ""),
        description=str(item.get("description") or ""),
        labels=tuple(str(label) for label in item.get("labels") or ()),
        is_done=bool(item.get("checked") or item.get("is_completed")),
        is_deleted=bool(item.get("is_deleted")),
    )
