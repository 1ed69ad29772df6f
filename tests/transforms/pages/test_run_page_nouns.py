"""Numbers stand with the noun that they need."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.pages.run_page import count_things, fit_noun, format_run_lines


@each_case(("number", "words"), [(0, "0 topics"), (1, "1 topic"), (2, "2 topics")])
def test_one_thing_is_no_plural(number: int, words: str) -> None:
    assert count_things(number, "topic") == words


@each_case(("name", "of_one"), [
    ("windows skipped", "window skipped"), ("entries", "entry"), ("kept", "kept"), ("status", "status"), ("topics", "topic"),
])  # fmt: skip
def test_the_name_of_a_count_fits_its_number(name: str, of_one: str) -> None:
    assert (fit_noun(1, name), fit_noun(2, name)) == (of_one, name)


def test_a_line_of_a_night_counts_one_window_as_one() -> None:
    """Reasons that are words of their own stay as they are."""
    counts = {
        "window": {"reasons": {"too_few": 1}}, "distil": {"distilled": 1, "allow": 1, "segments": 2},
        "consolidate": {"made": {"days": 1}}, "reflect": {"dropped": {"ends": 1}}, "render": {"pages": 1},
    }  # fmt: skip
    lines = [" ".join(line.split()[3:]) for line in format_run_lines(counts)]
    assert lines == [
        "1 window skipped (1 too few)", "1 window distilled, 1 fact kept, 2 topics", "1 period made (1 day)",
        "1 dropped (1 ends)", "1 page",
    ]  # fmt: skip
