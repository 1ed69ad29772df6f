"""A narrative or a fact on its way to a higher tier, and how much it matters there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from transforms.tables.enums import LASTING_KINDS, PRIORITY_MARKS

DURABLE_KINDS = LASTING_KINDS - {"fix"}
DONE_MARK = "✅"
SALIENCE_OF_PRIORITY = {"high": 20, "medium": 10, "low": 0}
_SALIENCE_OF_KIND = {
    "rule": 10, "preference": 9, "decision": 9, "convention": 9, "state_change": 8, "root_cause": 8, "correction": 7, "fix": 6,
    "completion": 5, "narrative": 5, "error": 4, "task": 4, "status": 3, "file_change": 3, "cure": 7, "request": 2,
    "question": 1, "fact": 5, "rejected": 5, "progress": 2, "command": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PeriodItem:
    """A narrative or a fact on its way to a higher tier. `earlier` is the claim that it replaced, `changed` what holds instead of
    a part of it, with the day, `sources` the rows it tells, `alike` the number of facts of one form that it stands for."""

    id: str
    kind: str
    priority: str
    text: str
    day: date
    order: tuple[float, str, int]
    files: frozenset[str] = frozenset()
    earlier: str = ""
    sources: frozenset[str] = frozenset()
    alike: int = 1
    changed: str = ""

    @property
    def salience(self) -> int:
        """Importance of the item within its period: its priority and its kind, 0 for unknown ones."""
        return SALIENCE_OF_PRIORITY.get(self.priority, 0) + _SALIENCE_OF_KIND.get(self.kind, 0)

    @property
    def mark(self) -> str:
        """The emoji of the item's line on the page: done, or its priority."""
        return DONE_MARK if self.kind == "completion" else PRIORITY_MARKS.get(self.priority, PRIORITY_MARKS["low"])
