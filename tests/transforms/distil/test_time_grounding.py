"""A date or a clock time of a fact stands in its window, or cited words imply it."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.transforms.conversations import agent, conversation, user
from transforms.distil.engine_result import Fact
from transforms.distil.time_grounding import find_ungrounded_date, find_ungrounded_time
from transforms.distil.window_evidence import WindowEvidence

ENTRIES = conversation(user("the audit is on 2026-05-04 at 14:30"), agent("Noted."))
WINDOW = WindowEvidence(tuple(ENTRIES), UTC)


def make_fact(text: str) -> Fact:
    return Fact(text=text, kind="fact", priority="medium", category="projects", ordinals=(ENTRIES[0].ordinal,))


def test_a_written_date_holds_and_another_one_is_named() -> None:
    assert find_ungrounded_date(make_fact("The audit is on 2026-05-04"), ENTRIES[:1], WINDOW) == ""
    assert find_ungrounded_date(make_fact("The audit is on 2026-05-05"), ENTRIES[:1], WINDOW) == "2026-05-05"
    assert find_ungrounded_date(make_fact("The audit is soon"), ENTRIES[:1], WINDOW) == ""


def test_a_clock_time_is_written_or_that_of_a_cited_entry() -> None:
    said: datetime = ENTRIES[0].said_at
    assert find_ungrounded_time(make_fact("The audit begins at 14:30"), ENTRIES[:1], WINDOW) == ""
    assert find_ungrounded_time(make_fact(f"Said at {said:%H:%M}"), ENTRIES[:1], WINDOW) == ""
    assert find_ungrounded_time(make_fact("The audit begins at 03:59"), ENTRIES[:1], WINDOW) == "03:59"
