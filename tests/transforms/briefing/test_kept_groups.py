"""Groups are kept without a word and come back with the words of the rows, or not at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import orjson

from transforms.briefing.brief import BriefFact
from transforms.briefing.kept_groups import pack_groups, unpack_groups
from transforms.tables.schema import OBSERVATIONS, build_frame

AT, ZONE = datetime(2026, 3, 1, 23, 30, tzinfo=UTC), ZoneInfo("Europe/Berlin")
DAY = date(2026, 3, 2)
ROWS = build_frame(OBSERVATIONS, [
    {"observation_id": "o-1", "text": 'User decided: "jobs live in Postgres"', "said_at": AT},
    {"observation_id": "o-2", "text": "The queue waits 9 seconds", "said_at": AT},
])  # fmt: skip
SAID = BriefFact('"jobs live in Postgres"', DAY, "o-1", "over since May", 2, 0.25, (), AT)
FOUND = BriefFact("The queue waits 9 seconds", DAY, "o-2", "", 4, 0.5, (1.0, 2.0), AT, 3, date(2026, 1, 5))
GROUPS = (("In the owner's words", (SAID,)), ("Found and done", (FOUND,)))
MARKS = {"o-1": "over since May"}


def test_kept_groups_come_back_with_words_and_marks_but_not_what_they_were_weighed_by() -> None:
    packed = pack_groups(GROUPS, ROWS, MARKS, ZONE)
    assert packed is not None
    stored = orjson.dumps(packed)
    assert b"Postgres" not in stored
    assert b"May" not in stored
    bare = replace(FOUND, features=())
    assert unpack_groups(orjson.loads(stored), ROWS, MARKS, ZONE) == (GROUPS[0], ("Found and done", (bare,)))


def test_groups_that_would_not_come_back_are_not_kept() -> None:
    """A text that is none of the row's, a mark that no longer stands beside it, a row that is gone."""
    reworded = (("Facts", (BriefFact("In other words", DAY, "o-2", said_at=AT),)),)
    assert pack_groups(reworded, ROWS, {}, ZONE) is None
    assert pack_groups(GROUPS, ROWS, {}, ZONE) is None
    packed = pack_groups(GROUPS, ROWS, MARKS, ZONE)
    assert packed is not None
    assert unpack_groups(packed, ROWS.filter(ROWS["observation_id"] == "o-1"), MARKS, ZONE) is None
