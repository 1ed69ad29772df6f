"""Features of a user entry."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.transforms.growth import grows_with_text
from transforms.classify.features import BITS, extract_features, hash_features


@given(text=st.text(max_size=400), before=st.text(max_size=200))
def test_any_text_has_features_of_unit_length_within_the_slots(text: str, before: str) -> None:
    """Empty texts, control characters and every script."""
    slots, values = hash_features(extract_features(text, before))
    assert len(slots) == len(values)
    assert not len(slots) or (slots.min() >= 0 and slots.max() < 1 << BITS)
    assert not len(values) or abs(float(np.linalg.norm(values)) - 1) < 1e-3


def test_a_hash_does_not_change_between_processes() -> None:
    """Stored weights are looked up by it; `hash` of Python changes with every process."""
    slots, _ = hash_features({"word:go": 1.0, "first:go": 1.0})
    assert slots.tolist() == [15936, 8082]


def test_a_long_text_is_judged_by_its_beginning_and_its_end() -> None:
    """The middle of a long paste says nothing about who sent it."""
    features = extract_features("please look " + "x " * 2000 + "tomorrow", "")
    assert "word:please" in features
    assert "word:tomorrow" in features


def test_the_agents_menu_and_question_are_features() -> None:
    """ "2" means nothing without them."""
    features = extract_features("2", "Options:\n1. sqlite\n2. postgres\nWhich one?")
    assert "form:agent laid out options" in features
    assert "form:agent asked" in features


def test_empty_lines_in_a_row_cost_what_they_are_long() -> None:
    """Items, headings and menus were looked for through all empty lines below each of them."""
    assert grows_with_text(lambda text: extract_features(f"go {text} on", f"so{text}what"), "\n", 400)
    features = extract_features("\n\n \n- one\n\n\t2. two\n\n  # Three\n", "\n\nA) one\n\n \nB) two")
    packed = extract_features("- one\n2. two\n# Three", "")
    assert [features[f"form:{name}"] for name in ("items", "headings")] == [packed["form:items"], packed["form:headings"]]
    assert "form:agent laid out options" in features
