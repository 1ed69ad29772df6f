"""Topics of plain dialogues: found where words, speakers or vectors change, better than without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.windowing.dialogue_topics import (
    build_word_vectors,
    find_dialogue_topics,
    measure_sharpness,
    measure_ties,
    measure_vector_changes,
)
from benchmarks.windowing.lexical_boundary_features import count_continuation_signs, is_answer, is_closed, is_question_or_request
from tests.each_case import each_case

BENCH = Path(__file__).resolve().parents[4] / "shared" / "bench"


def test_a_change_is_sharp_beside_smaller_ones_and_ties_fade_with_distance() -> None:
    assert measure_sharpness([0.5, 0.9, 0.4], 1) == pytest.approx([-0.4, 0.45, -0.5])
    assert measure_sharpness([0.7], 3) == [0.0]
    item, other = np.eye(2, dtype=np.float32)
    assert measure_ties([item, other, None, item * 3], 2.0) == pytest.approx([0.0, 0.0, np.exp(-1)])
    changes = measure_vector_changes([item, None, item, other], [1, 3, 0], 2)
    assert changes == pytest.approx([1 - 1 / 2**0.5, 1.0, 1.0])
    vectors = build_word_vectors([{"a": 2.0}, {}, {"a": 1.0, "b": 1.0}])
    assert vectors[1] is None
    assert vectors[2].tolist() == [1.0, 1.0]  # type: ignore[union-attr]


def test_a_dialogue_is_cut_where_the_one_who_is_served_asks_for_something_else() -> None:
    turns = [
        "I need a cheap hotel with parking in the north",
        "The Ashley Hotel is a cheap hotel in the north with free parking and internet",
        "Does the hotel have internet?",
        "Yes, the Ashley Hotel has free internet in every room.",
        "Will Compton get rain on Sunday?",
        "The forecast for Compton on Sunday is dry and clear the whole day, with some wind",
    ]
    speakers = ["user", "agent"] * 3
    assert find_dialogue_topics(turns, speakers, typical=3) == [0, 4]
    assert find_dialogue_topics([], [], typical=3) == []
    assert find_dialogue_topics(["hello"], ["user"], typical=3) == [0]


TURNS = st.lists(
    st.tuples(
        st.sampled_from(["user", "agent", "third"]),
        st.sampled_from(
            ["", "Is it open?", "Thanks!", "I need a train to Leeds", "Goodbye, anything else?", "The cache of 3 MB"]
        ),
        st.integers(0, 4),
    ),
    max_size=30,
)


@given(TURNS, st.booleans())
def test_topics_of_any_dialogue_begin_with_its_first_turn_and_in_order(
    drawn: list[tuple[str, str, int]], has_vectors: bool
) -> None:
    speakers, turns = [who for who, _, _ in drawn], [screen for _, screen, _ in drawn]
    units = np.eye(4, dtype=np.float32)
    vectors = [units[at] if at < 4 else None for _, _, at in drawn] if has_vectors else None
    segments = find_dialogue_topics(turns, speakers, 4, vectors)
    assert segments == sorted(set(segments))
    assert segments[:1] == ([0] if turns else [])
    assert all(0 <= start < len(turns) for start in segments)
    assert segments == find_dialogue_topics(turns, speakers, 4, vectors)


def test_longer_usual_topics_make_fewer_of_them() -> None:
    words = ["I need a room in Leeds", "There are four rooms with a bath", "Will it rain?", "No rain until the weekend, it says",
            "Play some music", "Here is a quiet song by a choir", "Thanks, that's all", "You're welcome"]  # fmt: skip
    turns, speakers = words * 4, ["user", "agent"] * 16
    counts = [len(find_dialogue_topics(turns, speakers, typical)) for typical in (1, 2, 4, 8, 16, 32)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


def test_a_break_in_vectors_begins_a_topic_where_the_words_say_nothing() -> None:
    turns, speakers = ["so he said something about a thing again"] * 8, ["user", "agent"] * 4
    item, other = np.eye(2, dtype=np.float32)
    assert find_dialogue_topics(turns, speakers, 4, [item] * 4 + [other] * 4) == [0, 4]
    assert find_dialogue_topics(turns, speakers, 4, [item] * 8) == [0]


@each_case(
    ("turn", "before", "earlier", "expected"),
    [
        ("I need a taxi", "Booked. Can I help you with anything else?", "", (True, False, True, 0)),
        ("At noon, if they have a table", "When would you like to eat?", "", (False, True, False, 1)),
        ("Tell me the forecast for Leeds", "You're very welcome, have a nice day!", "", (True, False, True, 0)),
        ("Who is the mayor?", "Any time.", "Thanks a lot", (True, False, True, 0)),
        ("Thanks, that works", "Booked at eight.", "Thank you", (False, False, False, 2)),
        ("what time is the last bus", "Right.", "", (True, False, False, 0)),
        ("Ok, list my reminders", "Right.", "", (True, False, False, 0)),
        ("how nice of you", "I sing in a choir", "", (False, False, False, 0)),
    ],
)
def test_what_words_say_about_a_beginning(turn: str, before: str, earlier: str, expected: tuple[bool, bool, bool, int]) -> None:
    assert (
        is_question_or_request(turn),
        is_answer(before),
        is_closed(turn, before, earlier),
        count_continuation_signs(turn),
    ) == expected


@pytest.mark.skipif(not BENCH.is_dir(), reason="the public sets are not here")
@pytest.mark.parametrize(("name", "highest"), [("dialseg711", 0.2), ("superdialseg", 0.335)])
def test_topics_of_public_dialogues_are_found_with_words_alone(
    name: str, highest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pk measured .175 and .305 (with vectors .141 and .301); no boundaries .417 and .519."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3]))
    from benchmarks.arguments import read_jsonl
    from benchmarks.windowing.segmentation import predict, score_dialogues

    rows = read_jsonl(BENCH / "segmentation" / f"{name}_dev.jsonl")
    scores = score_dialogues(rows, predict(rows, is_lexical=True))
    assert scores["pk"] <= highest
    assert 0.8 <= scores["density"] <= 1.25
