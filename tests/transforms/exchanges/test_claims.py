"""A list of an agent becomes a sentence that keeps what belongs to what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.exchanges.claims import CLAIM_CHARS, is_list_of_names, split_claims
from transforms.exchanges.current_values import ValueHistory


def test_the_points_of_an_item_stand_in_brackets_behind_it() -> None:
    """Without them nobody sees where the points of one item end and the next item begins."""
    (claim,) = split_claims("Added:\n- limits for pages:\n  - helper: 60\n  - guide: 80, 90\n- a check\n    - run by CI")
    assert claim.text == "Added: limits for pages (helper: 60; guide: 80, 90); a check (run by CI)"


def test_points_that_go_on_in_another_claim_stand_behind_their_item_there_too() -> None:
    points = "\n".join(f"  - the tide table of harbour {number} is read before the map is drawn" for number in range(9))
    first, *others = (claim.text for claim in split_claims(f"Changed:\n- the loader\n{points}"))
    assert len(others) >= 1
    assert all(text.startswith("Changed: the loader (the tide table of harbour") for text in (first, *others))


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["boats", "tides: 3", "maps (old)", "a; b", "x" * 90]))))
def test_no_item_of_any_list_is_lost_and_no_claim_is_too_long(items: list[tuple[int, str]]) -> None:
    """Items of a length of their own aside, which stand with the item above them at most."""
    texts = [claim.text for claim in split_claims("\n".join(f"{' ' * depth}- {text}" for depth, text in items))]
    assert all(any(text in claim for claim in texts) for _, text in items)
    assert all(len(text) <= CLAIM_CHARS for text in texts)


@each_case(
    ("text", "left"),
    [
        ("Set: loader (cache: 5; retries: 3); tests", "Set: loader (cache: 5); tests"),
        ("Set: loader (retries: 3; workers: 3); tests; docs; pages", "Set: tests; docs; pages"),
        ("Set: loader (cache: 5; pool: 3); tests", "Set: loader (cache: 5; pool: 3); tests"),
    ],
)
def test_only_the_stale_points_of_an_item_go(text: str, left: str) -> None:
    history = ValueHistory({"retries": {"": (4, "9")}, "workers": {"": (4, "9")}})
    assert history.remove_stale_clauses(text, 1) == left


def test_names_are_found_in_the_time_that_a_statement_is_long() -> None:
    """From each of ten thousand dots a path was looked for again."""
    for sign in ".!":
        assert grows_with_text(lambda text: is_list_of_names.__wrapped__(f"see {text} there"), sign, 400), (
            sign
        )  # without its memory
    assert is_list_of_names("Places: a/b.py, `x y`/z, ...c.md and https://a.example/x")
    assert not is_list_of_names("Places: a/b.py is slow")
