"""What an owner says is still open stands so until their later words say that it is done."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from time import process_time

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.briefing.done_work import find_done_work
from transforms.briefing.open_work import find_open_work
from transforms.language.lexicon import parse_set
from transforms.tables.schema import TABLES, build_frame

DAY = date(2026, 3, 2)
START = datetime(2026, 3, 2, 8, tzinfo=UTC)


def said(*words: str) -> pl.DataFrame:
    """Return rows of one project and one owner, a day after the other; the id is the words."""
    rows = [
        {"observation_id": text, "kind": "request", "priority": "medium", "origin": "owner", "engine": "offline", "project": "/p",
         "verdict": "allow", "text": f'User asked: "{text}"', "said_at": START + timedelta(days=day), "day": DAY}
        for day, text in enumerate(words)
    ]  # fmt: skip
    return build_frame(TABLES["observations"], rows)


RING = "I still have to ring the surveyor and book the crane"
INVOICE, ALARM, MAP = "I still have to send the invoice.", "I must set the alarm code by Friday", "I still have to embed the map"
RENT, CAR = "I still have to pay the rent for March.", "I still have to call the insurance about the car."
CONTRACT, COLOUR = "I still have to read the contract", "The colour is still open."
LICENCE = "the licence runs out on 12 October, I have to renew before"


@each_case(
    ("first", "later"),
    [
        (RING, ["Rang off.", "crane is booked now! 20 tons", "Ringed the surveyor"]),
        (INVOICE, ["Sent the invoice to Huber"]),
        (INVOICE, ["the invoice has been sent to Huber"]),
        (INVOICE, ["The invoice was sent yesterday."]),
        (INVOICE, ["Yesterday, I sent the invoice."]),
        (ALARM, ["We have finally set the alarm code"]),
        (ALARM, ["I set the alarm code, now it is quiet"]),
        (CONTRACT, ["I've read the contract"]),
        (MAP, ["I embedded the map"]),
        (RENT, ["I paid the rent"]),
        (RENT, ["I paid the rent for March."]),
        (CAR, ["Called the insurance about the car"]),
        (CAR, ["the insurance is called"]),
        (LICENCE, ["licence is renewed, so that is settled"]),
        ("I still have to look at the contract", ["Looked at the contract"]),
        ("The gate is still open.", ["the gate is closed now"]),
        (COLOUR, ["Colour decided: blue"]),
        (COLOUR, ["we decided the colour"]),
    ],
)
def test_what_later_words_say_is_done_is_no_longer_open(first: str, later: list[str]) -> None:
    """The owner did it, or it is so: the same verb with the same object, for each part; for a thing, that it is settled."""
    assert find_open_work(said(first, *later)) == [first]
    assert find_done_work(said(first, *later)) == [first]


@each_case(
    ("first", "later"),
    [
        (RING, "crane is booked! 20 tons"),
        (INVOICE, "The invoice must be sent by Friday."),
        (INVOICE, "If the invoice is sent by Friday we get a discount."),
        (INVOICE, "The invoice is sent on Friday"),
        (INVOICE, "The invoice will have been sent by then."),
        (INVOICE, "the invoice was not sent"),
        (INVOICE, "I sent the invoice draft to Huber"),
        (INVOICE, "was the invoice sent?"),
        (INVOICE, "I sent the invoice, but it came back"),
        (INVOICE, "I almost sent the invoice"),
        (INVOICE, "Huber sent the invoice"),
        (INVOICE, "Huber says: I sent the invoice"),
        (INVOICE, "Huber claims the invoice was sent"),
        (INVOICE, "Perhaps the invoice was sent"),
        (INVOICE, "The invoice that was sent is the wrong one"),
        (INVOICE, "The invoice we were sent is the wrong one"),
        (INVOICE, "After the invoice was sent we get a discount"),
        (COLOUR, "I need the colour decided by Friday."),
        (COLOUR, "The colour needed more thought."),
        (COLOUR, "The colour is undecided."),
        (COLOUR, "The colour was postponed."),
        (COLOUR, "the colour committee decided"),
        (COLOUR, "The colour she decided"),
        (ALARM, "I'll set the alarm code on Friday."),
        (ALARM, "I set the alarm code on Friday."),
        (ALARM, "Set the alarm code"),
        (CONTRACT, "Please read the contract and summarise it."),
        (CONTRACT, "read the contract and summarise it"),
        (MAP, "Embed the map in the page."),
        (MAP, "I embed the map in the page."),
        (RENT, "I paid the gardener for March."),
        (RENT, "I paid the rent for April."),
        (CAR, "The garage called about the car."),
        (CAR, "The insurance called about the car."),
        (CAR, "insurance called"),
        (CAR, "Called the insurance about the house"),
        ("I still have to call the meeting", "The meeting was called off yesterday"),
        ("I still have to, and then.", "done"),
    ],
)
def test_what_words_do_not_say_is_done_stays_open(first: str, later: str) -> None:
    """A duty, a plan, a condition, an order, a denial, another object, what another one did, and a state that settles nothing."""
    assert find_done_work(said(first, later)) == []


_SOME = st.lists(st.sampled_from(sorted(parse_set("the invoice sent send is was I we paid colour decided done been has for to"))))
_RESERVES = parse_set("must should will if when please not never might I'll tomorrow but")


@given(_SOME, st.sampled_from(sorted(_RESERVES)), _SOME)
def test_no_sentence_with_a_reserve_closes_anything(before: list[str], reserve: str, behind: list[str]) -> None:
    """Whatever else it has: in doubt the owner sees once more what is open."""
    rows = said(INVOICE, COLOUR, " ".join([*before, reserve, *behind]))
    assert find_done_work(rows) == []


def test_a_row_that_says_more_than_what_is_open_stays() -> None:
    """The rest of its words holds; and what was said before does not close it."""
    assert find_done_work(said("We expect 300 people. I still have to order the tent.", "ordered the tent")) == []
    assert find_done_work(said("ordered the tent", "I still have to order the tent.")) == []
    assert find_done_work(said("nothing of the kind")) == find_open_work(said("nothing of the kind")) == []


def test_years_of_open_work_cost_no_more_than_their_rows() -> None:
    """Each sentence is read once, and a duty finds its own deeds: four times the rows take far less than sixteen times."""

    def measure(count: int) -> float:
        """Return the processor seconds for so many duties and as many deeds."""
        duties = [f"I still have to send report{number} to Huber" for number in range(count)]
        rows = said(*duties, *(f"Sent report{number} to Huber" for number in range(count)))
        began = process_time()
        assert len(find_done_work(rows)) == count
        return process_time() - began

    measure(20)
    assert measure(800) < max(9 * measure(200), 1)
