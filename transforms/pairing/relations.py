"""A model's answer about pairs of facts: its schema, its plain form, and the relation of each pair."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator

from transforms.language.statement import profile_words
from transforms.model_answers.answer_fields import KeepFitting, OptionalText, replace_null
from transforms.pairing.candidates import LINE_ID, CandidatePair, PairRow
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import Relation, ToldRelation

LETTERS = "abcdefghijklmnop"
_QUOTES = ' .;,"“”…'
_RELATIONS = get_args(ToldRelation)
_RELATION_LINE = compile_late(
    r"\b(\d{1,3})\s*([a-p]|m\d{1,3})\b\W*(replaces[ _]part|replaces|restates|outdates|finishes|exception|other[ _]scope"
    r"|unrelated)\b(?:[\s;,.]*\bkeeps:[ \t]*(.+))?",
    re.I,
)
MIN_KEPT_WORDS, MAX_KEPT_SHARE = 3, 0.7
"""Words that go on to hold of a replaced fact: fewer say nothing by themselves, and more are the fact itself."""


def _parse_relation(value: Any) -> Any:
    """Return a relation as models spell it; an unknown one is `unrelated`, which changes nothing."""
    name = re.sub(r"[\s-]+", "_", str(value).strip().lower())
    return name if name in _RELATIONS else "unrelated"


class PairRelation(BaseModel):
    """The relation of a new fact to an earlier one, or to a line of MEMORY.md: `3b` is the second earlier one below the third new
    fact, `3m7` that fact and the seventh line of the request. `keeps` are words of a replaced fact that go on to hold."""

    pair: Annotated[str, BeforeValidator(replace_null)]
    relation: Annotated[ToldRelation, BeforeValidator(_parse_relation)]
    keeps: OptionalText = ""


class RelationAnswer(BaseModel):
    """The pairs that are related in some way; the others are not."""

    pairs: Annotated[list[PairRelation], KeepFitting]


def parse_relation_lines(raw: str) -> RelationAnswer:
    """Return the answer in the plain form.

    Raises:
        ValueError: when it is neither a list of relations nor `none`.
    """
    lines = _RELATION_LINE.findall(raw)
    if not lines and not re.search(r"\bnone\b", raw, re.I):
        raise ValueError("there is no relation in it, and it does not say none")
    return RelationAnswer.model_validate(
        {
            "pairs": [
                {"pair": f"{number}{letter}", "relation": relation, "keeps": keeps} for number, letter, relation, keeps in lines
            ]
        }
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
    named = _list_named(answer, groups)
    for pair, item in reversed(named):
        relations[pair.older.id, pair.newer.id] = item.relation
    if answer.pairs and not named:
        raise ValueError("it names no pair of the request")
    return relations


def match_kept(answer: RelationAnswer, groups: Sequence[Sequence[CandidatePair]]) -> dict[tuple[str, str], tuple[int, int]]:
    """Return (older id, newer id) → where the words begin and end, in the text of a replaced fact, that go on to hold.

    Only words that stand there count, and not those that the newer fact has anyway.
    """
    kept = {}
    for pair, item in reversed(_list_named(answer, groups)):
        is_fact = not pair.older.id.startswith(LINE_ID)
        if is_fact and item.relation == "replaces" and (span := _find_kept(pair, item.keeps)):
            kept[pair.older.id, pair.newer.id] = span
    return kept


def _find_kept(pair: CandidatePair, words: str) -> tuple[int, int] | None:
    wanted = " ".join(words.split()).strip(_QUOTES)
    begin = pair.older.text.casefold().find(wanted.casefold()) if wanted else -1
    own, newer = profile_words(wanted).content, profile_words(pair.newer.text).content
    if len(own) < 2:  # "one request at a time" is told by its small words
        own, newer = frozenset(wanted.casefold().split()), frozenset(pair.newer.text.casefold().split())
    is_part = len(wanted.split()) >= MIN_KEPT_WORDS and len(wanted) <= MAX_KEPT_SHARE * len(pair.older.text)
    if begin < 0 or not is_part or own <= newer:
        return None
    return begin, begin + len(wanted)


def _list_named(answer: RelationAnswer, groups: Sequence[Sequence[CandidatePair]]) -> list[tuple[CandidatePair, PairRelation]]:
    """Return the pairs of a request that an answer names, with what it says, in its order."""
    marks = [dict(mark_pairs(group, groups)) for group in groups]
    named = []
    for item in answer.pairs:
        match = re.fullmatch(r"\s*\(?(\d{1,3})\s*\.?\s*([a-p]|m\d{1,3})\)?\s*", item.pair, re.I)
        number = int(match[1]) - 1 if match else -1
        pair = marks[number].get(match[2].lower()) if match and 0 <= number < len(groups) else None
        if pair is not None:
            named.append((pair, item))
    return named
