"""Reads what Claude Code and Codex print about one request: JSON events, a line each.

Events of a kind that is not known here, and lines that are no events, are passed over: a newer client may print more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite

import orjson

from transforms.tables.json_object import JsonObject, get_text

STRUCTURED_TOOL = "StructuredOutput"
"""The tool with which Claude Code lets a model answer in a schema."""


@dataclass(frozen=True, slots=True)
class ClientAnswer:
    """The answer of a client: its text, and the tokens and dollars that it counted (None: not told).

    `plain_tokens` were read at the usual price, `written_tokens` went into the provider's cache, `cached_tokens` came from it.
    `error` says why there is no answer, `status` is the provider's HTTP status, 0 without one. `resets_at` is the second of the
    epoch at which a limit that is reached ends, 0 when unknown.
    """

    text: str = ""
    is_cut: bool = False
    is_refusal: bool = False
    plain_tokens: int | None = None
    written_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int | None = None
    usd: float | None = None
    error: str = ""
    status: int = 0
    resets_at: int = 0


def read_claude_events(output: str) -> ClientAnswer:
    """Return the answer in the events of `claude -p --output-format stream-json`: the object of the schema, else the words."""
    answer, words = ClientAnswer(), ""
    for event in _list_events(output):
        kind = get_text(event.get("type"))
        if kind == "assistant":
            structured, said = _read_message(event)
            if event.get("error") == "max_output_tokens":
                answer = replace(answer, is_cut=True)
            elif event.get("error"):
                answer = replace(answer, error=said or str(event["error"]))
            else:
                answer, words = replace(answer, text=structured or answer.text), words + said
        elif kind == "system" and "refusal" in get_text(event.get("subtype")):
            answer = replace(answer, is_refusal=True)
        elif kind == "rate_limit_event" and get_text(_get_object(event, "rate_limit_info").get("status")) == "rejected":
            answer = replace(answer, resets_at=_get_count(_get_object(event, "rate_limit_info"), "resetsAt") or 0)
        elif kind == "result":
            answer = _read_result(answer, event, bool(answer.text or words))
    return replace(answer, text=answer.text or words)


def _read_message(event: JsonObject) -> tuple[str, str]:
    """Return the object that a message of the model gives for the schema, as JSON, and its words."""
    parts = _get_object(event, "message").get("content")
    structured = said = ""
    for part in parts if isinstance(parts, list) else ():
        if not isinstance(part, dict):
            continue
        if part.get("type") == "tool_use" and part.get("name") == STRUCTURED_TOOL and isinstance(part.get("input"), dict):
            structured = orjson.dumps(part["input"]).decode()
        elif part.get("type") == "text":
            said += get_text(part.get("text"))
    return structured, said


def _read_result(answer: ClientAnswer, event: JsonObject, is_answered: bool) -> ClientAnswer:
    """Add the last event: tokens, dollars, why the model stopped, and the error when it did not answer.

    Its own `usage` is empty when the client was told to stop after the answer; `modelUsage` is not.
    """
    models = [usage for usage in _get_object(event, "modelUsage").values() if isinstance(usage, dict)]
    reason, usd = get_text(event.get("stop_reason")), event.get("total_cost_usd")
    if event.get("is_error") and not is_answered and not answer.error:
        errors = event.get("errors")
        listed = "; ".join(map(str, errors)) if isinstance(errors, list) else ""
        answer = replace(answer, error=get_text(event.get("result")) or listed or get_text(event.get("subtype")) or "no answer")
    if models:
        plain, written, cached, out = (
            sum(_get_count(usage, name) or 0 for usage in models)
            for name in ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")
        )
        answer = replace(answer, plain_tokens=plain, written_tokens=written, cached_tokens=cached, output_tokens=out)
    return replace(
        answer,
        is_cut=answer.is_cut or reason == "max_tokens",
        is_refusal=answer.is_refusal or reason == "refusal",
        status=_get_count(event, "api_error_status") or 0,
        usd=float(usd) if isinstance(usd, int | float) and isfinite(usd) and usd > 0 else None,
    )


def read_codex_events(output: str) -> ClientAnswer:
    """Return the answer in the events of `codex exec --json`: the last message of the agent, else the last error."""
    answer, error, is_failed = ClientAnswer(), "", False
    for event in _list_events(output):
        kind = get_text(event.get("type"))
        item = _get_object(event, "item")
        if kind == "item.completed" and item.get("type") == "agent_message":
            answer = replace(answer, text=get_text(item.get("text")))
        elif kind == "turn.completed":
            usage = _get_object(event, "usage")  # what came from the cache is among the input, as OpenAI counts it
            answer = replace(
                answer, plain_tokens=_get_count(usage, "input_tokens"), output_tokens=_get_count(usage, "output_tokens")
            )
        elif kind == "turn.failed":
            is_failed, error = True, get_text(_get_object(event, "error").get("message")) or error
        elif kind == "error":
            error = get_text(event.get("message")) or error
    is_failed = is_failed or not answer.text
    return replace(answer, error=error) if is_failed else answer


def _list_events(output: str) -> Iterator[JsonObject]:
    for line in output.split("\n"):  # no other line end: a text may contain U+2028
        if line.startswith("{"):
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError:  # cut off, or no event
                continue


def _get_object(event: JsonObject, name: str) -> JsonObject:
    value = event.get(name)
    return value if isinstance(value, dict) else {}


def _get_count(value: JsonObject, name: str) -> int | None:
    number = value.get(name)
    return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None
