"""Offers that were turned down in a few words: what was refused, and what is left."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, edited, user
from transforms.exchanges.current_values import collect_values
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.find_candidates import find_candidates
from transforms.offline.refusing.refused_offers import says_no

OFFER = """The default is `jwt` in the stub.

My recommendation: default it back to `jwt` for older servers.

That gives us:

- Less risk.
- No change for clients.

Want me to make that adjustment now?"""
QUESTIONS = """Before I create files:
1. Confirm you want these files under `examples/orch`.
2. Shall the worker have its full path?
3. Do you want idle shutdown?

If you confirm, I will create them."""
LEFT = "Sounds good. Then I’d leave the current default as:\n\n```go\nsts.AccessToken\n```\n\nThe server takes it."


def decided(*turns: Any) -> list[str]:
    """The decisions of a talk, the longest wording of each last."""
    exchanges = split_exchanges(conversation(*turns))
    sourced = find_candidates(exchanges, "Mara", collect_values(exchanges))
    return [item.candidate.text for item in sourced if item.candidate.text.startswith("Mara decided")]


@each_case(
    ("words", "is_no"),
    [
        ("nahhh", True), ("na, let's give it a try", True), ("No. It works", True), ("noooo", True), ("no problem", False),
        ("not yet", False), ("nano, then", False), ("now", False), ("yes", False), ("", False),
    ],
)  # fmt: skip
def test_a_particle_of_denial_is_a_clause_of_its_own(words: str, is_no: bool) -> None:
    """However long it is drawn."""
    assert says_no(words) == is_no


def test_a_refusal_says_what_was_refused_and_what_is_left() -> None:
    """Beside the offer alone, "let's give it a try" read as its assent."""
    texts = decided(user("which default?"), agent(OFFER), user("na, let's give it a try"), agent(LEFT))
    rejected = "My recommendation: default it back to `jwt` for older servers. Want me to make that adjustment now?"
    assert texts == [
        f'Mara decided: "na, let\'s give it a try" (rejected: {rejected})',
        f'Mara decided: "na, let\'s give it a try" (rejected: {rejected}) '
        "Outcome: Then I’d leave the current default as: `sts.AccessToken`",
    ]


def test_of_several_questions_the_first_is_refused() -> None:
    """The last one, which stood there, is none that the words answer."""
    texts = decided(user("add the skill"), agent(QUESTIONS), user("nahhh"), agent("Got it — no files for now. What instead?"))
    assert texts[-1] == (
        'Mara decided: "nahhh" (rejected: Confirm you want these files under `examples/orch`) Outcome: Got it — no files for now.'
    )


def test_where_work_follows_or_a_choice_was_open_nothing_is_rejected() -> None:
    """ "no, do it" is no refusal, and "no" to two alternatives takes neither."""
    choice = "Both work. Should I use Redis or Postgres for the queue of the mails?"
    for reply, *answer in ((OFFER, edited("sts.go", "jwt", "access", text="Done.")), (choice, agent("Then I wait."))):
        assert not any("rejected:" in text for text in decided(user("go"), agent(reply), user("no, go"), *answer))
