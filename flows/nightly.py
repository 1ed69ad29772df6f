"""The night on one screen: which step follows which. The Prefect flow and `--direct` both run this story.

Every step is a plain function of `effects`, computes what is due by content, and returns counts. `do` runs one: as it is
with `--direct`, as a Prefect task in `flows.scheduled`. This module knows no Prefect, whose import alone takes 1.3 s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.embedding.embed_step import embed, embed_kept
from effects.index.index_step import index
from effects.ingest.ingest_step import ingest
from effects.memory.consolidate_step import consolidate
from effects.memory.dedupe_step import dedupe
from effects.memory.reflect_step import reflect
from effects.memory.review_step import review
from effects.pages.render_step import render
from effects.store.run import Counts
from effects.store.run_record import Step

Do = Callable[[Step], Counts]


def story(do: Do) -> None:
    """From session files to the pages that agents read."""
    do(ingest)  # new lines of session files → sources, sessions, entries, quarantine
    do(window)  # every entry in exactly one window → windows, coverage
    do(distil)  # topics and cited facts → segments, observations
    do(embed_kept)  # vectors of what is kept → embeddings
    do(dedupe)  # the same fact, or a newer one → observations.superseded_by
    do(consolidate)  # days into weeks, months, years → distillates
    do(review)  # the owner's decisions in REVIEW.md → proposals, MEMORY.md
    do(reflect)  # new evidence, once a day → proposals
    do(render)  # daily logs, REVIEW.md, briefings → workspace
    do(embed)  # the same for what was condensed and promoted tonight, then raw turns as time allows
    do(index)  # search index: a projection that can always be made again


def __getattr__(name: str) -> Any:
    """`flows.nightly.nightly` is the Prefect flow; it is made on first use, so that `--direct` never imports Prefect."""
    if name == "nightly":
        from flows.scheduled import nightly

        return nightly
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
