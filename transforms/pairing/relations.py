"""A model's answer about pairs of facts: its schema, its plain form, and the relation of each pair."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator

from transforms.pairing.candidates import LINE_ID, CandidatePair, PairRow
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import Relation

LETTERS = "abcdefghijklmnop"
_RELATIONS = get_args(Relation)
_RELATION_LINE = compile_late(
    r"\b(\d{1,3})\s*([a-p]|m\d{1,3})\b\W*(replaces[ _]part|replaces|restates|outdates|finishes|exception|other[ _]scope"
    r"|unrelated)\b",
    re.I,
)


def _parse_relation(value: Any) -> Any:
    """Return a relation as models spell it; an unknown one is `unrelated`, which changes nothing."""
    name = re.sub(r"[\s-]+", "_", str(value).strip().lower())
    return name if name in _RELATIONS else "unrelated"


class PairRelation(BaseModel):
    """The relation of a new fact to an earlier one, or to a line of MEMORY.md: `3b` is the second earlier one below the third new
    fact, `3m7` that fact and the seventh line of the request."""

    pair: str
    relation: Annotated[Relation, BeforeValidator(_parse_relation)]


class RelationAnswer(BaseModel):
    """The pairs that are related in some way; the others are not."""

    pairs: list[PairRelation]


def parse_relation_lines(raw: str) -> RelationAnswer:
    """Return the answer in the plain form.

    Raises:
        ValueError: when it is neither a list of relations nor `none`.
    """
    lines = _RELATION_LINE.findall(raw)
    if not lines and not re.search(r"\bnone\b", raw, re.I):
        raise ValueError("there is no relation in it, and it does not say none")
    return RelationAnswer.model_validate(
        {"pairs": [{"pair": f"{number}{letter}", "relation": relation} for number, letter, relation in lines]}
    )


def number_lines(groups: Sequence[Sequence[CandidatePair]]) -> dict[str, tuple[str, PairRow]]:
    """Return the mark and the row of each line of MEMORY.md in a request, by its id: a line is near many facts and shown once."""
    lines = {pair.older.id: pair.older for group in groups for pair in group if pair.older.id.startswith(LINE_ID)}
    return {key: (f"m{number}", row) for number, (key, row) in enumerate(lines.items(), 1)}


def mark_pairs(group: Sequence[CandidatePair], groups: Sequence[Sequence[CandidatePair]]) -> list[tuple[str, CandidatePair]]:
    """Return the pairs of one new fact, each with its mark below that fact: a letter, or the mark of a line of MEMORY.md."""
    lines, letters = number_lines(groups), iter(LETTERS)
    return [(lines[pair.older.id][0] if pair.older.id in lines else next(letters), pair) for pair in group]


def match_relations(answer: RelationAnswer, groups: Sequence[Sequence[CandidatePair]]) -> dict[tuple[str, str], Relation]:
    """Return (older id, newer id) → relation for every pair of the request; the first of two statements counts.

    Raises:
        ValueError: when it names pairs and none of them was in the request.
    """
    relations: dict[tuple[str, str], Relation] = {
        (pair.older.id, pair.newer.id): "unrelated" for group in groups for pair in group
    }
    marks = [{mark: (pair.older.id, pair.newer.id) for mark, pair in mark_pairs(group, groups)} for group in groups]
    named: set[tuple[str, str]] = set()
    for item in answer.pairs:
        match = re.fullmatch(r"\s*\(?(\d{1,3})\s*\.?\s*([a-p]|m\d{1,3})\)?\s*", item.pair, re.I)
        number = int(match[1]) - 1 if match else -1
        key = marks[number].get(match[2].lower()) if match and 0 <= number < len(groups) else None
        if key is not None:
            if key not in named:
                relations[key] = item.relation
            named.add(key)
    if answer.pairs and not named:
        raise ValueError("it names no pair of the request")
    return relations
