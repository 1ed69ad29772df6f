"""The answer of a second reading: its schema, its plain form, and the faults that it finds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema, model_validator
from pydantic.json_schema import SkipJsonSchema

from transforms.model_answers.answer_fields import KeepFitting, OptionalText, parse_number
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject

ReadingVerdict = Literal["supported", "partly", "wrong", "absent"]
FAULTS = ("role", "thing", "value", "order", "cause", "polarity", "scope", "status", "outdated", "invented")
WHY_CHARS = 120
_VERDICT_LINE = compile_late(
    r"^\W*(?:fact\s*)?(\d{1,3})\s*[-–:.)]?\s*(supported|partly|wrong|absent)\b[ \t,:(\[]*(\w*)[ \t:)\].,-]*(.*)$", re.I | re.M
)
_HOLDS = compile_late(r"[\s;,.]*\bholds:\s*", re.I)


def _parse_verdict(value: Any) -> Any:
    """Return the verdict as models spell it; an unknown one is `absent`, which decides nothing."""
    name = str(value).strip().lower()
    return name if name in ("supported", "partly", "wrong") else "absent"


class FactReading(BaseModel):
    """The verdict on one fact by its number; for a wrong fact also its fault and the correct statement, for one that
    is wrong in part the words that hold, too, and for a supported one whose kind claims too much the kind that it is."""

    fact: Annotated[int, BeforeValidator(parse_number), WithJsonSchema({"type": "integer"})]
    verdict: Annotated[ReadingVerdict, BeforeValidator(_parse_verdict)]
    fault: OptionalText = ""
    why: OptionalText = ""
    holds: OptionalText = ""
    kind: OptionalText = ""


class ReadingAnswer(BaseModel):
    """The verdicts on the facts of one request: a line per fact, which takes a third of the tokens that an object takes.

    `facts` is the form of earlier prompts, and what some models write all the same.
    """

    model_config = ConfigDict(json_schema_extra=lambda schema: schema.pop("description", None))

    verdicts: list[str]
    facts: SkipJsonSchema[Annotated[list[FactReading], KeepFitting]] = []

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, value: Any) -> Any:
        """The verdicts may be a text, an object by number, or a list with objects; one that says nothing keeps its place."""
        if not isinstance(value, dict) or not {"verdicts", "facts"} & value.keys():
            return value
        given = value.get("verdicts")
        items = [*_number_items(given)] if isinstance(given, dict) else given if isinstance(given, list) else [given]
        texts = [item if isinstance(item, str) else "" for item in items if not isinstance(item, dict)]
        objects = [{"fact": place} | item for place, item in enumerate(items, 1) if isinstance(item, dict)]
        facts = value.get("facts")
        return value | {"verdicts": texts, "facts": [*objects, *(facts if isinstance(facts, list) else [])]}

    def list_readings(self) -> list[FactReading]:
        """Return the verdicts in whichever form they came; one without a number is about the fact in its place.

        Of several texts only the first lines are read: below these stand words of a reason, or of an excerpt that it quotes.
        """
        several = [text.strip().partition("\n")[0] for text in self.verdicts] if len(self.verdicts) > 1 else self.verdicts
        lines = (_read_lines(text) or _read_lines(f"{place}: {text}") for place, text in enumerate(several, 1))
        return [*self.facts, *(reading for readings in lines for reading in readings)]


def _number_items(verdicts: JsonObject) -> Iterator[str | JsonObject]:
    """Yield the verdicts of an object whose names are the numbers of facts."""
    for name, item in verdicts.items():
        yield {"fact": name} | item if isinstance(item, dict) else f"{name}: {item}"


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of a second reading for one fact; `reason` is empty unless it is wrong, `holds` unless a part of it is not, and
    `kind` unless only its kind is another one."""

    verdict: ReadingVerdict
    reason: str = ""
    holds: str = ""
    kind: str = ""


def parse_reading_lines(raw: str) -> ReadingAnswer:
    """Return the answer in the plain form, a line per fact.

    Raises:
        ValueError: when there is no verdict in it.
    """
    if not (readings := _read_lines(raw)):
        raise ValueError("there is no verdict in it")
    return ReadingAnswer(verdicts=[], facts=readings)


def _read_lines(raw: str) -> list[FactReading]:
    facts = []
    for number, verdict, fault, reason in _VERDICT_LINE.findall(raw):
        why, holds = [*_HOLDS.split(reason, 1), ""][:2] if verdict.lower() == "partly" else (reason, "")
        kind = reason if fault.lower() == "kind" else ""
        facts.append({"fact": number, "verdict": verdict, "fault": fault, "why": why, "holds": holds, "kind": kind})
    return [FactReading.model_validate(fact) for fact in facts]


def match_readings(answer: ReadingAnswer, count: int) -> list[Reading | None]:
    """Return the reading of each of `count` facts, None where the answer has none; the first of two counts.

    Raises:
        ValueError: when less than half of the facts have a verdict.
    """
    readings: list[Reading | None] = [None] * count
    for item in answer.list_readings():
        if 1 <= item.fact <= count and readings[item.fact - 1] is None:
            readings[item.fact - 1] = _build_reading(item)
    if sum(reading is not None for reading in readings) * 2 < count:
        raise ValueError(f"it says nothing about most of the facts 1 to {count}")
    return readings


def _build_reading(item: FactReading) -> Reading:
    """Return the reading; without the words that hold, a partly wrong fact is wrong."""
    if item.verdict not in ("partly", "wrong"):
        return Reading(item.verdict, kind=_read_kind(item.kind) if item.verdict == "supported" else "")
    is_part = item.verdict == "partly" and bool(item.holds.strip())
    return Reading("partly" if is_part else "wrong", _format_reason(item), item.holds if is_part else "")


def _read_kind(named: str) -> str:
    word = re.search(r"\w+", named)
    return word[0].lower() if word else ""


def _format_reason(item: FactReading) -> str:
    fault = item.fault.strip().lower()
    fault = fault if fault in FAULTS else "wrong"
    return f"{fault}: {' '.join(item.why.split())[:WHY_CHARS]}".rstrip(": ")
