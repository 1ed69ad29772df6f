"""A clause that names the value that it replaces retires the older clause that gave it, and no other."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.exchanges import replaced_values
from transforms.exchanges.replaced_values import (
    MIN_COMMON_START,
    find_replaced_words,
    is_value_named,
    list_among,
    states_exchange,
)

REPLACED = [
    ("the label printer listens on 6101", "label printer moved from port 6101 to 6120"),
    ("search index: tantivy, keep it local", "tantivy is out, meilisearch for the search index"),
    ("the mail queue is beanstalk", "kafka instead of beanstalk for the mail queue"),
    ("Reports go to Ines", "drop Ines, reports go to Tomás"),
    ("staging runs on heron", "staging: heron -> egret"),
]


@each_case(("older", "newer"), REPLACED)
def test_a_value_named_as_replaced_is_found_in_its_direction(older: str, newer: str) -> None:
    assert is_value_named(older, newer)
    assert not is_value_named(newer, older)


@each_case(
    ("older", "newer"),
    [
        ("the coin printer listens on 6101", "label maker moved from port 6102 to 6120"),  # another value
        ("kafka for the mail queue", "kafka instead of beanstalk for the mail queue"),  # the value that stays
        ("beanstalk needs a persistent disk of its own at the provider", "kafka instead of beanstalk for the mail queue"),
        ("the mail queue is beanstalk", "the mail queue is not slow"),  # a denial of something else
        ("the mail queue is beanstalk", "from time to time look at the mail queue"),
        ("belt edge is #2b20c4", "In lanes.json: belt #00a1ff → #2b20c4"),  # the name stays, and its value is the new one
    ],
)
def test_other_values_subjects_and_denials_are_left_alone(older: str, newer: str) -> None:
    assert not is_value_named(older, newer)


@each_case(
    ("older", "newer"),
    [
        ("we store the events in sled", "sled is out, redb from now on"),
        ("sled for the events", "redb replaces sled"),
        ("the printer listens on 6101", "move it from 6101 to 6120"),
        ("barrier alarm is 2.2 m", "barrier alarm 2.5 m, was 2.2"),
    ],
)
def test_a_value_is_over_although_the_newer_clause_does_not_say_what_it_was_for(older: str, newer: str) -> None:
    assert is_value_named(older, newer)


@each_case(
    ("older", "newer"),
    [
        ("responses go through the cache", "the cache is gone, rebuild it"),  # a thing, not a name
        ("sled needs a lock file of its own", "sled is out, redb from now on"),  # it chooses nothing
        ("we do not store events in sled", "sled is out, redb from now on"),
        ("the printer prints 14 sheets", "bump it from 14 to 45"),  # a number of two digits may be anything
        ("the printer listens on 6101", "move the scanner from 6101 to 6120"),
        ("the player starts with 3 lives", "in hardcore mode the player starts with 1 life instead of 3"),
        ("mails go out, not letters", 'the manual says "letters go out instead of mails", ignore that'),
    ],
)
def test_what_only_mentions_a_value_and_other_places_stay(older: str, newer: str) -> None:
    assert not is_value_named(older, newer)


@each_case(
    ("text", "is_change"),
    [
        ("alarm 2.5 m, was 2.2", True),
        ("we moved the split from 80/20 to 70/30", True),
        ("dropped paramiko, uploads go through asyncssh", True),
        ("paramiko is out", False),  # nothing takes its place
        ("the refund gave 84 back instead of 42", False),  # a fault, perhaps
        ("120 -> 119, 90 -> 89", False),  # examples
        ("phew, that was close", False),
        ("phew, was close", False),  # no value
        ("click File -> Export", False),  # a way through menus
    ],
)
def test_a_sentence_states_a_change_when_it_has_the_former_value_and_the_present_one(text: str, is_change: bool) -> None:
    assert states_exchange(text) == is_change


def test_a_long_stretch_is_not_a_value() -> None:
    assert find_replaced_words("not what the person in the other office wanted to have for the report") == frozenset()


PIECES = (
    "From 6101 to", "instead of", "Rather Than", "no  longer", "in place of", "not", "->", "=>", "→", "is out", "went AWAY",
    "got replaced", "dropped", "ditch", "Removed", "replacing", "retires", "the port", "heron", "ſtaging", ",", ":", "and",
    "6120", "for mail", "is too slow", "15 minutes",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=9))
def test_a_text_that_skips_patterns_of_slots_names_what_all_of_them_name(pieces: list[str]) -> None:
    """Patterns whose parts a text lacks are not tried; with an empty part, which every text has, all are tried."""
    text = " ".join(pieces)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(replaced_values, "_PARTS_OF_SLOTS", (("",),) * 7)
        everything = find_replaced_words.__wrapped__(text)
    assert find_replaced_words.__wrapped__(text) == everything


@given(*[st.frozensets(st.text("ab", min_size=1, max_size=9), max_size=12)] * 2)
def test_words_are_among_others_when_one_is_the_beginning_of_the_other(words: frozenset[str], others: frozenset[str]) -> None:
    """As if all beginnings of `MIN_COMMON_START` letters and more were listed, which took more memory than all else here."""

    def list_beginnings(word: str) -> set[str]:
        return {word, *(word[:size] for size in range(MIN_COMMON_START, len(word)))}

    expected = {w for w in words for o in others if w in list_beginnings(o) or o in list_beginnings(w)}
    assert list_among(words, others) == expected


def test_thousands_of_words_that_begin_alike_are_not_compared_each_with_each() -> None:
    """Two pasted lists of 3,000 names that share their first letters took 1.9 s, and four times that for twice as many."""
    start = time.process_time()
    words, others = (frozenset(f"shard-{number:05d}-{end}" for number in range(6_000)) for end in ("old", "new"))
    assert not list_among(words, others)
    assert time.process_time() - start < 1.5  # 7 s as it was, .02 now


WORDS = ["rabbit", "nats", "instead", "of", "broker", "mail", "queue", "is", "out", "for", "jobs", "from", "to", "6101", "6120"]


@given(*[st.lists(st.sampled_from(WORDS)).map(" ".join)] * 2)
def test_the_early_end_of_most_pairs_changes_nothing(older: str, newer: str) -> None:
    """Words that the newer clause does not explain end a pair before it is looked at closely."""
    decided = is_value_named(older, newer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            replaced_values,
            "list_named_starts",
            lambda _text: replaced_values.list_starts(replaced_values.profile_claim_words(older)),
        )
        assert is_value_named(older, newer) == decided
