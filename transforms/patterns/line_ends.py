"""Gives a text one kind of line end and of blank, at the same places: who types on another system says the same."""

from __future__ import annotations

from transforms.patterns.late_pattern import compile_late

_ODD = compile_late("[\r\x85\u2028\u2029\xa0\u2000-\u200a\u202f\u205f]")
_EVEN = {
    **dict.fromkeys(map(ord, "\r\x85\u2028\u2029"), "\n"),
    **dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F], " "),
}


def even_line_ends(text: str) -> str:
    """Return a text of the same length whose lines end with line feeds and whose words stand between plain blanks.

    Stretches of it are known by their places, so a line end of two characters becomes a blank and a line feed. Tabs stay: they
    part the columns of a table.
    """
    return text.replace("\r\n", " \n").translate(_EVEN) if _ODD.search(text) else text
