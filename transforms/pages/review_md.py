"""REVIEW.md: what the page shows, and what a person's edits of it mean.

Reading is forgiving about form (other bullets, indentation, wrapped lines, moved lines, Windows line ends, notes in
between) and strict about meaning: only a page that carries our render id at its start and at its end counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from markdown_it import MarkdownIt

FRICTION_HEADING = "Friction Fixes"
_HEADING = "Proposed for: "
_NOTES_HEADING = "Your notes"
_FOOTER = re.compile(r"^_?\d+ proposals? pending\b")
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
    """One observation behind a proposal, as the page shows it."""

    said: str
    project: str
    session: str
    quote: str
    observation_id: str


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A pending proposal with its evidence; `vanished` is a line that it was to replace and that is gone."""

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


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """The proposals of one section of MEMORY.md, or the friction fixes."""

    heading: str
    items: tuple[ReviewItem, ...]


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """Everything that the template needs."""

    render_id: str
    groups: tuple[ReviewGroup, ...]
    notes: tuple[str, ...]
    expire_days: int
    newest: str

    @property
    def pending(self) -> int:
        """How many proposals wait."""
        return sum(len(group.items) for group in self.groups)


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """What a page says about one proposal; `section` is the heading that it stands under, if that is one of ours."""

    mark: ReviewMark
    text: str
    section: str | None


@dataclass(frozen=True, slots=True)
class ParsedReview:
    """A REVIEW.md as read back. `mentioned` holds every id that occurs anywhere; `notes` what is not ours."""

    render_id: str | None
    is_complete: bool
    lines: dict[str, ReviewLine]
    mentioned: frozenset[str]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A paragraph, heading or block of the page: its words, and its lines as written."""

    kind: str
    words: str
    raw: str
    section: str | None


def group_items(items: Sequence[tuple[str, ReviewItem]], order: Sequence[str]) -> tuple[ReviewGroup, ...]:
    """Items by section, the known sections first and in order, then the others by name, friction fixes last."""
    by_heading: dict[str, list[ReviewItem]] = {}
    for kind, item in sorted(items, key=lambda pair: pair[1].proposal_id):
        by_heading.setdefault(FRICTION_HEADING if kind == "friction" else _HEADING + item.section, []).append(item)
    rank = {_HEADING + name: position for position, name in enumerate(order)}
    names = sorted(by_heading, key=lambda name: (name == FRICTION_HEADING, rank.get(name, len(rank)), name))
    return tuple(ReviewGroup(name, tuple(by_heading[name])) for name in names)


def read_review(text: str, base: str = "") -> ParsedReview:
    """What the page says; `base` is the page as we last wrote it, which tells a person's notes from our own words."""
    start, end = _START.search(text), _END.search(text)
    is_complete = bool(start and end and start[1] == end[1] and start.end() <= end.start())
    ours = {unit.words for unit in _split_units(base)} | {_NOTES_HEADING}
    shown = {found[0]: found[1].text for unit in _split_units(base) for found in _read_unit(unit, {})[0]}
    carried = {words for words, _ in _list_carried_notes(base)}
    lines: dict[str, ReviewLine] = {}
    notes: list[str] = []
    for unit in _split_units(text):
        found, rest = _read_unit(unit, shown)
        for proposal_id, line in found:
            lines[proposal_id] = _combine_lines(lines[proposal_id], line) if proposal_id in lines else line
        is_note = unit.words in carried or (unit.words if rest == unit.raw else _normalise_words(rest)) not in ours
        if rest.strip() and is_note and not _is_frame(rest):
            notes.append(_dedent_note(rest))
    return ParsedReview(start[1] if start else None, is_complete, lines, frozenset(_ID.findall(text)), tuple(notes))


def read_rendered_lines(base: str) -> dict[str, ReviewLine]:
    """The proposals on a page as we wrote it."""
    return read_review(base, base).lines


def format_newest_time(rows: Sequence[dict[str, Any]]) -> str:
    """The newest evidence of the proposals, as ISO time in UTC; empty when there is none."""
    times = [at for row in rows if isinstance(at := row["said_at"], datetime)]
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
    """The proposal lines in a unit, and the words of the unit that belong to none."""
    if unit.kind not in ("inline", "code_block") or not _ID.search(unit.raw):
        return [], unit.raw
    found: list[tuple[str, ReviewLine]] = []
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
        found.append((proposal_id, ReviewLine(_read_mark(match["mark"]), " ".join(text.split()), unit.section)))
    return found, "\n".join(rest)


def _list_carried_notes(base: str) -> list[tuple[str, str]]:
    """The notes that a page which we wrote carried along: words and lines of each."""
    units = list(_split_units(base))
    at = next((index for index, unit in enumerate(units) if unit.kind == "heading" and unit.words == _NOTES_HEADING), len(units))
    return [(unit.words, unit.raw) for unit in units[at + 1 :] if not _is_frame(unit.raw)]


def _is_frame(raw: str) -> bool:
    """Our marks and footer, and anything that swallowed them (an open code fence): never a note."""
    return bool(_START.search(raw) or _END.search(raw) or _FOOTER.search(raw.strip()))


def _dedent_note(raw: str) -> str:
    """A note as it can stand in the notes section: not indented, or it would become code."""
    rows = raw.split("\n")
    margin = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    return "\n".join(row[margin:].rstrip() for row in rows)


def _combine_lines(first: ReviewLine, second: ReviewLine) -> ReviewLine:
    """Two lines for one proposal: the one with a mark counts, two different marks are unclear."""
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
    """Text without emphasis and line breaks: a formatter may change `_a_` to `*a*` and wrap lines."""
    return " ".join(re.sub(r"[*_\\]", "", text).split())
