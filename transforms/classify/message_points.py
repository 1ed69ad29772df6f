"""Splits a message into its points: whoever writes a list puts another matter into each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transforms.classify.features import ITEM_MARK

_ENDS = (".", "!", "?", "…", ":", ";", "。", "！", "？", "；", "：", "؟")
_HEAD_ENDS = (":", "：")
MIN_POINTS = 2
"""Lines with a mark from which a message is a list."""
PACKED_CHARS = 240
"""Characters up to which neighbouring points stand together: one alone is often too little to be understood or found."""
HEAD_CHARS = 80
"""Longest line above a list that stands with its first points, as it names what they are about."""


@dataclass(frozen=True, slots=True)
class MessagePart:
    """A point of a message with its mark, or what stands before, between or below its points."""

    text: str
    is_point: bool


def split_points(typed: str) -> list[MessagePart]:
    """Return the parts of a message in order; empty for one that is no list of two points at least.

    A point ends with its line, unless that one goes on below: indented, or in the middle of a sentence. Points of a point are
    part of it.
    """
    lines = typed.split("\n")
    indents = [len(line) - len(line.lstrip()) if ITEM_MARK.match(line) else None for line in lines]
    outer = min((indent for indent in indents if indent is not None), default=0)
    parts, is_open = list[tuple[list[str], bool]](), False
    for line, indent in zip(lines, indents, strict=True):
        if indent == outer:
            if parts and not parts[-1][1] and _is_head_apart(parts[-1][0]):
                parts.append(([parts[-1][0].pop()], False))
            parts.append(([line.strip()], True))
        elif not line.strip():
            is_open = bool(parts) and not parts[-1][1]
            continue
        elif is_open and (not parts[-1][1] or line[:1].isspace() or not _ends(parts[-1][0][-1])):
            parts[-1][0].append(line)
        else:
            parts.append(([line], False))
        is_open = True
    if sum(is_point for _, is_point in parts) < MIN_POINTS:
        return []
    return _pack([MessagePart("\n".join(part).strip(), is_point) for part, is_point in parts])


def _is_head_apart(lines: Sequence[str]) -> bool:
    """Whether the last of these lines heads a list, and what stands above it is another matter: it ends with its sentence."""
    return len(lines) > 1 and lines[-1].rstrip().endswith(_HEAD_ENDS) and _ends(lines[-2])


def _announces(text: str) -> bool:
    """Whether a text of one line ends with the colon that announces its list: neither says much without the other."""
    return "\n" not in text and text.endswith(_HEAD_ENDS)


def _ends(line: str) -> bool:
    """Whether a line ends with a mark of its sentence."""
    return line.rstrip(" \"'”»)`*").endswith(_ENDS)


def _pack(parts: Sequence[MessagePart]) -> list[MessagePart]:
    """Return the parts; neighbouring points stand together as far as there is room, the first with a short head above it."""
    packed = list[MessagePart]()
    for part in parts:
        above = packed[-1] if packed else None
        is_head = above is not None and not above.is_point and (len(above.text) <= HEAD_CHARS or _announces(above.text))
        if above and part.is_point and (above.is_point or is_head) and len(above.text) + len(part.text) < PACKED_CHARS:
            packed[-1] = MessagePart(f"{above.text}\n{part.text}", True)
        else:
            packed.append(part)
    return packed
