"""Reads which turns of the made-up voices refute what the agent said before them without correcting it.

The engineer, who had read what the engine wrongly kept of other voices, went once through all questions and reports of `voices/`
with the agent's words before and behind them, and noted those after which a claim of the agent no longer stands: "did you boot
it?" — "No, I inferred it", "It should pass." — "It does not." Corrections refute by their act.
"""

from __future__ import annotations

from benchmarks.learning.labels import HERE, LabelledTurn

REFUTED = HERE / "refuted.txt"
"""Ids of the turns, one a line."""


def read_refuted() -> frozenset[str]:
    """Return the ids of the questions and reports that refute."""
    return frozenset(REFUTED.read_text(encoding="utf-8").split())


def refutes(turn: LabelledTurn, refuted: frozenset[str]) -> bool:
    """Whether a turn refutes what the agent said before it."""
    return turn.act == "correction" or turn.turn_id in refuted
