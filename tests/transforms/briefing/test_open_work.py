"""What an owner says is still open: a duty of their own, or a thing."""

from __future__ import annotations

from datetime import date

from tests.each_case import each_case
from transforms.briefing.open_work import find_open_matters

DAY = date(2026, 3, 2)


@each_case(
    ("words", "verbs"),
    [
        ("I still have to ring the surveyor and book the crane", [["ring", "book"]]),
        ("the licence runs out on 12 October, I have to renew before", [["renew"]]),
        ("I must ask Gunilla by Friday", [["ask"]]),
        ("Remind me on Friday to change the batteries", [["change"]]),
        ("The gate is still open.", [[""]]),
        ("the deed is there since monday. fences undecided", [[""]]),
        ("The colour is undecided.", [[""]]),
        ("fences still open", [[""]]),
        ("The museum is open on Sundays.", []),
        ("The source is open.", []),
        ("The API is open.", []),
        ("Shop open.", []),
        ("I still have to, and then.", []),
        ("Remind me how I set this up on a new machine?", []),
        ("How often do I have to say that", []),
        ("Every night I have to read it", []),
        ("I have to download the file to see it", []),
        ("we still need to port the selector", []),
        ("keep the port open", []),
        ("the shop is not open yet", []),
    ],
)
def test_a_duty_of_one_s_own_and_a_thing_that_is_open(words: str, verbs: list[list[str]]) -> None:
    """With "still", a later day or "remind me"; no question, habit or order, nothing that "we" leave to the agent,
    and no thing that is open as a shop or an interface is."""
    assert [[part.verb for part in matter.parts] for matter in find_open_matters(f'User said: "{words}"', DAY)] == verbs
