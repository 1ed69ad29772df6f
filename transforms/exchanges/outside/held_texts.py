"""Tells a command line from the texts that it holds: between `<<EOF` and `EOF`, and behind `#`.

One pass over the signs that open and close something: a regular expression over lines of a megabyte can take minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from transforms.patterns.late_pattern import compile_late

TAG_CHARS = 80
_SIGN = compile_late(r"\\.|\$[(']|<<<|<<|['\"()]|(?<!\S)#")


@dataclass(frozen=True, slots=True)
class HeldText:
    """A text that a command line holds, and the place of its `<<` in the line without such texts."""

    place: int
    text: str


def split_held_texts(command: str) -> tuple[str, list[HeldText]]:
    """Return a command line without comments and without the lines between `<<EOF` and `EOF`, and what these lines hold."""
    lines = command.split("\n")
    last = {line.strip(): place for place, line in enumerate(lines)} if "<<" in command else {}
    kept, held, opened = list[str](), list[HeldText](), list[str]()
    place = size = 0
    while place < len(lines):
        whole, is_within = lines[place], bool(opened)
        line, tags = _scan_line(whole, opened)
        place += 1
        for start, tag in tags:
            if last.get(tag, 0) < place:
                continue  # no line ends it: a shift, as in `$((a << b))`
            end = next(number for number in range(place, len(lines)) if lines[number].strip() == tag)
            held.append(HeldText(size + start, "\n".join(lines[place:end])))
            place = end + 1
        if line or is_within or line == whole:
            kept.append(line)
            size += len(line) + 1
    return "\n".join(kept), held


def _scan_line(line: str, opened: list[str]) -> tuple[str, list[tuple[int, str]]]:
    """Return a line without its comment, and the places and tags of its `<<`; `opened` are the quotations and brackets that are
    open, before the line and then behind it."""
    tags = list[tuple[int, str]]()
    for match in _SIGN.finditer(line):
        sign, top = match[0], opened[-1] if opened else ""
        if top in ("'", '"', "$'"):
            if sign == top[-1] or (top == "'" and sign[-1] == "'"):  # a backslash escapes nothing there
                opened.pop()
            elif top == '"' and sign == "$(":
                opened.append("(")
        elif sign in ("'", '"', "$'"):
            opened.append(sign)
        elif sign[-1] == "(" and sign[0] != "\\":
            opened.append("(")
        elif sign == ")" and top == "(":
            opened.pop()
        elif sign == "<<" and (tag := _read_tag(line, match.end())):
            tags.append((match.start(), tag))
        elif sign == "#":
            return line[: match.start()].rstrip(), tags
    return line, tags


def _read_tag(line: str, start: int) -> str:
    """Return the word behind `<<`; empty for none and for a number, which is shifted by."""
    text = line[start : start + TAG_CHARS].lstrip("-").lstrip()
    if text[:1] in ("'", '"'):
        return text[1:].partition(text[0])[0].strip()
    tag = "".join(takewhile(lambda sign: sign.isalnum() or sign == "_", text.removeprefix("\\")))
    return "" if tag[:1].isdigit() else tag
