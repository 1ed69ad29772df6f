"""The task of a message: what it is linked to, else what its session had claimed when it was said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from transforms.tables.rows import TaskRow
from transforms.tasks.find_tasks import find_task_of_message

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def make_task(
    task_id: str, start: datetime | None, end: datetime | None = None, session: str | None = "s1", *linked: str
) -> TaskRow:
    row: Any = {"task_id": task_id, "session_id": session, "claimed_at": start, "closed_at": end, "messages": list(linked)}
    return row


def test_a_linked_message_belongs_to_its_task_whenever_it_was_said() -> None:
    tasks = [make_task("t-claimed", NOON - HOUR), make_task("t-linked", None, None, None, "s1:e1")]
    assert find_task_of_message("s1", ["e0", "e1"], NOON, tasks) == "t-linked"
    assert find_task_of_message("s1", ["e2"], NOON, tasks) == "t-claimed"


@given(start=st.integers(-5, 5), end=st.none() | st.integers(-5, 5), session=st.sampled_from(["s1", "s2"]))
def test_a_message_belongs_to_the_task_that_its_session_had_claimed(start: int, end: int | None, session: str) -> None:
    row = make_task("t-1", NOON + start * HOUR, None if end is None else NOON + end * HOUR, session)
    is_inside = session == "s1" and start <= 0 and (end is None or end >= 0)
    assert find_task_of_message("s1", ["e1"], NOON, [row]) == ("t-1" if is_inside else None)


def test_the_task_that_was_claimed_last_counts() -> None:
    tasks = [make_task("t-new", NOON - HOUR), make_task("t-old", NOON - 3 * HOUR)]
    assert find_task_of_message("s1", [], NOON, tasks) == "t-new"


def test_what_no_session_said_has_no_task() -> None:
    """An approved line of MEMORY.md, for example."""
    assert find_task_of_message(None, (), None, [make_task("t-1", NOON, None, None)]) is None
