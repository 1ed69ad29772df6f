"""Finds an answer in the words around it, and closes one that was cut off, so that what stands in it whole can be read."""

from __future__ import annotations

import json
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from transforms.model_answers.answer_xml import strip_fences
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject

_CLOSED = ("facts", "segment", "observations")
"""Elements of the plain form that a cut answer leaves open, from the inside."""
_MOST_TRIES = 100
"""Beginnings of objects that are tried: code in a text has many braces."""
_OBJECT = compile_late(r"\{\s*\"")
"""The beginning of an object; a brace in prose has no name in quotation marks behind it."""
_OF_NUMBERS = "0123456789.eE+-"
"""Signs of a number: where an answer ends in one, more of its digits may have been due, and half a citation is another one."""


def find_answer(text: str, schema: type[BaseModel]) -> str:
    """Return the JSON object of a text that is the answer: the last one with all that the schema needs, as a model thinks aloud
    before it answers, also inside of another object or a text; else the first object, empty when there is none that ends.

    What stands in an object that breaks off or is no JSON is only a part of an answer.
    """
    needed = {name for name, field in schema.model_fields.items() if field.is_required()}
    objects = _list_objects(text)
    for written, item in reversed(objects):
        if needed <= item.keys() and _fits(item, schema):
            return written
        for inner in map(_read_object, item.values()):
            if needed <= inner.keys() and _fits(inner, schema):
                return json.dumps(inner)
    return objects[0][0] if objects and text.find(objects[0][0]) == _find_object(text) else ""


def _fits(item: JsonObject, schema: type[BaseModel]) -> bool:
    try:
        schema.model_validate(item)
    except ValidationError:
        return False
    return True


def _read_object(value: Any) -> JsonObject:
    """Return an object, also as JSON in a text; an empty one for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}
    return value if isinstance(value, dict) else {}


def _list_objects(text: str) -> list[tuple[str, JsonObject]]:
    """Return the JSON objects of a text as they are written and as they are read, none that stands in another one."""
    objects, decoder, start = list[tuple[str, JsonObject]](), json.JSONDecoder(), _find_object(text)
    for _ in range(_MOST_TRIES):
        if start < 0:
            break
        try:
            item, end = decoder.raw_decode(text, start)
            objects.append((text[start:end], item))
        except ValueError as error:  # also a number of thousands of digits, which has no place
            end = max(getattr(error, "pos", 0), start + 1)
        except RecursionError:
            break
        begun = _OBJECT.search(text, end)
        start = begun.start() if begun else -1
    return objects


def close_answer(form: str, raw: str) -> str:
    """Return an answer in `json` or `xml` with its open ends closed; empty when nothing of it can be read.

    What was being written when it ended is left out: half a sentence is another one.
    """
    return _close_elements(raw) if form == "xml" else _close_object(raw)


def _close_object(raw: str) -> str:
    start = _find_object(raw)
    if start < 0:
        return ""
    try:
        return orjson.dumps(from_json(raw[start:].rstrip(_OF_NUMBERS), allow_partial=True)).decode()
    except (ValueError, orjson.JSONEncodeError):  # no JSON, or with more behind it
        return ""


def _find_object(text: str) -> int:
    begun = _OBJECT.search(text)
    return begun.start() if begun else text.find("{")


def _close_elements(raw: str) -> str:
    whole_lines = strip_fences(raw).rpartition("\n")[0]
    start = whole_lines.find("<observations")
    if start < 0:
        return ""
    body = whole_lines[start:]
    is_open = [name for name in _CLOSED if body.rfind(f"<{name}") > body.rfind(f"</{name}>")]
    return "\n".join([body, *(f"</{name}>" for name in is_open)])
