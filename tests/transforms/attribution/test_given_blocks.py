"""Blocks that a heading gives to somebody else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.attribution.given_blocks import find_given_blocks, writes_formally

POINTS = "1. Use a queue between the modules.\n2. Never log the bodies.\n3. We decided to use tabs, please keep to it."
SMALL = ("look at the importer", "and what about the tests", "ok push it then")


@each_case(
    ("before", "behind"),
    [
        ("Review by Ada Park, 20 Oct:\n\n", "\n\nonly take point 2 of that, the rest not"),
        ("Comments from Ada:\n", "\nonly do 3"),
        ("ada writes:\n", "\n\ntake 1 and 3"),
        ("take 2 of this review from Ada:\n", ""),
    ],
)
def test_two_signs_give_a_list_to_somebody_else(before: str, behind: str) -> None:
    """Its author in the heading, another style than the owner's, and points that the owner picks; heading and choice stay."""
    ((start, end),) = find_given_blocks(f"{before}{POINTS}{behind}", SMALL)
    assert f"{before}{POINTS}{behind}"[start:end].strip() == POINTS


@each_case("heading", ["please do these:", "my plan:", "what we need:", "From Monday on:", "Now the importer:"])
def test_a_list_with_one_sign_or_none_is_the_owners(heading: str) -> None:
    """A day is no author; people who write small may paste their own notes, and name them with a pronoun."""
    assert find_given_blocks(f"{heading}\n{POINTS}") == []
    assert find_given_blocks("the plan by Ada:\n- a queue\n- no bodies in the log", SMALL) == []


def test_a_wrapped_point_belongs_to_the_block_and_a_remark_does_not() -> None:
    """A line below a finished point is another's words."""
    text = "Review by Ada:\n1. Use a queue between the modules, one for each of them,\nnot two.\n2. Never log\nonly do 1"
    ((start, end),) = find_given_blocks(text)
    assert text[start:end] == "1. Use a queue between the modules, one for each of them,\nnot two.\n2. Never log\n"


@given(
    st.lists(
        st.sampled_from(["Review by Ada:", "1. Use a queue.", "2. Log nothing.", "", "only do 2", "x:", "  - y"]), max_size=12
    )
)
def test_blocks_lie_in_order_within_the_text(lines: list[str]) -> None:
    """They never overlap and never take a heading."""
    text = "\n".join(lines)
    ends = [place for block in find_given_blocks(text, SMALL) for place in block]
    assert ends == sorted(ends)
    assert all(0 <= place <= len(text) for place in ends)
    assert all("Review by" not in text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True))


@each_case(
    ("lines", "is_formal"),
    [
        (["Good morning, we begin.", "The timer is wrong."], True),
        (["go on with it", "no, the other one"], False),
        (["Go."], False),
    ],
)
def test_an_owner_who_always_writes_in_sentences_is_known(lines: list[str], is_formal: bool) -> None:
    """One line tells nothing."""
    assert writes_formally(lines) is is_formal
