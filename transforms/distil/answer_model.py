"""What an observing model is asked to answer, as a schema that forgives spelling but not substance."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, Field

from transforms.distil.distilled import Category, Kind, Priority

KIND_CATEGORY: dict[str, str] = {
    "preference": "preferences", "rule": "rules", "convention": "rules", "correction": "rules", "decision": "architecture",
    "state_change": "operations", "root_cause": "operations", "fix": "operations", "error": "operations",
}  # fmt: skip
_KINDS, _PRIORITIES, _CATEGORIES = get_args(Kind), get_args(Priority), get_args(Category)
_ALIASES = {
    "bug": "error", "bugfix": "fix", "bug_fix": "fix", "cause": "root_cause", "change": "state_change", "constraint": "rule",
    "done": "completion", "completed": "completion", "todo": "task", "goal": "task", "pattern": "convention",
    "file": "file_change",
}  # fmt: skip
_MARKS = {"🔴": "high", "🟡": "medium", "🟢": "low", "red": "high", "yellow": "medium", "green": "low"}


def kind_of(value: Any) -> Any:
    """A kind as models spell it; what is none is a status."""
    name = re.sub(r"[\s-]+", "_", str(value).strip().lower())
    name = _ALIASES.get(name, name)
    return name if name in _KINDS else "status"


def priority_of(value: Any) -> Any:
    """A priority as models spell it, marks and colours too; what is none is low."""
    name = str(value).strip().lower()
    name = _MARKS.get(name, name)
    return name if name in _PRIORITIES else "low"


def _category(value: Any) -> Any:
    return value if value in _CATEGORIES else ""


def _numbers(value: Any) -> Any:
    """`[12, "#14"]`, `"#12 #14"`, null: models write references as they see them."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [int(found) for item in items for found in re.findall(r"\d{1,9}", str(item))]


def _date(value: Any) -> Any:
    found = re.search(r"\b\d{4}-\d\d-\d\d\b", str(value or ""))
    try:
        return date.fromisoformat(found[0]) if found else None
    except ValueError:  # 2026-02-30: a model's slip about an optional field must not cost the window
        return None


def text_or_empty(value: Any) -> Any:
    """Null as the empty text."""
    return "" if value is None else value


def _texts(value: Any) -> Any:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


Numbers = Annotated[list[int], BeforeValidator(_numbers)]


class AnsweredFact(BaseModel):
    """One observation with the references (`#12` → 12) of the blocks that prove it."""

    text: str
    kind: Annotated[Kind, BeforeValidator(kind_of)]
    priority: Annotated[Priority, BeforeValidator(priority_of)]
    category: Annotated[Category | str, BeforeValidator(_category)] = ""
    refs: Numbers
    files: Annotated[list[str], BeforeValidator(_texts)] = []
    line_numbers: Numbers = []
    refers_to: Annotated[date | None, BeforeValidator(_date)] = None
    confidence: float = Field(0.7, ge=0, le=1)


class AnsweredSegment(BaseModel):
    """A topic by its number, with its story and its observations."""

    topic: Annotated[int, BeforeValidator(lambda value: ([*_numbers(value), 0])[0])] = 0
    title: Annotated[str, BeforeValidator(text_or_empty)] = ""
    narrative: str
    refs: Numbers = []
    facts: list[AnsweredFact] = []


class Observations(BaseModel):
    """The observations of one transcript, topic by topic."""

    segments: list[AnsweredSegment]
    current_task: Annotated[str, BeforeValidator(text_or_empty)] = ""
    suggested_response: Annotated[str, BeforeValidator(text_or_empty)] = ""


class MarkedFact(AnsweredFact):
    """A line of the XML form; `clock` is a time that it began with, and stands in for missing references."""

    clock: str = ""


class Marked(Observations):
    """An answer of the XML form; `loose` are lines that stood outside of any segment."""

    loose: list[MarkedFact] = []


def category_of(fact: AnsweredFact) -> Category:
    """The category that the model named, else the usual one of the kind."""
    named: Any = fact.category or KIND_CATEGORY.get(fact.kind, "projects")
    return named  # type: ignore[no-any-return]
