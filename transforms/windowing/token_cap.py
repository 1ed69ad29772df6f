"""Cut a span of a session into pieces under the token cap, at turn boundaries where possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from transforms.windowing.boundary_features import LOOK_BACK_ENTRIES, NO_OPENING_WEIGHT, weigh_pause
from transforms.windowing.talk_times import list_talk_times
from transforms.windowing.window_entries import WindowEntry

StickyEntries = list[int]
"""Positions of entries that stay together: an entry, or a tool call with its results."""

MIN_FILL_SHARE = 0.5
"""A piece may end once it holds this share of the cap. Then the cut can fall where a topic ends."""


def split_at_cap(members: list[WindowEntry], steps: list[StickyEntries], cap: int) -> list[list[StickyEntries]]:
    """Return the steps in order, in pieces of at most `cap` tokens; a step above the cap is a piece of its own.

    Each cut depends only on the steps before the one that exceeded the cap, so the pieces of a growing span stay.
    """
    sizes = [sum(members[position].tokens for position in step) for step in steps]
    if sum(sizes) <= cap:
        return [steps] if steps else []
    starts = _find_turn_starts(members, steps)
    times = list_talk_times((member.said_at, member.starts_turn) for member in members)
    score = partial(_score_boundary, members, times, steps)
    pieces: list[list[StickyEntries]] = []
    begin, size = 0, 0
    for index, tokens in enumerate(sizes):
        while index > begin and tokens and size + tokens > cap:
            cut = _choose_cut(score, sizes, (begin, index), starts, cap)
            pieces.append(steps[begin:cut])
            begin, size = cut, sum(sizes[cut:index])
        size += tokens
    return [*pieces, steps[begin:]]


def _find_turn_starts(members: list[WindowEntry], steps: list[StickyEntries]) -> list[bool]:
    """Return whether a turn begins at each step: at the first of a user's entries, or at the settings just before it."""
    starts = [members[step[0]].starts_turn for step in steps]
    for index in range(len(steps) - 2, -1, -1):
        first = members[steps[index][0]]
        if starts[index + 1] and (first.starts_turn or not first.is_message):
            starts[index], starts[index + 1] = True, False
    return starts


def _choose_cut(score: Callable[[int], float], sizes: list[int], span: tuple[int, int], starts: list[bool], cap: int) -> int:
    """Return the index of the step that begins the next piece: above `span[0]`, at most `span[1]`, which exceeded the cap."""
    begin, end = span
    filled = 0
    turns: list[int] = []
    late_turns: list[int] = []
    late: list[int] = []
    for index in range(begin + 1, end + 1):
        filled += sizes[index - 1]
        is_late = filled >= MIN_FILL_SHARE * cap
        if is_late:
            late.append(index)
        if starts[index]:
            (late_turns if is_late else turns).append(index)
    if late_turns or not turns:
        return max(late_turns or late or [end], key=lambda index: (score(index), index))
    return turns[-1]


def _score_boundary(members: list[WindowEntry], times: Sequence[datetime], steps: list[StickyEntries], index: int) -> float:
    """Return how much a topic seems to begin at a step."""
    position = steps[index][0]
    while position + 1 < len(members) and members[position].opening_score is None and not members[position].is_message:
        position += 1  # settings belong to the message after them
    opening = members[position].opening_score
    recent_endings = [members[step[0]].ending_score for step in steps[max(0, index - LOOK_BACK_ENTRIES) : index]]
    pause = (times[steps[index][0]] - times[steps[index - 1][-1]]).total_seconds()
    return (NO_OPENING_WEIGHT if opening is None else opening) + weigh_pause(pause) + max(recent_endings, default=0.0)
