"""Rows that the offline engine puts together from the words of a window are believed; what they add is checked as before."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, result, user
from transforms.distil.engine_result import Fact, Tail
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_evidence import WindowEvidence

MAIL = (
    "Kia ora, could we have the report of October by Friday the sixth, and may we drop the chapter on methods altogether, "
    "as nobody at our end reads it and the chair asks for fewer pages?"
)
OPTIONS = "A variable in envs, with its date. Or `lifecycle { ignore_changes = all }` in the module. Or import the state. Which?"
ENTRIES = conversation(
    user("here is what the council writes"),  # 0
    [agent("", call("write", "c1", path="mail.txt", content=MAIL)), result("c1", MAIL)],  # 1, 2
    user("the chapter stays, it protects us"),  # 3
    agent(OPTIONS),  # 4
    user("the first, with a date in the comment"),  # 5
    agent("`1d90f4e`. The plan is empty."),  # 6
    agent("Committed as e81c95d: port the smoke flows of the login."),  # 7
    user("address the review of the locale files"),  # 8
    agent(
        "Looked at all of them, in both languages, and at the keys that are left. Amended to `f07c3d8`, both locales are in."
    ),  # 9
    user("pr까지"),  # 10
    agent("The plan: A. shorten the skill; B. then its rules, which are long. If you want, both."),  # 11
)
WINDOW = WindowEvidence(tuple(ENTRIES), UTC)


def fact(text: str, *ordinals: int, **fields: Any) -> Fact:
    return Fact(text=text, ordinals=ordinals, **({"kind": "decision", "priority": "high", "category": "projects"} | fields))


@each_case(
    "row",
    [
        fact(f'User decided: "the chapter stays, it protects us" (about: the pasted "{MAIL}")', 3),
        fact(f'User decided: "the chapter stays, it protects us" (of the pasted text, point 2: {MAIL})', 3),
        fact(
            'User set a rule: "the chapter stays, it protects us" Reply: It stays in all of them', 3, 9, kind="rule",
            tails=(Tail(" Reply: It stays in all of them", (9,)),),
        ),
        fact(
            'User decided: "the first, with a date in the comment" (chosen: A variable in envs; not: `lifecycle { '
            "ignore_changes…; Or import the state) Outcome: `1d90f4e`. The plan is empty.",
            5, 6,
        ),
        fact('User decided: "the first, with a date in the comment" (chosen: A variable; not: `lifecycle { ignore_ch…)', 5, 6),
        fact('User decided: "the first, with a date in the comment" (not: lifecycle { ignore_ch…; Or import)', 5, 6),
        fact('User asked: "address the review of the locale files" Answer: Amended to `f07c3d8`, both locales are in.', 8, 9),
        fact('User said: "pr까지" (about: "The plan: A. shorten the skill") Reply: Amended to `f07c3d8`', 10, 9, kind="status"),
        fact('User said: "pr까지" (about: "B. then its rules — If you want, both.")', 10, 11, kind="status"),
    ],
)  # fmt: skip
def test_words_of_the_window_are_believed_however_a_row_joins_and_cuts_them(row: Fact) -> None:
    """A paste that a tool has, too, code that was cut, a request that sounds like a title, and marks beside other scripts."""
    assert check_fact(row, WINDOW) == ("allow", "")


@each_case(
    ("row", "reason"),
    [
        (fact(f"The council wants this. {MAIL}", 3, kind="status"), "repeats what a tool was called with or printed"),
        (fact('User said: "the chapter goes, it protects nobody"', 3, kind="status"), "the chapter goes"),
        (fact("The first of `retain_all { x }…; then import the state.", 5, kind="status"), "retain_all"),
        (fact("The first, a date in the comment, and not retain_ch…", 5, kind="status"), "retain_ch"),
        (fact('Committed "port the smoke flows of the login" (f07c3d8).', 9, kind="completion"), "title of that commit"),
    ],
)
def test_what_the_window_does_not_have_is_held_in_the_same_forms(row: Fact, reason: str) -> None:
    verdict, why = check_fact(row, WINDOW)
    assert verdict == "hold"
    assert reason in why
