"""REVIEW.md: the values of the page, and the meaning of a person's edits.

Reading is forgiving about form (other bullets, indentation, wrapped or moved lines, Windows line ends, notes in between) and
strict about meaning: only a page with our render id at its start and at its end counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from transforms.pages.memory_md import MAX_LINE_CHARS, has_conflict_marks
from transforms.pages.review_lines import (
    ID,
    ReadItem,
    ReviewLine,
    begins_item,
    match_lost_lines,
    read_item,
    strip_emphasis,
)
from transforms.patterns.late_pattern import compile_late
from transforms.tables.rows import ProposalRow
from transforms.tables.surrogates import replace_surrogates

FRICTION_HEADING = "Friction Fixes"
_SECTION_HEADING = "Proposed for: "
NOTES_HEADING = "Your notes"
_FOOTER_START = (
    r"(?:\d+ proposals? pending(?![a-z])"
    r"|(?:Last reflection, not proposed|Next, when there is room|Approved, not yet in MEMORY\.md): )"
)
_FOOTER = compile_late(f"^_?{_FOOTER_START}")
_FOOTER_ROW = compile_late(rf"^_{_FOOTER_START}[^\n]*_[^\S\n]*$", re.M)
"""A line of our footer: where the owner wrote right above or below, it is one paragraph with that for Markdown."""
_BARE_MARKERS = compile_late(r"[\s>*+-]*(?:\d+[.)])?\s*")
"""What is left of an emptied item or quotation."""
_REVIEW_START = compile_late(r"<!-- recollect:review (\S+) -->")
_REVIEW_END = compile_late(r"<!-- /recollect:review (\S+) -->")
_MARK = compile_late(r"<!-- /?recollect:review \S+ -->")
_HTML_ENDS = ("-->", "</pre>", "</script>", "</style>", "</textarea>", "?>", "]]>")
_OWN_ROW = compile_late(
    r"<!-- /?recollect:review \S+ -->"
    rf"|#{{1,2}} (?:{_SECTION_HEADING}|{FRICTION_HEADING}$|{NOTES_HEADING}$|Pending Memory Proposals$)"
    r"|[-*+] \[.\] `[pf]-\d{8}-\d{3,}`|_(?:Tick `\[x\]` to approve |Write `\[-\]`, |No proposal waits )"
)
"""A row of our page by its beginning."""


@dataclass(frozen=True, slots=True)
class ReviewSource:
    """An observation behind a proposal, as the page shows it; `answered` is the question or option that the quotation answers,
    `is_summed_up`: the line is in the words of an agent's summary rather than in these."""

    said: str
    project: str
    session: str
    quote: str
    observation_id: str
    answered: str = ""
    is_summed_up: bool = False

    @property
    def quoted(self) -> str:
        """The quotation in its marks, with what it answers, and whose words the line has; empty without one."""
        answered = f", answering “{self.answered}”" if self.answered else ""
        summed_up = ", in the words of an agent's summary" if self.is_summed_up else ""
        return f"“{self.quote}”{answered}{summed_up}" if self.quote else ""


def drop_repeated(sources: Sequence[ReviewSource]) -> list[ReviewSource]:
    """Return the sources without those that quote the same words of the same moment: several facts may rest on one message."""
    first: dict[tuple[str, ...], ReviewSource] = {}
    for source in sources:
        key = (source.said, source.session, source.quote) if source.quote else (source.observation_id,)
        first.setdefault(key, source)
    return list(first.values())


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A pending proposal with its evidence. `vanished` is the line that it was to replace and that is gone,
    `severity` the pattern of friction and its cost, or a sentence about another line.

    `caution` names its evidence when neither the owner nor an agent said it; empty when one did. `project` is where a line
    without evidence was saved.
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
    project: str = ""


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """The proposals of one section of MEMORY.md, or the friction fixes."""

    heading: str
    items: tuple[ReviewItem, ...]


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """The values of the template. `left_out` are the reasons of the last reflection not to propose something, with counts;
    `next_lines` are the first that wait for room, and `more_waiting` counts the observations behind others. `unwritten` lines are
    approved, and MEMORY.md could not take them yet."""

    render_id: str
    groups: tuple[ReviewGroup, ...]
    notes: tuple[str, ...]
    expire_days: int
    newest: str
    left_out: tuple[tuple[str, int], ...] = ()
    next_lines: tuple[str, ...] = ()
    more_waiting: int = 0
    unwritten: tuple[str, ...] = ()

    @property
    def pending(self) -> int:
        """The number of proposals that wait."""
        return sum(len(group.items) for group in self.groups)


@dataclass(frozen=True, slots=True)
class OwnLine:
    """A ticked line that the owner wrote into the page; `section` is the heading above it, if that is one of ours."""

    text: str
    section: str | None


@dataclass(frozen=True, slots=True)
class ParsedReview:
    """A REVIEW.md as read back. `mentioned` are the ids outside our own wording.

    `own` are ticked lines of the owner, `notes` other texts that are not ours.
    """

    render_id: str | None
    is_complete: bool
    lines: dict[str, ReviewLine]
    mentioned: frozenset[str]
    notes: tuple[str, ...]
    own: tuple[OwnLine, ...] = ()
    has_conflict: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line with a box, or without `item` a note of the owner."""

    raw: str
    section: str | None
    item: ReadItem | None = None

    @property
    def line(self) -> ReviewLine:
        """The owner's mark and storable text on this piece; an open mark without text when the owner removed its line."""
        if self.item is None:
            return ReviewLine("open", "", self.section)
        return ReviewLine(self.item.mark, replace_surrogates(self.item.text), self.section)

    @property
    def is_own(self) -> bool:
        """Whether the piece is an approved line of acceptable length."""
        return self.line.mark == "approve" and 0 < len(self.line.text) <= MAX_LINE_CHARS


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
        by_heading.setdefault(FRICTION_HEADING if kind == "friction" else _SECTION_HEADING + item.section, []).append(item)
    rank = {_SECTION_HEADING + name: position for position, name in enumerate(order)}
    names = sorted(by_heading, key=lambda name: (name == FRICTION_HEADING, rank.get(name, len(rank)), name))
    return tuple(ReviewGroup(name, tuple(by_heading[name])) for name in names)


def read_review(text: str, base: str = "") -> ParsedReview:
    """Return the content of the page. `base` is the last rendering, which separates a person's notes from our own words.

    A line whose id is gone is the proposal that it reads like, of those that the page does not name any more.
    """
    start, end = _REVIEW_START.search(text), _REVIEW_END.search(text)
    is_complete = bool(start and end and start[1] == end[1] and start.end() <= end.start())
    own_words = {unit.words for unit in _split_units(base)}
    shown = _list_shown(base)
    mentioned = frozenset(key for unit in _split_units(text) if unit.words not in own_words for key in ID.findall(unit.raw))
    pieces = list(_list_pieces(text, base, shown))
    lines: dict[str, ReviewLine] = {}
    for piece in pieces:
        if piece.item and (key := piece.item.proposal_id):
            lines[key] = _combine_lines(lines[key], piece.line) if key in lines else piece.line
    lost = {index: piece.item.text for index, piece in enumerate(pieces) if piece.item and piece.item.proposal_id not in shown}
    matched = dict(match_lost_lines(lost, {key: words for key, words in shown.items() if key not in lines}))
    lines |= {key: pieces[index].line for index, key in matched.items()}
    texts = [piece for at, piece in enumerate(pieces) if at not in matched and not (piece.item and piece.item.proposal_id)]
    return ParsedReview(
        start[1] if start else None,
        is_complete,
        lines,
        mentioned | lines.keys(),
        tuple(_dedent_note(piece.raw) for piece in texts if not piece.is_own),
        tuple(OwnLine(piece.line.text, piece.section) for piece in texts if piece.is_own),
        has_conflict_marks(text),
    )


def read_rendered_lines(base: str) -> dict[str, ReviewLine]:
    """Return the proposals on a page as it was rendered."""
    return read_review(base, base).lines


def format_newest_time(rows: Sequence[ProposalRow], zone: tzinfo) -> str:
    """Return when the newest evidence of the proposals was said, as the lines of evidence say it; empty when there is none."""
    times = [said_at for row in rows if isinstance(said_at := row["said_at"], datetime)]
    return max(times).astimezone(zone).strftime("%Y-%m-%d %H:%M") if times else ""


@lru_cache(maxsize=4)
def _split_units(text: str) -> tuple[_Unit, ...]:
    """Return the parts of a page; a page and its last rendering are asked for several times each."""
    return tuple(_parse_units(text))


def _parse_units(text: str) -> Iterator[_Unit]:
    text = "\n".join(re.split(r"\r\n|\r|\n", text))
    return _read_rows(_FOOTER_ROW.sub(r"\n\g<0>\n", text).split("\n"), None)


def _read_rows(rows: Sequence[str], section: str | None) -> Iterator[_Unit]:
    tokens = MarkdownIt("commonmark").parse("\n".join(rows))
    end = 0
    for index, token in enumerate(tokens):
        if token.map is None or token.type not in ("inline", "html_block", "fence", "code_block", "hr"):
            continue
        is_heading = index > 0 and tokens[index - 1].type == "heading_open"
        start, stop = (tokens[index - 1] if is_heading else token).map or token.map  # a heading with the line below it
        yield from _read_bare_rows(rows[end:start], section)
        if (own := _find_swallowed(token, rows, start, stop)) is not None:
            raw = "\n".join(rows[start:own]).rstrip()
            yield _Unit(token.type, raw, raw, section)
            yield from _read_rows(rows[own:], section)
            return
        end = max(end, stop)
        raw = "\n".join(rows[start:stop])
        if is_heading and token.level == 1:
            section = token.content.removeprefix(_SECTION_HEADING).strip() if token.content.startswith(_SECTION_HEADING) else None
        words = raw.strip() if token.type == "hr" else strip_emphasis(token.content)
        yield _Unit("heading" if is_heading else token.type, words, raw, section)
    yield from _read_bare_rows(rows[end:], section)


def _find_swallowed(token: Token, rows: Sequence[str], start: int, stop: int) -> int | None:
    """Return the first row of our page in a code fence, comment or element that its owner left open; it ends there for us."""
    if token.type not in ("fence", "html_block"):
        return None
    last = next((row.strip() for row in reversed(rows[start + 1 : stop]) if row.strip()), "")
    if token.type == "fence":
        is_closed = set(last) == {token.markup[0]} and len(last) >= len(token.markup)
    else:
        is_closed = last.endswith(_HTML_ENDS) and not _MARK.search(last)
    if is_closed:
        return None
    return next(
        (index for index in range(start + 1, stop) if _OWN_ROW.match(rows[index]) or _FOOTER_ROW.match(rows[index])), None
    )


def _read_bare_rows(rows: Sequence[str], section: str | None) -> Iterator[_Unit]:
    """Yield the rows that Markdown shows nothing of, as the target of a link: they are their owner's all the same."""
    for row in rows:
        if not _BARE_MARKERS.fullmatch(row):
            yield _Unit("bare", row.strip(), row, section)


def _list_pieces(text: str, base: str, shown: Mapping[str, str]) -> Iterator[_Piece]:
    """Yield the lines with a box and the notes, in the order of the page; carried notes are never lines."""
    own_words = {unit.words for unit in _split_units(base)} | {NOTES_HEADING}
    carried = {words for words, _ in _list_carried_notes(base)}
    for unit in _split_units(text):
        is_carried = unit.words in carried
        items, rest = ([], unit.raw) if is_carried else _read_unit(unit, shown)
        yield from (_Piece(item.raw, unit.section, item) for item in items)
        is_note = is_carried or (unit.words if rest == unit.raw else strip_emphasis(rest)) not in own_words
        if rest.strip() and is_note and not _is_frame(rest):
            yield _Piece(rest, unit.section)


def _list_shown(base: str) -> dict[str, str]:
    """Return the texts of the proposals on a page that we rendered, by id."""
    return {item.proposal_id: item.text for unit in _split_units(base) for item in _read_unit(unit, None)[0] if item.proposal_id}


def _read_unit(unit: _Unit, shown: Mapping[str, str] | None) -> tuple[list[ReadItem], str]:
    """Return the lines with a box in a unit, and the words of the unit that belong to none."""
    if unit.kind not in ("inline", "code_block") or ("[" not in unit.raw and not ID.search(unit.raw)):
        return [], unit.raw
    items: list[ReadItem] = []
    rest: list[str] = []
    parts: list[list[str]] = []
    for row in unit.raw.split("\n"):
        if begins_item(row):
            parts.append([row])
        elif parts:
            parts[-1].append(row)
        else:
            rest.append(row)
    for rows in parts:
        item, remarks = read_item(rows, shown)
        items += [item] if item else []
        rest += remarks
    return items, "\n".join(rest)


def _list_carried_notes(base: str) -> list[tuple[str, str]]:
    """Return words and lines of the notes on a page that we rendered."""
    units = _split_units(base)
    heading_at = next(
        (index for index, unit in enumerate(units) if unit.kind == "heading" and unit.words == NOTES_HEADING), len(units)
    )
    return [(unit.words, unit.raw) for unit in units[heading_at + 1 :] if not _is_frame(unit.raw)]


def _is_frame(raw: str) -> bool:
    """Whether a text holds our marks or footer, or swallowed them (an open code fence): it is not a note."""
    return bool(_REVIEW_START.search(raw) or _REVIEW_END.search(raw) or _FOOTER.search(raw.strip()))


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
