"""A pattern that is cut in two finds what it found before."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from transforms.patterns.alternatives import halve_alternatives, split_alternatives
from transforms.redaction.structure_hints import STRUCTURE_HINT

PARTS = st.sampled_from(["ab", "(?:a|b)c", "[|)(]", r"\|", r"\(", "[^]|]x", r"[\]|]", "((a|b)|c)", "a{2,3}", "$", r"[a-c]+\)"])


@given(st.lists(PARTS, min_size=1, max_size=6))
def test_a_pattern_is_cut_at_its_own_bars_alone(parts: list[str]) -> None:
    """A bar in a group, in a set or behind a backslash parts nothing."""
    assert split_alternatives("|".join(parts)) == parts


@given(st.lists(PARTS, min_size=1, max_size=6), st.text(alphabet="abcx|()] ", max_size=8))
def test_the_halves_find_what_the_pattern_finds(parts: list[str], text: str) -> None:
    pattern = "|".join(parts)
    assert any(re.search(half, text) for half in halve_alternatives(pattern)) == bool(re.search(pattern, text))


def test_a_pattern_with_flags_for_all_of_it_and_one_without_bars_stay_whole() -> None:
    assert halve_alternatives("(?i)a|b") == ("(?i)a|b",)
    assert halve_alternatives("(?:a|b)") == ("(?:a|b)",)


def test_the_search_for_structures_is_cut_into_two_patterns() -> None:
    """Together they take a third of its time."""
    halves = halve_alternatives(STRUCTURE_HINT)
    assert "|".join(halves) == STRUCTURE_HINT
    assert max(map(len, halves)) < len(STRUCTURE_HINT) * 0.6
