"""What a person said, as the line that they may take over."""

from __future__ import annotations

from transforms.memory.lasting.held_line import word_held_line


def test_the_quotation_is_told_whole_and_without_what_was_noted_beside_it() -> None:
    said = "yes sorry, don't ring the big bell, that one wakes the whole street and takes eleven minutes to stop swinging again"
    assert word_held_line(f'Ana set a rule: "{said}." Outcome: The small bell rang.') == f"Y{said[1:]}"
