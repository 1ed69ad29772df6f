"""The offline engine reads what somebody pastes, a list or a log of one form, in steps that grow with its length.

Calls of functions are counted, not seconds: the same on every machine. A loop over all lines for each line shows in them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from types import FrameType

import pytest

from benchmarks.speed.growth_shapes import make_text
from tests.transforms.conversations import agent, conversation, user
from transforms.conversation.entries import Entry
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_evidence import WindowEvidence
from transforms.offline.engine import OfflineEngine

CHARS, MOST_GROWTH = 3_000, 2.7
"""Characters of the shorter text, and how often as many calls the longer one of twice as many may take."""
SHAPES = (
    "orders", "decisions", "refusals", "exclamations", "dots apart", "numbered list", "bullets", "numbered answers", "code words",
    "quoted words", "paths", "headings with text", "table", "chat lines",
)  # fmt: skip


def count_calls(work: Callable[[], object]) -> int:
    """Return how many functions a piece of work calls."""
    counts: Counter[str] = Counter()

    def count(_: FrameType, event: str, __: object) -> None:
        counts[event] += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counts["call"] + counts["c_call"]


def distil(entries: Iterable[Entry]) -> None:
    """Read a window and check its facts."""
    window = list(entries)
    result = OfflineEngine().distil(window, [(window[0].ordinal, window[-1].ordinal)], [], 1_000, [])
    evidence = WindowEvidence(tuple(window))
    for segment in result.segments:
        for fact in segment.facts:
            check_fact(fact, evidence)


def build_window(place: str, text: str) -> list[Entry]:
    """Return a small talk in which a person, an agent, or both say a text."""
    said = {"typed": [user(text)], "reply": [agent(text)], "both": [agent(text), user(text)]}[place]
    opening = [user("please read the importer again"), agent("I read `importer.py`. Shall I go on?")]
    return conversation(*opening, *said, agent("Noted."), user("thanks, then keep port 9100 for it"), agent("Port 9100 stays."))


@pytest.mark.parametrize("place", ["typed", "reply", "both"])
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_text_takes_twice_the_calls(shape: str, place: str) -> None:
    """Each sentence was asked what all later ones endorse, each claim how many words all others share, each row for its menu."""
    windows = [build_window(place, make_text((shape,), size)) for size in (CHARS, 2 * CHARS)]
    distil(build_window(place, make_text((shape, "ok"), CHARS)))  # patterns are compiled when they are first used
    few, many = (count_calls(lambda window=window: distil(window)) for window in windows)
    assert many < MOST_GROWTH * few, f"{few} calls, then {many}"
