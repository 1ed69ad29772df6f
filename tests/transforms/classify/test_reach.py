"""How far a person's words reach: what holds for good, and what only now."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from effects.distil.stored_weights import load_turn_classifier
from tests.each_case import each_case
from transforms.classify.reach import JUDGED_CHARS, MIN_REACH, hash_reach, judge_reach, list_stretches


@given(st.text(max_size=JUDGED_CHARS))
def test_stretches_lie_within_a_text(text: str) -> None:
    assert all(0 <= start <= end <= len(text) for start, end in list_stretches(text))


def test_names_of_things_do_not_change_what_is_judged_but_for_their_own_weight() -> None:
    assert set(hash_reach("we write it as a list").__getitem__(0)) & set(hash_reach("we paint it as a map").__getitem__(0))


@each_case(
    ("words", "lasts"),
    [
        ("label the shelves, and from now on every shelf gets a number before it gets a name", True),
        ("label the shelves, and for this one shelf leave the number out today", False),
        ("ask me every time before you run anything on the archive", True),
        ("show me the query again and run it now", False),
    ],
)
def test_a_rule_beside_an_order_is_told_from_an_order_beside_another(words: str, lasts: bool) -> None:
    reach = load_turn_classifier().reach

    assert reach is not None
    assert (judge_reach(words, reach).odds >= MIN_REACH) is lasts


def test_the_stretch_that_lasts_is_found_in_a_sentence_without_marks() -> None:
    reach = load_turn_classifier().reach
    words = "print the two tickets for tonight and never delete a booking without asking me first"

    assert reach is not None
    stretch = judge_reach(words, reach)
    assert "never delete a booking" in words[stretch.start : stretch.end]
