"""Typed items of memory: each observation is knowledge, a behaviour that the owner wants, an event, or a skill."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.tables.enums import Category, FactKind, ItemType

ITEM_TYPES: dict[FactKind, ItemType] = {
    "preference": "behavior", "rule": "behavior", "convention": "behavior", "correction": "behavior",
    "decision": "knowledge", "fact": "knowledge", "root_cause": "knowledge", "rejected": "knowledge",
    "fix": "skill", "cure": "skill", "command": "skill",
    "state_change": "event", "file_change": "event", "status": "event", "progress": "event", "completion": "event",
    "error": "event", "request": "event", "question": "event", "task": "event",
}  # fmt: skip
"""The type of each kind of fact."""


def list_tags(kind: FactKind, category: Category, project: str, files: Sequence[str]) -> list[str]:
    """Return the tags of an observation: its kind, its subject, its project's name and the names of its files, each once."""
    names = [kind, category, *(path.rstrip("/").rpartition("/")[2] for path in (project, *files))]
    return [name for name in dict.fromkeys(names) if name]
