"""Pairs facts of which later work replaced a number with the later fact that gives the new one."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from transforms.changes.change_index import ChangeIndex, NumberIndex
from transforms.changes.changed_numbers import (
    LaterNumber,
    find_later_numbers,
    find_value_place,
    is_terse_setting,
    names_value,
    tells_later_number,
)
from transforms.changes.undone_values import Work
from transforms.changes.work_numbers import list_changed_numbers
from transforms.language.dialogue_acts import analyse_message
from transforms.language.statement import split_claim
from transforms.tables.enums import PERSON_KINDS, REPORTING_KINDS
from transforms.tables.fact_notes import read_told_choice


class NumberedFact(NamedTuple):
    """A fact in force: an earlier one of a pair, or the later one."""

    id: str
    project: str
    said_at: datetime
    text: str
    kind: str = ""


def list_set_words(fact: NumberedFact) -> str:
    """Return the words of a fact that may set a value: a person's own and what they chose, without what they ask or report as a
    fault. What the agent says behind an order or a question is what was set; behind words that hold by themselves it is not."""
    if fact.kind in REPORTING_KINDS:
        return ""
    parts = split_claim(fact.text)
    if not parts.is_quote:
        return fact.text
    if is_terse_setting(parts.claim):
        return fact.text
    choice = read_told_choice(fact.text)
    sentences = analyse_message(parts.claim, choice.asked if choice else parts.rest).sentences
    setting = [sentence.text for sentence in sentences if not sentence.is_question and sentence.assertion != "problem"]
    behind = [choice.chosen] if choice else [parts.rest] if fact.kind not in PERSON_KINDS else []
    return " ".join([*setting, *behind])


class ChangedFact(NamedTuple):
    """The later fact that gives the new value, and where: begin and end in its text, then those of the former value in the
    earlier fact; nothing of a text that has its value in words."""

    newer_id: str
    places: tuple[int, ...]


def find_changed_facts(facts: Iterable[NumberedFact], works: Mapping[str, Sequence[Work]]) -> dict[str, ChangedFact]:
    """Return the id of each fact of which later work of its project replaced a number → the first fact since that gives the new
    one, the last such change before others. Without such a fact nobody could be told what holds. `works`, by project, are in the
    order of time."""
    by_project: defaultdict[str, list[NumberedFact]] = defaultdict(list)
    for fact in facts:
        by_project[fact.project].append(fact)
    pairs: dict[str, ChangedFact] = {}
    for project, rows in by_project.items():
        changes = [(work.entry.said_at, change) for work in works.get(project, ()) for change in list_changed_numbers(work)]
        if not changes:
            continue
        ordered = sorted(rows, key=lambda row: (row.said_at, row.id))
        index, texts = ChangeIndex(changes), NumberIndex(row.text for row in ordered)
        for fact in ordered:
            own = index.list_about(fact.text, fact.said_at)
            replaced = [number for number in find_later_numbers(fact.text, own) if _sets(fact, number)] if own else []
            later = sorted(replaced, key=lambda number: number.since, reverse=True)
            newer = ((row, number) for number in later for row in _list_giving(ordered, texts, number) if row.id != fact.id)
            if (first := next(newer, None)) is not None:
                row, number = first
                places = find_value_place(row.text, number.added), find_value_place(fact.text, number.removed)
                pairs[fact.id] = ChangedFact(row.id, (*places[0], *places[1]) if places[0] else ())
    return pairs


def _sets(fact: NumberedFact, number: LaterNumber) -> bool:
    return names_value(list_set_words(fact), number.removed)


def _list_giving(rows: Sequence[NumberedFact], texts: NumberIndex, number: LaterNumber) -> Iterator[NumberedFact]:
    """Yield the facts that were said since a number was replaced and give the new one, the first at first."""
    since = bisect_left(rows, number.since, key=lambda row: row.said_at)
    return (rows[place] for place in texts.list_places(number.added, since) if tells_later_number(rows[place].text, number))
