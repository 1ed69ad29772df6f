"""Every pattern that judges language finds its example and not its counterexample, and none is without them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import cast

from tests.each_case import each_case
from tests.transforms.language.pattern_examples import EXAMPLES
from transforms.patterns.late_pattern import LatePattern

AT_THE_START = {
    "assertion_patterns": {"COMPARISON", "ORDER", "ORDER_FOR_GOOD", "STANDING_ORDER"},
    "claims": {"_FRAGMENT"},
    "user_facts": {"_WONDERS"},
    "cue_phrases": {"PASSING"},
}
"""Patterns that their modules try at the beginning of a text only."""


@cache
def find_patterns(module: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns that a module defines, those inside of tables by their place; patterns of other modules count there."""
    values = vars(import_module(module))
    foreign = {id(pattern) for other in EXAMPLES if other != module for pattern in vars(import_module(other)).values()}
    patterns = {name: pattern for key, value in values.items() for name, pattern in list_patterns(key, value)}
    return {name: pattern for name, pattern in patterns.items() if name in EXAMPLES[module] or id(pattern) not in foreign}


def list_patterns(name: str, value: object) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the patterns of a value with their places."""
    if isinstance(value, re.Pattern | LatePattern):
        yield name, cast("re.Pattern[str]", value)
    elif isinstance(value, tuple | list):
        for place, item in enumerate(value):
            yield from list_patterns(f"{name}[{place}]", item)


@each_case("module", EXAMPLES)
def test_every_pattern_has_an_example(module: str) -> None:
    """A new pattern comes with an example, and one that goes takes its example along."""
    assert set(find_patterns(module)) == set(EXAMPLES[module])


@each_case("module", EXAMPLES)
def test_a_pattern_finds_its_example_and_not_its_counterexample(module: str) -> None:
    """The examples show what the pattern is for."""
    for name, (example, counterexample) in EXAMPLES[module].items():
        pattern = find_patterns(module)[name]
        find = pattern.match if name in AT_THE_START.get(module.rpartition(".")[2], ()) else pattern.search
        assert find(example), name
        missed = find(counterexample)
        assert missed is None or missed.span() == (0, 0), f"{name}: an opening that is empty takes nothing away"
