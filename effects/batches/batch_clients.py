"""The batch interfaces of OpenAI and Anthropic: submit many requests, ask how far they are, read the results."""

from __future__ import annotations

import importlib
import importlib.util
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import orjson
from pydantic import BaseModel

from effects.engines.instructor_engine import CLOSED, find_key, read_completion, share_http_client
from effects.engines.requests import Reply, Request
from effects.system.errors import ConfigError
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject

BATCH_PRICE = 0.5
"""Share of the usual price that both providers charge for a batch."""
BATCH_MARK = "recollect"
_THINKING = compile_late(r"^(?:gpt-[5-9]|o\d)")
"""Models of OpenAI that take no temperature."""
_ENDED = ("completed", "expired", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class BatchState:
    """Whether a batch has ended, and how many of its requests are done."""

    is_ended: bool
    done: int = 0


class BatchClient(Protocol):
    """A provider's batch interface. Items are requests by their key, which is also their name in the batch."""

    def submit(self, name: str, items: Mapping[str, Request]) -> str:
        """Send the requests and return the provider's id of the batch."""
        ...

    def find(self, name: str, keys: Iterable[str]) -> str:
        """Return the id of a batch that was submitted under this name, also of one that runs; empty when there is none.

        One that runs may be another program's where batches have no names: ask again when it has ended.
        """
        ...

    def ask_state(self, batch_id: str) -> BatchState:
        """Return how far a batch is."""
        ...

    def read(self, batch_id: str, response_model: type[BaseModel]) -> dict[str, Reply]:
        """Return key → reply of the requests that were answered; those that failed or expired are left out."""
        ...


def open_batch_client(model: str, base_url: str | None, timeout: float) -> BatchClient:
    """Return the client of `provider/model`.

    Raises:
        ConfigError: when the provider has no batches, its key is missing, or its package is not installed.
    """
    provider, _, name = model.partition("/")
    if provider == "openai":
        from openai import OpenAI

        key = find_key("openai", is_own=base_url is not None)
        options: dict[str, Any] = {"api_key": key, "base_url": base_url, "max_retries": 2, "timeout": timeout}
        return _OpenAIBatches(OpenAI(**options, default_headers=CLOSED, http_client=share_http_client("openai")), name)
    if provider == "anthropic" and importlib.util.find_spec("anthropic"):
        key = find_key("anthropic", is_own=base_url is not None)
        make = importlib.import_module("anthropic").Anthropic
        options = {"api_key": key, "base_url": base_url, "max_retries": 2, "timeout": timeout}
        return _AnthropicBatches(make(**options, default_headers=CLOSED, http_client=share_http_client("anthropic")), name)
    raise ConfigError(
        f"`{model}` takes no batches: only openai and anthropic (with its package) do",
        "RECOLLECT_ENGINE__BATCH=off recollect backfill …",
    )


def _build_tool(request: Request) -> JsonObject:
    schema = request.response_model.model_json_schema()
    return {"name": request.response_model.__name__, "description": "The answer.", "parameters": schema}


@dataclass(frozen=True, slots=True)
class _OpenAIBatches:
    client: Any
    model: str

    def submit(self, name: str, items: Mapping[str, Request]) -> str:
        """Upload the requests as a file and return the id of their batch; its answers may take a day."""
        lines = [
            orjson.dumps({"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": self._build_body(request)})
            for key, request in items.items()
        ]
        file = self.client.files.create(file=(f"{name}.jsonl", io.BytesIO(b"\n".join(lines))), purpose="batch")
        batch = self.client.with_options(max_retries=0).batches.create(  # a repetition could be a second batch
            input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={BATCH_MARK: name}
        )
        return str(batch.id)

    def _build_body(self, request: Request) -> JsonObject:
        tool = _build_tool(request)
        body: JsonObject = {
            "model": self.model,
            "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.prompt}],
            "max_completion_tokens": request.max_output_tokens,
            "tools": [{"type": "function", "function": tool}],
            "tool_choice": {"type": "function", "function": {"name": tool["name"]}},
        }
        return body if _THINKING.match(self.model) else body | {"temperature": request.temperature}

    def find(self, name: str, keys: Iterable[str]) -> str:
        """Return the id of the batch with this name among the newest 100, so that none is paid twice; else empty."""
        page = self.client.batches.list(limit=100)
        return next((str(batch.id) for batch in page.data if (batch.metadata or {}).get(BATCH_MARK) == name), "")

    def ask_state(self, batch_id: str) -> BatchState:
        """Return whether the batch has ended, and how many of its requests are answered."""
        batch = self.client.batches.retrieve(batch_id)
        return BatchState(batch.status in _ENDED, batch.request_counts.completed if batch.request_counts else 0)

    def read(self, batch_id: str, response_model: type[BaseModel]) -> dict[str, Reply]:
        """Return the replies by key; requests that failed are left out, and none is there before the batch has ended."""
        from openai.types.chat import ChatCompletion

        batch = self.client.batches.retrieve(batch_id)
        if not batch.output_file_id:
            return {}
        replies: dict[str, Reply] = {}
        for line in self.client.files.content(batch.output_file_id).content.splitlines():
            row = orjson.loads(line)
            if (row.get("response") or {}).get("status_code") == 200:
                completion = ChatCompletion.model_validate(row["response"]["body"])
                replies[row["custom_id"]] = read_completion(completion, response_model)
        return replies


def _count_requests(counts: Any) -> int:
    return int(counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired)


@dataclass(frozen=True, slots=True)
class _AnthropicBatches:
    client: Any
    model: str

    def submit(self, name: str, items: Mapping[str, Request]) -> str:
        """Send the requests and return the id of their batch; its answers may take a day."""
        requests = [{"custom_id": key, "params": self._build_body(request)} for key, request in items.items()]
        once = self.client.with_options(max_retries=0)  # a repetition could be a second batch
        return str(once.messages.batches.create(requests=requests).id)

    def _build_body(self, request: Request) -> JsonObject:
        tool = _build_tool(request)
        named = {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
        return {
            "model": self.model,
            "max_tokens": request.max_output_tokens,
            "system": [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": request.prompt}],
            "tools": [named],
            "tool_choice": {"type": "auto"},
        }

    def find(self, name: str, keys: Iterable[str]) -> str:
        """Return the id of the batch, among the newest 20, that answers one of the keys: batches have no names here.

        One that still runs shows no keys: else the newest of as many requests is returned, to be looked at when it has ended.
        """
        wanted = set(keys)
        listed = self.client.messages.batches.list(limit=20).data
        for batch in listed:
            if batch.results_url and any(row.custom_id in wanted for row in self.client.messages.batches.results(batch.id)):
                return str(batch.id)
        running = (batch for batch in listed if batch.processing_status != "ended")
        return next((str(batch.id) for batch in running if _count_requests(batch.request_counts) == len(wanted)), "")

    def ask_state(self, batch_id: str) -> BatchState:
        """Return whether the batch has ended, and how many of its requests succeeded."""
        batch = self.client.messages.batches.retrieve(batch_id)
        return BatchState(batch.processing_status == "ended", batch.request_counts.succeeded)

    def read(self, batch_id: str, response_model: type[BaseModel]) -> dict[str, Reply]:
        """Return the replies by key; requests that failed are left out."""
        rows = self.client.messages.batches.results(batch_id)
        return {
            row.custom_id: read_completion(row.result.message, response_model) for row in rows if row.result.type == "succeeded"
        }
