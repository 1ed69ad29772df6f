"""Who vouches for the rows of a model: the words that they cite, wherever these stand among the citations."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from effects.judging.row_sources import find_sources
from tests.effects.memory_world import World

ENTRIES = [
    ("e-user", 0, "message", "user", True),
    ("e-agent", 1, "message", "assistant", False),
    ("e-answer", 2, "message", "toolResult", False),
]


@pytest.mark.parametrize(
    ("ordinals", "origin", "source"),
    [
        ([1], "agent", "agent"),
        ([1, 0], "owner", "owner"),
        ([2], "owner", "answer"),
        ([2], "tool", "agent"),
        ([9], "owner", "agent"),
    ],
)
def test_a_row_is_vouched_for_by_the_words_that_it_cites(tmp_path: Path, ordinals: list[int], origin: str, source: str) -> None:
    """What a tool printed is nobody's word; what the owner chose when a tool asked is an answer."""
    world = World(tmp_path)
    row = world.observation("Deploys happen on Mondays", "decision", ordinals=ordinals, origin=origin)
    entries = pl.DataFrame(
        [
            {
                "session_id": row["session_id"], "entry_id": name, "ordinal": ordinal, "entry_type": entry_type, "role": role,
                "turn_kind": "typed" if is_typed else None, "speaker": None, "speaker_parts": None, "day": row["day"],
            }
            for name, ordinal, entry_type, role, is_typed in ENTRIES
        ],
        schema_overrides={"speaker": pl.String, "speaker_parts": pl.List(pl.Struct({"speaker": pl.String}))},
    )  # fmt: skip
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("entries", entries, row["day"])
    assert find_sources(world.run, [row]) == {row["observation_id"]: source}
