"""Answers below quoted questions."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.exchanges.quoted_answers import read_quoted_answers

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
