"""Lines of any message as an excerpt shows them: Markdown, logs and tables become plain lines."""

from __future__ import annotations

from transforms.patterns.late_pattern import compile_late

_FENCE_OR_FRAME = compile_late(r"\s*(?:(?:`{3,}|~{3,})[\w+-]*|[\u2500-\u257f\s]+)\s*")
_QUOTE_MARK = compile_late(r"^\s*(?:>\s?)+")
_BLOCK_MARK = compile_late(r"^\s*(?:(#{1,6})|(?:[-*+•]|\d{1,3}[.)])(?:\s+\[[ xX]\])?)\s+")
_FIRST_SYMBOLS = compile_late(r"^\s*[\u2700-\u27bf\U0001f300-\U0001faff\u2600-\u26ff\ufe0f]+\s*")
_BOLD = compile_late(r"(?<![\w*`])\*\*(?=\S)([^*\n`]+?|`[^`\n]+`)(?<=\S)\*\*(?![\w*`])")
_CELL_BORDER = compile_late(r"\s*\|\s*")
ENDS = ".!?:;…"
"""Marks that end a line; one without such a mark goes on in a line that begins in lower case."""


def split_shown_lines(text: str) -> list[str]:
    """Return the lines of a text without Markdown's marks of blocks and of bold words; lines without a word are left out.

    A heading ends with a colon, the cells of a table are parted by commas, and a line that was wrapped is one. All else stays as
    written: a path, a link or a pattern may be the answer.
    """
    lines: list[str] = []
    for line in text.splitlines():
        shown = "" if _FENCE_OR_FRAME.fullmatch(line) else _show_line(line)
        is_continued = bool(lines) and shown[:1].islower() and not _BLOCK_MARK.match(line)
        if is_continued and lines[-1] and lines[-1][-1] not in ENDS:
            lines[-1] = f"{lines[-1]} {shown}"
        else:
            lines.append(shown)
    return [line for line in lines if any(map(str.isalnum, line))]


def _show_line(line: str) -> str:
    bare = line.strip()
    if bare.startswith("|"):
        return _strip_bold(_CELL_BORDER.sub(", ", bare.strip("| ")))
    line = _QUOTE_MARK.sub("", line)
    block = _BLOCK_MARK.match(line)
    plain = _strip_bold(_FIRST_SYMBOLS.sub("", line[block.end() :] if block else line))
    return f"{plain.rstrip(':')}:" if block and block[1] else plain


def _strip_bold(line: str) -> str:
    return " ".join(_BOLD.sub(r"\1", line).split())
