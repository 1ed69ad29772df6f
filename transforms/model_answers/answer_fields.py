"""Field types of model answers: each forgives a spelling that models use, and none invents a value."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import from_json

from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import PRIORITIES, TOLD_KINDS, Category

LIST_ITEM = compile_late(r"^\s*[-*•+]\s+(.*\S)\s*$")
"""A line of an answer that is written as a list."""

_CATEGORIES = get_args(Category)
_ALIASES = {
    "bug": "error", "bugfix": "fix", "bug_fix": "fix", "cause": "root_cause", "change": "state_change", "constraint": "rule",
    "done": "completion", "completed": "completion", "todo": "task", "goal": "task", "pattern": "convention",
    "file": "file_change",
}  # fmt: skip
_USUAL_PRIORITIES: dict[str, str] = dict.fromkeys(
    ("preference", "rule", "decision", "convention", "root_cause", "state_change", "request"), "high"
) | dict.fromkeys(("fix", "correction", "error", "completion", "fact", "rejected", "file_change"), "medium")  # fmt: skip
"""Kind → the priority that the prompt calls usual; of the other kinds it is low."""
_RANGE = compile_late(r"(\d{1,9})\s*[-–—]\s*[#A-Za-z]{0,2}(\d{1,9})")
MOST_IN_RANGE = 20
"""Numbers that a range may stand for: a longer one is a slip, and of it the ends alone are meant."""
_PRIORITY_MARKS = {"🔴": "high", "🟡": "medium", "🟢": "low", "red": "high", "yellow": "medium", "green": "low"}


def parse_kind(value: Any) -> Any:
    """Return a kind as models spell it (`Root cause`, `rootCause`, `decisions`, `decision/architecture`); an unknown one becomes
    `status`."""
    whole = re.sub(r"(?<=[a-z])(?=[A-Z])|[\s-]+", "_", " ".join(list_texts(value)).strip()).lower()
    for name in (whole, *re.findall(r"[^\W\d]+", whole)):
        for form in (name, name.removesuffix("s")):
            if (kind := _ALIASES.get(form, form)) in TOLD_KINDS:
                return kind
    return "status"


def parse_priority(value: Any) -> Any:
    """Return a priority as models spell it, as an emoji or a colour too; an unknown one becomes `low`."""
    return _find_priority(value) or "low"


def choose_priority(value: Any, kind: Any) -> str:
    """Return the priority that a value names, else the usual one of the kind: a rule without one is no passing remark."""
    return _find_priority(value) or _USUAL_PRIORITIES.get(parse_kind(kind), "low")


def _find_priority(value: Any) -> str:
    named = " ".join(list_texts(value)).lower()
    word = re.search(rf"(?<![a-z])(?:{'|'.join((*_PRIORITY_MARKS, *PRIORITIES))})(?![a-z])", named)
    return _PRIORITY_MARKS.get(word[0], word[0]) if word else ""


def parse_category(value: Any) -> Any:
    """Return the category, or the empty text for an unknown one."""
    return value if value in _CATEGORIES else ""


def parse_numbers(value: Any) -> Any:
    """Return the numbers in `[12, "#14"]`, `"#12 #14"`, `"12-14"`, `12.0` or null: models write references as they see them."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    texts = (str(int(item)) if isinstance(item, float) and item.is_integer() else str(item) for item in items)
    return [int(digits) for text in texts for digits in re.findall(r"\d{1,9}", _RANGE.sub(_write_out, text))]


def _write_out(span: re.Match[str]) -> str:
    first, last = int(span[1]), int(span[2])
    return " ".join(map(str, range(first, last + 1))) if 0 <= last - first <= MOST_IN_RANGE else span[0]


def parse_date(value: Any) -> Any:
    """Return the first ISO date in a value, or None."""
    match = re.search(r"\b\d{4}-\d\d-\d\d\b", str(value or ""))
    try:
        return date.fromisoformat(match[0]) if match else None
    except ValueError:  # 2026-02-30: a model's slip about an optional field must not cost the window
        return None


def replace_null(value: Any) -> Any:
    """Return the empty text for null and for yes or no, a number as text, and the texts of a list or an object in one."""
    return "; ".join(list_texts(value))


def list_texts(value: Any) -> list[str]:
    """Return the texts and numbers of a value: its own, those of a list, or the values of an object."""
    parts = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return [str(part) for part in parts if isinstance(part, str | int | float) and not isinstance(part, bool)]


def parse_number(value: Any) -> Any:
    """Return the first number of a reference such as `#12`, or None."""
    return next(iter(parse_numbers(value)), None)


def parse_flag(value: Any) -> Any:
    """Return whether a value says yes, also as a text; anything else says no."""
    return value is True or str(value).strip().lower() in ("true", "yes", "1")


def keep_texts(value: Any) -> Any:
    """Return the texts of a list; anything that is not a list becomes an empty one."""
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def fill_refs(value: Any) -> Any:
    """Return an object of an answer with citations, none where it names none: the checks say why it goes no further."""
    return {"refs": []} | value if isinstance(value, dict) else value


def keep_fitting(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """Return the items of a list that fit: one in another form costs no other. A single item, also as JSON in a text, is a list.

    Raises:
        ValidationError: when none of them fits, with the fault of the first.
    """
    items = _read_list(value)
    fitting, faults = [], list[ValidationError]()
    for item in items:
        try:
            fitting += validate([item])
        except ValidationError as fault:
            faults.append(fault)
    if faults and not fitting:
        raise faults[0]
    return fitting


def _read_list(value: Any) -> list[Any]:
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            value = from_json(value)
        except ValueError:
            return [value]
    return [] if value is None else value if isinstance(value, list) else [value]


Numbers = Annotated[list[int], BeforeValidator(parse_numbers)]
OptionalText = Annotated[str, BeforeValidator(replace_null)]
KeepFitting = WrapValidator(keep_fitting)
"""Of a list of objects: what does not fit is left out."""
