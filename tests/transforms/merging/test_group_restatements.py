"""Rows that say the same form one group, and the row that says most stands for it."""

from __future__ import annotations

import itertools
from typing import Any

from tests.transforms.merging.plain_merges import decide_merges
from tests.transforms.merging.test_deduplicate import observation
from transforms.merging.deduplicate import (
    MergeDecision,
)


def test_a_rule_outlives_the_complaint_that_it_was_broken() -> None:
    """A model says that both are the same; what is kept is the sentence that teaches the rule, not the reminder."""
    rows = [
        observation(1, "Questions come as numbered options, at most 3", "preference"),
        observation(2, "Options, please, and with digits in front of each of them as agreed long ago", "correction"),
        observation(3, "Numbers in front of options", "preference"),
    ]
    same: dict[tuple[str, str], Any] = {("o-0001", "o-0002"): "restates", ("o-0001", "o-0003"): "restates"}
    for order in itertools.permutations(rows):
        decisions = decide_merges(list(order), relations=same)
        assert decisions["o-0001"] == MergeDecision(None, 3, ("s2:e2", "s3:e3"))
        assert decisions["o-0002"].superseded_by == decisions["o-0003"].superseded_by == "o-0001"


def test_of_restatements_the_one_that_says_most_stays_and_a_report_never_takes_a_persons_place() -> None:
    """Fewer words that a model calls the same lose details; an agent's longer report is no wording of the person's."""
    rows = [
        observation(1, "Nothing may send on universe 1, the emergency lights hang on it", "rule"),
        observation(2, "universe 1 stays silent", "rule"),
        observation(3, "The output crate refuses universe 1, on which house lights and emergency lights hang", "fact"),
    ]
    pairs: dict[tuple[str, str], Any] = {("o-0001", "o-0002"): "restates", ("o-0002", "o-0003"): "restates"}
    for order in itertools.permutations(rows):
        decisions = decide_merges(list(order), relations=pairs)
        assert decisions["o-0001"].superseded_by is None
        assert decisions["o-0001"].merged_count == 3


def test_a_group_never_holds_a_value_and_the_one_that_replaced_it() -> None:
    """A reminder that a model links to both states does not merge them: the newer one goes on to retire the older one."""
    rows = [
        observation(1, "the relay listens on 9477", "decision"),
        observation(2, "moved it over to 9500 because of the proxy", "decision"),
        observation(3, "the relay's usual place, as we said", "decision"),
    ]
    pairs: dict[tuple[str, str], Any] = {
        ("o-0001", "o-0002"): "replaces", ("o-0001", "o-0003"): "restates", ("o-0002", "o-0003"): "restates",
    }  # fmt: skip
    for order in itertools.permutations(rows):
        decisions = decide_merges(list(order), relations=pairs)
        assert decisions["o-0001"] == MergeDecision("o-0002", 1, ())
        assert decisions["o-0002"] == MergeDecision(None, 2, ("s3:e3",))


def test_only_the_same_command_is_one_row() -> None:
    """A target with a longer name is another one, however alike their rows are."""
    texts = ["mise run test", "mise run test:integration", "mise run test"]
    rows = [
        observation(number, f"Command run here with success: `{text}`.", "command", days=number)
        for number, text in enumerate(texts, 1)
    ]
    decisions = decide_merges(rows, lambda _first, _second: 0.99, "Joel")
    assert {key: decision.superseded_by for key, decision in decisions.items()} == {
        "o-0001": "o-0003", "o-0002": None, "o-0003": None,
    }  # fmt: skip
