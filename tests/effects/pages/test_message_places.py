"""Places of facts in their message, and the times of topics, as a lake has them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from effects.pages.message_places import read_places
from tests.effects.memory_world import World
from transforms.tables.schema import OBSERVATIONS, build_frame

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


def write_entries(world: World, *entries: tuple[str, str, datetime]) -> None:
    """Write the entries of a session, each with its type, its text and its time."""
    rows = [
        {"session_id": "s", "entry_id": f"e{place}", "ordinal": place, "entry_type": kind, "text": text, "said_at": at,
         "day": at.date(), "speaker_reason": ""}
        for place, (kind, text, at) in enumerate(entries)
    ]  # fmt: skip
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        for day in sorted({row["said_at"].date() for row in rows}):  # type: ignore[attr-defined]
            schema = {"said_at": pl.Datetime("us", "UTC")}
            change.replace("entries", pl.DataFrame([row for row in rows if row["day"] == day], schema_overrides=schema), day)


def test_facts_of_one_message_have_places_and_one_alone_has_none(tmp_path: Path) -> None:
    world = World(tmp_path)
    write_entries(world, ("message", "first of all do this, then do that", AT), ("message", "and at last the rest", AT))
    facts = [("o-1", 0, "then do that"), ("o-2", 0, "first of all do this"), ("o-3", 1, "and at last the rest")]
    rows = [
        {"observation_id": key, "session_id": "s", "text": text, "ordinals": [at, 7], "said_at": AT} for key, at, text in facts
    ]
    assert read_places(world.run, build_frame(OBSERVATIONS, rows)) == {"o-2": 0, "o-1": 1}
