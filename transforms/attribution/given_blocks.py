"""Finds a block of points or lines that its heading gives to somebody else: a review that was pasted below "Review by Jonas:".

Three signs that need no list of words: the heading names an author (a preposition before a name), the block is written in another
style than the lines around it and the owner's other words, and the owner picks points of it. Two of them take it from the owner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from transforms.classify.paragraphs import Paragraph
from transforms.conversation.pasted_lines import TextLine, split_lines
from transforms.exchanges.offers import read_offer
from transforms.exchanges.pointing import resolve_answer
from transforms.language.relative_dates import find_stated_end
from transforms.patterns.late_pattern import compile_late

_ANY_DAY = date(2000, 1, 1)
MIN_POINTS = 2
MAX_HEADING_WORDS = 16
WRAPPED_CHARS = 50
FORMAL, INFORMAL = 0.75, 0.34
"""Shares of lines with a capital at the beginning and a mark at the end from which, and up to which, a style is told."""
MIN_LINES, MIN_WORDS = 2, 3
"""Lines, and words of a line, from which a style is told."""
_POINT = compile_late(r"^[ \t]*(?:\d{1,2}[.)]|[-*•+])[ \t]+\S")
_LABEL = compile_late(r"^[ \t]*(?:\d{1,2}[.)]|[-*•+])[ \t]+")
_AUTHOR = compile_late(r"\b(?:[Bb]y|[Ff]rom|[Vv]on|[Pp]er)[ \t]+(?P<name>[^\W\d_a-z][\w'’.-]+)")
_ADDRESS = compile_late(r"\b(?:i|i'm|i'd|i'll|me|my|we|our|us|you|your)\b", re.I)
"""Pronouns of the writer and the reader: a line with one of them introduces the owner's own list."""
_BEGINS_FORMAL = compile_late(r"^[\s\"“„«(]*[A-ZÀ-Þ`\d]")
_ENDS_FORMAL = compile_late(r"[.!?…][\s\"”»)]*$")
MOST_LABEL_CHARS = 40
"""A longer paragraph before a colon is a sentence."""


@dataclass(frozen=True, slots=True)
class _Block:
    """A heading and the first and last line of what stands below it, as indices of lines."""

    heading: int
    first: int
    last: int


def find_given_blocks(text: str, own_words: Sequence[str] = ()) -> list[tuple[int, int]]:
    """Return the stretches of a message that its heading lines give to somebody else, as character offsets; the headings stay.

    `own_words` are the owner's other messages, which show how they write.
    """
    if ":" not in text or "\n" not in text:
        return []
    lines = split_lines(text)
    return [
        (lines[block.first].start, min(lines[block.last].end, len(text)))
        for block in _find_blocks(lines)
        if _is_given(lines, block, own_words)
    ]


def _find_blocks(lines: Sequence[TextLine]) -> Iterator[_Block]:
    """Yield the lists of points below a line that ends with a colon."""
    place = 0
    while place < len(lines):
        first = place + 1
        while first < len(lines) and not lines[first].text.strip():
            first += 1
        if not _is_heading(lines[place].text) or first >= len(lines) or not _POINT.match(lines[first].text):
            place += 1
            continue
        last = _find_end(lines, first)
        if sum(_POINT.match(line.text) is not None for line in lines[first : last + 1]) >= MIN_POINTS:
            yield _Block(place, first, last)
        place = last + 1


def is_point(line: str) -> bool:
    """Whether a line begins a point of a list."""
    return _POINT.match(line) is not None


def _is_heading(line: str) -> bool:
    return line.rstrip().endswith(":") and len(line.split()) <= MAX_HEADING_WORDS and not _POINT.match(line)


def _find_end(lines: Sequence[TextLine], first: int) -> int:
    """Return the last line of a list: its points, and lines below a point that begin like the rest of a sentence."""
    last = first
    for place in range(first + 1, len(lines)):
        line = lines[place].text
        goes_on = line[:1].isspace() or (_is_wrapped(lines[last].text) and not _is_heading(line))
        if _POINT.match(line) or (line.strip() and place == last + 1 and goes_on):
            last = place
        elif line.strip():
            break
    return last


def _is_wrapped(line: str) -> bool:
    """Whether a line is long and its sentence goes on in the next one."""
    return len(line) >= WRAPPED_CHARS and not _ENDS_FORMAL.search(line)


def _is_given(lines: Sequence[TextLine], block: _Block, own_words: Sequence[str]) -> bool:
    heading = lines[block.heading].text
    inside = "\n".join(line.text for line in lines[block.first : block.last + 1])
    around = "\n".join([line.text for line in [*lines[: block.heading], *lines[block.last + 1 :]]])
    is_named = names_author(heading)
    is_picked = _picks(f"{heading}\n{around}", inside)
    if not is_named and _ADDRESS.search(heading):
        return False
    return is_named + is_picked + _differs(inside, [heading, around, *own_words]) >= 2


def names_author(heading: str) -> bool:
    """Whether a heading names who wrote: a preposition before a name that is no day of the calendar."""
    return any(find_stated_end(f"until {match['name']} 1", _ANY_DAY) is None for match in _AUTHOR.finditer(heading))


def _picks(words: str, block: str) -> bool:
    """Whether words around a list choose some of its points, by number or place."""
    offer = read_offer(block)
    choices = [choice for line in words.split("\n") if (choice := resolve_answer(line, offer))]
    return any(not choice.is_named for choice in choices)


def _differs(inside: str, own_words: Sequence[str]) -> bool:
    """Whether a block is written with capitals and full stops, and its owner writes without them."""
    block, own = _measure_form(inside), _measure_form("\n".join(own_words))
    return block is not None and own is not None and block >= FORMAL and own <= INFORMAL


def is_informal_list(text: str) -> bool:
    """Whether a text is a list of points that begin with small letters and hardly ever end with a mark."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < MIN_POINTS or not all(_POINT.match(line) for line in lines):
        return False
    form = _measure_form(text)
    return form is not None and form <= INFORMAL and all(_LABEL.sub("", line).strip()[:1].islower() for line in lines)


def writes_formally(own_words: Sequence[str]) -> bool:
    """Whether the lines of an owner begin with capitals and end with marks: then neither tells a paste from their words."""
    form = _measure_form("\n".join(own_words))
    return form is not None and form >= FORMAL


def _measure_form(text: str) -> float | None:
    """Return the share of lines that begin with a capital and end with a mark; None for too few lines to tell."""
    lines = [line for line in (_LABEL.sub("", line).strip() for line in text.split("\n")) if len(line.split()) >= MIN_WORDS]
    if len(lines) < MIN_LINES:
        return None
    return sum(map(is_formal, lines)) / len(lines)


def is_formal(line: str) -> bool:
    """Whether a line begins with a capital and ends with a mark."""
    return bool(_BEGINS_FORMAL.match(line) and _ENDS_FORMAL.search(line))


def take_labelled_lines(text: str, judged: Sequence[tuple[Paragraph, bool]]) -> list[tuple[Paragraph, bool]]:
    """Return the judged paragraphs of an entry; the first line behind a short one that ends with a colon and that the owner did
    not type is not typed either. Below it the owner may go on, so the rest keeps its judgement."""
    taken: list[tuple[Paragraph, bool]] = []
    for paragraph, is_typed in judged:
        is_below = bool(taken) and not taken[-1][1] and _is_label(text[taken[-1][0].start : taken[-1][0].end])
        if is_typed and is_below and not is_point(text[paragraph.start : paragraph.end]):  # no message, but a list of "Topics:"
            line_end = text.find("\n", paragraph.start, paragraph.end) + 1 or paragraph.end
            taken.append((Paragraph(paragraph.start, line_end), False))
            if text[line_end : paragraph.end].strip():
                taken.append((Paragraph(line_end, paragraph.end), True))
        else:
            taken.append((paragraph, is_typed))
    return taken


def _is_label(words: str) -> bool:
    label = words.strip()
    return label.endswith(":") and "\n" not in label and len(label) <= MOST_LABEL_CHARS
