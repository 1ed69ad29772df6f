"""An order, a condition and the report of their work are no trouble with a cause."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, edited, user
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.causes.orders import drop_report, is_carried_out

DONE = "setup.sh now checks for go, and the issue was that nobody looked."


@each_case(
    "message, reply, is_order",
    [
        ("if this fails:\nsetup.sh should guide users", DONE, True),
        ("when I save, it crashes", "It never looked for go.", False),
        ("update the debug skill for this repo please", "Key changes: the tests are in `kiro_test.go`.", True),
        ("update the debug skill for this repo please", "Root cause: the path of the skill was wrong.", False),
        ("why does setup.sh fail here?", "It never looked for go.", False),
        ("setup.sh fails on the new laptop", "It never looked for go.", False),
    ],
)
def test_a_condition_and_an_order_that_was_carried_out_have_no_cause(message: str, reply: str, is_order: bool) -> None:
    """Unless the agent names one for the order."""
    (exchange,) = split_exchanges(conversation(user(message), *edited("setup.sh", "a", "b"), agent(reply)))
    assert is_carried_out(exchange, reply) == is_order


@each_case(
    "text, left",
    [
        ("Pulled latest `main`. The wording is too narrow.", "The wording is too narrow."),
        ("Pulled latest `main`.", "Pulled latest `main`."),
        ("Confirmed: the wording is too narrow. It names one path.", "Confirmed: the wording is too narrow. It names one path."),
    ],
)
def test_a_diagnosis_begins_behind_the_report_of_the_order(text: str, left: str) -> None:
    """The order's own verb tells the report."""
    assert drop_report(text, "pull the latest changes and look at this, it is wrong") == left
