"""Texts that recur over sessions, and prompts that an agent handed over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl

from transforms.attribution.recurrence import find_parents, find_recurring, sketch_text, split_sketch_words
from transforms.tables.rows import SketchRow
from transforms.tables.schema import SKETCHES, build_frame

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
LONG = " ".join(f"step{chr(97 + at // 26)}{chr(97 + at % 26)} of the release list" for at in range(40))
SHORT = "please read the contribution guide of this repository before you change anything, then follow every point"


def sketch(session: str, text: str, minutes: float = 0, kind: str = "message", ordinal: int = 1) -> SketchRow:
    """Return the sketch of a text."""
    return {
        "session_id": session, "ordinal": ordinal, "part": 0, "kind": "call" if kind == "call" else "message", "is_first": True,
        "words": len(split_sketch_words(text)), "hashes": sketch_text(text), "said_at": AT + timedelta(minutes=minutes),
        "sign": None, "day": AT.date(),
    }  # fmt: skip


def frame(*rows: SketchRow) -> pl.DataFrame:
    """Return sketches as they are stored."""
    return build_frame(SKETCHES, rows)


def test_a_page_in_two_sessions_recurs_and_a_prompt_needs_three() -> None:
    """A person does send a prompt again in a new session; nobody types a page twice."""
    assert find_recurring(frame(sketch("a", LONG), sketch("b", LONG + " and one more word"))) == {("a", 1), ("b", 1)}
    assert find_recurring(frame(sketch("a", SHORT), sketch("b", SHORT))) == set()
    assert find_recurring(frame(*(sketch(name, SHORT) for name in "abc"))) == {(name, 1) for name in "abc"}


def test_a_text_that_shares_only_its_beginning_does_not_recur() -> None:
    """A person may begin two messages with the same words."""
    other = SHORT + " " + " ".join(f"word{chr(97 + at)} and the rest" for at in range(26))
    assert ("d", 1) not in find_recurring(frame(*(sketch(name, SHORT) for name in "abc"), sketch("d", other)))


def test_the_session_that_a_call_opened_has_that_parent() -> None:
    """Its first message holds what the agent handed over, whatever stands around it, and follows soon."""
    task = sketch("parent", SHORT, kind="call")
    child = sketch("child", f"You are one of many. Task: {SHORT}. Report back.", minutes=1)
    assert find_parents(frame(task, child)) == {"child": "parent"}
    late = sketch("child", SHORT, minutes=60)
    earlier = sketch("child", SHORT, minutes=-60)
    assert find_parents(frame(task, late)) == find_parents(frame(task, earlier)) == {}


def test_an_empty_lake_has_no_signs() -> None:
    """Neither recurring texts nor parents."""
    assert find_recurring(frame()) == set()
    assert find_parents(frame()) == {}
