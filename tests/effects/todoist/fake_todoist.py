"""A server on this machine that answers as Todoist's interface (API v1) does: tasks, changes since a token, pages, refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.machine.loopback import QuietHandler, serving_on_loopback


@dataclass
class FakeTodoist:
    """An account: tasks by id with the version of their last change; `failures` answer the next requests."""

    address: str = ""
    token: str = ""
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    version: int = 0
    page_size: int = 2
    failures: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    strange: dict[str, str] = field(default_factory=dict)
    """Bodies that answer the next request whose method and path begin so, with status 200, though it is not carried out."""
    refused: dict[str, int] = field(default_factory=dict)
    """Statuses of all requests whose body holds these words."""
    requests: list[tuple[str, str]] = field(default_factory=list)
    created: dict[str, str] = field(default_factory=dict)

    def touch(self, task_id: str, **changes: Any) -> None:
        """Change a task as its owner does in an app."""
        self.version += 1
        self.versions[task_id] = self.version
        self.tasks[task_id] |= changes

    def find(self, proposal_id: str) -> str:
        """Return the id of the open task of a proposal."""
        (results,) = [key for key, task in self.tasks.items() if proposal_id in task["description"] and self.is_open(task)]
        return results

    def open_titles(self) -> list[str]:
        return sorted(task["content"] for task in self.tasks.values() if self.is_open(task))

    @staticmethod
    def is_open(task: dict[str, Any]) -> bool:
        return not task["checked"] and not task["is_deleted"]

    def answer(self, method: str, path: str, query: dict[str, str], body: dict[str, Any], key: str) -> tuple[int, Any]:
        if path == "/sync":
            return 200, self._sync(body)
        if path == "/tasks" and method == "GET":
            tasks = [task for task in self.tasks.values() if self.is_open(task) and query["label"] in task["labels"]]
            start = int(query.get("cursor") or 0)
            end = start + self.page_size
            return 200, {"results": tasks[start:end], "next_cursor": str(end) if end < len(tasks) else None}
        if path == "/tasks":
            task_id = self.created.setdefault(key, f"6X{len(self.tasks)}")
            if task_id not in self.tasks:
                self.tasks[task_id] = {"id": task_id, "labels": [], "checked": False, "is_deleted": False, "description": ""}
                self.touch(task_id, **body)
            return 200, self.tasks[task_id]
        task_id = path.split("/")[2]
        if task_id not in self.tasks or self.tasks[task_id]["is_deleted"]:
            return 404, {}
        if path.endswith("/close"):
            self.touch(task_id, checked=True)
            return 204, None
        if method == "DELETE":
            self.touch(task_id, is_deleted=True)
            return 204, None
        if method == "POST":
            self.touch(task_id, **body)
        return 200, self.tasks[task_id]

    def _sync(self, body: dict[str, Any]) -> dict[str, Any]:
        since = body["sync_token"]
        assert body["resource_types"] == '["items"]'
        is_full = since == "*" or not since.isdigit()
        changed = [
            task for key, task in self.tasks.items() if (self.is_open(task) if is_full else self.versions[key] > int(since))
        ]
        return {"items": changed, "sync_token": str(self.version), "full_sync": is_full}


@contextmanager
def serve_todoist(token: str) -> Iterator[FakeTodoist]:
    """Yield the account while its server runs on a free port of this machine."""
    account = FakeTodoist(token=token)

    class Handler(QuietHandler):
        def handle_any(self) -> None:
            parts = urlsplit(self.path)
            path = parts.path.removeprefix("/api/v1")
            account.requests.append((self.command, path))
            raw = self.read_body().decode()
            is_form = self.headers.get("Content-Type", "").startswith("application/x-www-form")
            body = {key: values[0] for key, values in parse_qs(raw).items()} if is_form else json.loads(raw or "{}")
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            if self.headers.get("Authorization") != f"Bearer {account.token}":
                return self.send_body(json.dumps({"error": "forbidden"}), 401)
            if account.failures:
                status, headers = account.failures.pop(0)
                return self.send_body(json.dumps({"error": "later"}), status, headers=headers)
            asked = f"{self.command} {path}"
            if strange := next((begin for begin in account.strange if asked.startswith(begin)), None):
                return self.send_body(account.strange.pop(strange))
            if refused := next((words for words in account.refused if words in raw), None):
                return self.send_body(json.dumps({"error": "refused"}), account.refused[refused])
            status, value = account.answer(self.command, path, query, body, self.headers.get("X-Request-Id", ""))
            return self.send_body("" if value is None else json.dumps(value), status)

        do_GET = do_POST = do_DELETE = handle_any

    with serving_on_loopback(Handler) as port:
        account.address = f"http://127.0.0.1:{port}/api/v1"
        yield account
