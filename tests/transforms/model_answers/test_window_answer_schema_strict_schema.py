"""The strict form of the schemas that are sent."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from tests.each_case import each_case
from transforms.answers.written_answer import WrittenAnswer
from transforms.condensing.period_answer import PeriodAnswer
from transforms.friction.friction_answer import FrictionAnswer
from transforms.memory.proposal_answer import ProposalAnswer
from transforms.model_answers.window_answer_schema import WindowAnswer, make_strict
from transforms.pairing.relations import RelationAnswer
from transforms.rereading.reading_answer import ReadingAnswer

ANSWERS = (WrittenAnswer, PeriodAnswer, FrictionAnswer, ProposalAnswer, WindowAnswer, RelationAnswer, ReadingAnswer)
VALUES = {"string": "text", "integer": 1, "number": 0.5, "boolean": True}


def fill(schema: Any, definitions: dict[str, Any]) -> Any:
    """Return a value that fits a strict schema: nothing where nothing may stand."""
    if "anyOf" in schema:
        return None if {"type": "null"} in schema["anyOf"] else fill(schema["anyOf"][0], definitions)
    if "$ref" in schema:
        return fill(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: fill(value, definitions) for name, value in schema["properties"].items()}
    return [fill(schema["items"], definitions)] if schema["type"] == "array" else VALUES[schema["type"]]


@each_case("answer", ANSWERS)
def test_every_object_is_closed_and_an_answer_with_nothing_optional_is_read(answer: type[BaseModel]) -> None:
    """OpenAI refuses a strict schema with an open object or a property that may be missing."""
    strict = make_strict(answer.model_json_schema())
    waiting = [strict]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if isinstance(part.get("properties"), dict):
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])
            assert "default" not in part or isinstance(part["default"], dict)
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    answer.model_validate_json(json.dumps(fill(strict, strict.get("$defs", {}))))
