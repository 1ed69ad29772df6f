"""Field types of model answers: each forgives a spelling that models use, and none invents a value."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator

from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import KINDS, PRIORITIES, Category

LIST_ITEM = compile_late(r"^\s*[-*•+]\s+(.*\S)\s*$")
"""A line of an answer that is written as a list."""

_CATEGORIES = get_args(Category)
_ALIASES = {
    "bug": "error", "bugfix": "fix", "bug_fix": "fix", "cause": "root_cause", "change": "state_change", "constraint": "rule",
    "done": "completion", "completed": "completion", "todo": "task", "goal": "task", "pattern": "convention",
    "file": "file_change",
}  # fmt: skip
_PRIORITY_MARKS = {"🔴": "high", "🟡": "medium", "🟢": "low", "red": "high", "yellow": "medium", "green": "low"}


def parse_kind(value: Any) -> Any:
    """Return a kind as models spell it; an unknown one becomes `status`."""
    name = re.sub(r"[\s-]+", "_", str(value).strip().lower())
    name = _ALIASES.get(name, name)
    return name if name in KINDS else "status"


def parse_priority(value: Any) -> Any:
    """Return a priority as models spell it, as an emoji or a colour too; an unknown one becomes `low`."""
    name = str(value).strip().lower()
    name = _PRIORITY_MARKS.get(name, name)
    return name if name in PRIORITIES else "low"


def parse_category(value: Any) -> Any:
    """Return the category, or the empty text for an unknown one."""
    return value if value in _CATEGORIES else ""


def parse_numbers(value: Any) -> Any:
    """Return the numbers in `[12, "#14"]`, `"#12 #14"` or null: models write references as they see them."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [int(digits) for item in items for digits in re.findall(r"\d{1,9}", str(item))]


def parse_date(value: Any) -> Any:
    """Return the first ISO date in a value, or None."""
    match = re.search(r"\b\d{4}-\d\d-\d\d\b", str(value or ""))
    try:
        return date.fromisoformat(match[0]) if match else None
    except ValueError:  # 2026-02-30: a model's slip about an optional field must not cost the window
        return None


def replace_null(value: Any) -> Any:
    """Return the empty text for null, a number as text, and the texts of a list in one."""
    if isinstance(value, list):
        return "; ".join(str(part) for part in value if isinstance(part, str | int | float))
    return "" if value is None else str(value) if isinstance(value, int | float) else value


def parse_number(value: Any) -> Any:
    """Return the first number of a reference such as `#12`, or None."""
    return next(iter(parse_numbers(value)), None)


def parse_flag(value: Any) -> Any:
    """Return whether a value says yes, also as a text; anything else says no."""
    return value is True or str(value).strip().lower() in ("true", "yes", "1")


def keep_texts(value: Any) -> Any:
    """Return the texts of a list; anything that is not a list becomes an empty one."""
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


Numbers = Annotated[list[int], BeforeValidator(parse_numbers)]
OptionalText = Annotated[str, BeforeValidator(replace_null)]
