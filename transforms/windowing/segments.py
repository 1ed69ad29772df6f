"""Cut the entries of a window into topics: consecutive spans without gap or overlap.

A topic begins where a person asks for something; in a long turn of the agent also where it moves on to the next item. The
evidence for a boundary is the change of words (identifiers and paths count), the beginning of the entry, a pause, and a
commit or compaction just before. The usual length of a topic decides how many there are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from transforms.conversation.entries import Entry
from transforms.language.tokenizer import tokenize_as_written
from transforms.windowing.boundary_features import score_ending, score_opening, score_recent_ending, weigh_pause
from transforms.windowing.cohesion import measure_word_changes, weigh_words
from transforms.windowing.talk_times import list_talk_times
from transforms.windowing.window_entries import TURN_START_ROLES

CONTEXT_TYPES = frozenset({"message", "custom_message", "branch_summary", "compaction"})
"""Entry types that reach the model; settings, labels and the state of extensions do not."""
TEXT_CHARS, ARGUMENT_CHARS = 4000, 300
_TOPIC_ARGUMENTS = ("path", "command", "pattern")


@dataclass(frozen=True, slots=True)
class SegmentParams:
    """Parameters of segmentation. `lengths` is the prior of a topic's length in entries; a higher `bias` gives fewer topics.

    `reach` entries with words are compared on each side. `change_weight` is the weight of a complete change of words,
    `expected_word_change` the change at an ordinary position. Inside an agent's turn a topic may begin `turn_entries` after the
    turn did.
    """

    lengths: LengthPrior = field(default_factory=lambda: LengthPrior(35))
    bias: float = 0.0
    reach: int = 5
    change_weight: float = 6.0
    expected_word_change: float = 0.85
    turn_entries: int = 12


def segment_entries(entries: Sequence[Entry], params: SegmentParams | None = None) -> list[tuple[int, int]]:
    """Return the (first, last) ordinal of each topic of a window's entries; together they cover all entries in order."""
    if not entries:
        return []
    params_used = params or SegmentParams()
    # Settings say nothing: they belong to the message after them.
    spoken = [index for index, entry in enumerate(entries) if entry.entry_type in CONTEXT_TYPES]
    messages = [entries[index] for index in spoken]
    evidence = _compute_evidence(messages, params_used)
    cuts = find_best_boundaries(len(messages), evidence, params_used.lengths)
    starts = [0, *(spoken[cut - 1] + 1 for cut in cuts[1:])]
    ends = [*(index - 1 for index in starts[1:]), len(entries) - 1]
    return [(entries[first].ordinal, entries[last].ordinal) for first, last in zip(starts, ends, strict=True)]


def _compute_evidence(entries: Sequence[Entry], params: SegmentParams) -> dict[int, float]:
    openings = _find_candidates(entries, params.turn_entries)
    places = list(openings)
    changes = measure_word_changes(weigh_words([count_topic_words(entry) for entry in entries]), places, params.reach)
    finishings = [score_ending(entry) for entry in entries]
    times = list_talk_times((entry.said_at, entry.role in TURN_START_ROLES) for entry in entries)
    return {
        index: params.change_weight * (change - params.expected_word_change)
        + openings[index]
        + weigh_pause((times[index] - times[index - 1]).total_seconds())
        + score_recent_ending(finishings, index)
        - params.bias
        for index, change in zip(places, changes, strict=True)
    }


def _find_candidates(entries: Sequence[Entry], turn_entries: int) -> dict[int, float]:
    """Return the positions where a topic may begin, each with its opening score."""
    openings: dict[int, float] = {}
    turn_start = 0
    for index, entry in enumerate(entries):
        opening = score_opening(entry) if index else None
        if entry.role == "user":
            turn_start = index
        if opening is not None and (entry.role == "user" or index - turn_start >= turn_entries):
            openings[index] = opening
    return openings


def count_topic_words(entry: Entry) -> Counter[str]:
    """Count the words that show an entry's topic: typed text or reply, and paths, commands and patterns of tool calls.

    Tool results and pasted text are left out: they are long and say less about the topic than the request.
    """
    text = entry.owner_words if entry.role == "user" else entry.text if entry.role == "assistant" else ""
    counts = Counter(tokenize_as_written(text[:TEXT_CHARS]))
    for call in entry.tool_calls:
        for name in _TOPIC_ARGUMENTS:
            if isinstance(value := call.arguments.get(name), str):
                counts.update(tokenize_as_written(value[:ARGUMENT_CHARS]))
    return counts


@dataclass(frozen=True, slots=True)
class LengthPrior:
    """A log-normal prior of a topic's length in units: its median and the standard deviation of the logarithm."""

    typical: float
    spread: float = 0.8


def find_best_boundaries(count: int, evidence: Mapping[int, float], lengths: LengthPrior) -> list[int]:
    """Return the first unit of each segment of `count` units, 0 first.

    Maximises the evidence at the boundaries plus the log prior of the segment lengths by exact dynamic programming. Ties go to
    the earlier position.
    """
    if count == 0:
        return []
    places = [0, *sorted(position for position in evidence if 0 < position < count), count]
    best = [0.0]
    back = [0]
    for index in range(1, len(places)):
        end = places[index]
        scores = [best[earlier] + _compute_log_prior(end - places[earlier], lengths) for earlier in range(index)]
        top = max(range(index), key=lambda earlier: (scores[earlier], -earlier))
        best.append(scores[top] + evidence.get(end, 0.0))
        back.append(top)
    starts = []
    index = len(places) - 1
    while index:
        index = back[index]
        starts.append(places[index])
    return starts[::-1]


def _compute_log_prior(length: int, lengths: LengthPrior) -> float:
    return -((math.log(length / lengths.typical) / lengths.spread) ** 2) / 2
