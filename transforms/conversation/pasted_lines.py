"""Finds the lines of a message that were pasted rather than typed: terminal output, logs, stack traces, code, diffs, data.

Precision comes first: a typed preference that is taken for a paste is lost, a pasted line that is taken for typed words is
only noise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from transforms.conversation.quoted_lines import find_quoted_lines, may_be_quoted
from transforms.patterns.late_pattern import compile_late

SHELL_PROMPT = compile_late(
    r"""^\s*(?:➜\s|❯\s|\$\s+\S|>>>\s|%\s+\w+\s|PS\s[A-Z]:\\|
    (?:\([\w.-]+\)\s)?[\w.-]+@[\w.-]+[^\n]{0,80}?[$#%]\s|
    ~?/[\w./~-]+\s\((?:[\w./-]+)\)\s*$
    | diff\s--git\s | \s-\d | Traceback\s\(most\srecent)""",
    re.VERBOSE,
)
"""A shell prompt, a patch, a Python trace: everything up to the next blank line belongs to it."""

_STRONG = compile_late(
    r"""^\s*at\s+(?:async\s+)?\S.*[(:/]\S*:\d+            # JavaScript and Java stack frames
    | ^\s*at\s\S+\s\(\S+\)$
    | ^\s*File\s".+",\sline\s\d+ | ^Traceback\s\(most\srecent
    | ^\s*[\w./~@-]+:\d+(?::\d+)?:?\s*$                   # path:line alone
    | ^\s*[\w./~@-]+\.\w{1,5}:\d+:(?:\d+:)?\s?\S          # grep, compiler, linter
    | ^\s*(?:Uncaught\s)?(?:[A-Z]\w*)?(?:Error|Exception|Warning)(?:\s\[\w+\])?:\s\S | ^\s*Error:\s\d{3}\b
    | ^\s*[{\[]"[^"]*"\s*[:,] | ^\s*\{"\w+":               # JSON
    | ^\s*[}\])]{1,4}[;,]?\s*$ | ^\s*\^[~^]*\s*$
    | [─━│┃┌┐└┘├┤╭╮╰╯═║█▀▄]{3} | ^\s*[⠁-⣿]\s
    | ^\[?\d{4}-\d\d-\d\d[T\s]\d\d:\d\d
    | ^\[\s*\d{1,7}\.\d{3,6}\]\s | ^\[\d{10}\]\s | ^\[?\d\d:\d\d:\d\d[\],.\s] | ^\w{3}\s+\d+\s\d\d:\d\d:\d\d\s
    | ^\s*\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\]?[:\s|]\s*\S
    | ^\[[\w.:-]{2,30}\]\s+[A-Z]\S*\s
    | ^npm\s(?:ERR!|error|warn|notice) | ^error(?:\[E\d+\]|\sTS\d+): | ^>\s[\w@/.-]+@\d[\w.-]*\s | ^panic:\s | ^fatal:\s
    | ^diff\s--git\s | ^\s-\d | ^(?:\+\+\+|---)\s[ab]?/ | ^index\s[0-9a-f]{7,}\.\.
    | ^\s*[+-]\s?\d{1,5}(?:\s|$)
    | ^\s*\d{1,5}\s*[|│→]\s? | ^\s*\d{1,5}\t
    | ^\s*(?:import|export|from)\s.+["';]\s*$ | ^\s*from\s[\w.]+\simport\s
    | ^\s*(?:export\s)?(?:const|let|var)\s[\w{\[].*=
    | ^\s*(?:export\s)?(?:default\s)?(?:async\s)?(?:function|class|interface|def|fn|func)\s\w+.*[{:(]\s*$
    | ^\s*(?:if|for|while|switch|catch)\s?\(.*\)\s*\{?\s*$ | ^\s*return\s.*;\s*$
    | ^\s*(?:public|private|protected|static)\s.*[{;]\s*$ | ^\s*//\s | ^\s*/\*\* | ^\#!/ | ^\#include\s
    | ^\s*(?:SELECT\s.+\sFROM|INSERT\sINTO|CREATE\sTABLE|UPDATE\s\w+\sSET)\s
    | ^\s*</?[a-zA-Z][\w-]*(?:\s[^<>]*)?/?>\s*$ | ^\s*<[a-zA-Z][\w-]*[^<>]*>.*</[a-zA-Z][\w-]*>\s*$ | ^\s*<\?xml | ^<!DOCTYPE
    | ^\s*\|.*\|.*\|\s*$ | ^\s*[A-Z][A-Z0-9_]{2,}=\S*\s*$
    | ^(?:Node\.js\sv\d|Debugger\sattached|Waiting\sfor\sthe\sdebugger)
    | ^\s*(?:✓|✔|✗|✘|×|PASS|FAIL)\s+\S+\.\w
    | ^[-dl](?:[r-][w-][xsS-]){3} | ^(?:total\s\d+|On\sbranch\s\S+|commit\s[0-9a-f]{40})\s*$
    | ^\S{160,}$
    """,
    re.VERBOSE,
)
"""Beginnings of lines. One such line makes its neighbours suspicious."""

_CHAT_LINE = compile_late(
    r"""^(?:(?P<bracket>\[)?\d{1,4}[./-]\d{1,2}(?:[./-]\d{2,4})?,?\s+\d{1,2}[:.]\d\d(?::\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?(?(bracket)\]|\s[-–])
    | \[\d{1,2}[:.]\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?(?:,\s[\d./-]+)?\])\s+[^\s:][^:\n]{0,40}:\s
    | ^\[[^\]\[\n]{1,40}\]\s\[[^\]\[\n\d]{0,8}\d{1,2}:\d\d[^\]\[\n\d]{0,8}\]\s+\S
    | ^(?:[^\W\d_]{1,4}\s)?\d{1,2}:\d\d(?:\s?[AaPp][Mm])?\t[^\t\n]{1,40}\t\S
    | ^\[[^\W\d_][^\]\[\n:]{0,40},\s(?:[\d./-]+,?\s)?\d{1,2}[:.]\d\d(?:\s?[AaPp][Mm])?\]:?\s+\S""",
    re.VERBOSE,
)
"""A message copied out of a chat: its moment, its sender and a colon ("[14/09, 16:22] Ines: …", "12.3.26, 09:10 - Ines: …"), or
both between brackets or tabs ("[Ines V., 16:22] …", "[민수] [오후 3:12] …")."""

_OUTPUT_INSIDE = compile_late(r"[━─│┃┌┐└┘├┤╭╮╰╯═║█▀▄]{3}|;\s*$|(?<!\s)\s{8,}+\S.*?(?<!\s)\s{8,}+\S")
"""Such a sign anywhere in a line. Kept apart, because trying all alternatives of _STRONG at every character is slow."""

_WEAK = compile_late(r"^\s{3,}\S|\S\s{2,}$|\S {3,}\S|[{}<>;=|\\]{2}|[{;,(]$|^\s*[\"'\w.-]+\"?:\s\S+,?$|^\s*(?:\S{25,})$")
_EUROPEAN_WORD = compile_late(r"[A-Za-zÀ-ɏЀ-ӿͰ-Ͽ][A-Za-zÀ-ɏЀ-ӿͰ-Ͽ'’-]*")
_POINT_WORDS = compile_late(r"^\s{0,3}(?:[-*•+]|\d{1,2}[.)])\s+(?P<words>\S.*)$")
_CJK = compile_late(r"[぀-ヿ㐀-鿿가-힯]")
_HEADING_LINE = compile_late(r"^#{1,4}\s\S")
_LABEL = compile_late(r"^[\w' -]{1,40}:?$")

MAX_TYPED_LINE_CHARS = 4000
BLOB_HEADINGS = 3


_PLAIN_WORDS = compile_late(r"(?!Caveat: |This session is being|file:|.:)[A-Za-z][ -\"$-;=-Z\\-_a-}]*")
"""Nothing here begins a block, a path, a quotation or a command."""


def is_plain_line(text: str) -> bool:
    """Whether a message is one line that no rule takes for anything but typed words.

    Most messages are such a line, so they skip the other rules. False when that is uncertain.
    """
    return (
        _PLAIN_WORDS.fullmatch(text) is not None
        and _STRONG.match(text) is None
        and SHELL_PROMPT.match(text) is None
        and ";" not in text  # with the blanks, all of _INSIDE that can occur here
        and "        " not in text
    )


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of a text with its place in it; `end` is after its newline."""

    text: str
    start: int
    end: int


def split_lines(text: str, start: int = 0) -> list[TextLine]:
    """Split a text into lines, on line feeds only."""
    lines, line_start = [], start
    for part in text.split("\n"):
        end = line_start + len(part) + 1
        lines.append(TextLine(part, line_start, end))
        line_start = end
    last = lines[-1]
    lines[-1] = TextLine(last.text, last.start, last.end - 1)
    return lines


def _is_strong(line: str) -> bool:
    return _STRONG.match(line) is not None or _OUTPUT_INSIDE.search(line) is not None or _CHAT_LINE.match(line) is not None


def is_prose(line: str) -> bool:
    """Whether a line reads like words that a person typed: mostly words, hardly any symbols, not indented."""
    text = line.strip()
    if _CJK.search(text):
        return True
    if not text or line[:1].isspace() or _is_strong(line):
        return False
    words = _EUROPEAN_WORD.findall(text)
    visible = sum(1 for char in text if not char.isspace())
    return len(words) >= 3 and sum(map(len, words)) >= 0.75 * visible


def find_pasted_lines(lines: Sequence[TextLine]) -> list[bool]:
    """Return for every line whether it was pasted; blank lines count with their neighbours."""
    texts = [line.text for line in lines]
    verdict: list[bool | None] = [None] * len(texts)
    for first, last in _find_paragraphs(texts):
        verdict[first:last] = _judge_paragraph(texts[first:last])
    _judge_blob(texts, verdict)
    for index, is_foreign in enumerate(find_quoted_lines(texts)):
        verdict[index] = verdict[index] or is_foreign
    _join_across_blanks(texts, verdict)
    return [bool(value) for value in verdict]


def is_first_typed(text: str) -> bool:
    """Whether `find_pasted_lines` is sure to find that the first line was typed; judged from its paragraph alone.

    Only a pasted line before it, a heading, a quotation or a mail could change that verdict.
    """
    texts = text.split("\n")
    first = texts[0]
    if not first.strip() or _HEADING_LINE.match(first) or may_be_quoted(first):
        return False
    end = next((index for index, line in enumerate(texts) if not line.strip()), len(texts))
    return not _judge_paragraph(texts[:end])[0]


def _find_paragraphs(texts: Sequence[str]) -> list[tuple[int, int]]:
    paragraphs, first = [], None
    for index, text in enumerate([*texts, ""]):
        if text.strip():
            first = index if first is None else first
        elif first is not None:
            paragraphs.append((first, index))
            first = None
    return paragraphs


def _judge_paragraph(texts: Sequence[str]) -> list[bool | None]:
    """Return a verdict per line: a prompt takes the rest of its paragraph, other strong lines their neighbours without prose."""
    strong = [_is_strong(text) for text in texts]
    prompt = next((index for index, text in enumerate(texts) if SHELL_PROMPT.match(text)), None)
    if prompt is not None:
        return [index >= prompt or strong[index] for index in range(len(texts))]
    if not any(strong):
        weak = sum(_is_weak(text) for text in _strip_below_points(texts))
        return [len(texts) >= 3 and weak >= 0.6 * len(texts)] * len(texts)
    if len(texts) == 1 and _is_remark(texts[0]):
        return [False]
    verdict: list[bool | None] = list(strong)
    for order in (range(1, len(texts)), range(len(texts) - 2, -1, -1)):
        step = order.step
        for index in order:
            near = verdict[index - step]
            if near and not verdict[index] and not is_prose(texts[index]) and not (step < 0 and _LABEL.match(texts[index])):
                verdict[index] = True
    return verdict


def _is_weak(line: str) -> bool:
    return bool(_WEAK.search(line)) and not is_prose(line)


def _strip_below_points(texts: Sequence[str]) -> Iterator[str]:
    """Yield the lines; below a point in words an indented line goes on with it, so its indent tells nothing."""
    is_below = False
    for text in texts:
        point = _POINT_WORDS.match(text)
        is_below = is_below or (point is not None and is_prose(point["words"]))
        yield text.lstrip() if is_below else text


def _is_remark(line: str) -> bool:
    """Whether a line of words merely ends like code (`fix it;`) or starts with a quoted line (`132 x = 1, can't we …`)."""
    words = _EUROPEAN_WORD.findall(line)
    return (
        not line[:1].isspace()
        and _CHAT_LINE.match(line) is None
        and len(words) >= 4
        and not re.search(r"[{}<>]|=>|\bat .*:\d+|^\s*\w*Error\b|^[+-]\s?\d", line)
    )


def _judge_blob(texts: Sequence[str], verdict: list[bool | None]) -> None:
    """Mark a long document with headings as pasted from its first heading on: nobody types one into a prompt."""
    headings = [index for index, text in enumerate(texts) if _HEADING_LINE.match(text)]
    if len(headings) >= BLOB_HEADINGS and sum(map(len, texts)) >= MAX_TYPED_LINE_CHARS:
        verdict[headings[0] :] = [True] * (len(texts) - headings[0])


def _join_across_blanks(texts: Sequence[str], verdict: list[bool | None]) -> None:
    """Mark blank lines and short lines without words between two pasted ones as pasted; below words that are quoted ("> how
    often?") a short line is what the writer answers to them."""
    last_pasted: int | None = None
    for index, value in enumerate(verdict):
        if not value:
            continue
        if last_pasted is not None and all(
            not text.strip() or (_is_filler(text) and not quotes_words(texts[last_pasted]))
            for text in texts[last_pasted + 1 : index]
        ):
            verdict[last_pasted + 1 : index] = [True] * (index - last_pasted - 1)
        last_pasted = index


_QUOTED_WORDS = compile_late(r"^ {0,3}>+[ \t]*(?P<words>\S.*)$")
_LABEL_ALONE = compile_late(r"(?:Q(?:uestion)?[ ]?)?\d{1,2}[.):]?", re.I)


_QUOTE_MARKS = compile_late(r"^ {0,3}(?P<marks>(?:>[ \t]*)+)(?P<words>.*)$")


def read_quotation(line: str) -> tuple[int, str]:
    """Return how often a line is quoted, by its marks in front ("> > …"), and its words without them; 0 for none."""
    match = _QUOTE_MARKS.match(line)
    return (match["marks"].count(">"), match["words"].strip()) if match else (0, line.strip())


def quotes_words(line: str) -> bool:
    """Whether a quoted line has words, a question or the label of one, unlike a prompt of a shell (`> 1 + 1`)."""
    match = _QUOTED_WORDS.match(line)
    words = match["words"].strip() if match else ""
    return bool(words) and (is_prose(words) or words.endswith(("?", "？", "؟")) or _LABEL_ALONE.fullmatch(words) is not None)


def _is_filler(text: str) -> bool:
    return not text.strip() or (bool(re.search(r"^\s|[\d{}()<>=/\\.]", text)) and not is_prose(text))
