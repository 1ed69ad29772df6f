"""The verdict of the offline engine's rules on a labelled turn: the baseline beside the classifiers."""

from __future__ import annotations

from benchmarks.learning.labels import LabelledTurn
from transforms.language.dialogue_acts import analyse_message

_ACTS = {
    "agreement": "approval", "request": "request", "question": "question", "decision": "decision", "preference": "guidance",
    "rule": "guidance", "report": "report", "statement": "report", "correction": "correction", "chatter": "none",
}  # fmt: skip
_STRENGTH = ("none", "approval", "question", "request", "report", "decision", "correction", "guidance")


def rule_act(turn: LabelledTurn) -> str:
    """Return the act that the rules find, in the labels of the classifier."""
    text = turn.text if turn.typed is None else "\n".join(turn.typed)
    return _ACTS[analyse_message(text, turn.before).act]


def rule_strength(act: str) -> float:
    """Return how much the rules hold an act worth keeping."""
    return float(_STRENGTH.index(act))
