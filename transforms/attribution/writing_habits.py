"""How a person writes, counted over messages that are surely theirs, and what that says about a paragraph.

The learned judge of paragraphs knows how owners write on average. An owner who hardly ever begins with a capital, or sets names
of code between backticks, is known better by their own messages: per habit the ratio of two probabilities, that this owner writes
a paragraph so and that owners in general do, is added up. Rates begin at those of owners in general (a Beta prior), so few
messages, and habits that everybody has, say nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from transforms.patterns.late_pattern import compile_late
from transforms.words.sentence_marks import QUESTION_MARKS

HabitCounts = Mapping[str, tuple[int, int]]
"""How often each habit was followed, and how often it was not."""

PRIOR_TIMES = 3
"""Times that an owner must have had the choice for their own rate to weigh as much as the usual one."""
WEIGHT = 0.8
"""Part of the ratio that moves the log-odds: habits go together, so that their sum says too much."""
MOST_LOG_ODDS = 6.0
"""Bound of the ratio: no style is as sure as that."""
MIN_WORDS = 4
"""A shorter paragraph ("TestDrain:") is not taken from its owner by its form."""
MEASURED_CHARS = 2000
"""Beginning of a paragraph that shows its style."""
LONG_SENTENCE_WORDS = 20
"""A sentence of more words is long."""
WRAPPED_CHARS = 60
"""Characters of a line from which the next may be a part of it that an editor wrapped."""
_LEAST_RATE = 0.005
"""No habit is followed, or broken, without exception."""
_POINT_MARK = compile_late(r"^[ \t]*(?:\d{1,2}[.)]|[-*•+>]+|#{1,6})[ \t]+")
_SENTENCE_GAP = compile_late(r"(?<=[.!?…])[ \t]+(?=\S)")
_SENTENCE_END = compile_late(r"[.!?…]+(?:\s|$)")
_HABIT_WORD = compile_late(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_WORD_INSIDE = compile_late(r"(?<=[\w,] )[^\W\d_][\w'’]*")
_FIRST_PERSON = compile_late(r"I(?:['’]\w+)?")
_CODE_MARK = compile_late(r"`|\*\*|^#{1,6} ", re.M)
_OPENING = ' \t"“„«(*_`'
_ENDS = (".", "!", "?", ":")


def count_habits(text: str) -> dict[str, tuple[int, int]]:
    """Return for each habit how often a text follows it, and how often it does not; habits without an occasion are left out."""
    counts: dict[str, tuple[int, int]] = {}
    for habit, times, occasions in _list_habits(text.strip()):
        if occasions:
            yes, no = counts.get(habit, (0, 0))
            counts[habit] = (yes + times, no + max(0, occasions - times))
    return counts


def add_habits(counted: Iterable[HabitCounts]) -> dict[str, tuple[int, int]]:
    """Return the counts of several texts together."""
    total: dict[str, tuple[int, int]] = {}
    for counts in counted:
        for habit, (yes, no) in counts.items():
            before = total.get(habit, (0, 0))
            total[habit] = (before[0] + yes, before[1] + no)
    return total


def leave_out_habits(counts: HabitCounts, text: str) -> dict[str, tuple[int, int]]:
    """Return counts of several texts without one of them."""
    own = count_habits(text)
    return {habit: (yes - own.get(habit, (0, 0))[0], no - own.get(habit, (0, 0))[1]) for habit, (yes, no) in counts.items()}


def measure_log_odds(text: str, owner: HabitCounts, usual: Mapping[str, float]) -> float:
    """Return by how much the log-odds that the owner typed a text change, for what their habits are beside the usual ones.

    Of each habit a text counts once, however often it had the choice.
    """
    ratio = 0.0
    for habit, (yes, no) in count_habits(text).items():
        at_large = _clip(usual[habit])
        followed, not_followed = owner.get(habit, (0, 0))
        own = _clip((followed + PRIOR_TIMES * at_large) / (followed + not_followed + PRIOR_TIMES))
        ratio += (yes * math.log(own / at_large) + no * math.log((1 - own) / (1 - at_large))) / (yes + no)
    if ratio < 0 and len(text.split()) < MIN_WORDS:
        return 0.0
    return WEIGHT * max(-MOST_LOG_ODDS, min(MOST_LOG_ODDS, ratio))


def _clip(rate: float) -> float:
    return max(_LEAST_RATE, min(1 - _LEAST_RATE, rate))


def _list_habits(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield habits with the times that a text follows them and the occasions that it had."""
    start = text[:MEASURED_CHARS]
    lines = [line for line in start.split("\n") if line.strip()]
    words = _HABIT_WORD.findall(start)
    if not words:
        return
    for above, line in zip(["", *lines], lines, strict=False):
        bare = _POINT_MARK.sub("", line)
        sentences = [sentence.strip(_OPENING) for sentence in _SENTENCE_GAP.split(bare.strip(_OPENING))]
        goes_on = len(above) >= WRAPPED_CHARS and not above.rstrip().endswith(_ENDS)
        is_style = not goes_on and bare == line  # points and wrapped lines begin small in anybody's words
        if is_style or not sentences[0][:1].islower():
            yield "small letter at a line", *_count_small(sentences[:1])
        yield "small letter at a sentence", *_count_small(sentences[1:])
        lengths = [len(sentence.split()) for sentence in _SENTENCE_END.split(bare)]
        yield "long sentences", sum(length > LONG_SENTENCE_WORDS for length in lengths), sum(map(bool, lengths))
    yield "small i", words.count("i"), words.count("i") + words.count("I")
    yield "full stop", int(text.endswith((".", "。"))), int(not text.endswith((":", "?", "!", *QUESTION_MARKS)))
    yield "commas", start.count(","), len(words)
    inside = [word for word in _WORD_INSIDE.findall(start) if not _FIRST_PERSON.fullmatch(word)]
    yield "capitals inside", sum(word[0].isupper() for word in inside), len(inside)
    yield "marks of code", int(bool(_CODE_MARK.search(start))), 1


def _count_small(sentences: Iterable[str]) -> tuple[int, int]:
    """Return how many sentences begin with a small letter, and how many with a letter that has a case."""
    letters = [sentence[0] for sentence in sentences if sentence and sentence[0].lower() != sentence[0].upper()]
    return sum(letter.islower() for letter in letters), len(letters)
