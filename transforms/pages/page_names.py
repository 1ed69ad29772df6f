"""Names of pages: a project's directory becomes a file name that every file system takes and nobody misreads."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from hashlib import blake2b

from transforms.patterns.late_pattern import compile_late

MAX_NAME_BYTES = 150
"""File systems take names of 255 bytes; a page's name gets an ending and, for a moment, a temporary one."""

SAFE_MARKS = frozenset("._-+@=, ")
"""Besides the letters, digits and accents of any script. Anything else may be a bracket of a mark, or turn the text around."""

INVISIBLE_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Fillers that count as letters and show nothing."""

_RESERVED = compile_late(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$")
"""Windows opens a device under these names, with any ending."""


def name_project_pages(projects: Iterable[str]) -> dict[str, str]:
    """Return a page name for each project: its last path part, longer where two projects share it.

    Names differ on file systems that ignore case, too. A name that had to be changed ends with a short hash of its project.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for project in sorted(set(projects)):
        composed = unicodedata.normalize("NFC", project.replace("\\", "/"))
        parts = [part for part in composed.split("/") if part] or ["unknown"]
        candidates = ("-".join(parts[-depth:]) for depth in range(1, len(parts) + 1))
        name = next((text for text in candidates if make_safe_name(text) == text and _fold(text) not in taken), None)
        if name is None:
            ending = blake2b(project.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
            name = f"{make_safe_name(parts[-1])}-{ending}"
        names[project] = name
        taken.add(_fold(name))
    return names


def make_safe_name(text: str) -> str:
    """Return the text as a file name without ending: unsafe characters become `-`, its beginning hides and escapes nothing."""
    cleaned = "".join(char if _is_safe(char) else "-" for char in text).lstrip("-. ~").rstrip(". ")
    shortened = cleaned.encode()[:MAX_NAME_BYTES].decode(errors="ignore").rstrip(". ")
    return f"project-{shortened}".rstrip("-") if not shortened or _RESERVED.match(shortened) else shortened


def _is_safe(char: str) -> bool:
    return char in SAFE_MARKS or (unicodedata.category(char)[0] in "LMN" and char not in INVISIBLE_LETTERS)


def _fold(name: str) -> str:
    """Return the form in which file systems that ignore case and composition compare names."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
