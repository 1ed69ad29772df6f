"""Points of a message: each is told whole."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.classify.message_points import PACKED_CHARS, MessagePart, split_points

LONG = "the pool goes from twenty to twelve because the balancer gives us a hundred and we have six pods of twenty each, as ever"


@each_case(
    "words",
    [LONG, "커넥션 풀은 스무 개에서 열두 개로 줄인다 " * 6, "Der Pool geht von zwanzig auf zwölf, wir haben sechs Pods " * 3],
    mark=["1.", "2)", "-", "*", "•"],
)
def test_long_points_stand_alone_whatever_their_mark_and_language(mark: str, words: str) -> None:
    point = f"{mark} {words}".strip()
    assert split_points(f"{point}\n{point}") == [MessagePart(point, True)] * 2


def test_short_points_stand_together_with_a_short_head_and_apart_from_what_follows() -> None:
    """A paragraph below the list is no part of its last point."""
    parts = split_points("You start it like this:\n1. `docker compose up -d`\n2. It listens on 8083.\n\nThen tell me.")
    assert parts == [
        MessagePart("You start it like this:\n1. `docker compose up -d`\n2. It listens on 8083.", True),
        MessagePart("Then tell me.", False),
    ]


def test_the_head_of_a_list_stands_with_it_and_not_with_the_paragraph_above() -> None:
    """The points alone do not say what they are about."""
    text = f"{LONG}.\n\nwaivers.toml, reviewed by me:\n1. all five fields.\n2. no wildcards."
    assert split_points(text) == [
        MessagePart(f"{LONG}.", False),
        MessagePart("waivers.toml, reviewed by me:\n1. all five fields.\n2. no wildcards.", True),
    ]


def test_a_head_over_two_lines_is_not_cut_inside_its_sentence() -> None:
    head = f"{LONG}, and these are the parts of the\nbilling service:"
    assert split_points(f"{head}\n- {LONG}.\n- {LONG}.")[0].text == head


def test_a_point_goes_on_in_the_middle_of_a_sentence_and_where_it_is_indented() -> None:
    """Points inside of it belong to it."""
    text = f"- {LONG} and\nthat stays so\n- {LONG}.\n  - the first of them\n  - the second.\nThat is all."
    first, second, end = (part.text for part in split_points(text))
    assert (first, end) == (f"- {LONG} and\nthat stays so", "That is all.")
    assert second.endswith("  - the first of them\n  - the second.")


@each_case("text", ["", "one line", "two\nlines of prose", "- a single point", "it was 3 degrees\n-5 outside, 1.5 inside"])
def test_what_is_no_list_has_no_parts(text: str) -> None:
    assert split_points(text) == []


@given(st.lists(st.sampled_from(["- one", "2. two words.", LONG, "  more of it", "", "Ende.", f"* {LONG}."]), max_size=9))
def test_no_word_is_lost_or_moved_and_packing_keeps_its_bound(lines: list[str]) -> None:
    text = "\n".join(lines)
    parts = split_points(text)
    if parts:
        assert re.findall(r"\w+", " ".join(part.text for part in parts)) == re.findall(r"\w+", text)
    for part in parts:
        marked = [line for line in part.text.split("\n") if line.startswith(("- ", "2. ", "* "))]
        assert len(marked) < 2 or len(part.text) <= PACKED_CHARS
