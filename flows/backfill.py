"""Years of sessions, month by month: the same steps as the night, each month kept before the next begins."""

from __future__ import annotations

from datetime import date
from functools import partial
from itertools import groupby
from typing import Any

from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.embedding.embed_step import embed, embed_kept
from effects.index.index_step import index
from effects.ingest.ingest_step import ingest_files
from effects.ingest.session_dates import session_files
from effects.memory.consolidate_step import consolidate
from effects.memory.dedupe_step import dedupe
from effects.memory.reflect_step import reflect
from effects.memory.review_step import review
from effects.pages.render_step import render
from effects.store.run import Run
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
