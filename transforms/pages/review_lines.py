"""A line of REVIEW.md as a person leaves it: its box, its id, its words, and whether they are struck through."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from transforms.patterns.late_pattern import compile_late

ReviewMark = Literal["open", "approve", "reject", "unclear"]

_PROPOSAL = r"[pf]-\d{8}-\d{3,}"
ID = compile_late(rf"\b{_PROPOSAL}\b")
_OPTIONAL_BULLET = r"\s*(?:[-*+•]\s+|\d+[.)]\s+)?"
_BOX = r"\\?\[(?P<mark>[^\]\n]{0,3})\\?\]"
_ITEM_START = compile_late(rf"^{_OPTIONAL_BULLET}[~*_]*\s*(?:\\?\[[^\]\n]{{0,3}}\\?\])?[~\s]*[`*~]*{_PROPOSAL}\b")
_BOX_START = compile_late(rf"^{_OPTIONAL_BULLET}(?:~~\s*)?\\?\[[^\]\n]{{0,3}}\\?\]\s+\S")
_REVIEW_ITEM = compile_late(rf"^{_OPTIONAL_BULLET}[*_]*\s*(?:{_BOX})?\s*[`*]*(?P<id>{_PROPOSAL})[`*]*:?[ \t]*(?P<text>.*)$")
_BOXED = compile_late(rf"^{_OPTIONAL_BULLET}{_BOX}\s+(?P<text>\S.*)$")
_STRUCK = compile_late(
    r"(?<!\\)~~(?=\S)(?P<struck>(?:(?!~~).)*?\w(?:(?!~~).)*?)(?<=\S)~~"
)  # tildes without a word strike nothing
_STRIKE_TAG = compile_late(r"(?i)</?(?:s|del|strike)>")
_STRUCK_BULLET = compile_late(r"^(\s*)~~\s*([-*+•]|\d+[.)])\s+(?=\S.*~~\s*$)")
"""A strike that was put around a whole row, with its bullet."""
_BROKEN_ID = compile_late(r"^[`*]*[pf]-[\d-]{2,}[`*]*:?\s*")
_LINE_WORD = compile_late(r"\w+")

_APPROVED = frozenset({"x", "X", "✓", "✔", "✅"})
_REJECTED = frozenset({"-", "–", "—"})
LEAST_LIKENESS = 0.5
"""Share of common words from which a line without id is taken for the proposal whose id is gone from the page."""


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """A proposal as a page shows it. `section` is the heading above it, if that is one of ours."""

    mark: ReviewMark
    text: str
    section: str | None


@dataclass(frozen=True, slots=True)
class ReadItem:
    """A line with a box, and its rows as written; `proposal_id` is empty when it names none."""

    proposal_id: str
    mark: ReviewMark
    text: str
    raw: str


def begins_item(row: str) -> bool:
    """Whether a row begins a line with a box or with the id of a proposal."""
    plain = _strike_behind_bullet(row)
    return bool(_ITEM_START.match(plain) or _BOX_START.match(plain))


def read_item(rows: Sequence[str], shown: Mapping[str, str] | None) -> tuple[ReadItem | None, list[str]]:
    """Return the line that some rows are, and the rows that are a remark below it; None when they are words without a box.

    A line that is struck through as a whole is rejected, also without a box; words struck inside of it are gone from it.
    `shown` are the texts that the page showed, by id: below an unchanged one a row flush left is a remark, else wrapped text.
    None stands for a page as we rendered it, in which nobody struck anything.
    """
    first, more = _strike_behind_bullet(rows[0]), list(rows[1:])
    if not ID.search(first):
        joined = " ".join([first, *(row.strip() for row in more)])
        plain = _BOXED.match(joined)
        if plain is None:
            return None, list(rows)
        is_struck = not strip_emphasis(_STRUCK.sub("", plain["text"]))
        mark = _combine_strike(_read_mark(plain["mark"]), is_struck)
        text = _STRUCK.sub(lambda match: match["struck"] if is_struck else "", plain["text"])
        return ReadItem("", mark, " ".join(_BROKEN_ID.sub("", text).split()), "\n".join(rows)), []
    heads = (_REVIEW_ITEM.match(first), _REVIEW_ITEM.match(first.replace("~~", "")))
    is_whole = shown is not None and any(head and is_same(head["text"], shown.get(head["id"], "")) for head in heads)
    remarks = [row for row in more if is_whole and row and not row[0].isspace()]
    joined = " ".join([first, *(_STRIKE_TAG.sub("~~", row.strip()) for row in more if row not in remarks)])
    item = _read_whole(joined, shown)
    written = "\n".join(row for row in rows if row not in remarks)
    return (None, list(rows)) if item is None else (replace(item, raw=written), remarks)


def match_lost_lines(texts: Mapping[int, str], missing: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield for lines whose id is gone their key and the one missing proposal that their words are most like."""
    pairs = [(compare_words(text, words), index, key) for index, text in texts.items() for key, words in missing.items()]
    taken: set[int | str] = set()
    for likeness, index, key in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if likeness >= LEAST_LIKENESS and not {index, key} & taken:
            taken |= {index, key}
            yield index, key


def combine_lines(first: ReviewLine, second: ReviewLine, shown: str) -> ReviewLine:
    """Combine two lines for one proposal: the one with a mark counts, two different marks are unclear, and of two without a mark
    the one that was shown counts."""
    marks = {first.mark, second.mark} - {"open"}
    if len(marks) > 1:
        return ReviewLine("unclear", first.text, first.section)
    is_second = first.mark == "open" if marks else is_same(second.text, shown)
    return second if is_second else first


def says_more(line: ReviewLine, taken: ReviewLine, shown: str) -> bool:
    """Whether a line has words of the owner that no decision keeps: of a rejected line, or of another one with its id."""
    known = f"{shown} {taken.text}" if taken.mark != "reject" else shown
    return bool(_find_words(line.text) - _find_words(known))


def strip_emphasis(text: str) -> str:
    """Return text without emphasis and line breaks: a formatter may change `_a_` to `*a*` and wrap lines."""
    return " ".join(re.sub(r"[*_\\]", "", text).split())


def is_same(first: str, second: str) -> bool:
    """Whether two texts have the same words, in any form."""
    return strip_emphasis(first) == strip_emphasis(second)


def _strike_behind_bullet(row: str) -> str:
    """Return a row with tildes for its strikes; one around the whole row begins behind its bullet."""
    return _STRUCK_BULLET.sub(r"\1\2 ~~", _STRIKE_TAG.sub("~~", row))


def _read_whole(joined: str, shown: Mapping[str, str] | None) -> ReadItem | None:
    plain = _REVIEW_ITEM.match(joined)
    if plain is not None and plain["mark"] is not None:
        text = " ".join(plain["text"].split())
        if "~~" not in text or shown is None or _begins_with(shown.get(plain["id"], ""), text):
            return ReadItem(plain["id"], _read_mark(plain["mark"]), text, joined)
    bare, outside = _STRUCK.sub(lambda match: match["struck"], joined), _STRUCK.sub(" ", joined)
    item = _REVIEW_ITEM.match(bare)
    if item is None or bare == joined:
        return (
            ReadItem(plain["id"], _read_mark(plain["mark"]), plain["text"], joined)
            if plain and plain["mark"] is not None
            else None
        )
    rest = re.sub(rf"^{_OPTIONAL_BULLET}[*_]*\s*(?:\\?\[[^\]\n]{{0,3}}\\?\])?\s*[`*]*(?:{_PROPOSAL})?[`*]*:?", "", outside)
    is_struck = not _LINE_WORD.search(rest)
    if item["mark"] is None and not is_struck:
        return None
    mark = _combine_strike(_read_mark(item["mark"] or ""), is_struck)
    return ReadItem(item["id"], mark, " ".join((item["text"] if is_struck else rest).split()), joined)


def _begins_with(shown: str, text: str) -> bool:
    """Whether a text is the one that was shown, or its beginning: an editor may wrap the rest into a heading of its own."""
    return strip_emphasis(shown).startswith(strip_emphasis(text))


def _combine_strike(mark: ReviewMark, is_struck: bool) -> ReviewMark:
    """Return the meaning of a box and a strike; a tick on words that are struck through says two things."""
    if not is_struck:
        return mark
    return "reject" if mark in ("open", "reject") else "unclear"


def _read_mark(inside: str) -> ReviewMark:
    mark = inside.strip()
    if not mark:
        return "open"
    if mark in _APPROVED:
        return "approve"
    return "reject" if mark in _REJECTED else "unclear"


def compare_words(text: str, other: str) -> float:
    """Return the share of words that two texts have in common."""
    words, other_words = _find_words(text), _find_words(other)
    return len(words & other_words) / max(1, len(words | other_words))


def _find_words(text: str) -> set[str]:
    return set(_LINE_WORD.findall(text.casefold()))
