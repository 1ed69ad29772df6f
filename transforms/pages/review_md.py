"""REVIEW.md: the values of the page, and the meaning of a person's edits.

Reading is forgiving about form (other bullets, indentation, wrapped or moved lines, Windows line ends, notes in between) and
strict about meaning: only a page with our render id at its start and at its end counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from markdown_it import MarkdownIt

from transforms.pages.memory_md import has_conflict_marks
from transforms.tables.rows import ProposalRow

FRICTION_HEADING = "Friction Fixes"
_HEADING = "Proposed for: "
_NOTES_HEADING = "Your notes"
_FOOTER = re.compile(r"^_?(?:\d+ proposals? pending\b|Last reflection, not proposed: )")
_ID = re.compile(r"\b[pf]-\d{8}-\d{3,}\b")
_ITEM = re.compile(
    r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?\\?\[(?P<mark>[^\]\n]{0,3})\\?\]\s*[`*]*(?P<id>[pf]-\d{8}-\d{3,})[`*]*:?[ \t]*(?P<text>.*)$"
)
_START = re.compile(r"<!-- recollect:review (\S+) -->")
_END = re.compile(r"<!-- /recollect:review (\S+) -->")
_APPROVED = frozenset({"x", "X", "✓", "✔", "✅"})
_REJECTED = frozenset({"-", "–", "—"})

ReviewMark = Literal["open", "approve", "reject", "unclear"]


@dataclass(frozen=True, slots=True)
class ReviewSource:
    """An observation behind a proposal, as the page shows it."""

    said: str
    project: str
    session: str
    quote: str
    observation_id: str


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A pending proposal with its evidence. `vanished` is the line that it was to replace and that is gone,
    `severity` the pattern of friction and its cost.

    `caution` says what it rests on when neither the owner nor an agent said it; empty when one did.
    """

    proposal_id: str
    op: str
    section: str
    text: str
    old_text: str | None
    vanished: str | None
    target: str | None
    evidence: tuple[ReviewSource, ...]
    more_evidence: int
    expires_on: date
    is_expiring: bool
    severity: str = ""
    caution: str = ""


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """The proposals of one section of MEMORY.md, or the friction fixes."""

    heading: str
    items: tuple[ReviewItem, ...]


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """The values of the template. `left_out` are the reasons of the last reflection not to propose something, with counts."""

    render_id: str
    groups: tuple[ReviewGroup, ...]
    notes: tuple[str, ...]
    expire_days: int
    newest: str
    left_out: tuple[tuple[str, int], ...] = ()

    @property
    def pending(self) -> int:
        """The number of proposals that wait."""
        return sum(len(group.items) for group in self.groups)


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """A proposal as a page shows it. `section` is the heading above it, if that is one of ours."""

    mark: ReviewMark
    text: str
    section: str | None


@dataclass(frozen=True, slots=True)
class ParsedReview:
    """A REVIEW.md as read back. `mentioned` holds every id on the page; `notes` are texts that are not ours."""

    render_id: str | None
    is_complete: bool
    lines: dict[str, ReviewLine]
    mentioned: frozenset[str]
    notes: tuple[str, ...]
    has_conflict: bool = False


@dataclass(frozen=True, slots=True)
class _Unit:
    """A paragraph, heading or block of the page: its words, and its lines as written."""

    kind: str
    words: str
    raw: str
    section: str | None


def group_items(items: Sequence[tuple[str, ReviewItem]], order: Sequence[str]) -> tuple[ReviewGroup, ...]:
    """Return items by section: the known sections first and in order, then the others by name, friction fixes last."""
    by_heading: dict[str, list[ReviewItem]] = {}
    for kind, item in sorted(items, key=lambda pair: pair[1].proposal_id):
        by_heading.setdefault(FRICTION_HEADING if kind == "friction" else _HEADING + item.section, []).append(item)
    rank = {_HEADING + name: position for position, name in enumerate(order)}
    names = sorted(by_heading, key=lambda name: (name == FRICTION_HEADING, rank.get(name, len(rank)), name))
    return tuple(ReviewGroup(name, tuple(by_heading[name])) for name in names)


def read_review(text: str, base: str = "") -> ParsedReview:
    """Return the content of the page. `base` is the last rendering, which separates a person's notes from our own words."""
    start, end = _START.search(text), _END.search(text)
    is_complete = bool(start and end and start[1] == end[1] and start.end() <= end.start())
    own_words = {unit.words for unit in _split_units(base)} | {_NOTES_HEADING}
    shown = {key: line.text for unit in _split_units(base) for key, line in _read_unit(unit, {})[0]}
    carried = {words for words, _ in _list_carried_notes(base)}
    lines: dict[str, ReviewLine] = {}
    notes: list[str] = []
    for unit in _split_units(text):
        found, rest = _read_unit(unit, shown)
        for proposal_id, line in found:
            lines[proposal_id] = _combine_lines(lines[proposal_id], line) if proposal_id in lines else line
        is_note = unit.words in carried or (unit.words if rest == unit.raw else _normalise_words(rest)) not in own_words
        if rest.strip() and is_note and not _is_frame(rest):
            notes.append(_dedent_note(rest))
    return ParsedReview(
        start[1] if start else None, is_complete, lines, frozenset(_ID.findall(text)), tuple(notes), has_conflict_marks(text)
    )


def read_rendered_lines(base: str) -> dict[str, ReviewLine]:
    """Return the proposals on a page as it was rendered."""
    return read_review(base, base).lines


def format_newest_time(rows: Sequence[ProposalRow]) -> str:
    """Return the newest evidence of the proposals as ISO time in UTC; empty when there is none."""
    times = [said_at for row in rows if isinstance(said_at := row["said_at"], datetime)]
    return max(times).strftime("%Y-%m-%dT%H:%M:%SZ") if times else ""


def _split_units(text: str) -> Iterator[_Unit]:
    rows = re.split(r"\r\n|\r|\n", text)
    section: str | None = None
    tokens = MarkdownIt("commonmark").parse(text)
    for index, token in enumerate(tokens):
        if token.map is None or token.type not in ("inline", "html_block", "fence", "code_block"):
            continue
        kind = "heading" if tokens[index - 1].type == "heading_open" else token.type
        raw = "\n".join(rows[token.map[0] : token.map[1]])
        if kind == "heading" and token.level == 1:
            section = token.content.removeprefix(_HEADING).strip() if token.content.startswith(_HEADING) else None
        yield _Unit(kind, _normalise_words(token.content), raw, section)


def _read_unit(unit: _Unit, shown: dict[str, str]) -> tuple[list[tuple[str, ReviewLine]], str]:
    """Return the proposal lines in a unit, and the words of the unit that belong to none."""
    if unit.kind not in ("inline", "code_block") or not _ID.search(unit.raw):
        return [], unit.raw
    lines: list[tuple[str, ReviewLine]] = []
    rest: list[str] = []
    parts: list[list[str]] = []
    for row in unit.raw.split("\n"):
        if _ITEM.match(row):
            parts.append([row])
        elif parts:
            parts[-1].append(row)
        else:
            rest.append(row)
    for first, *more in parts:
        match = _ITEM.match(first)
        if match is None:
            continue
        text, proposal_id = match["text"], match["id"]
        is_whole = _normalise_words(text) == _normalise_words(shown.get(proposal_id, ""))
        for row in more:
            # A line typed flush left below an unchanged proposal is a remark; an indented one is its wrapped text.
            if is_whole and row and not row[0].isspace():
                rest.append(row)
            else:
                text += " " + row.strip()
        lines.append((proposal_id, ReviewLine(_read_mark(match["mark"]), " ".join(text.split()), unit.section)))
    return lines, "\n".join(rest)


def _list_carried_notes(base: str) -> list[tuple[str, str]]:
    """Return words and lines of the notes on a page that we rendered."""
    units = list(_split_units(base))
    heading_at = next(
        (index for index, unit in enumerate(units) if unit.kind == "heading" and unit.words == _NOTES_HEADING), len(units)
    )
    return [(unit.words, unit.raw) for unit in units[heading_at + 1 :] if not _is_frame(unit.raw)]


def _is_frame(raw: str) -> bool:
    """Whether a text holds our marks or footer, or swallowed them (an open code fence): it is no note."""
    return bool(_START.search(raw) or _END.search(raw) or _FOOTER.search(raw.strip()))


def _dedent_note(raw: str) -> str:
    """Return a note without its indentation, or the notes section would show it as code."""
    rows = raw.split("\n")
    margin = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    return "\n".join(row[margin:].rstrip() for row in rows)


def _combine_lines(first: ReviewLine, second: ReviewLine) -> ReviewLine:
    """Combine two lines for one proposal: the one with a mark counts, two different marks are unclear."""
    marks = {first.mark, second.mark} - {"open"}
    if len(marks) > 1:
        return ReviewLine("unclear", first.text, first.section)
    return second if first.mark == "open" and marks else first


def _read_mark(inside: str) -> ReviewMark:
    mark = inside.strip()
    if not mark:
        return "open"
    if mark in _APPROVED:
        return "approve"
    return "reject" if mark in _REJECTED else "unclear"


def _normalise_words(text: str) -> str:
    """Return text without emphasis and line breaks: a formatter may change `_a_` to `*a*` and wrap lines."""
    return " ".join(re.sub(r"[*_\\]", "", text).split())
