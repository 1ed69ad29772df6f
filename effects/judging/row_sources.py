"""Who vouches for an observation: the owner, an answer to a tool, a model's summary of the owner's words, or the agent alone."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from effects.store.run import Run
from transforms.conversation.entries import SUMMARY_TYPES
from transforms.memory.eligibility import Source
from transforms.memory.normalise_claim import find_quote
from transforms.reading.session_row import HAS_OWNER_WORDS
from transforms.tables.enums import OFFLINE
from transforms.tables.rows import ObservationRow


def find_sources(run: Run, rows: Sequence[ObservationRow]) -> dict[str, Source]:
    """Return the origin of each observation, judged by its citations.

    The offline engine quotes only the owner and cites the quoted entry first; models cite their evidence in any order.
    """
    sessions = sorted({row["session_id"] for row in rows})
    entries = run.lake.scan("entries").filter(pl.col("session_id").is_in(sessions))
    is_owned = HAS_OWNER_WORDS & (pl.col("role") == "user")
    pairs = [(row["session_id"], ordinal) for row in rows for ordinal in row["ordinals"] or ()]
    wanted = pl.LazyFrame(pairs, schema={"session_id": pl.String, "ordinal": entries.collect_schema()["ordinal"]}, orient="row")
    cited = entries.select("session_id", "ordinal", "entry_type", "role", is_owned=is_owned)
    cited = cited.join(wanted.unique(), on=("session_id", "ordinal"), how="semi")  # a history's entries are many more
    known = {(session, ordinal): source for session, ordinal, *source in cited.collect().iter_rows()}
    sources: dict[str, Source] = {}
    for row in rows:
        known_sources = [known[key] for ordinal in row["ordinals"] or () if (key := (row["session_id"], ordinal)) in known]
        is_typed = [bool(has_words) for _, _, has_words in known_sources]
        source: Source = "agent"
        if any(entry_type in SUMMARY_TYPES for entry_type, _, _ in known_sources):
            source = "summary" if any(is_typed) else "agent"
        elif find_quote(row["text"]) is not None:
            source = "answer" if known_sources and known_sources[0][1] == "toolResult" else "owner"
        elif any(is_typed[:1] if row["engine"] == OFFLINE else is_typed):
            source = "owner"
        elif row["origin"] == "owner" and any(role == "toolResult" for _, role, _ in known_sources):
            source = "answer"  # what the owner chose when a tool asked
        sources[row["observation_id"]] = source
    return sources
