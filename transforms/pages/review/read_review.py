"""Reads REVIEW.md back: the lines with a box, those that the owner wrote, and the notes around them.

Reading is forgiving about form (other bullets, indentation, wrapped or moved lines, Windows line ends, notes in between) and
strict about meaning: only a page with our render id at its start and at its end counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from markdown_it import MarkdownIt
from markdown_it.token import Token

from transforms.pages.memory_md import MAX_LINE_CHARS, has_conflict_marks
from transforms.pages.review_lines import (
    ID,
    ReadItem,
    ReviewLine,
    begins_item,
    combine_lines,
    match_lost_lines,
    read_item,
    says_more,
    strip_emphasis,
)
from transforms.pages.review_md import FRICTION_HEADING, NOTES_HEADING, SECTION_HEADING
from transforms.patterns.late_pattern import compile_late
from transforms.tables.surrogates import replace_surrogates

_FOOTER_START = (
    r"(?:\d+ proposals? pending(?![a-z])"
    r"|(?:Last reflection, not proposed|Next, when there is room|Approved, not yet in MEMORY\.md): )"
)
_PENDING = compile_late(r"^\d+ proposals? pending(?![a-z])")
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
    rf"|#{{1,2}} (?:{SECTION_HEADING}|{FRICTION_HEADING}$|{NOTES_HEADING}$|Pending Memory Proposals$)"
    r"|[-*+] \[.\] `[pf]-\d{8}-\d{3,}`|_(?:Tick `\[x\]` to approve |Write `\[-\]`, |No proposal waits )"
)
"""A row of our page by its beginning."""


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
    def key(self) -> str:
        """The id of the proposal that the piece names; empty when it names none."""
        return self.item.proposal_id if self.item else ""

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


def read_review(text: str, base: str = "") -> ParsedReview:
    """Return the content of the page. `base` is the last rendering, which separates a person's notes from our own words.

    A line whose id is gone is the proposal that it reads like, of those that the page does not name any more.
    """
    start = _REVIEW_START.search(text)  # a note may hold the end of an older page
    is_complete = start is not None and any(end[1] == start[1] for end in _REVIEW_END.finditer(text, start.end()))
    own, carried = _part_rendering(base)
    evidence = {unit.words for unit in own if not _read_unit(unit, None)[0]}
    shown = _list_shown(base)
    named = Counter(key for unit in _split_units(text) if unit.words not in evidence for key in ID.findall(unit.raw))
    mentioned = frozenset(named - Counter(key for unit in carried for key in ID.findall(unit.raw)))
    pieces = list(_list_pieces(text, base, shown))
    lines: dict[str, ReviewLine] = {}
    for piece in pieces:
        if piece.key:
            former = lines.get(piece.key)
            lines[piece.key] = combine_lines(former, piece.line, shown.get(piece.key, "")) if former else piece.line
    lost = {index: piece.item.text for index, piece in enumerate(pieces) if piece.item and piece.item.proposal_id not in shown}
    matched = dict(match_lost_lines(lost, {key: words for key, words in shown.items() if key not in lines}))
    lines |= {key: pieces[index].line for index, key in matched.items()}
    shown_lines = {at: (key, shown[key]) for at, piece in enumerate(pieces) if (key := matched.get(at, piece.key)) in shown}
    texts = [
        piece
        for at, piece in enumerate(pieces)
        if at not in shown_lines or says_more(piece.line, lines[shown_lines[at][0]], shown_lines[at][1])
    ]
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
            section = token.content.removeprefix(SECTION_HEADING).strip() if token.content.startswith(SECTION_HEADING) else None
        words = raw.strip() if token.type == "hr" else strip_emphasis(f"{token.info} {token.content}")  # a fence has words, too
        yield _Unit("heading" if is_heading else token.type, words, raw, section)
    yield from _read_bare_rows(rows[end:], section)


def _find_swallowed(token: Token, rows: Sequence[str], start: int, stop: int) -> int | None:
    """Return the first row of our page in a code fence, comment or element that its owner left open; it ends there for us."""
    if token.type not in ("fence", "html_block"):
        return None
    inside = rows[start + 1 : stop]
    last = next((row.strip() for row in reversed(inside) if row.strip()), "")
    if token.type == "fence":
        is_closed = set(last) == {token.markup[0]} and len(last) >= len(token.markup)
    else:
        is_closed = last.endswith(_HTML_ENDS)
    if is_closed and not any(_MARK.search(row) for row in inside):  # no person shuts the frame of our page in on purpose
        return None
    return next(
        (index for index in range(start + 1, stop) if _OWN_ROW.match(rows[index]) or _FOOTER_ROW.match(rows[index])), None
    )


def _read_bare_rows(rows: Sequence[str], section: str | None) -> Iterator[_Unit]:
    """Yield the rows that Markdown shows nothing of, as the target of a link: they are their owner's all the same."""
    for is_empty, group in groupby(rows, lambda row: bool(_BARE_MARKERS.fullmatch(row))):
        raw = "" if is_empty else "\n".join(group)
        if raw:
            yield _Unit("bare", raw.strip(), raw, section)


def _list_pieces(text: str, base: str, shown: Mapping[str, str]) -> Iterator[_Piece]:
    """Yield the lines with a box and the notes, in the order of the page; carried notes are never lines."""
    own, carried = _part_rendering(base)
    own_words = {unit.words for unit in own} | {NOTES_HEADING}
    own_rows = {strip_emphasis(row) for unit in own if unit.kind in ("inline", "heading") for row in unit.raw.split("\n")}
    carried_words = {unit.words for unit in carried}
    carried_rows, text_rows = _count_rows("\n".join(unit.raw for unit in carried)), _count_rows(text)
    for unit in _split_units(text):
        if unit.words in carried_words and unit.words not in own_words:
            yield _Piece(unit.raw, unit.section)
            continue
        items, rest = _read_unit(unit, shown)
        for item in items:  # a note that was shown as code may stand free after an edit: its old tick decides nothing
            row = item.raw.partition("\n")[0].strip()
            is_carried = 0 < text_rows[row] <= carried_rows[row]
            yield _Piece(item.raw, unit.section, None if is_carried else item)
        if (unit.words if rest == unit.raw else strip_emphasis(rest)) in own_words:
            rest = _find_underline(unit)
        elif unit.kind in ("inline", "code_block"):  # one paragraph of our rows and the owner's, or our rows indented
            rest = "\n".join(row for row in rest.split("\n") if strip_emphasis(row) not in own_rows)
        rest = _MARK.sub("", rest)
        if rest.strip():
            yield _Piece(rest, unit.section)


def _count_rows(text: str) -> Counter[str]:
    return Counter(row.strip() for row in text.split("\n"))


def _list_shown(base: str) -> dict[str, str]:
    """Return the texts of the proposals on a page that we rendered, by id."""
    return {
        item.proposal_id: item.text for unit in _part_rendering(base)[0] for item in _read_unit(unit, None)[0] if item.proposal_id
    }


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


def _part_rendering(base: str) -> tuple[list[_Unit], list[_Unit]]:
    """Return the units of a page that we rendered: those in our words, and the notes that it carries above its footer."""
    units = _split_units(base)
    headings = [index for index, unit in enumerate(units) if unit.kind == "heading" and unit.words == NOTES_HEADING]
    start = headings[0] + 1 if headings else len(units)
    end = max((index for index, unit in enumerate(units) if _PENDING.search(unit.words)), default=start)
    return [*units[:start], *units[max(start, end) :]], list(units[start:end])


def _find_underline(unit: _Unit) -> str:
    """Return the dashes that the owner wrote below a paragraph of ours, which make a heading of it; empty without them."""
    *above, last = unit.raw.split("\n")
    return last if unit.kind == "heading" and above and not last.strip("=- \t") else ""


def _dedent_note(raw: str) -> str:
    """Return a note without its indentation, or the notes section would show it as code."""
    rows = raw.split("\n")
    margin = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    return "\n".join(row[margin:].rstrip() for row in rows)
