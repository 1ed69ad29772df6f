"""Signs that a new topic begins at an entry, told by the entry itself and the few before it, without comparing words.

The numbers are log-odds by eye over two annotated real sessions (49 boundaries), rounded; the reference on anchors (F2)
lists what unsupervised methods reach with word statistics alone. Cues are English; without them pauses, commits and word
statistics are left.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from transforms.conversation.entries import Entry
from transforms.conversation.message_spans import typed_text

_OPENS = re.compile(
    r"\W*(?:ok|okay|k|alright|all right|right|now|next|then|so|btw|also|let'?s|great|cool|good|perfect|nice|thanks|thank you"
    r"|another|one more|new (?:topic|task|thing))\b",
    re.IGNORECASE,
)
"""How a person turns to the next thing: "ok, …", "alright, …", "now …"."""

_FOLLOWS = re.compile(
    r"\W*(?:no|nope|yes|yeah|yep|why|how come|what about|and|but|that|it|this|these|those|you|same|actually|wait|soo+|wtf|wow"
    r"|hm+|still|because|or|undo|revert|continue|go on)\b",
    re.IGNORECASE,
)
"""How a person stays with the thing at hand: answers, corrections, pronouns."""

_MOVES_ON = re.compile(
    r"\W*(?:(?:great|excellent|perfect|good|done|ok|okay|all \w+ pass\w*)\b[^\n]{0,160}?[.!:]\s+)?"
    r"(?:now\b|next\b|let'?s (?:now )?(?:move|continue|start|proceed)|let me (?:now|move|start)|moving on|finally\b|on to\b)",
    re.IGNORECASE,
)
"""How an agent that works through a list begins the next item."""

_FINISHES = re.compile(
    r"\bgit(?:\s+-[cC]\s+\S+|\s+-\S+)*\s+(?:commit|push|merge|tag)\b|\b(?:npm|cargo|uv|poetry)\s+publish\b|\bgh\s+(?:pr|release)\s+create\b"
)

SHORT_WORDS = 3
OPENING, ACKNOWLEDGING, FOLLOWING = 0.7, -1.5, -0.8
IN_TURN, MOVING_ON = -2.5, 1.2
SILENT = -4.0
"""For entries with which no topic begins, where a boundary is needed anyway."""
FINISHED, COMPACTED = 1.0, 1.0
PAUSE, LONGEST_PAUSE = 0.2, 5.0
"""Weight of the logarithm of the pause in minutes, and where it stops counting (2⁵ − 1 minutes)."""
LOOK_BACK = 6
"""Entries before a boundary among which a commit or a compaction counts."""


def opening_of(entry: Entry) -> float | None:
    """How much an entry looks like the beginning of a topic; None for entries with which none begins."""
    if entry.role == "user":
        if entry.is_typed:
            return said_opening(typed_text(entry.text))
        return 0.0 if entry.turn_kind == "pasted" else ACKNOWLEDGING
    if entry.role == "assistant" and entry.text.strip():
        return IN_TURN + (MOVING_ON if _MOVES_ON.match(entry.text) else 0.0)
    return None


def said_opening(text: str) -> float:
    """The same for words of a person."""
    count = len(text.split())
    if count <= SHORT_WORDS:
        return ACKNOWLEDGING
    if follows_on(text):
        return FOLLOWING
    return OPENING if _OPENS.match(text) else 0.0


def follows_on(text: str) -> bool:
    """Whether the words stay with the thing at hand."""
    return _FOLLOWS.match(text) is not None


def finishing_of(entry: Entry) -> float:
    """How much of an end an entry is: a commit, a push, a release; a compaction."""
    if entry.entry_type == "compaction":
        return COMPACTED
    commands = (call.arguments.get("command") for call in entry.tool_calls)
    return FINISHED if any(isinstance(command, str) and _FINISHES.search(command) for command in commands) else 0.0


def pause_weight(seconds: float) -> float:
    """What a pause before an entry counts."""
    return PAUSE * min(LONGEST_PAUSE, math.log2(1 + max(0.0, seconds) / 60))


def finished_before(finishings: Sequence[float], position: int) -> float:
    """The strongest end among the few entries before a position."""
    return max(finishings[max(0, position - LOOK_BACK) : position], default=0.0)
