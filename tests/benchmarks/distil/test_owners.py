"""What the benchmark of owners says about a set of sessions."""

from __future__ import annotations

from benchmarks.distil.owners import average

SCORE = {
    "important": 0.5, "all": 0.5, "useful": 0.5, "answerable@10": 0.5, "wrongly_refused": 0.0,
    "traps_kept": "1/4", "refused": "0/2", "tokens": 10,
}  # fmt: skip


def test_a_session_without_important_facts_lowers_no_share_of_them() -> None:
    means = average([SCORE, SCORE | {"important": None, "all": 1.0}])
    assert (means["important"], means["all"]) == (0.5, 0.75)
    assert (means["traps_kept"], means["tokens"]) == ("2/8", 20)
    assert average([SCORE | {"important": None}])["important"] is None
