"""MEMORY.md belongs to its owner: finds sections and bullets in it, and changes one line without touching another byte.

markdown-it finds headings and list items (so a `## Patterns` inside a code fence is not a section); every edit is made on the
original text. Decode the file with `surrogateescape`, and bytes that are not UTF-8 survive as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import chain

from markdown_it import MarkdownIt
from markdown_it.token import Token

from transforms.pages.visible_text import format_line
from transforms.patterns.late_pattern import compile_late
from transforms.tables.surrogates import replace_surrogates

HARD_RULES = "Hard Rules"
SYSTEM_ARCHITECTURE = "System Architecture"
PATTERNS = "Patterns"
MAX_LINE_CHARS = 600
"""Longest line to remember: every session reads the lines of MEMORY.md at its start."""

_NEWLINE = compile_late(r"\r\n|\r|\n")  # the line ends of markdown-it
_CONFLICT_START, _CONFLICT_END = compile_late(r"^<{7}(?: |\r?$)", re.M), compile_late(r"^>{7}(?: |\r?$)", re.M)
_BLANKS = compile_late(r"[^\S\r\n]*")
_DATE_IN_BRACKETS = compile_late(r"^\((\d{4}-\d{2}-\d{2})\)\s*")
MARKER = compile_late(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+")
QUOTED_MARKER = compile_late(r"^[\s>]*(?:[-*+]|\d{1,9}[.)])\s+")


class UnsafeEditError(ValueError):
    """A line would not be read as a bullet at its place, because an open code fence or comment swallows it."""


@dataclass(frozen=True, slots=True)
class Bullet:
    """A list item: its first line as written, its words without marker and date, and where its lines start and end.

    Both can be stored: U+FFFD stands for each byte that is not UTF-8. No proposal may replace a line with such a byte, because an
    undo could not bring it back: it counts as more than one line.
    """

    line: str
    text: str
    dated: date | None
    section: str
    start: int
    end: int
    is_one_line: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text below it, as offsets into the text. `end` is where the next heading of the same or a higher level
    starts, `own_end` where the first sub-heading does."""

    name: str
    level: int
    start: int
    body_start: int
    own_end: int
    end: int


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """The structure of a MEMORY.md."""

    text: str
    sections: tuple[Section, ...]
    bullets: tuple[Bullet, ...]

    def find_section(self, name: str) -> Section | None:
        """Return the section with this name (case, emphasis and emoji do not matter), the highest heading first."""
        normalised = normalise_name(name)
        matches = [
            section for section in self.sections if normalise_name(section.name) == normalised and not self._is_title(section)
        ]
        return min(matches, key=lambda section: (section.level, section.start)) if matches else None

    def _is_title(self, section: Section) -> bool:
        """Whether a heading is the page's own: the only one of the first level, above all others."""
        others = [other for other in self.sections if other is not section]
        return section.level == 1 and section is self.sections[0] and bool(others) and all(other.level > 1 for other in others)

    def find_line(self, line: str) -> Bullet | None:
        """Return the first bullet with exactly this line; one that goes on below it only where there is no other."""
        stored = replace_surrogates(line)
        return min(
            (bullet for bullet in self.bullets if bullet.line == stored), key=lambda same: not same.is_one_line, default=None
        )

    def has_line(self, line: str) -> bool:
        """Whether exactly this line is a bullet of the page."""
        return self.find_line(line) is not None


def name_owner_section(owner: str) -> str:
    """Return the heading under which lines about the owner stand in MEMORY.md: "joel" → "Joel"."""
    return owner[:1].upper() + owner[1:]


def list_sections(owner: str) -> tuple[str, ...]:
    """Return the four sections of MEMORY.md, in page order."""
    return name_owner_section(owner), HARD_RULES, SYSTEM_ARCHITECTURE, PATTERNS


def name_reflected_section(day: date) -> str:
    """Return the name of the section for lines that fit none of the four."""
    return f"Reflected ({day.isoformat()})"


def format_bullet(text: str, day: date) -> str:
    """Return the line as it is promoted: one line, in which nothing is hidden."""
    return f"- ({day.isoformat()}) {format_line(text)}"


@lru_cache(maxsize=2)
def parse_memory(text: str) -> MemoryPage:
    """Return sections and bullets of the page, in page order. A night asks five times for the same page."""
    tokens = MarkdownIt("commonmark").parse(text)
    starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]
    starts += [len(text)] * (2 if starts[-1] != len(text) else 1)
    sections = _find_sections(tokens, starts, len(text))
    return MemoryPage(text, sections, _find_bullets(tokens, starts, text, sections))


def add_bullet(text: str, section: str, line: str, order: Sequence[str] = ()) -> str:
    """Return the page with this line as the last bullet of the section; the same text when it has that bullet already.

    A missing section is created: in front of the first present section that follows it in `order`, else after the last one that
    precedes it, else at the end.

    Raises:
        UnsafeEditError: when the line would not be read as a bullet of that section.
    """
    page = parse_memory(text)
    if page.has_line(line):
        return text
    if has_conflict_marks(text):
        raise UnsafeEditError("it contains the marks of a merge conflict (<<<<<<<, >>>>>>>); resolve it first")
    newline = _detect_newline(text)
    present = page.find_section(section)
    if present:
        changes = list(_insert_bullet(page, present, line, newline))
    else:
        changes = list(_insert_section(page, section, line, newline, order))
    added = parse_memory(changes[0]).find_line(line)
    if added is None or normalise_name(added.section) != normalise_name(section):
        raise UnsafeEditError(f"a bullet cannot be added to `{section}`: a code fence or comment above it is not closed")
    parted = [_part_from_next(changed, line, newline) for changed in changes]
    for changed in chain.from_iterable(zip(changes, parted, strict=True)):
        if _is_added_alone(page, changed, line, section):
            return changed
    raise UnsafeEditError(f"a bullet cannot be added to `{section}`: indented lines of yours would become a part of it")


def replace_line(text: str, old: str, new: str) -> str | None:
    """Return the page with one exact bullet line replaced, unchanged when that is done already; None when it has no such line."""
    page = parse_memory(text)
    bullet = page.find_line(old)
    if bullet is None:
        return text if page.has_line(new) else None
    if page.has_line(new):  # the owner wrote the new one by hand: only the old one goes
        return remove_line(text, old)
    return text[: bullet.start] + new + text[bullet.start + len(old) :]


def remove_line(text: str, old: str) -> str | None:
    """Return the page without one exact bullet line and its line end; None when it has no such line.

    The line end stays where the lines above and below would mean something else together.
    """
    page = parse_memory(text)
    bullet = page.find_line(old)
    if bullet is None:
        return None
    end = bullet.start + len(old)
    ending = _NEWLINE.match(text, end)
    without, emptied = text[: bullet.start] + text[ending.end() if ending else end :], text[: bullet.start] + text[end:]
    others = _list_structure(page, bullet)  # words above a rule are a heading as soon as no bullet stands between them
    return emptied if _list_structure(parse_memory(without)) != others == _list_structure(parse_memory(emptied)) else without


def take_out_added(text: str, section: str, line: str, order: Sequence[str] = ()) -> str | None:
    """Return the page without a line that `add_bullet` added and without the line ends that came with it; None without it.

    They go only from a page that `add_bullet` would make of the result. A heading stays: it may be the owner's.
    """
    added, without = parse_memory(text).find_line(line), remove_line(text, line)
    if added is None or without is None:
        return None
    newline, place = _detect_newline(text), added.start
    rest = without[place:]
    closed = (text[: place - len(newline)] if text[:place].endswith(newline * 2) else text[:place]) + rest
    parted = [text[:place].removesuffix(newline * count) + text[place + len(line) :] for count in (1, 2)]
    whole = (without, closed) if rest and not _NEWLINE.match(rest) else (closed, without)
    for page in (*parted, *whole) if text.endswith(line) else (*whole, *parted):
        with suppress(UnsafeEditError):
            if add_bullet(page, section, line, order) == text:
                return page
    return without


def has_hidden_line(text: str, line: str) -> bool:
    """Whether a line stands in the text where it is no bullet: an open code fence or comment above swallows it."""
    is_written = bool(line) and any(row.rstrip() == line.rstrip() for row in _NEWLINE.split(replace_surrogates(text)))
    return is_written and not parse_memory(text).has_line(line)


def has_conflict_marks(text: str) -> bool:
    """Whether a merge left its marks in the text: then nobody knows which half its owner wants."""
    return bool(_CONFLICT_START.search(text) and _CONFLICT_END.search(text))


def _find_sections(tokens: Sequence[Token], starts: Sequence[int], size: int) -> tuple[Section, ...]:
    headings = [
        (int(token.tag[1]), tokens[index + 1].content, starts[token.map[0]], starts[token.map[1]])
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    result = []
    for index, (level, name, start, body) in enumerate(headings):
        later = headings[index + 1 :]
        end = next((other[2] for other in later if other[0] <= level), size)
        result.append(Section(replace_surrogates(name.strip()), level, start, body, later[0][2] if later else size, end))
    return tuple(result)


def _find_bullets(tokens: Sequence[Token], starts: Sequence[int], text: str, sections: Sequence[Section]) -> tuple[Bullet, ...]:
    result = []
    for index, token in enumerate(tokens):
        if token.type != "list_item_open" or not token.map:
            continue
        start = starts[token.map[0]]
        end = _find_text_end(text, start, starts[token.map[1]])
        written = _NEWLINE.split(text[start:end], maxsplit=1)[0]
        line = replace_surrogates(written)
        inline = tokens[index + 2] if index + 2 < len(tokens) and tokens[index + 2].type == "inline" else None
        words = replace_surrogates(" ".join((inline.content if inline else MARKER.sub("", line)).split()))
        dated = _DATE_IN_BRACKETS.match(words)
        owner = [section for section in sections if section.body_start <= start]
        result.append(
            Bullet(
                line=line,
                text=_DATE_IN_BRACKETS.sub("", words),
                dated=_parse_date(dated[1]) if dated else None,
                section=owner[-1].name if owner else "",
                start=start,
                end=end,
                is_one_line=_NEWLINE.search(text, start, end) is None and line == written,
            )
        )
    return tuple(result)


def _insert_bullet(page: MemoryPage, section: Section, line: str, newline: str) -> Iterator[str]:
    """Yield the page with the bullet below the section's last own bullet, below its last own text, and below its heading."""
    text = page.text
    own = [bullet for bullet in page.bullets if section.body_start <= bullet.start < section.own_end]
    end = max((_skip_blanks(text, bullet.end) for bullet in own), default=-1)
    below_list = end >= 0 and not text[end : section.own_end].strip()
    if end >= 0 and not below_list:  # text follows the list: stay in the list, in front of that text
        yield text[:end] + newline + line + _follow_with(text, end, newline)
    position = _skip_blanks(text, _find_text_end(text, section.body_start, section.own_end))
    if text[section.body_start : position].strip():
        yield text[:position] + (newline if below_list else newline * 2) + line + _follow_with(text, position, newline)
    head = text[: section.body_start]
    lead = newline if _NEWLINE.search(head[-2:]) else newline * 2
    yield head + lead + line + _follow_with(text, section.body_start, newline)


def _insert_section(page: MemoryPage, name: str, line: str, newline: str, order: Sequence[str]) -> Iterator[str]:
    """Yield the page with the bullet in a section of its own, at its place in the order, and at the end."""
    plain = [normalise_name(known) for known in order]
    position = plain.index(normalise_name(name)) if normalise_name(name) in plain else len(plain)
    later = [present for known in order[position + 1 :] if (present := page.find_section(known))]
    earlier = [present for known in order[:position] if (present := page.find_section(known))]
    level = (later or earlier or [Section("", 2, 0, 0, 0, 0)])[0].level
    block = f"{'#' * level} {name}{newline}{newline}{line}{newline}"
    text = page.text
    if later:
        position = min(present.start for present in later)
        yield text[:position] + block + newline + text[position:]
    for position in ([max(present.end for present in earlier)] if earlier and not later else []) + [len(text)]:
        head, tail = text[:position], text[position:]
        gap = "" if not head.strip() else newline * max(0, 2 - _count_line_ends(head))
        yield head + gap + block + (newline + tail if tail else "")


def _part_from_next(changed: str, line: str, newline: str) -> str:
    """Return the page with a blank line below the added one: else it may swallow an underlined heading."""
    added = parse_memory(changed).find_line(line)
    end = added.start + len(line) if added else len(changed)
    return changed[:end] + newline + changed[end:]


def _is_added_alone(page: MemoryPage, changed: str, line: str, section: str) -> bool:
    """Whether a page has the line as a bullet of the section, and all else as it was."""
    after = parse_memory(changed)
    added = after.find_line(line)
    goes_on = added is not None and _NEWLINE.search(changed, added.start, added.end) is not None
    if added is None or goes_on or normalise_name(added.section) != normalise_name(section):
        return False
    (sections, bullets), (own_sections, own_bullets) = _list_structure(after, added), _list_structure(page)
    if page.find_section(section) is None:  # it came with its heading
        heading = next((own for own in after.sections if own.body_start <= added.start < own.own_end), None)
        sections.remove((heading.level, heading.name) if heading else sections[0])
    return (sections, bullets) == (own_sections, own_bullets)


def _list_structure(page: MemoryPage, without: Bullet | None = None) -> tuple[list[tuple[int, str]], list[tuple[str, str, str]]]:
    """Return the headings and bullets of a page, but one."""
    bullets = [(bullet.line.rstrip(), bullet.text, bullet.section) for bullet in page.bullets if bullet is not without]
    return [(section.level, section.name) for section in page.sections], bullets


def _follow_with(text: str, position: int, newline: str) -> str:
    """Return the rest of the text after the inserted line, on a line of its own; a text without a last line end stays so."""
    rest = text[position:]
    if not rest:
        return newline if text.endswith(("\n", "\r")) else ""
    return rest if _NEWLINE.match(rest) else newline + rest


def _find_text_end(text: str, start: int, end: int) -> int:
    """Return the end of the last line with words between two offsets, without its line end; `start` when there is none."""
    return start + len(text[start:end].rstrip())


def _skip_blanks(text: str, position: int) -> int:
    """Return the end of the blanks behind an offset: they belong to the line that they end."""
    match = _BLANKS.match(text, position)
    return match.end() if match else position


def _count_line_ends(head: str) -> int:
    trailing = head[len(head.rstrip("\r\n")) :]
    return len(_NEWLINE.findall(trailing))


def _detect_newline(text: str) -> str:
    match = _NEWLINE.search(text)
    return match[0] if match else "\n"


def normalise_name(name: str) -> str:
    """Return the name of a section without case, emphasis and emoji."""
    return re.sub(r"[\W_]+", " ", name).strip().casefold()


def _parse_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
