"""Entries that go with a forgotten fact: the cited ones, and those of its session with the private words that it quotes."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from effects.judging.quoting_entries import find_telling_entries
from tests.effects.memory_world import World

SAID = {
    "cited": "Falkenstein",
    "again": "All rows of Falkenstein are sent, yes.",
    "other": "The harbour kiosk closes at six, yes.",
}
"""Name of an entry → what it says; each lies in a folder that has the private word in its name."""


@pytest.mark.parametrize(("quoted", "telling"), [("Falkenstein", {"cited", "again"}), ("yes", {"cited"})])
def test_private_words_take_their_repetitions_along_and_a_plain_answer_takes_none(
    tmp_path: Path, quoted: str, telling: set[str]
) -> None:
    world = World(tmp_path)
    fact = f'User decided: "{quoted}" (asked: Which name goes on the invoice of the last quarter?)'
    row = world.observation(fact, "decision")
    entries = pl.DataFrame(
        [
            {
                "session_id": row["session_id"], "entry_id": name, "ordinal": number, "text": text, "thinking": "",
                "raw_json": json.dumps({"cwd": "/work/Falkenstein", "message": {"content": text}}), "day": row["day"],
            }
            for number, (name, text) in enumerate(SAID.items())
        ]
    )  # fmt: skip
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("entries", entries, row["day"])
    assert find_telling_entries(world.run, row["session_id"], [fact], ["cited"])[0] == telling
