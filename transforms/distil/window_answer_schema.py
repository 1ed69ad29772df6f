"""The schema of a model's answer about a window. It forgives spelling, but not a missing text or reference."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from transforms.distil.answer_fields import (
    Numbers,
    keep_texts,
    parse_category,
    parse_date,
    parse_kind,
    parse_numbers,
    parse_priority,
    replace_null,
)
from transforms.tables.enums import Category, FactKind, Priority

USUAL_CATEGORIES: dict[str, str] = {
    "preference": "preferences", "rule": "rules", "convention": "rules", "correction": "rules", "decision": "architecture",
    "state_change": "operations", "root_cause": "operations", "fix": "operations", "error": "operations",
}  # fmt: skip
"""Kind → category of a fact whose category the model left out."""
MODEL_CONFIDENCE = 0.7
"""Confidence of a fact for which the model gave none."""


class FactAnswer(BaseModel):
    """One observation with the references (`#12` → 12) of the blocks that prove it."""

    text: str
    kind: Annotated[FactKind, BeforeValidator(parse_kind)]
    priority: Annotated[Priority, BeforeValidator(parse_priority)]
    category: Annotated[Category | str, BeforeValidator(parse_category)] = ""
    refs: Numbers
    files: Annotated[list[str], BeforeValidator(keep_texts)] = []
    line_numbers: Numbers = []
    refers_to: Annotated[date | None, BeforeValidator(parse_date)] = None
    confidence: float = Field(MODEL_CONFIDENCE, ge=0, le=1)


class SegmentAnswer(BaseModel):
    """A topic by its number, with its narrative and its observations."""

    topic: Annotated[int, BeforeValidator(lambda value: ([*parse_numbers(value), 0])[0])] = 0
    title: Annotated[str, BeforeValidator(replace_null)] = ""
    narrative: str
    refs: Numbers = []
    facts: list[FactAnswer] = []


class WindowAnswer(BaseModel):
    """The observations of one transcript, topic by topic."""

    segments: list[SegmentAnswer]
    current_task: Annotated[str, BeforeValidator(replace_null)] = ""
    suggested_response: Annotated[str, BeforeValidator(replace_null)] = ""


class XmlFact(FactAnswer):
    """A line of the XML form. `clock` is the time at its start and stands in for missing references."""

    clock: str = ""


class XmlWindowAnswer(WindowAnswer):
    """An answer in the XML form. `loose` are lines outside of any segment."""

    loose: list[XmlFact] = []


def choose_category(fact: FactAnswer) -> Category:
    """Return the category that the model named, else the usual one of the kind."""
    named: Any = fact.category or USUAL_CATEGORIES.get(fact.kind, "projects")
    return named  # type: ignore[no-any-return]
