"""One session, at once: what pi's shutdown hook starts. Never reflects, never condenses."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from effects.ingest.ingest_step import ingest_file
from flows.nightly import Do
from flows.runner import Story, bring_up_to_date


def session_story(path: str, is_closed: bool) -> Story:
    """Reads the file and brings everything that depends on it up to date."""

    def tell(do: Do) -> None:
        do(partial(ingest_file, path=Path(path), closed=is_closed))
        bring_up_to_date(do)

    return tell


def session_parameters(path: str, is_closed: bool) -> dict[str, Any]:
    """As the run's record keeps them."""
    return {"path": path, "is_closed": is_closed}
