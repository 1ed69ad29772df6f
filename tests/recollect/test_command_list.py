"""The advice about a mistyped command: the nearest one, and never from far one that deletes."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from recollect.command_list import COMMANDS, DELETING, count_slips, find_similar_command
from tests.each_case import each_case

LETTERS = st.text(st.characters(min_codepoint=97, max_codepoint=122), max_size=10)


@each_case(("typed", "meant"), [("aks", "ask"), ("prnue", "prune"), ("reveiw", "review"), ("conf", "config")])
def test_the_fewest_slips_win(typed: str, meant: str) -> None:
    """`aks` is one swap away from `ask`; by common letters alone it was `tasks`."""
    assert find_similar_command(typed) == meant


@given(typed=LETTERS)
def test_a_command_that_deletes_is_at_most_one_slip_away(typed: str) -> None:
    """`runs` meant `prune`."""
    similar = find_similar_command(typed)
    assert similar not in DELETING or count_slips(typed, similar) <= 1


@each_case("typed", ["runs", "pruning", "forgotten", "install"])
def test_words_that_share_letters_with_a_deleting_command_do_not_name_it(typed: str) -> None:
    """By common letters alone each of them did."""
    assert find_similar_command(typed) not in DELETING


@given(name=st.sampled_from(sorted(COMMANDS)), place=st.integers(0, 8))
def test_two_swapped_letters_are_one_slip(name: str, place: int) -> None:
    """Also at the beginning."""
    assume(place + 1 < len(name) and name[place] != name[place + 1])
    typed = name[:place] + name[place + 1] + name[place] + name[place + 2 :]
    assert count_slips(typed, name) == 1


@given(one=LETTERS, other=LETTERS)
def test_slips_are_the_same_both_ways_and_none_between_equals(one: str, other: str) -> None:
    """A distance."""
    assert count_slips(one, other) == count_slips(other, one)
    assert (count_slips(one, other) == 0) == (one == other)
