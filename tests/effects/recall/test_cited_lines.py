"""Citations of hits are complete in JSON."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl

from effects.recall.cited_lines import add_cited_lines
from effects.store.lake import Lake
from transforms.recall.types import Answer, Citation, Hit


def make_hit(source: str, session: str | None, also: tuple[Citation, ...]) -> Hit:
    """Return a hit that cites the first line of its own session, if it has one."""
    own = (("e1",), (0,)) if session else ((), ())
    return Hit("x", source, "text", None, None, None, session, *own, None, 1.0, also=also)


def test_every_entry_that_a_hit_cites_has_its_line_and_a_period_names_the_first_session_it_cites(tmp_path: Path) -> None:
    """A session id may hold a colon; an entry that the lake does not know has no line."""
    lake = Lake(tmp_path)
    days = (date(2026, 3, 1), date(2026, 3, 2))
    with lake.writing("test"), lake.commit() as change:
        for day, line in zip(days, (4, 9), strict=True):
            row = {"session_id": f"s:{day.day}", "ordinal": 0, "entry_id": "e7", "line_no": line, "day": day}
            change.append("entries", pl.DataFrame([row]), day)
    first, second = Citation("s:1", ("e7", "e8"), ()), Citation("s:2", ("e7",), ())
    hits = (
        make_hit("distillate", None, (first, second)),
        make_hit("observation", "s:3", (second,)),
        make_hit("memory", None, ()),
    )
    answers = [Answer("what?", "lexical", None, None, hits), Answer("again?", "lexical", None, None, hits[1:])]
    (period, fact, line), again = (answer.hits for answer in add_cited_lines(lake, answers))
    assert (period.session_id, period.entry_ids, period.lines) == ("s:1", ("e7", "e8"), (4,))
    assert period.also == (Citation("s:2", ("e7",), (9,)),)
    assert (fact.session_id, fact.lines, fact.also) == ("s:3", (0,), period.also)
    assert line == hits[2]
    assert again == (fact, line)
