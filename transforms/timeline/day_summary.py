"""What stands on top of the log of a day: what the day held, and of a long one its important facts and topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from transforms.pages.daily_log import LogWindow
from transforms.pages.run_page import count_things
from transforms.tables.enums import PRIORITY_MARKS

LONG_DAY, MANY_FACTS = 8, 20
"""Topics, and facts, from which a day does not fit a screen."""
TOP_FACTS, TOP_TOPICS, TOP_CHARS = 10, 12, 160
"""Facts and topics on top of a long day, and characters of such a fact: a screen together."""


@dataclass(frozen=True, slots=True)
class DayFact:
    """A fact on top of a long day; its project where the day has several."""

    time: str
    project: str
    text: str


class DayTop(TypedDict, total=False):
    """What stands on top of a long day beside its counts."""

    facts: tuple[DayFact, ...]
    more_facts: int
    topics: tuple[str, ...]
    more_topics: int


@dataclass(frozen=True, slots=True)
class DaySummary:
    """What a day held: sessions, projects with their sessions (no number when there is one project), and counts with nouns; of a
    long day the first facts of high priority, and its topics."""

    sessions: str
    projects: tuple[tuple[str, str], ...]
    counts: tuple[str, ...]
    facts: tuple[DayFact, ...] = ()
    more_facts: int = 0
    topics: tuple[str, ...] = ()
    more_topics: int = 0


def summarise_day(log_windows: Sequence[LogWindow]) -> DaySummary:
    """Return what stands on top of a day's log, made of its blocks: a line, and of a day that does not fit a screen the facts of
    high priority that hold, and the topics with the most facts, both in the order of the day."""
    by_project: dict[str, set[str]] = {}
    for window in log_windows:
        by_project.setdefault(window.project, set()).update(() if window.is_subagent else {window.source})
    ordered = sorted(by_project.items(), key=lambda item: (-len(item[1]), item[0]))
    topics = [topic for window in log_windows for topic in window.segments]
    facts = [fact for topic in topics for fact in topic.facts]
    files = {(window.project, path) for window in log_windows for path in window.modified}
    counts = ((len(topics), "topic"), (len(facts), "fact"), (len(files), "modified file"))
    return DaySummary(
        sessions=count_things(len({window.source for window in log_windows if not window.is_subagent}), "session"),
        projects=tuple((name, str(len(sources)) if len(ordered) > 1 else "") for name, sources in ordered),
        counts=tuple(count_things(number, noun) for number, noun in counts if number),
        **_choose_top(log_windows, len(by_project) > 1),
    )


def _choose_top(log_windows: Sequence[LogWindow], is_of_several: bool) -> DayTop:
    """Return the important facts and the topics of a long day; nothing of a short one, which is read as it is."""
    topics = [(window, topic) for window in log_windows for topic in window.segments]
    if len(topics) < LONG_DAY and sum(len(topic.facts) for _, topic in topics) < MANY_FACTS:
        return {}
    high = [
        DayFact(fact.time, window.project if is_of_several else "", _cut_line(fact.text))
        for window, topic in topics
        for fact in topic.facts
        if fact.mark == PRIORITY_MARKS["high"] and fact.replaced_on is None
    ]
    titled = [(window, topic) for window, topic in topics if topic.title]
    most = sorted(range(len(titled)), key=lambda place: (-len(titled[place][1].facts), place))[:TOP_TOPICS]
    shown = dict.fromkeys(
        (topic.time, window.project, topic.title) for window, topic in (titled[place] for place in sorted(most))
    )
    return {
        "facts": tuple(high[:TOP_FACTS]),
        "more_facts": max(0, len(high) - TOP_FACTS),
        "topics": tuple(f"{time} {f'{project}: ' if is_of_several else ''}{title}" for time, project, title in shown),
        "more_topics": len(topics) - len(most),
    }


def _cut_line(text: str) -> str:
    head, _, _ = text[:TOP_CHARS].rpartition(" ")
    return text if len(text) <= TOP_CHARS else f"{head or text[:TOP_CHARS]}…"
