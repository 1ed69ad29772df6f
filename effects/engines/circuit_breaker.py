"""A circuit breaker counted in requests: nights are replayed at a logical time, so a clock cannot close it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

OPENS_AFTER = 3
"""Requests in a row (each with its retries) without an answer: a provider that is down must not cost a night of waiting."""
PROBES_EVERY = 20
"""Of so many requests that an open breaker holds back, one goes through to see whether the provider is there again."""


@dataclass
class CircuitBreaker:
    """Open while a model is not reachable; safe to use from several threads."""

    _failures: int = 0
    _held_back: int = 0
    _lock: Lock = field(default_factory=Lock)

    def admits(self) -> bool:
        """Whether a request may be sent now."""
        with self._lock:
            if self._failures < OPENS_AFTER:
                return True
            self._held_back += 1
            return self._held_back % PROBES_EVERY == 0

    def succeeded(self) -> None:
        """An answer came, whatever it said."""
        with self._lock:
            self._failures = self._held_back = 0

    def failed(self) -> None:
        """No answer came."""
        with self._lock:
            self._failures += 1
