"""What analyses read of a text that has a run without a blank, longer than any word."""

from __future__ import annotations

from dataclasses import asdict, replace
from time import process_time

import polars as pl

from tests.each_case import each_case
from tests.transforms.conversations import conversation, user
from transforms.attribution.session_frames import make_spoken_entries
from transforms.conversation.entries import build_entries
from transforms.tables.schema import ENTRIES

RUNS = {"base64": "QmFzZTY0+/" * 5_000, "Russian": "вибраниенеимеетконца" * 2_000, "Chinese": "没有标点的一句话" * 5_000}


@each_case("script", RUNS)
def test_windows_and_speakers_are_judged_by_words_of_a_bounded_length(script: str) -> None:
    (entry,) = conversation(user(f"Please read this: {RUNS[script]} and fix the test."))
    row = {name: value for name, value in asdict(entry).items() if name in ENTRIES.row_schema}
    frame = pl.DataFrame([row], schema={name: ENTRIES.row_schema[name] for name in row})
    spoken_frame = frame.with_columns(speaker=pl.lit(None, pl.String), speaker_reason=pl.lit(None, pl.String))
    for text in (build_entries(frame)[0].text, make_spoken_entries(spoken_frame)[0].text):
        assert len(text) == len(entry.text)
        assert text.startswith("Please read this: ")
        assert text.endswith(" and fix the test.")
        assert max(map(len, text.split())) <= 200


def test_blanks_in_a_row_cost_what_they_are_long() -> None:
    """A padded table or a log in one line: 40,000 blanks took a second, and four times as many sixteen."""
    (entry,) = conversation(user("…"))
    entry = replace(entry, speaker="owner", text=f"Keep this:  \n{' ' * 200_000}and fix it.")
    started = process_time()
    assert entry.owner_words.startswith("Keep this:\n")
    assert process_time() - started < 2
