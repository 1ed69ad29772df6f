"""Texts that are over because newer words of the owner name their value as the former one."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.memory.former_values import (
    MOST_CHARS,
    drop_former_numbers,
    list_former_numbers,
    says_replaced,
    swap_former_number,
)

OLD = 'User decided: "upload limit: 100 files per hour per account"'
NEW = 'User asked: "raise the upload limit to 120 per hour, the shop hits the 100"'


def test_newer_words_name_the_former_number() -> None:
    """The older text does not say that the newer one is over."""
    assert says_replaced(OLD, NEW)
    assert not says_replaced(NEW, OLD)


def test_a_former_number_is_the_same_in_words_and_in_digits() -> None:
    """On either side."""
    assert says_replaced('User decided: "keep the tapes seventeen weeks"', 'User asked: "keep the tapes 21 weeks, not 17"')
    assert says_replaced(
        'User decided: "keep the tapes 17 weeks"', 'User asked: "keep the tapes twenty one weeks, not seventeen"'
    )


@each_case(
    ("older", "newer"),
    [
        ("the dedupe of the ingest runs at night", "a number in the log, I see it then instead of Deepak seeing the dedupe"),
        ("Found it: all pairs differ since 6 October 22:10", "24.3 came on 6 October, pages now carry it. page 14"),
        ("The reason is free text, shown to every clerk", "the key is in the env file, not in git, not free text in answers"),
        ("sled stays, things that do not move are fine", "it would not open any more, so much for things that do not move"),
    ],
)  # fmt: skip
def test_what_is_only_denied_or_counts_something_else_replaces_nothing(older: str, newer: str) -> None:
    """Without a word that names the former number the new one must be of the same kind."""
    assert not says_replaced(f'User said: "{older}"', f'User said: "{newer}"')


def test_two_times_of_day_are_of_one_kind() -> None:
    older = 'User said: "each one rsyncs at 23:30 to the NAS"'
    assert says_replaced(older, "all go to gannet, 22:15, cos it reboots itself for updates 23:30 now")


@each_case(
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


@each_case(
    ("line", "newer", "changed"),
    [
        ("the metrics listen on port 9477", "metrics port clashes, move it from 9477 to 9500", "the metrics listen on port 9500"),
        ("Retries: 3, timeout 30 s", "raise the timeout from 30 s to 60 s", "Retries: 3, timeout 60 s"),
        ("the batch size is 32", "make the parser handle 32 to 64 bit ints", ""),
        ("stripe stays on 17 until the season is over", "stripe is on 18 now, was 17", ""),
        ("ports 9477 and 9477-udp are open", "move the port from 9477 to 9500", ""),
        ("release 3.12 is out on port 9477", "the port moves from 9477 to 9500, the release from 3.12 to 3.13", ""),
    ],
)
def test_a_line_gets_the_new_number_where_newer_words_name_both(line: str, newer: str, changed: str) -> None:
    """Only where it is plain which number takes the place of which."""
    assert swap_former_number(line, newer) == changed


LINE = "Where does the tide table go? Next to the report. The limit is 12 pages in all"


@each_case(
    ("line", "newer", "kept"),
    [
        (LINE, "they say we may have sixteen pages instead of twelve", "Where does the tide table go? Next to the report"),
        (LINE, "the quay has sixteen lamps instead of twelve", LINE),
        (LINE, "the report has 16 pages", LINE),
        ("How old may the list be: 10 minutes", "the list may be 2 minutes old, not 10", ""),
        ("Which limit does the report have? 12 pages", "sixteen pages instead of twelve", ""),
        ("Which limit does the report have? Forty pages", "sixteen pages instead of 40", ""),
        ("Pages of the report are numbered", "sixteen pages instead of twelve", "Pages of the report are numbered"),
    ],
)
def test_a_sentence_whose_number_is_the_former_one_is_no_part_of_a_line(line: str, newer: str, kept: str) -> None:
    """Nothing is left where it is the claim. Another thing that is counted, and a number that denies none, say nothing."""
    assert drop_former_numbers(line, list_former_numbers(newer)) == kept
