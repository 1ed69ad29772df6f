"""Score how much a single entry looks like the beginning or the end of a topic, without comparing words.

The weights are log-odds, set by hand on two annotated sessions. The cues are English; in other languages pauses, commits
and word statistics remain.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from transforms.conversation.entries import Entry
from transforms.patterns.late_pattern import compile_late

_OPENING_WORDS = compile_late(
    r"\W*(?:ok|okay|k|alright|all right|right|now|next|then|so|btw|also|let'?s|great|cool|good|perfect|nice|thanks|thank you"
    r"|another|one more|new (?:topic|task|thing))\b",
    re.IGNORECASE,
)
"""How a person turns to the next topic: "ok, …", "alright, …", "now …"."""

_CONTINUING_WORDS = compile_late(
    r"\W*(?:no|nope|yes|yeah|yep|why|how come|what about|and|but|that|it|this|these|those|you|same|actually|wait|soo+|wtf|wow"
    r"|hm+|still|because|or|undo|revert|continue|go on)\b",
    re.IGNORECASE,
)
"""How a person stays with the current topic: answers, corrections, pronouns."""

_NEXT_ITEM_WORDS = compile_late(
    r"\W*(?:(?:great|excellent|perfect|good|done|ok|okay|all \w+ pass\w*)\b[^\n]{0,160}?[.!:]\s+)?"
    r"(?:now\b|next\b|let'?s (?:now )?(?:move|continue|start|proceed)|let me (?:now|move|start)|moving on|finally\b|on to\b)",
    re.IGNORECASE,
)
"""How an agent that works through a list begins the next item."""

_ENDING_COMMAND = compile_late(
    r"\bgit(?:\s+-[cC]\s+\S+|\s+-\S+)*\s+(?:commit|push|merge|tag)\b|\b(?:npm|cargo|uv|poetry)\s+publish\b|\bgh\s+(?:pr|release)\s+create\b"
)

ACKNOWLEDGEMENT_WORDS = 3
OPENING_WEIGHT, ACKNOWLEDGEMENT_WEIGHT, CONTINUATION_WEIGHT = 0.7, -1.5, -0.8
MID_TURN_WEIGHT, NEXT_ITEM_WEIGHT = -2.5, 1.2
NO_OPENING_WEIGHT = -4.0
"""For entries that begin no topic, where a boundary is needed anyway."""
COMMIT_WEIGHT, COMPACTION_WEIGHT = 1.0, 1.0
PAUSE_WEIGHT, MAX_PAUSE_LOG = 0.2, 5.0
"""`PAUSE_WEIGHT` is per binary logarithm of the minutes; the logarithm counts up to this value (31 minutes)."""
LOOK_BACK_ENTRIES = 6
"""Entries before a boundary in which a commit or a compaction counts."""


def score_opening(entry: Entry) -> float | None:
    """Return how much an entry looks like the beginning of a topic (log-odds); None when it can begin none."""
    if entry.role == "user":
        if entry.is_typed:
            return score_typed_opening(entry.owner_words)
        return 0.0 if entry.turn_kind == "pasted" else ACKNOWLEDGEMENT_WEIGHT
    if entry.role == "assistant" and entry.text.strip():
        return MID_TURN_WEIGHT + (NEXT_ITEM_WEIGHT if _NEXT_ITEM_WORDS.match(entry.text) else 0.0)
    return None


def score_typed_opening(text: str) -> float:
    """Return how much typed text looks like the beginning of a topic (log-odds)."""
    count = len(text.split())
    if count <= ACKNOWLEDGEMENT_WORDS:
        return ACKNOWLEDGEMENT_WEIGHT
    if is_continuation(text):
        return CONTINUATION_WEIGHT
    return OPENING_WEIGHT if _OPENING_WORDS.match(text) else 0.0


def is_continuation(text: str) -> bool:
    """Whether a text stays with the current topic."""
    return _CONTINUING_WORDS.match(text) is not None


def score_ending(entry: Entry) -> float:
    """Return how much an entry ends a topic: a commit, a push, a release or a compaction."""
    if entry.entry_type == "compaction":
        return COMPACTION_WEIGHT
    commands = (call.arguments.get("command") for call in entry.tool_calls)
    return COMMIT_WEIGHT if any(isinstance(command, str) and _ENDING_COMMAND.search(command) for command in commands) else 0.0


def weigh_pause(seconds: float) -> float:
    """Return the weight of the pause before an entry."""
    return PAUSE_WEIGHT * min(MAX_PAUSE_LOG, math.log2(1 + max(0.0, seconds) / 60))


def score_recent_ending(finishings: Sequence[float], position: int) -> float:
    """Return the highest ending score among the few entries before a position."""
    return max(finishings[max(0, position - LOOK_BACK_ENTRIES) : position], default=0.0)
