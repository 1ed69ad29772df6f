"""What says that words are meant for good is of one class, and every judge of it reads the whole of a class."""

from __future__ import annotations

import re

from tests.each_case import each_case
from transforms.language.assertion_patterns import BINDING, LASTING
from transforms.language.cue_phrases import RULE_WORDING
from transforms.memory.said_for_good import ABSOLUTE, GENERAL, is_meant_to_last
from transforms.words.lasting_words import FREQUENCIES, NAMES_OF_RULES, OBLIGATIONS, SPANS

CLASSES = {"spans": SPANS, "frequencies": FREQUENCIES, "obligations": OBLIGATIONS, "names of rules": NAMES_OF_RULES}
EXAMPLES = {
    "spans": ["from now on", "from today on", "from here on", "in future", "in the future", "for all future"],
    "frequencies": ["at all times", "only ever", "every time", "on no account", "no matter how", "don't ever"],
    "obligations": ["not allowed", "forbidden", "banned", "mandatory", "off limits", "required to", "may not", "non-negotiable"],
    "names of rules": ["house rules", "ground rule", "invariant"],
}  # fmt: skip


def test_the_classes_share_no_word() -> None:
    for name, phrases in EXAMPLES.items():
        for phrase in phrases:
            assert [other for other, parts in CLASSES.items() if re.search(rf"\b(?:{parts})\b", phrase)] == [name], phrase


@each_case(
    ("name", "judges"),
    [
        ("spans", [RULE_WORDING, LASTING, GENERAL]),
        ("frequencies", [RULE_WORDING, LASTING, ABSOLUTE]),
        ("obligations", [RULE_WORDING, BINDING, ABSOLUTE]),
        ("names of rules", [RULE_WORDING, BINDING]),
    ],
)
def test_a_judge_of_a_class_reads_all_of_it(name: str, judges: list[re.Pattern[str]]) -> None:
    """Six lists disagreed: "from here on" lasted for one of them, "banned" bound for another."""
    for phrase in EXAMPLES[name]:
        assert [judge.pattern for judge in judges if not judge.search(f"we {phrase} push it")] == [], phrase


@each_case("span", EXAMPLES["spans"])
def test_a_rule_with_its_span_is_meant_to_last(span: str) -> None:
    assert is_meant_to_last(f"use prove -l t {span}, the old list is gone", "Use prove -l t")


def test_each_time_that_something_happens_is_no_rule_of_how_often() -> None:
    assert not ABSOLUTE.search("every time i put it down it rings")
    assert ABSOLUTE.search("sign the commit every time")


@each_case("text", ["the parser panics with index out of bounds", "it ran without exceptions", "add it as a rule to the linter"])
def test_what_programs_say_is_no_rule(text: str) -> None:
    """Words of a class are few: what is said of programs as often stays with the one judge that weighs it."""
    assert not RULE_WORDING.search(text)
    assert not ABSOLUTE.search(text)
