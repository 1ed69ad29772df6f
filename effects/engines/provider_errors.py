"""Exceptions of provider libraries, recognised by their attributes: one generator makes those of openai and anthropic."""

from __future__ import annotations

from typing import Any

from effects.engines.requests import TransportError
from effects.system.retry_notes import read_retry_after
from transforms.redaction.redact import redact

TRANSIENT_STATUS = frozenset({408, 409, 425, 429})
LONGEST_RETRY_PAUSE = 60.0
"""Most seconds that a provider's Retry-After is respected; the next run asks again."""
MESSAGE_CHARS = 160
BROKE_OFF = "the answer broke off"
NO_ANSWER = "the server sent something that is no answer of a model"


def convert_provider_error(error: BaseException) -> TransportError:
    """Return the failure of a request as a TransportError.

    A timeout on an open connection, and an answer that broke off, may be billed and are not repeated.
    """
    message = redact(" ".join(str(error).split()))[:MESSAGE_CHARS] or type(error).__name__
    names = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        return _build_status_error(status, message, read_retry_after(headers.get("retry-after"), LONGEST_RETRY_PAUSE))
    if "APITimeoutError" in names:
        is_connect = "Connect" in type(error.__cause__).__name__ or "Pool" in type(error.__cause__).__name__
        return TransportError(
            BROKE_OFF if BROKE_OFF in str(error.__cause__) else "timeout",
            is_transient=is_connect,
            may_be_billed=not is_connect,
            is_request_at_fault=not is_connect,
        )
    if names & {"APIConnectionError", "OSError", "TransportError"}:
        return TransportError(f"not reachable: {message}", is_transient=True)
    if "JSONDecodeError" in names:
        begun = str(getattr(error, "doc", "")).lstrip().startswith("{")
        return TransportError(
            BROKE_OFF if begun else NO_ANSWER, is_transient=not begun, may_be_billed=begun, is_request_at_fault=begun
        )
    if names & {"ResponseParsingError", "APIResponseValidationError"}:
        return TransportError(NO_ANSWER, is_transient=True)
    return TransportError(f"{type(error).__name__}: {message}", is_request_at_fault=True)


def find_reported_error(completion: Any) -> TransportError | None:
    """Return the error that a provider reports inside of an answer with HTTP 200, as gateways do whose own provider failed: it is
    no answer of the model, and neither is one without any choice. None for an answer."""
    choices = getattr(completion, "choices", None)
    reports = (getattr(part, "error", None) for part in (completion, *(choices if isinstance(choices, list) else ())[:1]))
    if (report := next(filter(None, reports), None)) is None:
        is_answer = bool(choices) or hasattr(completion, "content")  # Anthropic's form has no choices
        return None if is_answer else TransportError(NO_ANSWER, is_transient=True)
    fields = report if isinstance(report, dict) else {"message": report}
    code = fields.get("code")
    message = redact(" ".join(str(fields.get("message") or code or "no reason").split()))[:MESSAGE_CHARS]
    if isinstance(code, int | str) and str(code).isdecimal():
        return _build_status_error(int(code), message, None)
    return TransportError(f"an error instead of an answer: {message}", is_transient=True)


def _build_status_error(status: int, message: str, after: float | None) -> TransportError:
    is_transient = status in TRANSIENT_STATUS or status >= 500
    is_at_fault = status in (400, 413, 422)
    return TransportError(f"HTTP {status}: {message}", is_transient=is_transient, after=after, is_request_at_fault=is_at_fault)
