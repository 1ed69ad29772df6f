"""Stored words on their way out: to a terminal, a page, an agent. No character hides, and none steers a terminal.

Sessions hold any bytes: escape sequences of tools, text that turns its direction, Markdown and HTML of pages that an agent read.
"""

from __future__ import annotations

import re
from functools import lru_cache

from transforms.patterns.late_pattern import compile_late
from transforms.tables.surrogates import LONE_SURROGATE

_SEQUENCE = compile_late(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, erasing
    r"|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS and others: titles, links, clipboard
    r"|\x9b[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]"
)
_HIDDEN = compile_late(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls; tab and newline stay
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d"
    "\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"  # invisible, or turns the text around
)
"""Joiners (U+200C, U+200D) and the selector of emoji (U+FE0F) stay: words of Persian and of Indic scripts need them."""
_LINE_ENDS = compile_late("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_HARMFUL = compile_late("[^\t\n -~]")
"""Text without any of these is returned as it is."""

_ACTIVE_LINK = compile_late(r"(\]\s*\(|<|\]:)\s*(?=(?:javascript|vbscript|data)\s*:)", re.IGNORECASE)
_CHECKBOX = compile_late(r"\[([ xX✓✔✅–—-])\]")
_EMPTY_CHECKBOX = compile_late(r"\[\](?=\s*[`*]*[pf]-\d)")
_PROPOSAL_ID = compile_late(r"\b([pf])-(\d{8})-(\d{3,})\b")
_HTML_TAG = compile_late(
    r"<(?=[!?]|/?\s*(?:a|abbr|address|applet|area|article|aside|audio|base|basefont|blink|blockquote|body|button|canvas|caption"
    r"|center|col|colgroup|dd|del|details|dialog|dir|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset"
    r"|h[1-6]|head|header|hr|html|iframe|image|img|input|ins|legend|li|link|main|map|marquee|math|menu|meta|nav|noembed|noframes"
    r"|noscript|object|ol|optgroup|option|output|p|param|picture|plaintext|portal|pre|s|script|section|select|slot|small|source"
    r"|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|title|tr|track|u|ul|video"
    r"|wbr|xmp)\b)",
    re.IGNORECASE,
)
"""Elements of HTML, which a viewer of Markdown may draw, load or hide the rest of a page in. `Vec<String>` stays."""
_BLOCK_START = compile_late(r"(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|`{3}|~{3}|=+\s*$|(?:[-_*]\s*){2,}$|\[[^\]]*\]:|\||</?[A-Za-z])")
"""Two dashes are enough for a rule across the page: behind the dash of a list item they are three."""
_DRAWN_LINE = compile_late("([\u2500-\u259f]{3})[\u2500-\u259f]+")
"""A line, frame or bar that somebody pasted: three signs of it say what it was."""
_PLAIN_TEXT = compile_late(r"[A-Za-z](?: ?[A-Za-z0-9.,;?!'()/])*")
"""Words that no rule of this module changes; most titles and sentences of pages are."""
_NUMBERED = compile_late(r"(\d{1,9})([.)](?:\s|$))")
KNOWN_LINES = 1024
"""Lines that are kept in mind: a briefing of some hundred lines is rendered anew for each line that its budget drops."""


def make_visible(text: str) -> str:
    """Return text that moves no cursor and turns no words around: escape sequences and characters that show nothing are gone.

    Newlines and tabs stay; other line ends become newlines.
    """
    if not _HARMFUL.search(text):
        return text
    return LONE_SURROGATE.sub("\ufffd", _HIDDEN.sub("", _LINE_ENDS.sub("\n", _SEQUENCE.sub("", text))))


def escape_json(text: str) -> str:
    """Return the same JSON with hidden characters as escapes: the data are equal, and a terminal shows them."""
    return _HIDDEN.sub(lambda match: "".join(f"\\u{unit:04x}" for unit in _list_units(match[0])), text)


def format_line(text: str | None) -> str:
    """Return text as one line of a page that opens no comment, loads no picture and runs nothing when it is clicked."""
    line = " ".join(make_visible(text or "").split())
    line = line.replace("<!--", "‹!--").replace("-->", "--›").replace("![", "! [")
    if "<" not in line and "]" not in line:  # most lines: their rules need not be searched
        return line
    return _ACTIVE_LINK.sub(lambda match: match[1].replace("(", " (").replace("<", "‹").replace("]:", "] :"), line)


@lru_cache(maxsize=KNOWN_LINES)
def format_inline(text: str | None) -> str:
    """Return text as part of a line of a page: it forges no heading, list, checkbox, proposal, block or element of HTML.

    Signs that would do so are replaced by similar ones, or escaped where the text begins. A drawn line is cut short.
    """
    if text and _PLAIN_TEXT.fullmatch(text):
        return text
    line = _drop_lone_emphasis(_DRAWN_LINE.sub(r"\1", _defuse(text)))
    if _NUMBERED.match(line):
        return _NUMBERED.sub(r"\1\\\2", line, count=1)
    return f"\\{line}" if _BLOCK_START.match(line) else line


def _drop_lone_emphasis(line: str) -> str:
    """Return a line without the only `**` of it: a cut went through what an agent emphasised ("interval**; 20 min")."""
    parts = line.split("`") if "**" in line else []
    if sum(part.count("**") for part in parts[::2]) != 1:
        return line
    return "`".join(part if place % 2 else part.replace("**", "") for place, part in enumerate(parts))


def format_code(text: str | None) -> str:
    """Return text for the inside of a code span: as `format_inline`, without backticks."""
    return _defuse(text).replace("`", "'")


def _defuse(text: str | None) -> str:
    line = format_line(text)
    if "<" in line:
        line = _HTML_TAG.sub("‹", line)
    if "[" in line:
        line = _EMPTY_CHECKBOX.sub("［］", _CHECKBOX.sub(r"［\1］", line))
    return _PROPOSAL_ID.sub("\\1\u2011\\2\u2011\\3", line) if "p-" in line or "f-" in line else line


def _list_units(char: str) -> list[int]:
    """Return the UTF-16 code units of a character, as JSON escapes name them."""
    data = char.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[start : start + 2]) for start in range(0, len(data), 2)]
