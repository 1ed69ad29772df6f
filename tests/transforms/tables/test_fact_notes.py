"""Notes behind a fact can be cut as they were written, and pages show what was chosen before the words that chose it."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.tables.fact_notes import (
    LABELS,
    TURNED_DOWN,
    add_note,
    cut_notes,
    cut_reply,
    lead_with_chosen,
    read_told_choice,
    split_turned_down,
    stands_for,
)

WORDS = st.text("abc xyz", min_size=1, max_size=30).map(str.strip).filter(bool)


@given(WORDS, st.lists(st.tuples(st.sampled_from(LABELS), WORDS), max_size=3))
def test_what_is_left_without_notes_is_the_fact(text: str, notes: list[tuple[str, str]]) -> None:
    """Any notes in any order: the text comes back."""
    noted = text
    for label, note in notes:
        noted = add_note(noted, label, note)  # type: ignore[arg-type]
    assert cut_notes(noted) == text


@given(WORDS, st.lists(st.tuples(st.sampled_from(LABELS), WORDS), unique_by=lambda note: note[0]))
def test_what_does_not_hold_is_taken_out_and_a_cure_stays(text: str, notes: list[tuple[str, str]]) -> None:
    """Any notes in any order: each word is in one of both."""
    noted, holding = text, text
    for label, note in notes:
        noted = add_note(noted, label, note)  # type: ignore[arg-type]
        holding = holding if label in TURNED_DOWN else add_note(holding, label, note)  # type: ignore[arg-type]
    assert split_turned_down(noted) == (holding, [note for label, note in notes if label in TURNED_DOWN])


def test_a_bracket_inside_a_text_is_no_note() -> None:
    """Only what ends with a note has one."""
    assert cut_notes("It said (wrong: no) and went on") == "It said (wrong: no) and went on"


@each_case(
    ("row", "shown"),
    [
        (
            'Ola decided: "the latter, it is there already" (asked: Where does it run; chosen: on the machine in the cellar; '
            "not: a rented server…) Outcome: It runs. [host.yaml]",
            'Ola decided: on the machine in the cellar ("the latter, it is there already"; asked: Where does it run; '
            "not: a rented server…) Outcome: It runs. [host.yaml]",
        ),
        ('Ola decided: "2" (chosen: a feed (RSS).)', 'Ola decided: a feed (RSS) ("2")'),
        (
            'Ola asked: "1 and 3" (about: The rest of the list; chosen: sort the shelf; label the boxes)',
            'Ola asked: sort the shelf; label the boxes ("1 and 3"; about: The rest of the list)',
        ),
    ],
)
def test_a_choice_is_shown_with_what_was_chosen_first(row: str, shown: str) -> None:
    assert lead_with_chosen(row) == shown


@each_case(
    "row",
    [
        'Ola decided: "no cloud" (asked: Where does it run)',
        'Ola decided: "2, the cellar machine, because it is paid for" (asked: Where; chosen: on the machine in the cellar)',
        'Ola decided: "1, aber 300 statt 120" (asked: The page; chosen: a page at a delay of 120; not: a mail)',
        'Ola decided: "none of these" (asked: Which colour; chosen: none; not: red; blue)',
        'Ola decided: "the former" (asked: Should we sign the page or not; chosen: Should we sign the page)',
        'Ola decided: "2" (asked: Which colour; chosen: a red that was cut o…',
        "The page is signed (chosen: a key).",
        "",
    ],
)
def test_what_tells_no_whole_choice_is_shown_as_it_is(row: str) -> None:
    assert lead_with_chosen(row) == row


@given(*3 * [st.text(st.sampled_from("aé 7.;:()'`…"), max_size=40)])
def test_no_word_of_a_choice_is_lost(quote: str, asked: str, chosen: str) -> None:
    row = f'Ola decided: "{quote}" (asked: how {asked}; chosen: {chosen}; not: another)'
    shown = Counter(re.findall(r"\w+", lead_with_chosen(row)))
    assert shown in (Counter(re.findall(r"\w+", row)) - Counter(["chosen"]), Counter(re.findall(r"\w+", row)))


def test_a_choice_is_read_with_the_label_of_what_it_answers() -> None:
    choice = read_told_choice('Ola decided: "b" (about: The shelf; chosen: sort it; not: leave it) [shelf.md]')
    assert choice is not None
    assert (choice.label, choice.asked, choice.chosen, choice.left) == ("about", "The shelf", "sort it", ("leave it",))
    assert (choice.lead, choice.quote, choice.behind) == ("Ola decided: ", "b", " [shelf.md]")


def test_a_fact_stands_for_one_whose_words_are_among_its_evidence() -> None:
    """One that only replaced it has none of them."""
    assert stands_for(["s1:e2", "s1:e3"], "s1", ["e3"])
    assert not stands_for(["s1:e2"], "s2", ["e2"])
    assert not stands_for(None, "s1", None)


LONG = " ".join(["keep the logs of the server for thirty days"] * 3)


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (f'"{LONG}" Outcome: 30 days. [a.py]', f'"{LONG}"'),
        (f'User said: "{LONG}" Reply: Understood.', f'User said: "{LONG}"'),
        ('"yes, the second" Outcome: The port is 9500.', '"yes, the second" Outcome: The port is 9500.'),
        (f'"{LONG}, and the price?" Reply: $48.', None),
        (f'User asked: "{LONG}" Answer: Thirty days.', None),
        ('User decided: "the former" (asked: which store is it to be; chosen: redb) Outcome: Done.', None),
        ('A label in a text, " Reply: none"', None),
    ],
)
def test_what_stands_alone_is_told_without_the_agents_reply(row: str, shown: str | None) -> None:
    """Few words, a question and a choice by pointing need what stands behind them."""
    assert cut_reply(row) == (shown or row)
