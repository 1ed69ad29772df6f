"""Places of facts in their message, and the times of topics, as a lake has them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl

from effects.pages.message_places import find_repeated_facts, read_places, read_topic_times
from tests.effects.memory_world import World
from transforms.tables.schema import OBSERVATIONS, SEGMENTS, build_frame

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


def test_a_topic_began_with_its_first_message(tmp_path: Path) -> None:
    """What a program noted before it was two hours older, and all topics of a window had the time of the window."""
    world, late = World(tmp_path), AT + timedelta(days=1)
    write_entries(world, ("custom", "", AT), ("message", "go on", late), ("message", "done", late + timedelta(minutes=1)))
    rows = [
        {"segment_id": f"s-{first}", "session_id": "s", "first_ordinal": first, "last_ordinal": last, "started_at": AT,
         "ended_at": late}
        for first, last in ((0, 1), (2, 2), (3, 3))
    ]  # fmt: skip
    times = read_topic_times(world.run, build_frame(SEGMENTS, rows))
    assert times == {"s-0": late, "s-2": late + timedelta(minutes=1)}


def test_what_stands_whole_in_a_fact_that_is_less_important_or_over_is_not_repeated() -> None:
    def repeated(**longer: str) -> dict[str, str]:
        short = {"observation_id": "o-1", "text": "the port is 8080 now", "priority": "high"}
        long = {"observation_id": "o-2", "text": "the port is 8080 now, as it was", "priority": "high"} | longer
        rows = [row | {"session_id": "s", "ordinals": [3], "said_at": AT} for row in (short, long)]
        return find_repeated_facts(build_frame(OBSERVATIONS, rows))

    assert repeated() == {"o-1": "o-2"}
    assert repeated(priority="medium") == {}
    assert repeated(superseded_by="o-9") == {}
