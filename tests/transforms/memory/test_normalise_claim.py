"""Claims of observations: a line keeps whole what it quotes."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.memory.normalise_claim import extract_claims


@each_case(
    "said",
    [
        "Always format dates as 'Month Day, Year' in the reports",
        "Never call `cut(a, b)` in the parser",
        "Always pass (host, port)",
    ],
)
def test_a_comma_in_quotation_marks_code_or_brackets_ends_no_clause(said: str) -> None:
    """Half of a quotation is another rule; what follows behind the next comma may still go."""
    (line,) = extract_claims(f'User set a rule: "{said}, just tell me when"')
    assert line.replace("**", "") == said


@each_case(
    ("answer", "line"),
    [
        ('"MastDB" (asked: Which store keeps trips?; not: Files (slow); none)', "Which store keeps trips? MastDB"),
        ('"TOML" (asked: Which packing do the old logs get?; not: zip)', "Which packing do the old logs get? TOML"),
        (
            '"The quay does it itself. Lamps burn until six, and then the smaller ones (as…" (asked: Who lights the old lamps?)',
            "Who lights the old lamps? The quay does it itself",
        ),
        ('"for each ship" (asked: How is it shown on the quay?)', None),
        (
            '"Two masts (Recommended)" (asked: How many masts (one so far) carry lamps?; not: one; meaning: One on each quay.)',
            "How many masts carry lamps? Two masts: One on each quay",
        ),
        (
            '"One gateway" (asked: How does the quay reach the net?; not: three; meaning: One in the east. About $32/month.)',
            "How does the quay reach the net? One gateway: One in the east",
        ),
        ('"Adopt it all" (asked: How should I handle the stricter preset of the quay?; not: keep ours)', None),
        ('"Una lista corta" (asked: I moli da dove vengono, da un foglio?; not: una griglia)',
         "I moli da dove vengono, da un foglio? Una lista corta"),
        ('"one mast and two… no wait, one mast, who pays for two" (asked: How many masts carry the lamps?)', None),
        ('"Later" (asked: Which store keeps the trips?; not: Plain files; A server)', None),
        (
            '"one mast, two lamps" (asked: How do lamps light the quay?; not: one lamp (as now); none)',
            "How do lamps light the quay? One mast, two lamps",
        ),
        (
            '"make test-quay LAMP=old" (asked: What syntax do you want for the lamp target?; not: flags; meaning: Plain.)',
            "Syntax for the lamp target: `make test-quay LAMP=old` (Plain)",
        ),
    ],
)  # fmt: skip
def test_an_answer_is_worded_with_its_question_and_without_what_was_left(answer: str, line: str | None) -> None:
    """One word is an answer when its spelling makes it a name."""
    assert extract_claims(f"User decided: {answer}") == ([line] if line else [])


@each_case(
    ("question", "is_line"),
    [
        ("Does a lamp of the quay already burn that can be used for the tests?", False),
        ("Is there a lamp on the east quay?", False),
        ("Where is the lamp of the quay? Is it the old one? I need to know how it is lit (gas like the mast lamps…", False),
        ("The tests of the quay require a lamp and a mast that stands by `quay <mast>`", False),
        ("For the quay, should we copy the lamps of the other quay (the big ones…", False),
        ("Should the quay keep its lamps?", True),
        ("A ship asks for light every night. Which lamps shall the quay have?", True),
        ("Do you want lamps on the quay or on the masts?", True),
        ("Which lamps burn when a mast fails?", True),
    ],
)
def test_a_choice_is_a_line_when_its_question_asks_what_shall_be(question: str, is_line: bool) -> None:
    """How the world is now, and what mends a certain fault, is over soon; two questions and a cut one are a menu."""
    assert bool(extract_claims(f'User decided: "Two small gas lamps" (asked: {question}; not: none at all)')) == is_line


def test_what_an_option_says_to_the_owner_is_left_out_of_its_line() -> None:
    said = (
        'User decided: "1, the other firm may close" (asked: Options for lamps on the quay; chosen: LED: two masts, timer, '
        "you keep the key; not: gas…)"
    )
    assert extract_claims(said) == ["For lamps on the quay: LED (two masts, timer)"]


def test_sentences_of_an_item_that_stand_alone_are_rules_of_their_own() -> None:
    assert extract_claims("Ola commits; the agent shows diffs. Selects only on the quay, changes on quay_test.") == [
        "Ola commits; the agent shows diffs",
        "Selects only on the quay, changes on quay_test",
    ]
    whole = "Money of the quay: integers only, no floats. Ola pushes"
    assert extract_claims(f"{whole}.") == [whole], "two words are no line"
    assert len(extract_claims("The quay keeps raw rows for thirty days. It drops them at night by itself.")) == 1


def test_the_option_of_a_command_keeps_its_dashes_at_the_beginning() -> None:
    assert extract_claims('Ana set a rule: "--check first, --limit always"') == ["--check first, --limit always"]
    assert extract_claims('Ana set a rule: "- no nets on the pier"') == ["No nets on the pier"]
