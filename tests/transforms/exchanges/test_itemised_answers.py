"""Messages that answer numbered questions one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.exchanges.itemised_answers import read_itemised_answers

ASKED = (
    "Please choose:\n\n1. **Store**: a) one file, b) a server\n2. **Language**: Go or Rust\n"
    "3. **Port**: 8080?\n\nThe rest I decide."
)


@each_case(
    ("typed", "expected"),
    [
        ("1: a. we are four people\n2: the latter\n3: 9100", {"1": "a. we are four people", "2": "the latter", "3": "9100"}),
        ("1 a, copies fit on a stick. 2 go. 3 no, 9100", {"1": "a, copies fit on a stick.", "2": "go.", "3": "no, 9100"}),
        ("hm.\n1) b\n3) yes", {"1": "b", "3": "yes"}),
        ("2 go, and 3 days are enough for it", None),
        ("b then", None),
        ("1. is that one file?\n2. why not both?", None),
    ],
)
def test_each_answer_stands_beside_the_item_that_it_answers(typed: str, expected: dict[str, str] | None) -> None:
    """At least two labels of the list, rising; questions of the owner's own answer nothing."""
    read = read_itemised_answers(typed, ASKED)
    assert ({answer.label: answer.answer for answer in read.answers} if read else None) == expected
    if read:
        assert all(answer.asked.startswith(("Store", "Language", "Port")) for answer in read.answers)


def test_a_number_of_what_the_agent_counted_is_no_label() -> None:
    """ "3 attempts" lost its number, and was the answer to the third option."""
    reply = "Options:\n\n1. a loop in Python, 5 attempts\n2. a library\n3. leave it to the backoffLimit\n\nWhich?"
    assert read_itemised_answers("1. no new deps without asking me. 3 attempts not 5. lock_timeout down to 2s", reply) is None
    longer = reply.replace("Which?", "Option 3 needs a ticket. Which?")
    for typed in ("1. yes. 3 later, own ticket", "1. yes. 3 needs another one, no"):
        read = read_itemised_answers(typed, longer)
        assert read
        assert {answer.label for answer in read.answers} == {"1", "3"}


def test_a_list_of_work_behind_a_list_that_asks_nothing_answers_nothing() -> None:
    done = "Done:\n\n1. the parser\n2. the writer\n\nAll green."
    assert read_itemised_answers("1. now the reader\n2. and its tests", done) is None
    named = "To be done:\n\n1. stop the old service\n2. delete the rows\n\nMay I do 1 and 2 on the server?"
    read = read_itemised_answers("1 yes. 2 make a copy of the file first", named)
    assert read is not None
    assert [answer.answer for answer in read.answers] == ["yes.", "make a copy of the file first"]


def test_only_the_list_that_ends_a_reply_is_answered() -> None:
    """An owner's own list of work stood beside questions of a design, and beside a sentence with "2–5 prompts?"."""
    menu = (
        "It asks:\n1. Which repository is it?\n2. Which files change?\n\nIf you want, I can:\n1. write the outline\n2. begin now"
    )
    own = "before you begin i want\n1. all the context\n2. a plan of the work"
    assert read_itemised_answers(own, menu) is None
    passing = "It would:\n1. write a skill\n2. test it\n\nDo 2-5 prompts suffice? I think so."
    assert read_itemised_answers(own, passing) is None


def test_what_the_agent_advises_behind_its_question_was_not_asked() -> None:
    asked = "1. **Mail**: instead, or in addition? I would keep it.\n2. **Hours**: nobody wakes at 3. Only from 6 to 21 h?"
    read = read_itemised_answers("1 instead\n2 yes", asked)
    assert read is not None
    assert [answer.asked for answer in read.answers] == [
        "Mail: instead, or in addition?",
        "Hours: nobody wakes at 3. Only from 6 to 21 h?",
    ]


def test_what_stands_before_and_below_the_answers_is_no_answer() -> None:
    read = read_itemised_answers("good plan.\n1: a\n3: yes\nand never push by yourself", ASKED)
    assert read is not None
    assert ([answer.answer for answer in read.answers], read.rest) == (["a", "yes"], "good plan.\nand never push by yourself")


def test_letters_label_answers_as_numbers_do() -> None:
    asked = "To decide:\n- **A**: the interval, 15 or 30 minutes?\n- **B**: confirmed frames?"
    read = read_itemised_answers("A: 15\nB: no", asked)
    assert read is not None
    assert [(answer.label, answer.answer, answer.is_question) for answer in read.answers] == [
        ("A", "15", True),
        ("B", "no", True),
    ]


@given(st.text(max_size=120), st.text(max_size=200))
def test_any_words_are_read_without_an_error(typed: str, reply: str) -> None:
    for read in (read_itemised_answers(typed, ASKED), read_itemised_answers(typed, reply)):
        assert read is None or len(read.answers) >= 2


PROPOSALS = (
    "Three more ideas:\n\n1. Compress the payload, 6 kB instead of 31.\n2. Replace the log by a binary one.\n3. A dark mode."
)


@each_case(
    ("typed", "answers"),
    [
        ("1 ok 2 no keep csv 3 later", {"1": "ok", "2": "no keep csv", "3": "later"}),
        ("1 yep 3 hell no it looks cheap", {"1": "yep", "3": "hell no it looks cheap"}),
        ("1 yes, 2 no", {"1": "yes", "2": "no"}),
        ("1 of the 3 tests fails, no idea why", None),
        ("1 file has no header and 3 have", None),
        ("1 day or 2 days is no problem", None),
        ("1 day is ok 2 days no", None),
        ("1 yes 2 what is that", None),
        ("1. rename it\n2. ship it", None),
        ("1 and 3 are fine yes 2 no", None),
        ("2 yes 1 no too early 3 whatever", None),
    ],
)
def test_proposals_are_taken_and_refused_one_by_one_without_marks(typed: str, answers: dict[str, str] | None) -> None:
    """One at least is a plain yes or no; numbers that count, a list of one's own, and joined or mixed ones are no verdicts."""
    read = read_itemised_answers(typed, PROPOSALS)
    assert (read and {answer.label: answer.answer for answer in read.answers}) == answers
