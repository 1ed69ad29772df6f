"""Relative links of Markdown pages: which pages a page links to, and the page with its links changed after pages have moved.

Paths are relative to the workspace, with `/`. Code, absolute paths, addresses and anchors inside the page are not links to pages.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import unquote

from transforms.patterns.late_pattern import compile_late

_LINK_TARGET = compile_late(r"(\]\(\s*<?)([^)\s>#?]+)([^)\n]*\))|(?m:(^ {0,3}\[[^\]\n]+\]:\s*<?)([^\s>#?]+)(.*)$)")
_CODE_BLOCK_OR_SPAN = compile_late(r"(?ms)^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)[^\n]*$|`[^`\n]+`")
_SCHEME = compile_late(r"^[A-Za-z][A-Za-z0-9+.-]*:")


def find_linked_pages(text: str, page: str) -> set[str]:
    """Return the paths that a page links to."""
    pages: set[str] = set()

    def note(target: str) -> str:
        """Remember the page that a link leads to, and leave the link as it is."""
        pages.add(_resolve(target, posixpath.dirname(page)))
        return target

    _change_targets(text, note)
    return pages


def move_links(text: str, old: str, new: str, moved: Mapping[str, str]) -> str:
    """Return the text of a page that moves from `old` to `new` while other pages move as `moved` says: each link leads where it
    led before. A link whose words would stay true stays as it is written.
    """
    old_folder, new_folder = posixpath.dirname(old), posixpath.dirname(new)

    def change(target: str) -> str:
        """Return the target, changed where the page or the file that it leads to has moved."""
        led_to = _resolve(target, old_folder)
        leads_to = moved.get(led_to, led_to)
        if _resolve(target, new_folder) == leads_to:
            return target
        return posixpath.relpath(leads_to, new_folder or ".").replace(" ", "%20")

    return _change_targets(text, change)


def keep_linked_pages(moves: Mapping[str, str], links: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the moves without those of pages that a page which stays links to. `links` are the linked pages of each page."""
    movable = dict(moves)
    while True:
        needed = {target for page, targets in links.items() if page not in movable for target in targets}
        if not needed & movable.keys():
            return movable
        movable = {old: new for old, new in movable.items() if old not in needed}


def _change_targets(text: str, change: Callable[[str], str]) -> str:
    def replace(match: re.Match[str]) -> str:
        """Return the link with its new target; links to the outside stay."""
        start, target, end = match.group(1, 2, 3) if match[2] else match.group(4, 5, 6)
        is_outside = target.startswith(("/", "\\")) or _SCHEME.match(target)
        return match[0] if is_outside else f"{start}{change(target)}{end}"

    pieces: list[str] = []
    position = 0
    for code in _CODE_BLOCK_OR_SPAN.finditer(text):
        pieces += [_LINK_TARGET.sub(replace, text[position : code.start()]), code[0]]
        position = code.end()
    return "".join([*pieces, _LINK_TARGET.sub(replace, text[position:])])


def _resolve(target: str, folder: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(target)))
