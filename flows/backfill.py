"""Years of sessions, month by month: the same steps as the night, each month kept before the next begins."""

from __future__ import annotations

from datetime import date
from functools import partial
from itertools import groupby
from typing import Any

from effects.consolidate import consolidate
from effects.dedupe import dedupe
from effects.distil import distil
from effects.embed import embed, embed_kept
from effects.history import session_files
from effects.index import index
from effects.ingest import ingest_files
from effects.pages import render
from effects.reflect import reflect
from effects.review import review
from effects.run import Run
from effects.window import window
from flows.nightly import Do
from flows.runner import Story


def backfill_story(run: Run, since: date, until: date | None) -> Story:
    """Reads and distils month by month, then does once what looks at everything; it reflects once, at the end.

    Stopped at any point it loses nothing: what is in the lake is not due again, so the next call goes on from there.
    """

    def tell(do: Do) -> None:
        files = session_files(run, since, until)
        months = [(month, [path for _, path in group]) for month, group in groupby(files, key=lambda item: f"{item[0]:%Y-%m}")]
        for position, (month, paths) in enumerate(months, start=1):
            run.progress(f"backfill {month}: {len(paths)} sessions, month {position}/{len(months)}")
            do(partial(ingest_files, paths=paths))
            do(window)
            do(distil)
        do(embed_kept)
        do(dedupe)
        do(consolidate)
        do(review)
        do(reflect)
        do(render)
        do(embed)
        do(index)

    return tell


def backfill_parameters(since: date, until: date | None) -> dict[str, Any]:
    """As the run's record keeps them."""
    return {"since": since.isoformat(), "until": until.isoformat() if until else None}
