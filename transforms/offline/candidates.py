"""What might be kept: a fact with its worth, before the budget decides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from transforms.distil.engine_result import Fact
from transforms.language import cues, entities
from transforms.language.sentences import shorten
from transforms.language.spoken_dates import refers_to
from transforms.tables.enums import Category, FactKind, Priority

ROW_CHARS = 460
"""Longest row. A row is one memory; readers and search judge it on its first 480 characters (120 tokens)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible fact; `worth` is between 0 and about 1.5; of candidates with the same `group` at most one is kept."""

    text: str
    kind: FactKind
    priority: Priority
    ordinals: tuple[int, ...]
    files: tuple[str, ...]
    worth: float
    confidence: float = 0.6
    line_numbers: tuple[int, ...] = ()
    group: str = ""

    @property
    def topic_ordinal(self) -> int:
        """The entry that decides to which topic it belongs: its first citation."""
        return self.ordinals[0]

    def fact(self, said_on: date) -> Fact:
        """The fact as engines answer it; `said_on` is the local day of its first citation."""
        return Fact(
            text=self.text, kind=self.kind, priority=self.priority, category=category_of(self.kind, self.text),
            ordinals=self.ordinals, files=self.files, line_numbers=self.line_numbers, confidence=self.confidence,
            refers_to=refers_to(self.text, said_on),
        )  # fmt: skip


_CATEGORY: dict[FactKind, Category] = {
    "preference": "preferences", "rule": "rules", "convention": "rules", "correction": "rules", "decision": "architecture",
    "root_cause": "architecture", "state_change": "architecture", "fix": "operations", "error": "operations",
}  # fmt: skip
_MEMORY = re.compile(r"\b(?:MEMORY\.md|REVIEW\.md|daily log|long-term memory|recollect)\b", re.I)
_OPERATIONS = re.compile(
    r"\b(?:deploy\w*|install\w*|docker|server|service|port \d+|publish\w*|release\w*|CI|cron|launchd|systemd|database"
    r"|git push)\b",
    re.I,
)


def category_of(kind: FactKind, text: str) -> Category:
    """The category of a fact: by its kind, by whole words of its text where that says more."""
    if _MEMORY.search(text):
        return "memory"
    if kind in _CATEGORY:
        return _CATEGORY[kind]
    return "operations" if _OPERATIONS.search(text) else "projects"


def with_files(text: str, files: Iterable[str], limit: int = 2) -> str:
    """The text with the files it is about behind it, where it does not name the first of them itself and room is left."""
    found = list(dict.fromkeys(entities.base_name(path) for path in files))
    missing = [name for name in found if name.rsplit(".", 1)[0].lower() not in text.lower()]
    if not missing or found[0] not in missing:
        return text
    return fit(text, f" [{', '.join(missing[:limit])}]")


def fit(text: str, tail: str) -> str:
    """Both, where the tail fits into a row behind the text."""
    return f"{text}{tail}" if len(text) + len(tail) <= ROW_CHARS else text


def row(text: str) -> str:
    """The text at a row's length."""
    return shorten(text, ROW_CHARS)


def is_unfit(text: str) -> bool:
    """Text that must never become a fact: addressed to a memory, or empty of words."""
    return bool(cues.INJECTION.search(text)) or len(text) < 12
