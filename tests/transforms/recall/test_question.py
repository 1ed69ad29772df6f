"""Questions taken apart: the days that they name, whose words they want, what they name literally."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.recall.question import find_answer_kinds, find_speakers, find_specifics, parse_question

TODAY = date(2026, 2, 20)  # a Friday


@given(st.text(max_size=80), st.dates(date(1990, 1, 1), date(2100, 1, 1)))
def test_any_text_is_a_question(text: str, today: date) -> None:
    """Nothing that a person types makes it fail, and a period never ends before it starts."""
    parsed = parse_question(text, today)
    assert parsed.days is None or parsed.days[0] <= parsed.days[1]


def test_whose_words_are_wanted() -> None:
    """Names, and user or assistant when only one of them is spoken of."""
    assert find_speakers("What did Caroline say?") >= {"caroline"}
    assert "user" in find_speakers("what did I ask for?")
    assert "assistant" in find_speakers("what did the agent suggest?")
    assert not find_speakers("what did the agent tell the user?") & {"user", "assistant"}


def test_what_a_question_names_literally() -> None:
    """Versions, identifiers, files, abbreviations; plain and capitalised words are none."""
    text = "Which TCP port does `rpc-mode.ts` use since 0.9.0, see NO_COLOR and setTheme() in Ghostty?"
    assert [specific[-1] for specific in find_specifics(text)] == [
        "tcp",
        "rpc-mode.ts",
        "0.9.0",
        "no_color",
        "settheme",
    ]


@each_case(
    ("text", "kind"),
    [
        ("Which database holds the jobs, and why?", "decision"),
        ("what did we decide about the cache?", "decision"),
        ("What caused the double deliveries?", "root_cause"),
        ("how was the login crash fixed?", "fix"),
        ("How do we install Python packages?", "rule"),
        ("what does the owner prefer for commit messages?", "preference"),
    ],
)
def test_the_form_of_a_question_tells_what_kind_of_fact_answers_it(text: str, kind: str) -> None:
    """Causes for what broke, decisions for what was chosen, rules for how it is done here."""
    assert kind in find_answer_kinds(text)


def test_a_question_of_no_such_form_wants_no_kind() -> None:
    """All kinds then count the same."""
    assert find_answer_kinds("the port of the local Postgres") == frozenset()


def test_what_a_question_expects() -> None:
    """A time, a number, several things at once; a possessive or a verb is not a plural."""
    expected = {
        "When did we move to Postgres?": ({"time"}, False),
        "How long did the outage last?": ({"time", "number"}, False),
        "How many retries does the client make?": ({"number"}, False),
        "Which databases did we try?": (set(), True),
        "What other package managers has he used?": (set(), True),
        "What is the server's port?": (set(), False),
        "What status does the job have?": (set(), False),
        "Why is the cache slow?": (set(), False),
    }
    for text, (expects, is_list) in expected.items():
        question = parse_question(text, date(2026, 2, 20))
        assert (set(question.expects), question.is_list) == (expects, is_list), text
