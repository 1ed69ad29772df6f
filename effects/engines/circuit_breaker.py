"""A circuit breaker that counts requests: runs are repeated at a logical time, so no clock can close it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

OPENS_AFTER = 3
"""Requests in a row (each with its retries) without an answer that open the breaker."""
PROBES_EVERY = 20
"""Of this many requests that an open breaker holds back, one goes through as a probe."""


@dataclass
class CircuitBreaker:
    """Open while a model is not reachable; safe to use from several threads."""

    _failures: int = 0
    _held_back: int = 0
    _reason: str = ""
    _lock: Lock = field(default_factory=Lock)

    def admit(self) -> bool:
        """Whether a request may be sent now."""
        with self._lock:
            if self._reason:
                return False
            if self._failures < OPENS_AFTER:
                return True
            self._held_back += 1
            return self._held_back % PROBES_EVERY == 0

    def record_success(self) -> None:
        """Close the breaker: an answer came, usable or not."""
        with self._lock:
            self._failures = self._held_back = 0

    def open_for_good(self, reason: str) -> None:
        """Hold back every further request: the reason holds longer than a run."""
        with self._lock:
            self._reason = reason

    @property
    def reason(self) -> str:
        """Why it is open for good; empty when it is not."""
        return self._reason

    def record_failure(self) -> None:
        """Count a request without an answer."""
        with self._lock:
            self._failures += 1
