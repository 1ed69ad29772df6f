"""Answers below quoted questions."""

from __future__ import annotations

from time import process_time

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation
from transforms.exchanges.quoted_answers import (
    add_verdict,
    drop_quotations,
    read_quoted_answers,
    split_replies,
)

REPLY = "I need two things.\n\n1. Port: 8080, or another one?\n2. Who restarts it?\n"


@each_case(
    ("text", "expected"),
    [
        ("> 1\n9100\n> Who restarts it?\ncron", [("Port: 8080, or another one?", "9100"), ("Who restarts it?", "cron")]),
        (
            "> Port: 8080, or another one?\n9100\nbecause of the proxy",
            [("Port: 8080, or another one?", "9100 because of the proxy")],
        ),
        ("> Who restarts it?\n\nlater", []),
        ("> Who restarts it?\nwho would?", []),
        ("> Who pays for it?\nthe club", []),
        ("> I need two things.\nfine", []),
    ],
)
def test_an_answer_stands_right_below_a_question_of_the_agent(text: str, expected: list[tuple[str, str]]) -> None:
    """Not behind a blank line, no question back, and no answer to a question of somebody else or to a statement."""
    typed = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
    answers = read_quoted_answers(text, typed, ["Which one?", REPLY])
    assert [(answer.asked, answer.answer) for answer in answers] == expected
    assert all(answer.reply == 1 for answer in answers)


def test_what_the_owner_did_not_type_answers_nothing() -> None:
    assert read_quoted_answers("> Who restarts it?\ncron", "", [REPLY]) == []


SAID = conversation(
    agent("The pool is too small for six pods. I left staging at 15 minutes, and the port is 8080."), agent("Done.")
)[::-1]
POOL, STAGING = "The pool is too small for six pods", "I left staging at 15 minutes"


@each_case(
    ("text", "expected"),
    [
        (
            f"> {POOL}\nthat's it.\n> {STAGING}\nno, the same everywhere.",
            [("that's it.", POOL), ("no, the same everywhere.", STAGING)],
        ),
        (
            f"> {POOL}\nyes, so:\n\n1. Make it 40.\n2. Count them.\n\nThen the tests.",
            [("yes, so:\n1. Make it 40.\n2. Count them.", POOL), ("Then the tests.", "")],
        ),
        (f"> {POOL}\n>\n> {STAGING}\nyes to both", [("yes to both", f"{POOL} {STAGING}")]),
        (f"> {POOL}\n\nthat's it.", [("that's it.", POOL)]),
        (f"> > why does it time out\n> {POOL}\nthat's it.", [("that's it.", POOL)]),
        (f"> {POOL}\n> {STAGING}\nyes to both", [("yes to both", f"{POOL} {STAGING}")]),
        (f"> {POOL}\n> and the port\nyes to both", [("yes to both", f"{POOL} … and the port")]),
        ("> We never deploy on Fridays here\nright, so wait.", []),
        (f"first this.\n> We never deploy on Fridays here\nthen that.\n> {STAGING}\nfine.", [
            ("first this.\nthen that.", ""), ("fine.", STAGING),
        ]),
    ],
)  # fmt: skip
def test_what_stands_below_words_of_the_agent_answers_these_and_what_follows_is_another_matter(
    text: str, expected: list[tuple[str, str]]
) -> None:
    """A list below a colon belongs to its head; of a quotation in a quotation the last speaker is answered.

    Nobody else's quoted words part a message.
    """
    typed = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
    assert [(reply.typed, reply.quoted) for reply in split_replies(text, typed, SAID) if expected] == expected
    assert all((reply.source is None) == (not reply.quoted) for reply in split_replies(text, typed, SAID))


def test_a_reason_keeps_the_verdict_in_front_of_it_and_the_words_of_others_stay() -> None:
    replies = split_replies(f"> {POOL}\nnack. It is the lock.", "nack. It is the lock.", SAID)
    assert add_verdict("It is the lock.", replies[0].typed) == "nack. It is the lock."
    assert drop_quotations(f"> {POOL}\n> Ada: we never deploy", replies) == "> Ada: we never deploy"


def test_a_mailbox_of_quoted_lines_costs_no_second() -> None:
    said = conversation(*(agent(f"The pool {number} is too small. {'x y z ' * 700}") for number in range(200)))
    text = "\n".join(f"> line {number} of somebody else\nanswer {number} to that" for number in range(10_000))
    typed = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
    start = process_time()
    assert split_replies(text, typed, said) == []
    assert process_time() - start < 1
