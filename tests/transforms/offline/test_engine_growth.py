"""The offline engine reads what somebody pastes, a list or a log of one form, in steps that grow with its length.

Calls of functions are counted, not seconds: the same on every machine. A loop over all lines for each line shows in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from cProfile import Profile

from benchmarks.speed.growth_shapes import make_text
from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, user
from transforms.conversation.entries import Entry
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_evidence import WindowEvidence
from transforms.offline.engine import OfflineEngine

CHARS, MOST_GROWTH, MOST_BEYOND = 1_500, 2.7, 0.05
"""Characters of the shorter text, how often as many calls the longer one of twice as many may take, and the share of its calls
that may lie beyond that growth in functions that grow faster: a loop shows there before all other calls hide it no longer."""
SHAPES = (
    "orders", "decisions", "refusals", "exclamations", "dots apart", "numbered list", "bullets", "numbered answers", "code words",
    "quoted words", "paths", "headings with text", "table", "chat lines",
)  # fmt: skip


def count_calls(work: Callable[[], object]) -> Counter[str]:
    """Return how often a piece of work calls each function. The profiler of the library counts faster than one of ours."""
    profile, counts = Profile(), Counter[str]()
    profile.runcall(work)
    for entry in profile.getstats():  # type: ignore[attr-defined]
        counts[str(entry.code)] += entry.callcount
    return counts


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


@each_case("place", ["typed", "reply", "both"], shape=SHAPES)
def test_twice_the_text_takes_twice_the_calls(shape: str, place: str) -> None:
    """Each sentence was asked what all later ones endorse, each claim how many words all others share, each row for its menu."""
    windows = [build_window(place, make_text((shape,), size)) for size in (CHARS, 2 * CHARS)]
    distil(build_window(place, make_text((shape, "ok"), CHARS // 2)))  # patterns are compiled when they are first used
    few, many = (count_calls(lambda window=window: distil(window)) for window in windows)
    assert many.total() < MOST_GROWTH * few.total(), f"{few.total()} calls, then {many.total()}"
    beyond = Counter({name: round(count - MOST_GROWTH * few[name]) for name, count in many.items()})
    assert (+beyond).total() < MOST_BEYOND * many.total(), beyond.most_common(3)
