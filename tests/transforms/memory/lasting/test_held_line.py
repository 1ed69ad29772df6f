"""What a person said, as the line that they may take over."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.memory.lasting.held_line import names_matter, word_held_line


def test_the_quotation_is_told_whole_and_without_what_was_noted_beside_it() -> None:
    said = "yes sorry, don't ring the big bell, that one wakes the whole street and takes eleven minutes to stop swinging again"
    assert word_held_line(f'Ana set a rule: "{said}." Outcome: The small bell rang.') == said


@each_case(
    "text, line",
    [
        ('Joel wants tabs (rejected: "spaces")', "Joel wants tabs"),
        ('Joel wants: "tabs" (rejected: "spaces")', "tabs"),
        ('Deploys wait for Ben (was: "Deploys wait for Ana")', 'Deploys wait for Ben (was: "Deploys wait for Ana")'),
        ('Joel (the owner) set a rule: "deploys wait for Ben"', "deploys wait for Ben"),
        ('Joel: "ß ist scharf"', "ß ist scharf"),
    ],
)
def test_what_was_turned_down_is_not_taken_for_what_was_said(text: str, line: str) -> None:
    """The only quotation stood in the note of what was not wanted; and the first letter was changed."""
    assert word_held_line(text) == line


def test_an_answer_is_told_as_a_proposal_of_it_would_be() -> None:
    """The page showed the pointer, "the latter", and MEMORY.md got it."""
    asked = "Which broker should the sensors use in production?"
    told = f'Joel decided: "the latter" (asked: {asked}; chosen: Mosquitto; not: RabbitMQ)'
    assert word_held_line(told) == f"{asked} Mosquitto"
    assert names_matter(told, "decision")


@each_case(
    "text, kind, is_named",
    [
        ('Joel decided: "add that dep" (about: "We need another dependency and a flag.") Outcome: Added.', "decision", False),
        ('Joel decided: "na, let\'s give it a try" (about: "Want me to make that adjustment?")', "decision", False),
        ('Joel decided: "let\'s do that" (asked: Next I’d update the docs)', "decision", False),
        ('Joel set a rule: "every deploy of ours goes like that" (about: "Replay through the insert.")', "rule", False),
        ('Joel said: "리뷰루프" (about: "얇은 장 흐림 처리는 후속 가능.")', "decision", False),
        ('Joel decided: "no write back."', "decision", False),
        (
            'Joel set a rule: "before a commit, all tests, not just the ones next to it" (about: the earlier "leave it at 30")',
            "rule",
            True,
        ),
        ('Joel said: "we have no archive_command" (about: "It must be failing.")', "decision", True),
        ('Joel wants: "make sure we don\'t have extra config files"', "preference", True),
    ],
)
def test_words_that_name_nothing_are_no_line(text: str, kind: str, is_named: bool) -> None:
    assert names_matter(text, kind) is is_named
