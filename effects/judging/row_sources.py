"""Who vouches for an observation: the owner, an answer to a tool, a model's summary of the owner's words, or the agent alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import polars as pl

from effects.store.run import Run
from transforms.conversation.entries import SUMMARY_TYPES
from transforms.memory.eligibility import Source
from transforms.memory.normalise_claim import find_quote
from transforms.reading.session_row import HAS_OWNER_WORDS
from transforms.tables.enums import OFFLINE
from transforms.tables.rows import ObservationRow

_PAIRS_AT_ONCE = 20_000


class _CitedEntry(NamedTuple):
    """What is asked of an entry that a fact cites."""

    entry_type: str
    role: str | None
    is_owned: bool | None


def find_sources(run: Run, rows: Sequence[ObservationRow]) -> dict[str, Source]:
    """Return the origin of each observation, judged by its citations.

    The offline engine quotes only the owner and cites the quoted entry first; models cite their evidence in any order.
    """
    sessions = sorted({row["session_id"] for row in rows})
    entries = run.lake.scan("entries").filter(pl.col("session_id").is_in(sessions))
    is_owned = HAS_OWNER_WORDS & (pl.col("role") == "user")
    pairs = ((row["session_id"], ordinal) for row in rows for ordinal in row["ordinals"] or ())
    schema: dict[str, pl.DataType | type[pl.DataType]] = {"session_id": pl.String, "ordinal": entries.collect_schema()["ordinal"]}
    blocks = (pl.DataFrame(some, schema=schema, orient="row") for some in _list_blocks(pairs))
    wanted = pl.concat([pl.DataFrame(schema=schema), *blocks])
    cited = entries.select("session_id", "ordinal", "entry_type", "role", is_owned=is_owned)
    cited = cited.join(wanted.unique().lazy(), on=("session_id", "ordinal"), how="semi")  # a history's entries are many more
    known: dict[str, dict[int, _CitedEntry]] = {session: {} for session in sessions}
    kinds: dict[_CitedEntry, _CitedEntry] = {}
    for session, ordinal, *described in cited.collect().iter_rows():
        kind = _CitedEntry(*described)
        known[session][ordinal] = kinds.setdefault(kind, kind)  # hundreds of thousands of entries are of few kinds
    sources: dict[str, Source] = {}
    for row in rows:
        own = known[row["session_id"]]
        known_sources = [own[ordinal] for ordinal in row["ordinals"] or () if ordinal in own]
        is_typed = [bool(entry.is_owned) for entry in known_sources]
        source: Source = "agent"
        if any(entry.entry_type in SUMMARY_TYPES for entry in known_sources):
            source = "summary" if any(is_typed) else "agent"
        elif find_quote(row["text"]) is not None:
            source = "answer" if known_sources and known_sources[0].role == "toolResult" else "owner"
        elif any(is_typed[:1] if row["engine"] == OFFLINE else is_typed):
            source = "owner"
        elif row["origin"] == "owner" and any(entry.role == "toolResult" for entry in known_sources):
            source = "answer"  # what the owner chose when a tool asked
        sources[row["observation_id"]] = source
    return sources


def _list_blocks(pairs: Iterator[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
    """Yield the pairs, some thousand at a time."""
    while block := list(islice(pairs, _PAIRS_AT_ONCE)):
        yield block
