"""The extension of pi: found in a checkout or in the installed package, and linked into pi's folder."""

from __future__ import annotations

from pathlib import Path

from effects.config.paths import PROJECT_ROOT, is_checkout
from effects.setup.agents import Agent
from effects.setup.changes import SetupRecord, link_recorded


def find_extension() -> Path:
    """Return the file of the extension."""
    folder = PROJECT_ROOT if is_checkout() else PROJECT_ROOT / "recollect"
    return folder / "extensions" / "pi" / "recollect.ts"


def link_extension(record: SetupRecord, pi: Agent) -> tuple[Path, bool]:
    """Link the extension into pi's folder; return the link and whether something changed."""
    link = pi.home / "extensions" / "recollect.ts"
    return link, link_recorded(record, "extension", link, find_extension())
