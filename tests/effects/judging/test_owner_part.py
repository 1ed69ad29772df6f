"""Finished work of which its owner spoke is found by what it cites, in whatever order."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from effects.judging.owner_part import list_owners_work
from tests.effects.recall_world import entry, fact, filled, write

DONE = "The golden test of the orders is no longer skipped; all 63 tests pass"


def test_work_is_its_owners_when_it_cites_their_words_about_it(tmp_path: Path) -> None:
    """Words about something else, and a command's output alone, are not enough."""
    run = filled(tmp_path, is_indexed=False)
    words = ("monday is over, unskip the golden test", "and the weather?")
    talk = [entry("talk", at, "user", text) for at, text in enumerate(words)]
    write(run, "entries", [*talk, entry("talk", 2, "toolResult", "Passed! 63")])
    cited = {"said": ["00000002", "00000000"], "beside": ["00000002", "00000001"], "shown": ["00000002"]}
    work = pl.DataFrame([fact(name, DONE, session_id="talk", entry_ids=ids) for name, ids in cited.items()])
    assert list_owners_work(run, work) == ["o-said"]
    assert list_owners_work(run, work.clear()) == []
