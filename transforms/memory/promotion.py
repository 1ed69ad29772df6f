"""Promotes an approved proposal into MEMORY.md: pure, and idempotent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from transforms.pages.memory_md import MARKER, UnsafeEditError, add_bullet, format_bullet, parse_memory, remove_line, replace_line
from transforms.patterns.late_pattern import compile_late
from transforms.tables.rows import ProposalRow

_OWN_DATE = compile_late(r"^(?:-\s+)?\((\d{4}-\d{2}-\d{2})\)\s+(?=\S)")

PromotionResult = Literal["done", "vanished", "unsafe"]


@dataclass(frozen=True, slots=True)
class Promotion:
    """MEMORY.md after the promotion, the line that stands in it now (empty after a removal), and the result."""

    text: str
    line: str
    result: PromotionResult
    problem: str = ""


def promote(memory: str, proposal: ProposalRow, day: date, order: Sequence[str]) -> Promotion:
    """Add, replace or remove one line, dated `day` unless the owner wrote a date.

    `vanished`: the line to replace is gone, and nothing changes. A line to remove that is gone counts as done.
    """
    own = _OWN_DATE.match(proposal["text"])
    words = proposal["text"][own.end() :] if own else proposal["text"]
    line = format_bullet(words, _parse_date_or(own[1], day) if own else day)
    old = proposal["old_text"] or ""
    if proposal["op"] == "remove":
        return Promotion(_choose_changed(remove_line(memory, old), memory), "", "done")
    if proposal["op"] == "replace":
        line = _keep_prefix(old, line)
        changed = replace_line(memory, old, line)
        return Promotion(memory, line, "vanished") if changed is None else Promotion(changed, line, "done")
    try:
        return Promotion(add_bullet(memory, proposal["section"], line, order), line, "done")
    except UnsafeEditError as error:
        return Promotion(memory, line, "unsafe", str(error))


def is_line_missing(memory: str, proposal: ProposalRow) -> bool:
    """Whether a replacement or a removal quotes a line that MEMORY.md does not have."""
    return proposal["op"] != "add" and not parse_memory(memory).has_line(proposal["old_text"] or "")


def _keep_prefix(old: str, line: str) -> str:
    """Return the new line with the indentation and list marker of the old one, so that a numbered list stays one list."""
    prefix = MARKER.match(old)
    return (prefix[0] if prefix else "- ") + line.removeprefix("- ")


def _parse_date_or(written: str, fallback: date) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        return fallback


def _choose_changed(changed: str | None, unchanged: str) -> str:
    return unchanged if changed is None else changed
