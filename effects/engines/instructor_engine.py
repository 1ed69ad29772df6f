"""Models through instructor: structured output of OpenAI-compatible servers, of Anthropic and of its other providers.

The retries of the libraries (instructor and the SDKs) are switched off: a request that they repeat silently escapes budgets and
record.
"""

from __future__ import annotations

import importlib
import importlib.util
import ipaddress
import logging
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import orjson
from pydantic import BaseModel, ValidationError

from effects.engines.provider_errors import BROKE_OFF, convert_provider_error, find_reported_error
from effects.engines.requests import Reply, Request, Send, TransportError
from effects.system.errors import ConfigError
from transforms.model_answers.cut_answer import find_answer
from transforms.pricing.prices import LOCAL_PROVIDERS
from transforms.pricing.spend import weigh_cached_tokens

ADDRESSES = {
    "ollama": "http://localhost:11434/v1",
    "mlx": "http://localhost:8080/v1",
    "lmstudio": "http://localhost:1234/v1",
    "google": "https://generativelanguage.googleapis.com/v1beta/openai/",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai/",
    "groq": "https://api.groq.com/openai/v1",
    "mistral": "https://api.mistral.ai/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "xai": "https://api.x.ai/v1",
}
"""OpenAI-compatible addresses of providers: they need no package, and retries and output limits stay under our control."""
CLOSED = {"Connection": "close"}
"""Keeps no connection open: a handshake is short, and nobody would close an idle connection when a command ends."""
MAX_PROBLEM_CHARS, MAX_CAUSE_CHARS = 300, 200
MOST_ANSWER_BYTES, LONGEST_ANSWER_S = 16_000_000, 600.0
"""Bytes of an answer, and seconds that its body may take where a request has no limit of its own."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The features of a server, learnt from its refusals: tools, else a JSON schema, else JSON in prose."""

    mode: str = "TOOLS"
    limit: str = "max_tokens"
    has_temperature: bool = True

    def adapt(self, complaint: str) -> Dialect | None:
        """Return the dialect to try after HTTP 400 with this text; None when nothing is left to change."""
        text = complaint.lower()
        if "max_completion_tokens" in text and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        if "temperature" in text and self.has_temperature:
            return replace(self, has_temperature=False)
        if "tool" in text and self.mode == "TOOLS":
            return replace(self, mode="JSON_SCHEMA")
        if re.search(r"response_format|json_schema|schema", text) and self.mode != "MD_JSON":
            return replace(self, mode="MD_JSON")
        return None


def is_own_server(address: str | None) -> bool:
    """Whether an address is on this machine: mlx-lm, Ollama, llama.cpp and the like cost electricity."""
    host = urlsplit(address or "").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def make_instructor_send(model: str, base_url: str | None, timeout: float) -> Send:
    """Return a function that sends requests to `provider/model`.

    Raises:
        ConfigError: when the key or the provider's package is missing.
    """
    logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)  # it prints answers; our reasons tell of failures
    provider, _, name = model.partition("/")
    if provider == "anthropic":
        return _make_anthropic_send(name, base_url, timeout)
    if provider == "openai" or base_url or provider in ADDRESSES:
        return _make_openai_send(provider, name, base_url or ADDRESSES.get(provider), timeout)
    return _make_other_send(model, timeout)


def _make_openai_send(provider: str, name: str, base_url: str | None, timeout: float) -> Send:
    import instructor
    from openai import OpenAI

    is_own = provider in LOCAL_PROVIDERS or base_url not in (None, *ADDRESSES.values())
    key = find_key(provider, is_own=is_own)
    shared = share_http_client("openai")
    client = OpenAI(api_key=key, base_url=base_url, max_retries=0, timeout=timeout, default_headers=CLOSED, http_client=shared)

    def send_once(request: Request, dialect: Dialect) -> Reply:
        """Send a request in one dialect; TransportError when the provider refuses it or cannot be reached."""
        options = {"model": name, dialect.limit: request.max_output_tokens}
        if dialect.has_temperature:
            options["temperature"] = request.temperature
        patched = instructor.from_openai(client, mode=instructor.Mode[dialect.mode])
        messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.prompt}]
        return _send_once(patched.chat.completions.create_with_completion, request.response_model, messages=messages, **options)

    return _adapt_dialect(send_once)


def _make_anthropic_send(name: str, base_url: str | None, timeout: float) -> Send:
    if importlib.util.find_spec("anthropic") is None:
        raise ConfigError(
            "the engine `instructor:anthropic/…` needs the package `anthropic`, which is not installed",
            "pip install 'recollect[anthropic]', or use `pi:anthropic/…`, which needs no package",
        )
    import instructor

    key = find_key("anthropic", is_own=base_url is not None)
    client = importlib.import_module("anthropic").Anthropic(
        api_key=key,
        base_url=base_url,
        max_retries=0,
        timeout=timeout,
        default_headers=CLOSED,
        http_client=share_http_client("anthropic"),
    )

    def send_once(request: Request, dialect: Dialect) -> Reply:
        """Send a request in one dialect; TransportError when the provider refuses it or cannot be reached."""
        # Models that always think refuse a forced tool (Opus 5.5, Fable 5.1): they are asked for JSON in words.
        mode = instructor.Mode.TOOLS if dialect.mode == "TOOLS" else instructor.Mode.JSON
        patched: Any = instructor.from_anthropic(client, mode=mode)
        # Not as an argument: anthropic 2.11 has none for it any more, though most models still take it.
        extra = {"temperature": request.temperature} if dialect.has_temperature else {}
        return _send_once(
            patched.messages.create_with_completion,
            request.response_model,
            model=name,
            max_tokens=request.max_output_tokens,
            extra_body=extra,
            # The instructions are the same for every window; those of a large schema are cached for a tenth of their price.
            system=[{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
            messages=[{"role": "user", "content": request.prompt}],
        )

    return _adapt_dialect(send_once)


def _adapt_dialect(send_once: Callable[[Request, Dialect], Reply]) -> Send:
    """Return a function that sends in the dialect that worked last, and adapts it when a server refuses one of its features."""
    current, lock = [Dialect()], Lock()

    def send(request: Request) -> Reply:
        """Send a request; when the provider refuses its form, try the dialect that the refusal names and keep to it."""
        while True:
            dialect = current[0]
            try:
                return send_once(request, dialect)
            except TransportError as error:
                is_refusal = error.is_request_at_fault and str(error).startswith("HTTP ")  # else its words are no complaint
                other = dialect.adapt(str(error)) if is_refusal else None
                if other is None:
                    raise
                with lock:
                    current[0] = other

    return send


def _make_other_send(model: str, timeout: float) -> Send:
    import instructor

    try:
        patched: Any = instructor.from_provider(model)
    except Exception as error:
        raise ConfigError(
            f"the engine `instructor:{model}` cannot be used: {' '.join(str(error).split())[:MAX_CAUSE_CHARS]}",
            "install the provider's package, or name an OpenAI-compatible address in RECOLLECT_ENGINE__BASE_URL",
        ) from error

    def send(request: Request) -> Reply:
        """Send a request through a client that instructor chose; TransportError when it fails."""
        messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.prompt}]
        return _send_once(patched.chat.completions.create_with_completion, request.response_model, messages=messages)

    return send


def share_http_client(package: str) -> Any:
    """Return the HTTP client for all clients of `openai` or `anthropic` in this process.

    One of its own for each would read the certificates of the machine again: 40 ms of processor time, several times a night.
    """
    deciding = {
        name: value for name, value in os.environ.items() if name.lower().endswith(("_proxy", "ssl_cert_file", "ssl_cert_dir"))
    }
    return _open_http_client(package, tuple(sorted(deciding.items())))


@cache
def _open_http_client(package: str, _environment: tuple[tuple[str, str], ...]) -> Any:
    """Follow no redirect: it would send the conversation to a host that the owner never named. Answers are bounded."""
    return importlib.import_module(package).DefaultHttpxClient(follow_redirects=False, event_hooks={"response": [_bound_answer]})


def _bound_answer(response: Any) -> None:
    """Let an answer end in an error when it is too long, or when it still drips after the time that one may take."""
    httpx = importlib.import_module(type(response).__module__.partition(".")[0])  # each package brings a version of its own
    allowed = (response.request.extensions.get("timeout") or {}).get("read") or LONGEST_ANSWER_S
    response.stream = _make_bounded_stream(httpx, response, time.monotonic() + allowed)


def _make_bounded_stream(httpx: Any, response: Any, deadline: float) -> Any:
    stream, request = response.stream, response.request

    class BoundedStream(httpx.SyncByteStream):  # type: ignore[misc]  # httpx is imported with the first request only
        """The bytes of an answer, up to a size and a moment."""

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            try:
                for piece in stream:
                    size += len(piece)
                    if size > MOST_ANSWER_BYTES:
                        raise httpx.ReadError(f"the answer is longer than {MOST_ANSWER_BYTES} bytes", request=request)
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout("the answer did not end in time", request=request)
                    yield piece
            except (httpx.NetworkError, httpx.ProtocolError) as error:  # the model's work is done: what began is billed
                raise httpx.ReadTimeout(f"{BROKE_OFF}: {error}", request=request) from error

        def close(self) -> None:
            stream.close()

    return BoundedStream()


def find_key(provider: str, *, is_own: bool) -> str:
    """Return the provider's own key, never another's; a server of one's own usually needs none."""
    name = f"{re.sub(r'[^A-Z0-9]', '_', provider.upper())}_API_KEY"
    if key := os.environ.get(name):
        return key
    if is_own:
        return "none-needed"
    raise ConfigError(
        f"{name} is not set, and the engine `instructor:{provider}/…` needs it",
        "set it, or name a server of your own in RECOLLECT_ENGINE__BASE_URL",
    )


def _send_once(create: Callable[..., Any], response_model: type[BaseModel], **arguments: Any) -> Reply:
    """Send one request. A bad answer is a reply with a problem; a failure of the connection is raised."""
    from instructor.core.exceptions import IncompleteOutputException, InstructorRetryException

    try:
        answer, completion = create(response_model=response_model, max_retries=0, **arguments)
    except IncompleteOutputException as error:
        return _build_reply(error.last_completion, "it was cut off at the output limit")
    except InstructorRetryException as error:
        cause = error.__cause__
        if isinstance(cause, AssertionError):  # instructor asserts that an OpenAI message holds no refusal
            return _build_reply(None, _format_error(cause), usage=error.total_usage, is_refusal=True)
        if error.last_completion is None:
            raise convert_provider_error(cause or error) from error
        if reported := find_reported_error(error.last_completion):
            raise reported from error
        return _recover_object(error.last_completion, response_model, cause or error)
    return _build_reply(completion, "", text=answer.model_dump_json())


def read_completion(completion: Any, response_model: type[BaseModel]) -> Reply:
    """Return the reply that a completion of a batch holds, in OpenAI's or Anthropic's form."""
    return _recover_object(completion, response_model, ValueError("there is no object in it"))


def _recover_object(completion: Any, response_model: type[BaseModel], cause: BaseException) -> Reply:
    """Return a reply from prose: a server without tools may still write an object that fits the schema."""
    text = _read_raw_text(completion)
    stop = _find_stop_reason(completion)
    if stop in ("content_filter", "refusal"):
        return _build_reply(completion, "it refused", is_refusal=True)
    if written := find_answer(text, response_model):
        try:
            return _build_reply(completion, "", text=response_model.model_validate_json(written).model_dump_json())
        except ValidationError as error:
            cause = error
    if stop in ("length", "max_tokens"):
        return _build_reply(completion, "it was cut off at the output limit", text=text)
    problem = "it is empty" if not text else _format_error(cause) if "{" in text else "there is no JSON object in it"
    return _build_reply(completion, problem, text=text)


def _format_error(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"it does not fit the schema: {'.'.join(map(str, first['loc']))}: {first['msg']}"[:MAX_PROBLEM_CHARS]
    return " ".join(str(error).split())[:MAX_PROBLEM_CHARS]


def _build_reply(completion: Any, problem: str, *, text: str | None = None, usage: Any = None, is_refusal: bool = False) -> Reply:
    used = usage or getattr(completion, "usage", None)
    plain = _find_count(used, "prompt_tokens", "input_tokens")
    # Anthropic counts what goes into its cache, and what comes from it, beside the other tokens; OpenAI counts it among them.
    written, cached = _find_count(used, "cache_creation_input_tokens") or 0, _find_count(used, "cache_read_input_tokens") or 0
    return Reply(
        text=_read_raw_text(completion) if text is None else text,
        problem=problem,
        is_refusal=is_refusal,
        input_tokens=None if plain is None else plain + written + cached,
        output_tokens=_find_count(used, "completion_tokens", "output_tokens"),
        charged_tokens=None if plain is None else weigh_cached_tokens(plain, written, cached),
    )


def _find_count(usage: Any, *names: str) -> int | None:
    return next((value for name in names if isinstance(value := getattr(usage, name, None), int) and value >= 0), None)


def _find_stop_reason(completion: Any) -> str:
    choices = getattr(completion, "choices", None)
    return str((choices[0].finish_reason if choices else getattr(completion, "stop_reason", "")) or "")


def _read_raw_text(completion: Any) -> str:
    """Return the model's text: arguments of its tool call, else its words, in OpenAI's or Anthropic's form."""
    if choices := getattr(completion, "choices", None):
        message = choices[0].message
        calls = [call.function.arguments for call in getattr(message, "tool_calls", None) or () if hasattr(call, "function")]
        content = getattr(message, "content", None) or ""
        words = (
            [str(part.get("text") or "") for part in content if isinstance(part, dict)]
            if isinstance(content, list)
            else [content]
        )
        return "\n".join([*(call if isinstance(call, str) else _dump_input(call) for call in calls), *words]).strip()
    parts = getattr(completion, "content", None) or ()
    return "\n".join(str(getattr(part, "text", "") or _dump_input(getattr(part, "input", ""))) for part in parts).strip()


def _dump_input(value: Any) -> str:
    """Return the input of a tool call as JSON."""
    return orjson.dumps(value).decode() if isinstance(value, dict) else str(value)
