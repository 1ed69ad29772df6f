"""Texts that are over because newer words of the owner name their value as the former one."""

from __future__ import annotations

import pytest

from transforms.memory.former_values import MOST_CHARS, says_replaced

OLD = 'User decided: "upload limit: 100 files per hour per account"'
NEW = 'User asked: "raise the upload limit to 120 per hour, the shop hits the 100"'


def test_newer_words_name_the_former_number() -> None:
    """The older text does not say that the newer one is over."""
    assert says_replaced(OLD, NEW)
    assert not says_replaced(NEW, OLD)


@pytest.mark.parametrize(
    "newer",
    [
        'User asked: "lower the cache of pages from 150 to 120 MB"',
        'User asked: "show the upload limit of 100 on the page"',
        'User asked: "raise the upload limit"',
    ],
)
def test_other_numbers_and_the_same_one_replace_nothing(newer: str) -> None:
    """Nor do words that name no former value at all."""
    assert not says_replaced(OLD, newer)


def test_a_long_text_is_not_over_by_one_of_its_values() -> None:
    """It has many subjects."""
    assert not says_replaced(OLD + " and more" * MOST_CHARS, NEW)
