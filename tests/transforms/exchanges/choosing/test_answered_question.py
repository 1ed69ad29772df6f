"""A question is told with its answer where it asks for a choice and names its subject."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.exchanges.choosing.answered_question import asks_for_choice, drop_asides, names_subject, word_answered, word_named


@each_case(
    ("question", "is_choice"),
    [
        ("Which format should the export have?", True),
        ("Should we keep the old names?", True),
        ("Does a binary exist?", False),
        ("Is it done? Which one then?", False),
        ("Configuration", True),
    ],
)
def test_a_question_in_the_indicative_asks_how_the_world_is(question: str, is_choice: bool) -> None:
    assert asks_for_choice(question) == is_choice


def test_a_question_names_its_subject_before_a_pronoun() -> None:
    assert names_subject("How should the report print?")
    assert not names_subject("How should it print?")
    assert drop_asides("How long are logs kept (90 days so far)?") == "How long are logs kept?"


def test_an_answer_stands_behind_its_question_the_fullest_wording_first() -> None:
    assert word_answered("What syntax do you want for the target?", "TOML", "one file") == [
        "Syntax for the target: TOML (one file)",
        "Syntax for the target: TOML",
    ]
    assert word_named("env. hmm no, a file, so TOML", "Configuration: a TOML file or variables?") == (
        "Configuration: a TOML file, not variables"
    )
