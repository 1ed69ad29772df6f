"""Paragraphs of a user entry with the features that tell the owner's words from pasted ones.

A mixed entry is told apart paragraph by paragraph: a person types a line over or under a pasted review, and each part has a
register of its own. Register shows in words, spelling and form; the place in the entry, the form of its first and last part and
what the agent said before help.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from transforms.classify.features import FORM_WEIGHT, ITEM_MARK, extract_features
from transforms.patterns.late_pattern import compile_late

PARAGRAPH_GAP = compile_late(r"\n[ \t]*\n\s*")
_ANNOUNCED_LINE = compile_late(r":[ \t]*\n")
_ANNOUNCEMENT = compile_late(r"[^\n]{8,240}?:[ \t]+(?=\S)")
"""The words before the first colon of an entry, where something follows on the same line."""
_SHELL_PROMPT = compile_late(r"(?<=\S )[\w.-]+@[\w.-]+[ :]\S{1,80} ?[%$#] ")
"""A prompt in the middle of a line, where somebody pasted behind typed words."""
_TERMINAL_BLANKS = compile_late(r"\S {2,}+\S.*?(?<! ) {2,}+\S|(?<![ \t])[ \t]{2,}+$", re.M)
_PARAGRAPH_WORD = compile_late(r"\w+")
MAX_PARAGRAPHS = 60
"""Further paragraphs are judged as one: a paste of a thousand paragraphs needs no thousand judgements."""
MIN_ANNOUNCED = 60
"""Characters that must follow the first colon of an entry for the words before it to be a paragraph of their own."""
SHORT_CHARS = 130
SHINGLE_WORDS = 4
"""Words in a row that an entry must share with the agent's text before it to count as said before."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Character offsets of a stretch between blank lines, or between typed words and the text that they announce."""

    start: int
    end: int


def split_paragraphs(text: str, edges: Iterable[int] = ()) -> list[Paragraph]:
    """Return the paragraphs of `text` in order; together they hold everything but blank space.

    At the `edges` one ends, too: a typed line right above a log has no blank line between, and is judged without the log.
    """
    cuts = {
        *edges,
        0,
        len(text),
        *(gap.end() for gap in PARAGRAPH_GAP.finditer(text)),
        *(line.end() for line in _ANNOUNCED_LINE.finditer(text)),
    }
    announcement = _ANNOUNCEMENT.match(text)
    if announcement and len(text) - announcement.end() >= MIN_ANNOUNCED:
        cuts.add(announcement.end())
    cuts |= {prompt.start() for prompt in _SHELL_PROMPT.finditer(text)}
    paragraphs = [Paragraph(start, end) for start, end in pairwise(sorted(cuts)) if text[start:end].strip()]
    if len(paragraphs) > MAX_PARAGRAPHS:
        paragraphs[MAX_PARAGRAPHS - 1 :] = [Paragraph(paragraphs[MAX_PARAGRAPHS - 1].start, len(text))]
    return paragraphs


def list_paragraph_features(text: str, paragraphs: Sequence[Paragraph], number: int, before: str) -> dict[str, float]:
    """Return the named features of paragraph `number` of `text`, to which the agent's text `before` led."""
    words = text[paragraphs[number].start : paragraphs[number].end]
    features = extract_features(words, before)
    for name in _list_places(text, paragraphs, number):
        features[f"place:{name}"] = FORM_WEIGHT
    if _TERMINAL_BLANKS.search(words):
        features["form:terminal blanks"] = FORM_WEIGHT
    if share := measure_said_before(words, before):
        features["said before"] = 3 * FORM_WEIGHT * share
    return features


def continues_points(text: str, above: Paragraph, below: Paragraph) -> bool:
    """Whether a paragraph begins with a point of a list, or goes on below one that ends with a colon ("2. I want:")."""
    last_line = text[above.start : above.end].rstrip().rpartition("\n")[2]
    if last_line.endswith((":", "：")):
        return ITEM_MARK.match(last_line) is not None  # another line with a colon announces what somebody else may have written
    return ITEM_MARK.match(text[below.start : below.end].lstrip()) is not None


def measure_said_before(words: str, before: str) -> float:
    """Return the share of the runs of four words in `words` that stand in `before` as well."""
    runs = list_runs(words)
    known = set(list_runs(before)) if runs else set()
    return sum(run in known for run in runs) / len(runs) if known else 0.0


def list_runs(text: str) -> list[str]:
    """Return all runs of SHINGLE_WORDS words of a text, in order, in lower case."""
    words = _PARAGRAPH_WORD.findall(text.lower())
    return [" ".join(words[start : start + SHINGLE_WORDS]) for start in range(len(words) - SHINGLE_WORDS + 1)]


def _list_places(text: str, paragraphs: Sequence[Paragraph], number: int) -> list[str]:
    part, count = paragraphs[number], len(paragraphs)
    words = text[part.start : part.end]
    is_first, is_last, ends_with_colon = number == 0, number == count - 1, words.rstrip().endswith(":")
    case = "lower" if words.lstrip()[:1].islower() else "other"
    size = "short" if len(words) < SHORT_CHARS else "long"
    places = {
        "alone": count == 1,
        "first": is_first,
        "last": is_last,
        "inside": not is_first and not is_last,
        "follows a colon": not is_first and text[: part.start].rstrip().endswith(":"),
        "ends with a colon": ends_with_colon,
        "long entry": len(text) > 600,
        "very long entry": len(text) > 2500,
        "one of many": count > 4,
        "short in a long entry": len(words) < 60 and len(text) > 600,
        f"first: {case}, {size}, colon {ends_with_colon}": is_first and count > 1,
        f"last: {case}, {size}, asks {words.rstrip().endswith('?')}": is_last and count > 1,
        f"alone: {case}, {size}, full stop {words.rstrip().endswith('.')}": count == 1,
    }
    return [name for name, holds in places.items() if holds]
