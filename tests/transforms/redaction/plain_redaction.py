"""Redaction of a JSON value of nobody, by every pattern, unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.redaction import redact
from transforms.redaction.redact import EVERYTHING, NO_SECRETS


def redact_value(
    value: Any,
    is_user: bool = False,
    shapes: int = EVERYTHING,
    assigned: int = EVERYTHING,
    stored: Mapping[str, str] = NO_SECRETS,
) -> tuple[Any, int]:
    """Return the value without its secrets, and their number."""
    return redact.redact_value(value, is_user, shapes, assigned, stored)
