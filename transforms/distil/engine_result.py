"""The result of any engine: segments with narratives and cited facts, the next steps, and what makes it unfit to be stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from transforms.conversation.entries import Entry
from transforms.model_answers.repetition import is_degenerate
from transforms.tables.enums import Category, FactKind, Priority

DEFAULT_CONFIDENCE = 0.5
"""Confidence of a fact whose engine states none."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Tail(NamedTuple):
    """What an engine wrote behind a person's words in a fact, with its source: what they answer, or what came of them.

    `is_needed`: the words alone say too little.
    """

    text: str
    ordinals: tuple[int, ...]
    is_needed: bool = False


class Fact(_Frozen):
    """One fact that stands alone, with the ordinals of the entries that prove it (best first).

    `retires` are ids of earlier observations that no longer hold because of it, `closes` of those that it finishes or answers.
    `tails` are the parts of `text` behind a person's words, in order.
    """

    text: str
    kind: FactKind
    priority: Priority
    category: Category
    ordinals: tuple[int, ...]
    files: tuple[str, ...] = ()
    line_numbers: tuple[int, ...] = ()
    refers_to: date | None = None
    confidence: float = Field(DEFAULT_CONFIDENCE, ge=0, le=1)
    retires: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    tails: tuple[Tail, ...] = ()


class DistilledSegment(_Frozen):
    """A topic: its narrative and its facts."""

    first_ordinal: int
    last_ordinal: int
    title: str
    narrative: str
    ordinals: tuple[int, ...]
    facts: tuple[Fact, ...] = ()


class DistilledWindow(_Frozen):
    """The segments of one window, and where its work stands."""

    segments: tuple[DistilledSegment, ...]
    current_task: str = ""
    suggested_response: str = ""


class Engine(Protocol):
    """An observer in this process: reads the entries of a window, cut into topics, and returns the facts to keep."""

    name: str
    template_hash: str

    def distil(
        self,
        entries: list[Entry],
        topics: list[tuple[int, int]],
        earlier: list[str],
        budget_tokens: int,
        summarised: Sequence[Entry] = (),
    ) -> DistilledWindow:
        """Return segments and facts. `topics` are (first, last) ordinals; `earlier` are facts of the session's former windows;
        `summarised` are the entries that stand before the window and that a summary in it sums up.
        """
        ...


def find_output_failure(distilled: DistilledWindow, entries: list[Entry]) -> str:
    """Return why the result of a window must not be stored; empty when it may be."""
    if not distilled.segments:
        return "empty output"
    if any(not segment.narrative.strip() for segment in distilled.segments):
        return "a segment without narrative"
    texts = [segment.narrative for segment in distilled.segments] + [
        fact.text for segment in distilled.segments for fact in segment.facts
    ]
    if is_degenerate(texts):
        return "degenerate output"
    last_ordinal = -1
    for segment in distilled.segments:
        if segment.first_ordinal <= last_ordinal or segment.last_ordinal < segment.first_ordinal:
            return "segments out of order"
        last_ordinal = segment.last_ordinal
    uncovered = [
        entry.ordinal
        for entry in entries
        if not any(segment.first_ordinal <= entry.ordinal <= segment.last_ordinal for segment in distilled.segments)
    ]
    return f"segments leave out entry {uncovered[0]}" if uncovered else ""
