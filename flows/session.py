"""One session, at once: what pi's shutdown hook starts. Never reflects, never condenses."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from effects.dedupe import dedupe
from effects.distil import distil
from effects.embed import embed_kept
from effects.index import index
from effects.ingest import ingest_file
from effects.pages import render
from effects.review import review
from effects.window import window
from flows.nightly import Do
from flows.runner import Story


def session_story(path: str, is_closed: bool) -> Story:
    """Reads the file and brings everything that depends on it up to date."""

    def tell(do: Do) -> None:
        do(partial(ingest_file, path=Path(path), closed=is_closed))
        do(window)
        do(distil)
        do(embed_kept)  # raw turns are left to the night
        do(dedupe)
        do(review)  # REVIEW.md is read back before every rendering, so that no decision is rendered over
        do(render)
        do(index)

    return tell


def session_parameters(path: str, is_closed: bool) -> dict[str, Any]:
    """As the run's record keeps them."""
    return {"path": path, "is_closed": is_closed}
