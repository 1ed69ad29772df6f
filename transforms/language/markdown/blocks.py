"""Splits Markdown into blocks of prose: headings, paragraphs and items. Short commands stay where words announce them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from transforms.language.sentences import strip_markdown
from transforms.patterns.late_pattern import compile_late

_FENCED_BLOCK = compile_late(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|^[ \t]*::[a-z][\w-]*\{(?:[^{}]|\{[^{}]*\})*\}[ \t]*$", re.S | re.M
)
"""A code fence, and what a client is told to do: `::code-comment{title="…" start=96}`."""
_HEADING_TEXT = compile_late(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*$")
_BOLD_HEADING = compile_late(r"^\s*\*\*([^*]{2,80})\*\*:?\s*$")
_LIST_ITEM = compile_late(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_TABLE_ROW = compile_late(r"^\s*\|.*\|?\s*$")
_RULE = compile_late(r"^\s*(?:[-*_=]\s*){3,}$")
_FRAME = compile_late(r"[\u2500-\u257f]{5,}[\s`*]*$")
"""A drawn line, perhaps with the title of its frame."""
_NUMBERING = compile_late(r"^(?:\d{1,2}[.)]|[a-z]\))\s+", re.I)
_ANNOUNCING = (":", "：")
COMMAND_CHARS, MOST_COMMANDS = 120, 3
"""Characters and lines of a block of code that stands as code in the sentence that announces it."""
GAP_CHARS = 8
"""Characters between a block and what follows it."""

Kind = Literal["heading", "paragraph", "item"]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph or a list item; `depth` is the indentation of an item in columns."""

    kind: Kind
    text: str
    depth: int = 0


def parse_blocks(markdown: str) -> list[Block]:
    """Return the prose of a Markdown text: without long code, tables and rules; emphasis and links become plain words."""
    parsed: list[tuple[Kind, list[str], int]] = []
    is_open = False
    for line in _fold_code(markdown).splitlines():
        if not line.strip() or _RULE.match(line) or _TABLE_ROW.match(line) or _FRAME.search(line):
            is_open = False
            continue
        if is_open and _is_comment(line):
            continue
        heading = _match_heading(line)
        item = _LIST_ITEM.match(line)
        if heading:
            parsed.append(("heading", [_NUMBERING.sub("", strip_markdown(heading[1]).rstrip(":"))], 0))
        elif item:
            parsed.append(("item", [strip_markdown(item[2])], len(item[1].expandtabs(4))))
        elif is_open:
            parsed[-1][1].append(strip_markdown(line))
            continue
        else:
            parsed.append(("paragraph", [strip_markdown(line)], 0))
        is_open = heading is None
    return [Block(kind, text, depth) for kind, lines, depth in parsed if (text := " ".join(lines))]


def _match_heading(line: str) -> re.Match[str] | None:
    return _HEADING_TEXT.match(line) or _BOLD_HEADING.match(line)


def _is_comment(line: str) -> bool:
    """Whether an indented line, right behind others of its item or paragraph, is a comment of the commands there."""
    return line[0].isspace() and line.lstrip().startswith("# ")


def _fold_code(markdown: str) -> str:
    """Return a text without its fenced blocks. What announces one with a colon has its commands as code where they are few and
    short, else "…": it introduces nothing that stands behind the block."""
    pieces, end = list[str](), 0
    for fence in _FENCED_BLOCK.finditer(markdown):
        before = markdown[end : fence.start()]
        end = fence.end()
        lead = before.rstrip()
        if not (fence[1] and lead.endswith(_ANNOUNCING)) or _match_heading(lead[lead.rfind("\n") + 1 :]):
            pieces.append(f"{before}\n\n")
            continue
        code = _spell_commands(fence[0])
        gap = markdown[end : end + GAP_CHARS]
        behind = gap.lstrip()
        if goes_on := behind[:1].islower():  # the sentence goes on
            end += len(gap) - len(behind)
        left_out = f"{lead[:-1]} …" if goes_on else f"{lead[:-1]}…"
        pieces.append(f"{lead} {code}" if code else left_out)
        pieces.append(" " if goes_on else "\n\n")
    return "".join([*pieces, markdown[end:]])


def _spell_commands(block: str) -> str:
    """Return the lines of a fenced block as code; empty where they are long or many, or have signs of code themselves."""
    inner = block.strip().splitlines()[1:]
    inner = inner[:-1] if inner and inner[-1].strip().startswith(("```", "~~~")) else inner
    lines = [line.strip() for line in inner if line.strip() and not line.strip().startswith("# ")]
    is_short = len(lines) <= MOST_COMMANDS and sum(map(len, lines)) <= COMMAND_CHARS
    are_whole = all("`" not in line and any(map(str.isalnum, line)) for line in lines)  # "{" alone is the rest of something
    return ", ".join(f"`{line}`" for line in lines) if is_short and are_whole else ""


def list_table_rows(markdown: str) -> str:
    """Return a Markdown text with each row of a table as an item of a list: "first cell, Head: second cell, …".

    A first column that only counts the rows goes, and so do code fences: what they hold is no table.
    """
    lines: list[str] = []
    table: list[list[str]] = []
    for line in [*_FENCED_BLOCK.sub("\n\n", markdown).splitlines(), None]:
        if line is not None and _TABLE_ROW.match(line):
            table.append([strip_markdown(cell) for cell in line.strip().strip("|").split("|")])
            continue
        if table:
            lines += ["", *_spell_rows(table[0], table[1:]), ""]
            table = []
        if line is not None:
            lines.append(line)
    return "\n".join(lines)


def _spell_rows(head: list[str], below: Sequence[list[str]]) -> Iterator[str]:
    rows = [row for row in below if any(cell.strip(":- ") for cell in row)]
    counts = [row[0] for row in rows if row[0]]
    is_counted = counts == [str(number) for number in range(1, len(counts) + 1)]
    for row in rows:
        named = zip_longest(head[: len(row)], row, fillvalue="")
        spelled = [
            f"{name}: {cell}" if name and column else cell
            for column, (name, cell) in enumerate(named)
            if cell and not (is_counted and column == 0)
        ]
        yield f"- {', '.join(spelled)}" if spelled else ""
