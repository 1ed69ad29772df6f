"""Takes from the owner the lines that speak to the owner by name: "Hi Tove! The customers complain that the pump stops."

Nobody addresses themself, in any language, so a colleague wrote them. The name is that of the settings or of the home folder.
Names are words, too ("Mark it as done", "Root cause: …"), so a name counts by its place, and what the agent writes in small
letters is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from transforms.classify.paragraphs import Paragraph
from transforms.patterns.late_pattern import compile_late

MIN_NAME_CHARS = 3
FIRST_WORDS = 3
"""A name among the first words of a line is an address; further on only one before a mark or at the end."""
ACCOUNTS = frozenset(
    {"root", "user", "admin", "administrator", "ubuntu", "debian", "guest", "node", "runner", "vagrant", "owner"}
)
"""Accounts that systems, images and these settings create: they name nobody."""
_HOME = compile_late(r"^(?:/home|/Users|[A-Za-z]:[\\/]Users)[\\/](?P<name>[^\\/]+)")
_WORD = compile_late(r"(?<![\w/\\@.~-])[^\W\d_]{3,}(?![\w/\\@]|[.-]\w)")
_MARK = compile_late(r"[ \t]*(?:[,.!?:;…)]|$)")


def find_owner_names(owner: str, folder: str | None) -> frozenset[str]:
    """Return what others may call the owner: the words of the name in the settings, and the name of the home folder."""
    home = _HOME.match(folder or "")
    words = [*re.split(r"[\s._-]+", owner), home["name"] if home else ""]
    return frozenset(_fold(word) for word in words if len(word) >= MIN_NAME_CHARS and word.isalpha()) - ACCOUNTS


def take_addressed_lines(
    text: str, judged: Sequence[tuple[Paragraph, bool]], names: frozenset[str], agent_texts: Sequence[str]
) -> list[tuple[Paragraph, bool]]:
    """Return the judged paragraphs of an entry; the lines of a typed one up to the one with the address are not the owner's.

    A name that is also a common word is none: it stands in small letters among the agent's words. A message of one line stays as
    it was judged: nothing sets its words apart, and who dictates begins with "Harriet here" or "morning, it's Harriet".
    """
    if len(judged) == 1 and "\n" not in text.strip():
        return list(judged)
    taken: list[tuple[Paragraph, bool]] = []
    for paragraph, is_typed in judged:
        end = _find_addressed_end(text, paragraph, names, agent_texts) if is_typed and names else None
        if end is None:
            taken.append((paragraph, is_typed))
            continue
        taken.append((Paragraph(paragraph.start, end), False))
        if text[end : paragraph.end].strip():
            taken.append((Paragraph(end, paragraph.end), True))
    return taken


def _find_addressed_end(text: str, paragraph: Paragraph, names: frozenset[str], agent_texts: Sequence[str]) -> int | None:
    """Return where the last line of a paragraph ends that addresses the owner."""
    place, last = paragraph.start, None
    is_announced = text[: paragraph.start].rstrip().endswith(":")
    for line in text[paragraph.start : paragraph.end].splitlines(keepends=True):
        place += len(line)
        if _is_addressed(line, names, agent_texts, is_announced=is_announced):
            last = place
    return last


def _is_addressed(line: str, names: frozenset[str], agent_texts: Sequence[str], *, is_announced: bool) -> bool:
    """Whether a line addresses the owner. Behind a colon a line may begin with the name, and have it in any form."""
    for number, word in enumerate(_WORD.finditer(line)):
        first = 0 if is_announced else 1
        is_place = first <= number < FIRST_WORDS or _MARK.match(line, word.end()) is not None
        if is_place and _names(word[0], names, is_announced=is_announced) and not _is_common(word[0], agent_texts):
            return True
    return False


def _names(word: str, names: Iterable[str], *, is_announced: bool) -> bool:
    """Whether a word is a name with a capital; an announced one also in small letters, or shorter by its last letter."""
    folded = _fold(word)
    if not is_announced:
        return word[:1].isupper() and folded in names
    return any(folded == name or (len(folded) == len(name) - 1 and name.startswith(folded)) for name in names)


def _is_common(word: str, agent_texts: Sequence[str]) -> bool:
    pattern = re.compile(rf"(?<![\w/\\@.~-]){re.escape(word.lower())}(?![\w/\\@]|[.-]\w)")
    return any(pattern.search(text) for text in agent_texts)


def _fold(word: str) -> str:
    """Return a word in small letters without accents."""
    return "".join(char for char in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(char))
