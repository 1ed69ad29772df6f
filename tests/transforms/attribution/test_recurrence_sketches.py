"""Sketches of texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.attribution.recurrence import RUN_WORDS, WINDOW_RUNS, sketch_text

WORDS = st.lists(st.sampled_from(["alder", "birch", "cedar", "dogwood", "elm", "fir", "gum", "hazel"]), min_size=12, max_size=40)


@given(passage=WORDS, before=WORDS, after=WORDS)
def test_a_passage_is_found_in_any_text_around_it(passage: list[str], before: list[str], after: list[str]) -> None:
    """Winnowing chooses the same hashes inside a passage whatever stands around it."""
    around = set(sketch_text(" ".join([*before, *passage, *after])))
    inside = passage[WINDOW_RUNS - 1 : len(passage) - WINDOW_RUNS + 1]
    assert len(inside) < RUN_WORDS + WINDOW_RUNS or around & set(sketch_text(" ".join(passage)))
    assert set(sketch_text(" ".join(passage))) <= around


def test_numbers_marks_and_case_do_not_count() -> None:
    """Templates are filled with numbers."""
    sketch = sketch_text("Tool budget reached: 45 of 50 calls were used, so wrap up the work now.")
    assert sketch == sketch_text("tool budget reached — 7 of 20 calls were used so wrap up THE work now")


def test_a_text_without_words_has_no_hashes() -> None:
    """Neither has one of three words."""
    assert sketch_text("") == sketch_text("12 34") == sketch_text("do it now") == []
