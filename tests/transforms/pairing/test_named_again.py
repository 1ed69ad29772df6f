"""Decisions between options whose owner speaks of both again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.each_case import each_case
from transforms.pairing.named_again import StatedFact, find_named_again

START = datetime(2026, 10, 18, 9, tzinfo=UTC)
FORM = 'Mara decided: "Stripe" (asked: Which gateway?; not: Paymob; Fawry)'


def find_later(choice: str, *later: str) -> dict[str, str]:
    """The later statements, `s0` and so on, that name the choice `c` again."""
    rows = [
        StatedFact(f"s{place}", "shop", START + timedelta(days=1 + place), text, False, True) for place, text in enumerate(later)
    ]
    return find_named_again([*rows, StatedFact("c", "shop", START, choice, True, True)])


@each_case(
    ("choice", "later"),
    [
        (FORM, 'Mara said: "stripe does not work in Egypt unfortunately, we use paymob"'),
        (FORM, 'Mara said: "Stripe لا تعمل في مصر للأسف، نستخدم Paymob"'),
        (
            'Mara decided: "Shift_JIS（Excel 互換）" (asked: 文字コードは？; not: UTF-8 BOM 付き; UTF-8; meaning: Excel)',
            'Mara said: "Shift_JISだと化けます。ＵＴＦ－８にしてください。" Outcome: Done.',
        ),
        (
            'Mara decided: "2" (asked: Which store?; chosen: SQLite (one file); not: redb; files)',
            'Mara: "redb after all, sqlite locks"',
        ),
    ],
)
def test_a_choice_is_marked_when_its_owner_names_it_again_beside_an_option_that_was_left(choice: str, later: str) -> None:
    assert find_later(choice, later) == {"c": "s0"}


@each_case(
    "later",
    [
        'Mara asked: "connect Stripe to the webhook"',
        'Mara asked: "Stripe in the Django admin, please"',
        'Mara said: "Paymob sent an offer"',
        'Mara asked: "is Stripe cheaper than Paymob?"',
        'Mara asked: "أهي Stripe أم Paymob؟"',
        'Mara said: "' + "a long plan of many things, " * 12 + 'Stripe, Paymob"',
    ],
)
def test_a_choice_that_is_only_mentioned_again_is_not_marked(later: str) -> None:
    assert find_later(FORM, later) == {}


def test_options_that_are_no_names_mark_nothing() -> None:
    yes = 'Mara decided: "Yes" (asked: Shall I?; not: No)'
    assert find_later(yes, 'Mara said: "no, the yes button"') == {}
    assert find_later('Mara decided: "Redis" (asked: Which?; not: Redis)', 'Mara said: "Redis is down"') == {}


def test_the_last_statement_about_both_options_is_shown() -> None:
    assert find_later(FORM, 'Mara said: "Stripe fails, Paymob then"', 'Mara said: "back to Stripe, Paymob is slow"') == {
        "c": "s1"
    }
