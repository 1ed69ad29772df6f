"""How a person writes, and what it says about a paragraph."""

from __future__ import annotations

import pytest

from tests.each_case import each_case
from transforms.attribution.writing_habits import (
    add_habits,
    count_habits,
    leave_out_habits,
    measure_log_odds,
)
from transforms.classify.turn_classifier import USUAL_RATES

SMALL = [
    f"no no, i told you that the {part} is fine. leave it and look at the tests na"
    for part in ("router", "queue", "probe", "chart")
]
FORMAL = [
    f"The {part} is fine as it is, so I keep it. Please look at `tests/` next." for part in ("router", "queue", "probe", "chart")
]
PASTE = "1. Check the lag in the board first.\n2. Restart all pods when it grows.\n3. Reset the offsets after that."


def learn(texts: list[str]) -> dict[str, tuple[int, int]]:
    """Return the habits of an owner who typed these messages."""
    return add_habits(map(count_habits, texts))


def measure(text: str, texts: list[str]) -> float:
    """Return by how much the log-odds move for an owner who typed these messages."""
    return measure_log_odds(text, learn(texts), USUAL_RATES)


def test_a_text_in_the_owners_habits_gains_and_one_against_them_loses() -> None:
    """Each of the two for one owner is the other for the other."""
    assert measure("and so i dont want that in the chart", SMALL) > 0.2 > -0.5 > measure(PASTE, SMALL)
    assert measure(PASTE, FORMAL) > 0.5
    assert measure("and so i dont want that. it is fine as i said", FORMAL) < -0.5


def test_nothing_is_known_without_messages() -> None:
    """The log-odds stay, and one message says less than four."""
    assert measure(PASTE, []) == pytest.approx(0)
    assert measure(PASTE, SMALL) < measure(PASTE, SMALL[:1]) < 0


def test_ordinary_habits_move_nothing() -> None:
    """An owner with the usual rates is judged as anybody."""
    usual = {habit: (round(1000 * rate), 1000 - round(1000 * rate)) for habit, rate in USUAL_RATES.items()}
    assert measure_log_odds(PASTE, usual, USUAL_RATES) == pytest.approx(0, abs=1e-6)


def test_how_far_habits_move_a_text_is_bounded() -> None:
    """A long paste is no stronger sign than a few lines."""
    assert measure(PASTE * 50, FORMAL * 500) < 5
    assert measure(PASTE * 50, SMALL * 500) > -5


def test_a_word_or_two_are_not_taken_from_their_owner() -> None:
    """They have hardly a form, and a name has a capital whoever writes it."""
    assert measure("TestDrain:", SMALL) == 0


def test_a_message_is_left_out_of_what_it_is_compared_with() -> None:
    """So nobody's text bears itself out."""
    assert leave_out_habits(learn([*SMALL, PASTE]), PASTE) == {**learn(SMALL), "marks of code": (0, 4)}


@each_case(
    ("text", "habit", "counts"),
    [
        ("so it is. But not here", "small letter at a line", (1, 0)),
        ("so it is. But not here", "small letter at a sentence", (0, 1)),
        ("- small points\n- in any text", "small letter at a line", None),
        ("- Large points\n- in any text", "small letter at a line", (0, 1)),
        (f"{'A line that somebody wrapped at its width, as mails ' * 2}\nbegins small", "small letter at a line", (0, 1)),
        ("그대로 두세요", "small letter at a line", None),
        ("i said so and I mean it", "small i", (1, 1)),
        ("is it so?", "full stop", None),
        ("我先看看。", "full stop", (1, 0)),
        ("ask Meenal and Farhan, I'd say", "capitals inside", (2, 2)),
        ("run `make` first", "marks of code", (1, 0)),
        ("— 12 %", "full stop", None),
    ],
)  # fmt: skip
def test_habits_are_counted_where_they_have_an_occasion(text: str, habit: str, counts: tuple[int, int] | None) -> None:
    """Scripts without case, questions and points in small letters give none."""
    assert count_habits(text).get(habit) == counts
