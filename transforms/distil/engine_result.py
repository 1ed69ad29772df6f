"""What an engine answers, whichever engine it is: segments with a narrative and cited facts, and how to go on."""

from __future__ import annotations

from datetime import date
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from transforms.conversation.entries import Entry

Kind = Literal[
    "preference", "rule", "decision", "root_cause", "fix", "correction", "state_change", "convention",
    "file_change", "status", "completion", "error", "request", "question", "task",
]  # fmt: skip
Priority = Literal["high", "medium", "low"]
Category = Literal["preferences", "rules", "architecture", "operations", "projects", "people", "memory"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Fact(_Frozen):
    """One fact that stands alone, with the entries (positions in their session, best first) that prove it."""

    text: str
    kind: Kind
    priority: Priority
    category: Category
    ordinals: tuple[int, ...]
    files: tuple[str, ...] = ()
    line_numbers: tuple[int, ...] = ()
    refers_to: date | None = None
    confidence: float = Field(0.5, ge=0, le=1)


class DistilledSegment(_Frozen):
    """A topic: what happened, and what is kept of it."""

    first_ordinal: int
    last_ordinal: int
    title: str
    narrative: str
    ordinals: tuple[int, ...]
    facts: tuple[Fact, ...] = ()


class DistilledWindow(_Frozen):
    """What is kept of one window."""

    segments: tuple[DistilledSegment, ...]
    current_task: str = ""
    suggested_response: str = ""


class Engine(Protocol):
    """An observer: reads one window's entries, already cut into topics, and says what is worth keeping."""

    name: str
    template_hash: str

    def distil(
        self, entries: list[Entry], topics: list[tuple[int, int]], earlier: list[str], budget_tokens: int
    ) -> DistilledWindow:
        """`topics` are (first, last) positions within `entries`' ordinals; `earlier` are the session's former facts."""
        ...
