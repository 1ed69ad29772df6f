"""The schema of a model's answer about a window. It forgives spelling, but not a missing text or reference."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from transforms.model_answers.answer_fields import (
    KeepFitting,
    Numbers,
    OptionalText,
    choose_priority,
    keep_fitting,
    keep_texts,
    parse_category,
    parse_date,
    parse_kind,
    parse_number,
    parse_numbers,
    parse_priority,
    replace_null,
)
from transforms.tables.enums import Category, FactKind, Priority
from transforms.tables.json_object import JsonObject

USUAL_CATEGORIES: dict[str, str] = {
    "preference": "preferences", "rule": "rules", "convention": "rules", "correction": "rules", "decision": "architecture",
    "state_change": "operations", "root_cause": "operations", "fix": "operations", "error": "operations",
}  # fmt: skip
"""Kind → category of a fact whose category the model left out."""
MODEL_CONFIDENCE = 0.7
"""Confidence of a fact for which the model gave none."""


def _drop_words(schema: JsonObject) -> None:
    """Remove the description of a schema, and titles and defaults of its fields, in place: the prompt says the same."""
    schema.pop("description", None)
    for field in schema.get("properties", {}).values():
        for word in ("title", "default", "minimum"):
            field.pop(word, None)


class _Compact(BaseModel):
    """A model whose JSON schema, which is sent with each request, has no titles and no docstrings."""

    model_config = ConfigDict(json_schema_extra=_drop_words)


def _parse_confidence(value: Any) -> Any:
    is_share = isinstance(value, int | float) and 0 <= value <= 1
    return value if is_share else MODEL_CONFIDENCE


def _keep_facts(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """Return the facts of a list that say something; none of them is needed for the narrative."""
    try:
        return keep_fitting(value, validate)
    except ValidationError:
        return []


class FactAnswer(_Compact):
    """One observation with the references (`#12` → 12) of the blocks that prove it.

    `closes` and `replaces` are numbers of earlier observations (`E3` → 3). The fields that the schema does not show are those
    of earlier prompts: their stored answers stay readable.
    """

    text: str
    kind: Annotated[FactKind, BeforeValidator(parse_kind), WithJsonSchema({"type": "string"})]
    priority: Annotated[Priority, BeforeValidator(parse_priority)]
    refs: Numbers
    replaces: Numbers = []
    closes: Numbers = []
    wrong: OptionalText = ""
    rejected: OptionalText = ""
    cure: OptionalText = ""
    category: SkipJsonSchema[Annotated[Category | str, BeforeValidator(parse_category)]] = ""
    files: SkipJsonSchema[Annotated[list[str], BeforeValidator(keep_texts)]] = []
    line_numbers: SkipJsonSchema[Numbers] = []
    refers_to: SkipJsonSchema[Annotated[date | None, BeforeValidator(parse_date)]] = None
    confidence: SkipJsonSchema[Annotated[float, BeforeValidator(_parse_confidence)]] = MODEL_CONFIDENCE

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, value: Any) -> Any:
        """A fact without kind or citations is one of the least; the checks say why it goes no further."""
        if not isinstance(value, dict):
            return value
        priority = choose_priority(value.get("priority"), value.get("kind"))
        words = {"text": replace_null(value["text"]) or None} if "text" in value else {}
        return {"kind": "", "refs": []} | value | words | {"priority": priority}


class SegmentAnswer(_Compact):
    """A topic by its number, with its narrative and its observations. `starts_at` is its first block where the model moved it."""

    topic: Annotated[int, BeforeValidator(lambda value: ([*parse_numbers(value), 0])[0])] = 0
    starts_at: Annotated[int | None, BeforeValidator(parse_number), WithJsonSchema({"type": "integer"})] = None
    title: OptionalText = ""
    narrative: OptionalText
    facts: Annotated[list[FactAnswer], WrapValidator(_keep_facts)] = []
    refs: SkipJsonSchema[Numbers] = []

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, value: Any) -> Any:
        """Without a narrative the facts tell what happened."""
        return {"narrative": ""} | value if isinstance(value, dict) else value


class WindowAnswer(_Compact):
    """The observations of one transcript, topic by topic."""

    segments: Annotated[list[SegmentAnswer], KeepFitting]
    current_task: OptionalText = ""
    suggested_response: OptionalText = ""

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, value: Any) -> Any:
        """The facts of an answer that names no segments are those of one."""
        is_flat = isinstance(value, dict) and "segments" not in value and isinstance(value.get("facts"), list)
        return {**value, "segments": [{"facts": value["facts"]}]} if is_flat else value


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


def make_strict(schema: Any) -> Any:
    """Return a copy of a schema in which every object requires all its properties and allows no others; defaults are gone.

    A property that was optional may be null, a list empty: a model would have to invent a value.
    """
    if isinstance(schema, list):
        return [make_strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if not isinstance(schema.get("properties"), dict):
        return {name: make_strict(value) for name, value in schema.items() if name != "default"}
    needed = schema.get("required", ())
    strict = {name: make_strict(value) for name, value in schema["properties"].items()}
    properties = {
        name: value if name in needed or value.get("type") == "array" else {"anyOf": [value, {"type": "null"}]}
        for name, value in strict.items()
    }
    rest = {name: make_strict(value) for name, value in schema.items() if name not in ("properties", "default")}
    return rest | {"properties": properties, "required": list(properties), "additionalProperties": False}
