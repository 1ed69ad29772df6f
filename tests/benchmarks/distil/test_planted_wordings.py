"""Wordings by many hands: most are recognised, and next to nothing is made of the rest."""

from __future__ import annotations

from benchmarks.distil.planted_wordings import compute_shares, judge_half
from tests.each_case import each_case


@each_case(("half", "shares", "right"), [("dev", 0.9, 0.82), ("held", 0.82, 0.67), ("unseen", 0.6, 0.33)])
def test_wordings_name_their_kind(half: str, shares: float, right: float) -> None:
    """Measured: dev .92/.84, held .87/.69, unseen (written after the tuning) .82/.35; offline-5: .58/.23, .58/.19, .39/.08.

    Three in a hundred are causes that do not say what failed, which are remarks (docs/decisions/distilling-offline.md).

    Of what is nothing .11, .04 and .21 (3 of 14) are told: a talk of one message keeps what its owner states.
    """
    scores = compute_shares(judge_half(half))
    assert scores["all_something"]["told"] >= shares
    assert scores["all_something"]["right"] >= right
    assert scores["all_nothing"]["told"] <= 0.22
