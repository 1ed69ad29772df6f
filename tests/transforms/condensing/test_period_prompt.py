"""What a model is shown of a period, and how many words it may write."""

from __future__ import annotations

from dataclasses import replace

from tests.each_case import each_case
from tests.transforms.condensing.test_period_answer import CHANGED, FACTS, RUN, item
from transforms.condensing.period_prompt import compute_word_limit, format_prompt_item, select_prompt_items
from transforms.tables.periods import MONTH, WEEK


def test_a_month_shows_a_model_what_lasts_and_high_findings() -> None:
    """A finding that somebody had to search for is high, whatever its kind; records of work that git has are not shown."""
    rows = [
        item("o-1", RUN, "rule"),
        item("o-2", "The scanner needs its lid closed for the second page", "fact"),
        item("o-3", 'Committed "fix the scanner"', "completion"),
        replace(item("o-4", "The scanner page was opened", "fact"), priority="medium"),
    ]
    assert [row.id for row in select_prompt_items(MONTH, rows)] == ["o-1", "o-2"]
    assert len(select_prompt_items(WEEK, rows)) == 4


def test_what_the_program_adds_takes_room_from_the_model() -> None:
    """With the replaced claims behind its lines a text of the words that were asked for did not fit, and was asked for again."""
    replaced = [replace(fact, earlier="the former claim of this row, told whole") for fact in FACTS]
    assert compute_word_limit(WEEK, 120, 1.0, replaced) < compute_word_limit(WEEK, 120, 1.0, FACTS)
    assert compute_word_limit(WEEK, 60, 1.0, replaced * 9) > 0


@each_case(
    ("earlier", "shown"),
    [
        ("sets the limit to 5", "sets the limit to 5"),
        ("mailed after three mis…", "mailed after three …"),
        ("abcdefgh…", "abcdefgh …"),
    ],
)
def test_a_replaced_claim_that_was_cut_ends_with_a_whole_word(earlier: str, shown: str) -> None:
    """Half of a word reads like a name."""
    assert format_prompt_item(1, replace(FACTS[1], earlier=earlier)).endswith(f"(replaced: {shown})")


def test_a_model_sees_what_changed_since() -> None:
    """A value of the mark is in what its line cites."""
    assert format_prompt_item(1, FACTS[0]).endswith(f"{RUN} ({CHANGED})")
