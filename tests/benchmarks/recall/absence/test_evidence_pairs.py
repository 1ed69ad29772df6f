"""Which rows are a question's evidence, and how its figures are counted."""

from __future__ import annotations

from benchmarks.recall.absence.evidence_pairs import find_evidence_rows, measure_area, summarise


def holds(text: str, keys: list[str]) -> bool:
    """Return whether a text contains all keys."""
    return bool(keys) and all(key in text for key in keys)


def test_evidence_is_what_cites_it_or_says_the_answer_again() -> None:
    """Also the entry beside it, and only in its own session."""
    rows = [
        {"session_id": "2026-a", "lines": [4], "text": "we chose it"},
        {"session_id": "2026-a", "lines": [5], "text": "fine"},
        {"session_id": "2026-b", "lines": [4], "text": "else"},
        {"session_id": None, "lines": None, "text": "port 9500"},
        {"session_id": "2026-a", "lines": [9], "text": "else"},
    ]
    assert find_evidence_rows(rows, "a", {"evidence": [4], "answer_keys": ["9500"]}, holds) == {0, 1, 3}
    common = [{"session_id": None, "lines": None, "text": "yes"}] * 20
    assert find_evidence_rows(common, "a", {"evidence": [4], "answer_keys": ["yes"]}, holds) == set()


def test_an_area_is_a_half_without_any_difference() -> None:
    """And 1 when every positive case is higher."""
    assert measure_area([0.1, 0.2], [0.1, 0.2]) == 0.5
    assert measure_area([0.1, 0.2], [0.3]) == 1.0


def test_refusals_are_counted_by_case() -> None:
    """Right ones, wrong ones, and those without their evidence."""
    base = {"asks_for_value": 1.0, "unknown_share": 0.0}
    scores = [
        {"case": "present", "state": "sure", "probability": 0.1, **base},
        {"case": "present", "state": "unsure", "probability": 0.3, **base},
        {"case": "absent", "state": "refused", "probability": 0.9, **base},
        {"case": "removed", "state": "sure", "probability": 0.2, **base},
    ]
    figures = summarise(scores)
    assert (figures["refused"], figures["wrongly_refused"], figures["removed_refused"]) == ("1/1", "0/2", "0/1")
    assert (figures["unsure"], figures["wrongly_unsure"]) == ("0/1", "1/2")
    assert figures["areas"] == {"unanswerable": 1.0, "pairs": 0.5}
    assert figures["baselines"]["asks_for_value"] == {"unanswerable": 0.5, "pairs": 0.5}
