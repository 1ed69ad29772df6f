"""Every weighted pattern matches its example and not its counterexample."""

from __future__ import annotations

from transforms.language.assertion_rules import (
    CORRECTION,
    DECISION_RULES,
    PREFERENCE_RULES,
    RULE,
    STATE_CHANGE,
    sum_weights,
)

ALL_RULES = (*RULE, *PREFERENCE_RULES, *DECISION_RULES, *STATE_CHANGE, *CORRECTION)


def test_a_rule_matches_its_example_and_not_its_counterexample() -> None:
    """The examples in the tables describe the patterns."""
    assert [rule.rule_id for rule in ALL_RULES if not rule.pattern.search(rule.example)] == []
    assert [rule.rule_id for rule in ALL_RULES if rule.pattern.search(rule.counterexample)] == []


def test_rules_have_ids_of_their_own() -> None:
    """An id names the kind and the rule."""
    ids = [rule.rule_id for rule in ALL_RULES]
    assert len(set(ids)) == len(ids)
    assert all(rule.rule_id.startswith(f"{rule.kind}.") for rule in ALL_RULES)


def test_the_weights_of_matching_rules_add_up() -> None:
    """Two rules that match count together."""
    verdict = next(rule for rule in CORRECTION if rule.rule_id == "correction.verdict")
    should = next(rule for rule in CORRECTION if rule.rule_id == "correction.should_be")
    assert sum_weights(CORRECTION, "that's wrong, it should be 80") == verdict.weight + should.weight
