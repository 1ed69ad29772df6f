"""Topics in which nobody spoke join their neighbours, and of too many the shortest are told as one."""

from __future__ import annotations

from tests.transforms.conversations import agent, conversation, edited, user
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.topics.spans import join_short_topics, join_silent_topics

ENTRIES = conversation(edited("a.py", "1", "2"), user("Rename the table"), agent("Renamed."), edited("b.py", "1", "2", "c2"))


def test_a_silent_topic_joins_the_one_before_it_or_behind_it() -> None:
    """Work before the first message belongs to it."""
    exchanges = split_exchanges(ENTRIES)
    assert join_silent_topics([(0, 1), (2, 3), (4, 5)], exchanges) == [(0, 5)]


def test_of_too_many_topics_the_shortest_neighbours_are_one() -> None:
    """The number is kept, and so are both ends."""
    assert join_short_topics([(0, 9), (10, 11), (12, 13)], 2) == [(0, 9), (10, 13)]
