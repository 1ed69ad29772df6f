"""What a person said, as the line that they may take over."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.memory.lasting.held_line import word_held_line


def test_the_quotation_is_told_whole_and_without_what_was_noted_beside_it() -> None:
    said = "yes sorry, don't ring the big bell, that one wakes the whole street and takes eleven minutes to stop swinging again"
    assert word_held_line(f'Ana set a rule: "{said}." Outcome: The small bell rang.') == f"Y{said[1:]}"


@each_case(
    "text, line",
    [
        ('Joel wants tabs (rejected: "spaces")', "Joel wants tabs"),
        ('Joel wants: "tabs" (rejected: "spaces")', "Tabs"),
        ('Deploys wait for Ben (was: "Deploys wait for Ana")', 'Deploys wait for Ben (was: "Deploys wait for Ana")'),
        ('Joel (the owner) set a rule: "deploys wait for Ben"', "Deploys wait for Ben"),
        ('Joel: "ß ist scharf"', "ß ist scharf"),
    ],
)
def test_what_was_turned_down_is_not_taken_for_what_was_said(text: str, line: str) -> None:
    """The only quotation stood in the note of what was not wanted; and a letter without a capital became two others."""
    assert word_held_line(text) == line
