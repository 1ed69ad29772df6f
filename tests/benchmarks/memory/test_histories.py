"""Histories of invented owners: what is linked exists, and the figures count what they say."""

from __future__ import annotations

import numpy as np

from benchmarks.memory.histories import build_history, decide_alone, list_nearest, list_shown, read_histories

RECORD = {
    "owner": "weaver",
    "sayings": [
        {"n": 3, "session": 1, "agent": "", "text": "we deploy on Fridays"},
        {"n": 4, "session": 1, "agent": "Which port?", "text": "9477"},
        {"n": 9, "session": 2, "agent": "", "text": "we deploy on Fridays"},
    ],
    "links": [{"older": 3, "newer": 9, "relation": "restates"}],
}


def test_every_link_of_the_archive_goes_from_a_later_saying_to_an_earlier_one() -> None:
    """Six writers, 120 owners, and every relation is one of six."""
    histories = read_histories()
    assert len(histories) == len({history.owner for history in histories}) == 120
    for history in histories:
        assert all(0 <= older < newer < len(history.rows) for older, newer in history.relations)
    names = {relation for history in histories for relation in history.relations.values()}
    assert names == {"replaces", "part", "over", "restates", "exception", "lookalike"}


def test_a_saying_stands_with_the_question_that_it_answers() -> None:
    """Numbers of the writer become places, later sessions later days."""
    history = build_history(RECORD)
    assert history.relations == {(0, 2): "restates"}
    assert history.rows[1].text == '"9477" (about: "Which port?")'
    assert (history.rows[2].said_at - history.rows[0].said_at).days == 7


def test_the_same_words_are_merged_and_shown_and_nearest() -> None:
    """The plainest pair counts in each column."""
    history = build_history(RECORD)
    vectors = np.array([[1, 0], [0, 1], [1, 0]], np.float32)
    assert decide_alone(history, (0, 2)) == "merged"
    assert (0, 2) in list_shown(history, vectors)
    assert list_nearest(vectors, 1) == {(0, 1), (0, 2)}
