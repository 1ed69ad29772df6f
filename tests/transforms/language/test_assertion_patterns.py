"""Every single pattern finds its example and not its counterexample."""

from __future__ import annotations

import re

import pytest

from transforms.language import assertion_patterns

EXAMPLES = {
    "OPEN_QUESTION": ("whether we keep it is still open", "the file is open for reading"),
    "CLOSED_QUESTION": ("that settles it", "it is a question"),
    "PROBLEM": ("bug: the header is gone", "there are no bugs"),
    "GUESS": ("it must be in the cache", "it must pass"),
    "PRODUCT_REQUIREMENT": ("it must never happen", "we must go"),
    "LASTING": ("from now on use tabs", "never mind"),
    "BINDING": ("that is forbidden", "that is fine"),
    "PRESENT_TENSE": ("every migration needs a way back", "every migration failed"),
    "CONVENTION": ("tests are named after the module", "tests are good"),
    "COMPARISON": ("small functions rather than classes", "small functions"),
    "CONTRAST": ("not the left one", "the right one"),
    "FEELING": ("I hope so", "it is so"),
    "PAST_TENSE": ("it worked", "it works"),
    "VAGUE_OBJECT": ("we moved it", "we moved the table"),
    "COMMAND": ("please fix the header", "the header was fixed"),
    "REASON_CLAUSE": ("use it because it is fast", "use it"),
    "ORDER": ("don't use npm", "npm is slow"),
    "COMPLETED": ("version two went live", "version two is planned"),
    "ROOT_CAUSE": ("that's why it hung", "it hung"),
    "CURED": ("a restart did the trick", "a restart was planned"),
    "FAILED_ATTEMPT": ("we tried a restart, same error", "we tried a restart"),
    "WISH": ("I'd like a dark theme", "the theme is dark"),
    "STANDING_ORDER": ("never push to main", "we never push"),
}


def test_every_pattern_has_an_example() -> None:
    """A new pattern comes with an example."""
    names = {name for name, value in vars(assertion_patterns).items() if isinstance(value, re.Pattern)}
    assert names == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_pattern_finds_its_example_and_not_its_counterexample(name: str) -> None:
    """The examples show what the pattern is for."""
    example, counterexample = EXAMPLES[name]
    pattern = getattr(assertion_patterns, name)
    find = pattern.match if name in {"COMPARISON", "COMMAND", "ORDER", "STANDING_ORDER"} else pattern.search
    assert find(example)
    assert not find(counterexample)
