"""Text taken apart: Markdown into blocks, blocks into sentences, sentences into the words and specifics they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.S | re.M)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*$")
_BOLD_HEADING = re.compile(r"^\s*\*\*([^*]{2,80})\*\*:?\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_TABLE = re.compile(r"^\s*\|.*\|?\s*$")
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
_EMPHASIS = re.compile(r"(?<![\w*])\*{1,3}(?=\S)([^*\n]+?)(?<=\S)\*{1,3}(?![\w*])")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*\)")
_MARKS = re.compile(r"[\u2700-\u27bf\U0001f300-\U0001faff\u2600-\u26ff\ufe0f]+\s*")
_NUMBERING = re.compile(r"^(?:\d{1,2}[.)]|[a-z]\))\s+", re.I)
_SPACES = re.compile(r"\s+")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|mr|mrs|dr|st|fig)\.|\b[A-Z]\.)$", re.I)
_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|(?<=[。！？；])\s*|\n+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")

Kind = Literal["heading", "paragraph", "item"]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, or a list item; `depth` is the indentation of an item in columns."""

    kind: Kind
    text: str
    depth: int = 0


def blocks(markdown: str) -> list[Block]:
    """The prose of a Markdown text; code fences, tables and rules are left out, emphasis and links become plain words."""
    found: list[Block] = []
    is_open = False
    for line in _FENCE.sub("\n\n", markdown).splitlines():
        if not line.strip() or _RULE.match(line) or _TABLE.match(line):
            is_open = False
            continue
        heading = _HEADING.match(line) or _BOLD_HEADING.match(line)
        item = _ITEM.match(line)
        if heading:
            found.append(Block("heading", _NUMBERING.sub("", plain(heading[1]).rstrip(":"))))
        elif item:
            found.append(Block("item", plain(item[2]), len(item[1].expandtabs(4))))
        elif is_open and found[-1].kind != "heading":
            found[-1] = Block(found[-1].kind, f"{found[-1].text} {plain(line)}", found[-1].depth)
            continue
        else:
            found.append(Block("paragraph", plain(line)))
        is_open = heading is None
    return [block for block in found if block.text]


def plain(text: str) -> str:
    """One line of text without emphasis, link targets, quote marks of Markdown and decorative symbols."""
    bare = _LINK.sub(r"\1", _MARKS.sub("", text.strip().removeprefix(">")))
    return _SPACES.sub(" ", _EMPHASIS.sub(r"\1", bare)).strip()


def sentences(text: str) -> list[str]:
    """The sentences of a text; line breaks end one, abbreviations do not, code spans are never cut."""
    parts: list[str] = []
    for part in _cut(text):
        if parts and (_ABBREVIATION.search(parts[-1]) or parts[-1].count("`") % 2):
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return parts


def _cut(text: str) -> Iterator[str]:
    at = 0
    for end in _END.finditer(text):
        piece = text[at : end.end()].strip()
        if piece:
            yield piece
        at = end.end()
    if last := text[at:].strip():
        yield last


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return _SPACES.sub(" ", text).strip()


def shorten(text: str, limit: int) -> str:
    """The text within `limit` characters: cut after a sentence or clause where one ends late enough, else at a word."""
    if len(text) <= limit:
        return text
    head = text[: max(limit - 1, 1)]
    for mark in (". ", "; ", ", "):
        at = head.rfind(mark)
        if at >= limit * 0.6:
            return head[:at].rstrip(" ,;:(") + ("" if mark == ". " else "…")
    return head[: max(head.rfind(" "), limit // 2)].rstrip(" ,;:(") + "…"


def words(text: str) -> list[str]:
    """Lower-case words; every character of a script without spaces is one."""
    return [word.lower() for part in _WORD.findall(text) for word in (_CJK.findall(part) or [part])]


_STOP = frozenset(
    re.findall(
        r"\S+",
        """
    a about after again all also am an and any are as at be because been before being but by can could did do does
    doing done for from get gets got had has have having he her here him his how i if in into is it its just let like
    make me more most my need no not now of off ok on once only or our out over own please same she should so some
    such than that the their them then there these they this those through to too under until up use used using very
    want was we were what when where which while who why will with would yes you your user agent asked said it's i'm
    don't i've we've let's that's
    """,
    )
)


def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning: without function words; identifiers also count by their parts."""
    return frozenset(word for word in words(split_names(text)) if word not in _STOP and (len(word) > 1 or _CJK.match(word)))


def is_unspaced(text: str) -> bool:
    """Whether most of a text is in a script without spaces (Chinese, Japanese, Korean)."""
    return len(_CJK.findall(text)) > 0.3 * len(re.sub(r"`[^`]*`|\s", "", text))


def split_names(text: str) -> str:
    """The text with camelCase names also written as separate words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
