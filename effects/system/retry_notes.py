"""How a request is repeated: after the pause that a server asks for, with a few calm lines in place of one per repetition in the
words of the library."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import timedelta

    from stamina import Attempt
    from stamina.instrumentation import RetryDetails

MOST_LINES = 3
"""Repetitions that a process announces: a provider that is down for the night would fill the screen."""


_NUMBERS = count(1)


def read_retry_after(header: str | None, longest: float) -> float | None:
    """Return the seconds of a Retry-After header, from 0 to `longest`; None when it is absent, a date or no number."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return None if math.isnan(seconds) else min(max(seconds, 0.0), longest)


def repeat_request(
    choose_pause: Callable[[Exception], bool | float | timedelta],
    attempts: int,
    wait_initial: float,
    wait_max: float,
    wait_jitter: float,
) -> Iterable[Attempt]:
    """Return the attempts of a request, as stamina has them; its repetitions are announced in our words.

    stamina is imported here: a night without models sends no request, and it takes a tenth of the import of a night.
    """
    import stamina
    from stamina.instrumentation import set_on_retry_hooks

    set_on_retry_hooks([_announce])
    return stamina.retry_context(
        on=choose_pause, attempts=attempts, timeout=None, wait_initial=wait_initial, wait_max=wait_max, wait_jitter=wait_jitter
    )


def _announce(details: RetryDetails) -> None:
    """Log a repetition, unless enough were logged; where nothing else handles logs, the line goes to stderr as it is."""
    if (number := next(_NUMBERS)) <= MOST_LINES:
        logging.getLogger("recollect").warning("%s", format_repetition(details, is_last=number == MOST_LINES))


def format_repetition(details: RetryDetails, *, is_last: bool) -> str:
    """Return a line for people: what is repeated, after how long, and why."""
    reason = " ".join(str(details.caused_by).split()) or type(details.caused_by).__name__
    rest = "; further repetitions are not announced" if is_last else ""
    return f"recollect: a request got no answer ({reason}) and goes out again in {details.wait_for:.0f} s{rest}"
