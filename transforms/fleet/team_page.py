"""The team page: rules that owners marked with `#team` in their own MEMORY.md, merged, without secrets.

Nothing else of an owner leaves his memory. The team reviews the page in git: a line that the team removed is never offered again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

from transforms.language.similarity import is_opposite
from transforms.language.statement import parse_statement, select_content_words
from transforms.pages.memory_md import (
    HARD_RULES,
    PATTERNS,
    SYSTEM_ARCHITECTURE,
    UnsafeEditError,
    add_bullet,
    parse_memory,
    remove_line,
    replace_line,
)
from transforms.pages.visible_text import format_line
from transforms.patterns.late_pattern import compile_late
from transforms.redaction.redact import redact

HEADING = "# Team memory\n"
SECTIONS = (HARD_RULES, SYSTEM_ARCHITECTURE, PATTERNS)
"""Sections of the page, in order. A marked line of any other section stands under the last one."""

_TEAM_TAG = compile_late(r"\s*(?<!\S)#team[.]?(?=(?:\s+#[\w-]+)*\s*$)", re.IGNORECASE)
"""The mark ends the line; other marks may follow it."""
MATTER_SHARE = 0.6
"""Share of the content words of the longer of two lines that the other has as well when both speak of one matter."""
_OWNERS = compile_late(r" \(approved by ([^()]+)\)$")


@dataclass(frozen=True, slots=True)
class TeamLine:
    """A rule with its section and the owners who approved it, by name."""

    text: str
    section: str
    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TeamPage:
    """The new text of the page, and why marked lines are not on it. The reasons name owners and counts, never words."""

    text: str
    added: int = 0
    removed: int = 0
    refusals: tuple[str, ...] = field(default=())
    conflicts: tuple[str, ...] = field(default=())
    """The owners of each two lines of the page that say the opposite of each other."""


def collect_team_lines(memories: Mapping[str, str]) -> tuple[list[TeamLine], list[str]]:
    """Return the marked lines of every owner's MEMORY.md (name → text), equal ones merged, and the refusals.

    A line in which a secret is found is refused as a whole: a placeholder would say that there is one.
    """
    lines: dict[str, TeamLine] = {}
    refusals: list[str] = []
    for owner in sorted(memories):
        for bullet in parse_memory(memories[owner]).bullets:
            if not _TEAM_TAG.search(bullet.text):
                continue
            text = format_line(_TEAM_TAG.sub("", bullet.text))
            if not text:
                continue
            if not bullet.is_one_line:
                refusals.append(f"{owner}: a marked line goes on in a second line or holds a list; write it as one line")
                continue
            if "(approved by " in text.casefold():
                refusals.append(f"{owner}: a marked line says who approved it; recollect writes that itself")
                continue
            if redact(text, is_user=True) != text:
                refusals.append(f"{owner}: a marked line holds a secret, or looks like it")
                continue
            section = bullet.section if bullet.section in SECTIONS else PATTERNS
            key = normalise_rule(text)
            line = lines.setdefault(key, TeamLine(text, section, ()))
            if owner not in line.owners:
                lines[key] = replace(line, owners=(*line.owners, owner))
    return list(lines.values()), refusals


def compose_team_page(
    current: str,
    memories: Mapping[str, str],
    removed_before: Collection[str],
    written: Collection[str] = (),
    unread: Collection[str] = (),
) -> TeamPage:
    """Return the page of the team with tonight's lines.

    Args:
        current: The page as the team accepted it. People's own text on it stays, byte for byte.
        memories: MEMORY.md of every owner, by name.
        removed_before: Lines (or their words) that the page once had and the team took off; they stay off.
        written: Lines of the page, byte for byte, that this program wrote; the team worded every other one, and it stays.
        unread: Owners whose memory could not be read tonight: what they approved, they approve still.
    """
    offered, refusals = collect_team_lines(memories)
    unwanted = {normalise_rule(strip_owners(line)) for line in removed_before}
    wanted = {normalise_rule(line.text): line for line in offered}
    text = current or (HEADING if wanted else "")
    removed = 0
    present: set[str] = set()
    for bullet in parse_memory(text).bullets:
        key = normalise_rule(strip_owners(bullet.text))
        line = wanted.get(key)
        present.add(key)
        signed = _OWNERS.search(bullet.text)
        if not signed:
            continue  # written by hand: the team's own
        silent = [name for name in signed[1].split(", ") if name in unread]
        if line is None and (silent or bullet.line not in written):
            continue
        if line is not None and silent:
            line = replace(line, text=strip_owners(bullet.line), owners=tuple(sorted({*line.owners, *silent})))
        if line is None:
            text, removed = remove_line(text, bullet.line) or text, removed + 1
        elif bullet.line != _format_line(line):
            text = replace_line(text, bullet.line, _format_line(line)) or text
    added = 0
    for key, line in wanted.items():
        if key in present or key in unwanted:
            continue
        try:
            text = add_bullet(text, line.section, _format_line(line), SECTIONS)
            added += 1
        except UnsafeEditError as error:
            refusals.append(f"{', '.join(line.owners)}: {error}")
    return TeamPage(text, added, removed, tuple(refusals), tuple(_find_conflicts(text)))


def _find_conflicts(page: str) -> Iterator[str]:
    """Yield the owners of each two lines that share most of their words, of which one denies what the other affirms."""
    rules = [(parse_statement(strip_owners(bullet.text)), bullet.text) for bullet in parse_memory(page).bullets]
    for (first, line), (second, other) in combinations(rules, 2):
        words, others = select_content_words(first), select_content_words(second)
        is_same_matter = len(words & others) >= MATTER_SHARE * max(len(words), len(others), 1)
        if is_same_matter and is_opposite(first, second):
            yield " and ".join(match[1] if (match := _OWNERS.search(text)) else "a line by hand" for text in (line, other))


def strip_owners(line: str) -> str:
    """Return a line of the team page without its bullet and without the names of those who approved it."""
    return _OWNERS.sub("", re.sub(r"^\s*[-*+]\s+", "", line).rstrip())


def normalise_rule(text: str) -> str:
    """Return a rule for comparison: neither case, blanks nor a final full stop count. Any other sign may turn its meaning."""
    return " ".join(text.casefold().split()).rstrip(" .")


def _format_line(line: TeamLine) -> str:
    return f"- {line.text} (approved by {', '.join(line.owners)})"
