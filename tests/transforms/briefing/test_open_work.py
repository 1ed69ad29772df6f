"""What an owner says is still open stands so until their later words say that it is done."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import polars as pl

from tests.each_case import each_case
from transforms.briefing.open_work import find_done_work, find_open_matters, find_open_work
from transforms.tables.schema import TABLES, build_frame

DAY = date(2026, 3, 2)
START = datetime(2026, 3, 2, 8, tzinfo=UTC)


@each_case(
    ("words", "verbs"),
    [
        ("I still have to ring the surveyor and book the crane", [["ring", "book"]]),
        ("the licence runs out on 12 October, I have to renew before", [["renew"]]),
        ("I must ask Gunilla by Friday", [["ask"]]),
        ("Remind me on Friday to change the batteries", [["change"]]),
        ("The gate is still open.", [[""]]),
        ("the deed is there since monday. fences open", [[""]]),
        ("Remind me how I set this up on a new machine?", []),
        ("How often do I have to say that", []),
        ("Every night I have to read it", []),
        ("I have to download the file to see it", []),
        ("we still need to port the selector", []),
        ("keep the port open", []),
        ("the shop is not open yet", []),
    ],
)
def test_a_duty_of_one_s_own_and_a_thing_that_is_open(words: str, verbs: list[list[str]]) -> None:
    """With "still", a later day or "remind me"; no question, habit or order, and nothing that "we" leave to the agent."""
    assert [[verb for verb, _ in matter.parts] for matter in find_open_matters(f'User said: "{words}"', DAY)] == verbs


def said(*words: str) -> pl.DataFrame:
    """Return rows of one project and one owner, a day after the other; the id is the words."""
    rows = [
        {"observation_id": text, "kind": "request", "priority": "medium", "origin": "owner", "engine": "offline", "project": "/p",
         "verdict": "allow", "text": f'User asked: "{text}"', "said_at": START + timedelta(days=day), "day": DAY}
        for day, text in enumerate(words)
    ]  # fmt: skip
    return build_frame(TABLES["observations"], rows)


@each_case(
    ("first", "later", "is_done"),
    [
        (
            "I still have to ring the surveyor and book the crane",
            ["Rang off.", "crane booked! 20 tons", "Ringed the surveyor"],
            True,
        ),
        ("I still have to ring the surveyor and book the crane", ["crane booked! 20 tons"], False),
        ("I still have to send the deed", ["sent the deed to Huber"], True),
        ("I still have to send the deed", ["send the deed to Huber", "the deed was not sent"], False),
        ("The gate is still open.", ["the gate is repaired now"], True),
        ("The gate is still open.", ["the gate company called", "is the gate repaired?"], False),
        ("the licence runs out on 12 October, I have to renew before", ["licence is renewed, so that is settled"], True),
    ],
)
def test_what_later_words_say_is_done_is_no_longer_open(first: str, later: list[str], *, is_done: bool) -> None:
    """The same verb in the past with its thing, for each part of a duty; for a thing, what became of it, right beside it."""
    rows = said(first, *later)
    assert find_open_work(rows) == [first]
    assert find_done_work(rows) == ([first] if is_done else [])


def test_a_row_that_says_more_than_what_is_open_stays() -> None:
    """The rest of its words holds; and what was said before does not close it."""
    assert find_done_work(said("We expect 300 people. I still have to order the tent.", "tent ordered")) == []
    assert find_done_work(said("tent ordered", "I still have to order the tent.")) == []
    assert find_done_work(said("nothing of the kind")) == find_open_work(said("nothing of the kind")) == []
