"""The strict form of a JSON schema, which OpenAI's structured output asks for."""

from __future__ import annotations

from typing import Any


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
