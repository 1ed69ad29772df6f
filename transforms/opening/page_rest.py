"""The lines of a briefing that its short form lacks: added to it where there is room, or given alone with the first prompt."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from transforms.patterns.late_pattern import compile_late
from transforms.tables.tokens import count_tokens

REST_HEADING = "# More of the briefing"
OMITTED_NOTE = "_{} more lines: `recollect briefing`._"
"""The page that the command prints has these lines; what that page lacks, a note of its own counts."""
_ID = compile_late(r"`([a-z]-[0-9a-f-]+)`")
_FRAME = ("#", "_", "<!--")
"""Beginnings of lines that tell no fact: headings, notes about the page, marks of a block."""


def complete_page(page: str, short: str, max_tokens: int) -> str:
    """Return the short form of a page with as many of the page's other lines as fit, all in the order of the page, and the number
    of those that do not.

    A short form with words of its own (notes were cut off) stays as it is.
    """
    if count_tokens(page) <= max_tokens:
        return page
    lines, shown = page.splitlines(), set(short.splitlines())
    if any(line not in lines for line in shown if not line.startswith("_")):
        return short
    kept = {number for number, line in enumerate(lines) if line in shown or line.startswith(_FRAME)}
    others = [number for number in range(len(lines)) if number not in kept and lines[number].strip()]
    chosen = _add_lines(lines, kept, others, max_tokens - count_tokens(f"\n\n{OMITTED_NOTE.format(len(others))}\n\n"))
    return _add_note(_join_lines(lines, chosen), len(others) - len(chosen - kept)) if chosen > kept else short


def _add_note(text: str, omitted: int) -> str:
    """Return a page with the number of the lines that it has no room for, inside of its marks."""
    if not omitted:
        return text
    lines = text.splitlines()
    end = len(lines) - lines[-1].startswith("<!--")
    before = [""] if lines[end - 1].strip() else []
    return "\n".join([*lines[:end], *before, OMITTED_NOTE.format(omitted), *([""] if lines[end:] else []), *lines[end:]]) + "\n"


def list_rest(page: str, shown: str, max_tokens: int) -> str:
    """Return the lines of a page that the text `shown` lacks, below their headings, within `max_tokens`; empty without any.

    The number of those without room stands behind them. A fact whose id is shown is left out, also when its line is worded
    otherwise.
    """
    lines, ids, known = page.splitlines(), set(_ID.findall(shown)), set(shown.splitlines())
    others = [
        number
        for number, line in enumerate(lines)
        if line.strip() and not line.startswith(_FRAME) and line not in known and not ids.intersection(_ID.findall(line))
    ]
    chosen = _add_lines(lines, set(), others, max_tokens - count_tokens(f"{REST_HEADING}\n\n"))
    if len(chosen) < len(others):
        note = OMITTED_NOTE.format(len(others))
        chosen = _add_lines(lines, set(), others, max_tokens - count_tokens(f"{REST_HEADING}\n\n\n\n{note}"))
    rest = _add_note(_join_lines(lines, chosen).strip() + "\n", len(others) - len(chosen))
    return f"{REST_HEADING}\n\n{rest}" if chosen else ""


def leave_out_shown(page: str, shown: str) -> str:
    """Return a page without the facts whose ids the text `shown` has, and without the headings that lose all of theirs.

    A fact about the first request stands below the briefing, which has room for another one then.
    """
    lines, ids = page.splitlines(), set(_ID.findall(shown))
    said_again = {
        number for number, line in enumerate(lines) if line.startswith("- ") and ids.issuperset(_ID.findall(line) or [None])
    }
    if not said_again:
        return page
    sections = (_drop_lines(lines, section, said_again) for section in _split_sections(lines))
    return "\n".join(line for section in sections for line in section) + "\n"


def _drop_lines(lines: Sequence[str], section: Sequence[int], dropped: Collection[int]) -> list[str]:
    """Return the lines of a section without some; of one without facts the notes and marks, which are about the page."""
    kept = [lines[number] for number in section if number not in dropped]
    is_bare = len(kept) < len(section) and not any(line.strip() and not line.startswith(_FRAME) for line in kept)
    return [line for line in kept if line.startswith(_FRAME) and not line.startswith("#")] if is_bare else kept


def cut_page(text: str, room: int, page: str) -> str:
    """Return a form of a page within `room` tokens: its last lines are left out, and the headings that lose all of theirs.

    The number of lines that the page has beyond it stands at the end.
    """
    if count_tokens(text) <= room:
        return text
    lines, of_page = text.splitlines(), _count_lines(page.splitlines())
    room -= count_tokens("\n\n" + OMITTED_NOTE.format(of_page))
    while lines and (count_tokens("\n".join(lines)) > room or not lines[-1].strip() or lines[-1].startswith("#")):
        lines.pop()
    return "\n".join([*lines, "", OMITTED_NOTE.format(of_page - _count_lines(lines))]) if lines else ""


def _count_lines(lines: Sequence[str]) -> int:
    return sum(bool(line.strip()) and not line.startswith(_FRAME) for line in lines)


def _add_lines(lines: Sequence[str], kept: set[int], others: Sequence[int], max_tokens: int) -> set[int]:
    """Return the kept lines and, in their order, each other one with which the text still fits."""
    for number in others:
        if count_tokens(_join_lines(lines, kept | {number})) <= max_tokens:
            kept = kept | {number}
    return kept


def _join_lines(lines: Sequence[str], kept: Collection[int]) -> str:
    """Return the text of the kept lines. A section with a kept line has its heading and its blank lines, another one nothing; one
    that lost all of its facts has no heading."""
    return "\n".join(line for section in _split_sections(lines) for line in _keep_section(lines, section, kept)) + "\n"


def _split_sections(lines: Sequence[str]) -> Iterator[list[int]]:
    """Yield the numbers of the lines of each section, which begins with its heading."""
    headings = [number for number, line in enumerate(lines) if line.startswith("#")]
    for _, numbers in groupby(range(len(lines)), lambda number: sum(heading <= number for heading in headings)):
        yield list(numbers)


def _keep_section(lines: Sequence[str], section: Sequence[int], kept: Collection[int]) -> list[str]:
    kept_numbers = [number for number in section if number in kept and not lines[number].startswith("#")]
    if not kept_numbers:
        return []
    facts = [number for number in section if lines[number].strip() and not lines[number].startswith(_FRAME)]
    if facts and not any(number in kept for number in facts):
        return [lines[number] for number in kept_numbers]
    return [
        lines[number]
        for number in section
        if number in kept_numbers or lines[number].startswith("#") or not lines[number].strip()
    ]
