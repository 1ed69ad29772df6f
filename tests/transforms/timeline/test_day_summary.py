"""A day is summed up by its sessions and counts; only a long one has its best facts and topics on top."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from transforms.pages.daily_log import LogFact, LogSegment, LogWindow
from transforms.timeline.day_summary import LONG_DAY, MANY_FACTS, TOP_FACTS, summarise_day

HIGH = LogFact("🔴", "09:20", "The queue is Redis", None)
TOPIC = LogSegment("Chose a queue", "", (HIGH,), "09:07")
WINDOW = LogWindow(
    date(2026, 3, 2), "w-1", "Session", "ferry", "09:00", "closed", ("a.py", "b.py"), 0, "s.jsonl", 1, 9, (TOPIC,), "", ""
)  # fmt: skip


def test_a_short_day_has_its_counts_alone_and_an_agents_work_for_another_is_no_session() -> None:
    day = summarise_day([WINDOW, replace(WINDOW, source="sub.jsonl", is_subagent=True)])
    assert (day.sessions, day.projects) == ("1 session", (("ferry", ""),))
    assert day.counts == ("2 topics", "2 facts", "2 modified files")
    assert (day.facts, day.topics) == ((), ())


def test_a_long_day_shows_facts_that_hold_and_counts_the_others() -> None:
    """What was replaced that day stands in its block alone."""
    gone = replace(HIGH, replaced_on=date(2026, 3, 2))
    day = summarise_day([replace(WINDOW, segments=(replace(TOPIC, facts=(HIGH, gone) * MANY_FACTS),) * LONG_DAY)])
    assert len(day.facts) == TOP_FACTS
    assert day.more_facts == MANY_FACTS * LONG_DAY - TOP_FACTS
