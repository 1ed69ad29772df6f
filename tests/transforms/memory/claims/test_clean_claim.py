"""A sentence becomes a line without what opens it, and what the owner says of themselves is said of them."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.memory.claims.clean_claim import clean_claim, drop_reporting, split_at_commas


@each_case(
    ("said", "line"),
    [
        ("and yes, never push to main!!", "Never push to main"),
        ("i would prefer short answers", "Prefers short answers"),
        ("never merge without asking me", "Never merge without asking the owner"),
        ("Redis: runs in Docker on the NUC", "**Redis** — runs in Docker on the NUC"),
    ],
)
def test_a_line_has_no_opening_and_no_first_person(said: str, line: str) -> None:
    assert clean_claim(said, is_quote=True) == line


def test_who_reports_goes_and_a_comma_inside_of_marks_ends_no_part() -> None:
    assert drop_reporting("The owner decided that tests run with pytest") == "tests run with pytest"
    assert split_at_commas('use `a, b`, not "c, d", ever') == ["use `a, b`,", 'not "c, d",', "ever"]
