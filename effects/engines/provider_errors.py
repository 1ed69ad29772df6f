"""Exceptions of provider libraries, told apart by shape: openai's and anthropic's are made by one generator and look alike."""

from __future__ import annotations

from effects.engines.requests import TransportError
from transforms.redaction.redact import redact

TRANSIENT_STATUS = frozenset({408, 409, 425, 429})
LONGEST_PAUSE = 60.0
"""Seconds that a provider's Retry-After is followed at most; what is due tonight is due tomorrow as well."""
MESSAGE_CHARS = 160


def convert_provider_error(error: BaseException) -> TransportError:
    """The failure of a request as one of ours. Timeouts after the connection stood are not repeated: they may be billed."""
    told = redact(" ".join(str(error).split()))[:MESSAGE_CHARS] or type(error).__name__
    names = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        is_transient = status in TRANSIENT_STATUS or status >= 500
        is_ours = status in (400, 413, 422)
        return TransportError(
            f"HTTP {status}: {told}", is_transient=is_transient, after=_retry_after(error), is_request_at_fault=is_ours
        )
    if "APITimeoutError" in names:
        is_connect = "Connect" in type(error.__cause__).__name__ or "Pool" in type(error.__cause__).__name__
        return TransportError(
            "timeout", is_transient=is_connect, may_be_billed=not is_connect, is_request_at_fault=not is_connect
        )
    if names & {"APIConnectionError", "OSError", "TransportError"}:
        return TransportError(f"not reachable: {told}", is_transient=True)
    return TransportError(f"{type(error).__name__}: {told}", is_request_at_fault=True)


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return min(float(headers.get("retry-after", "")), LONGEST_PAUSE)
    except ValueError:  # absent, or an HTTP date: the usual pause will do
        return None
