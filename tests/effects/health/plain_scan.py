"""A search of lake and pages for secrets of which nothing is known, unless a test says what is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from effects.health import secret_scan
from effects.store.lake import Lake
from transforms.redaction.redact import NO_SECRETS


def count_secrets(
    lake: Lake,
    workspace: Path,
    stored: Mapping[str, str] = NO_SECRETS,
    clean: dict[str, str] | None = None,
    salt: str = "",
) -> Counter[str]:
    """Return the number of texts with a secret, by place."""
    return secret_scan.count_secrets(lake, workspace, stored, clean, salt, lambda _: None)
