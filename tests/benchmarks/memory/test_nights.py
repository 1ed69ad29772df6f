"""Counting what memory keeps of people: parts of totals, wishes as one kind, and what is stale."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

from benchmarks.memory.nights import add, count_facts, is_stale, show

SCORER = SimpleNamespace(
    CHARS=480, LINES=8,
    holds=lambda text, keys: all(any(word in text.lower() for word in group) for group in keys),
    near=lambda lines, evidence: any(abs(a - b) <= 3 for a in lines for b in evidence),
)  # fmt: skip


def test_a_figure_without_any_case_stays_in_the_sums() -> None:
    """None of two is told as 0/2, beside others."""
    parts = Counter[str]()
    add(parts, "three", is_counted=False)
    add(parts, "three", is_counted=False)
    add(parts, "traps", is_counted=True)
    assert show(parts) == {"three": "0/2", "traps": "1/1"}


def test_a_wish_counts_under_any_kind_of_wish_and_a_decision_only_as_one() -> None:
    """The row that expresses and cites the fact decides; one far away cites nothing of it."""
    gold = {
        "facts": [
            {"keys": [["tabs"]], "evidence": [4], "kind": "convention", "priority": "high"},
            {"keys": [["redis"]], "evidence": [9], "kind": "decision", "priority": "high"},
            {"keys": [["port"]], "evidence": [40], "kind": "decision", "priority": "high"},
        ],
        "must_not": [{"keys": [["mongo"]]}],
    }
    rows = [
        {"text": "tabs here", "lines": [5], "kind": "rule"},
        {"text": "redis it is", "lines": [9], "kind": "request"},
        {"text": "the port", "lines": [9], "kind": "decision"},
    ]
    parts = Counter[str]()
    count_facts(parts, SCORER, gold, rows)
    assert show(parts) == {"important": "2/3", "kind": "1/2", "traps": "0/1", "wish": "1/1"}


def test_a_text_that_tells_the_former_value_and_the_answer_is_not_stale() -> None:
    """Only the former value alone is."""
    row = {"keys": [["9500"]], "stale": ["9477"]}
    assert [is_stale(SCORER, text, row) for text in ("port 9477", "9477 is 9500 now", "9500")] == [True, False, False]
