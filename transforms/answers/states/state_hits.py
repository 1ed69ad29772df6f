"""Finds the row that answers a question for a state: the newest one about the piece of work that decides it.

A row names the work by its number, its branch or its title; what has the number of a row that fits is about the same work. Where
no row decides, the newest one tells how far memory knows it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import fsum

from transforms.answers.states.state_question import StateQuestion
from transforms.exchanges.outside.told_changes import ToldChange, read_change
from transforms.language.tokenizer import tokenize
from transforms.recall.newer_values import Folded
from transforms.recall.question_language import take_prefix
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Hit

STATE_KINDS = frozenset({"completion", "status", "error"})
"""Kinds of the rows that tell states."""
LEAST_SHARE, NEAR_BEST = 0.5, 0.85
"""Share of the question's words that a row's title has at least, and of the best row's share."""
LEADING = 3
"""First hits among which a later word about the work stays first."""
MOST_OPEN = 4
"""Open requests and issues that go before other hits, the newest."""
SOON = timedelta(minutes=10)
"""Time after a change in which a session reports it: such words are no later news."""
UNDATED = datetime.min.replace(tzinfo=UTC)
UNENDED = "{} on {}; nothing about its end in memory"


@dataclass(frozen=True, slots=True)
class StateRow:
    """A candidate that tells a state."""

    place: int
    change: ToldChange
    project: str | None
    session_id: str | None
    said_at: datetime
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class FoundState:
    """The row that answers, and whether it decides the question or only tells the newest that memory knows."""

    row: StateRow
    decides: bool


def list_state_rows(rows: Sequence[RankingRecord]) -> list[StateRow]:
    """Return the candidates that tell states; rows of facts have their texts."""
    states = list[StateRow]()
    for place, row in enumerate(rows):
        if row["source"] == "observation" and row["kind"] in STATE_KINDS and not row["superseded_by"]:
            text = row.get("text") or ""
            if (change := read_change(text)) is not None:
                plain = [name.removeprefix("v") for name in change.names]
                terms = frozenset(tokenize(" ".join([text, *plain])))
                states.append(StateRow(place, change, row.get("project"), row["session_id"], row["said_at"] or UNDATED, terms))
    return states


def find_state(states: Sequence[StateRow], asked: StateQuestion, weights: Mapping[str, float]) -> FoundState | None:
    """Return the row that answers a question; None where no row is about its piece of work."""
    about = _list_about(states, asked, weights)
    decisive = [row for row in about if row.change.deeds & asked.deciding]
    if decisive or about:
        return FoundState(max(decisive or about, key=lambda row: (row.said_at, row.place)), bool(decisive))
    return None


def keep_meant_projects(states: Sequence[StateRow], asked: StateQuestion, projects: Collection[str]) -> list[StateRow]:
    """Return the rows that a question can mean: every project counts its requests from 1, so a number is one of the projects that
    are asked about; where there are none of these, the rows with the number are of one project or none is meant."""
    if not asked.numbers:
        return list(states)
    if projects:
        return [row for row in states if row.project in projects]
    numbered = [row for row in states if _has_number(row, asked)]
    return numbered if len({row.project for row in numbered}) == 1 else []


def _list_about(states: Sequence[StateRow], asked: StateQuestion, weights: Mapping[str, float]) -> list[StateRow]:
    if asked.numbers:
        return [row for row in states if _has_number(row, asked)]
    shares = {row.place: _measure_share(row, asked.subject, weights) for row in states if _is_of_thing(row, asked.thing)}
    best = max(shares.values(), default=0.0)
    if best < LEAST_SHARE:
        return []
    fitting = [row for row in states if shares.get(row.place, 0.0) >= NEAR_BEST * best]
    keys = {key for row in fitting for key in _list_keys(row)}
    branches = _list_single_branches(states) & {_name_branch(row) for row in fitting}
    return [row for row in states if row in fitting or not keys.isdisjoint(_list_keys(row)) or _name_branch(row) in branches]


def _name_branch(row: StateRow) -> tuple[str | None, str]:
    return row.project, row.change.branch


def _list_single_branches(states: Sequence[StateRow]) -> set[tuple[str | None, str]]:
    """Return the branches of at most one request: of a branch that lives on, two commits are two pieces of work."""
    numbers = defaultdict[tuple[str | None, str], set[tuple[str, ...]]](set)
    for row in states:
        numbers[_name_branch(row)] |= {row.change.names} if row.change.thing == "pull request" else set()
    return {branch for branch, requests in numbers.items() if branch[1] and len(requests) == 1}


def list_linked_numbers(states: Sequence[StateRow], asked: StateQuestion, weights: Mapping[str, float]) -> list[str]:
    """Return the numbers of the rows about the work that a question names by words."""
    about = [] if asked.numbers else _list_about(states, asked, weights)
    return sorted({name for row in about for name in row.change.names if name.isdigit()})


def _has_number(row: StateRow, asked: StateQuestion) -> bool:
    return not asked.numbers.isdisjoint(row.change.names) and (not asked.thing or row.change.thing == asked.thing)


def _is_of_thing(row: StateRow, thing: str) -> bool:
    """Whether a row may be about a kind of thing: a commit may be of a pull request, one of these is no issue."""
    return not thing or row.change.thing in (thing, "", "branch")


def _list_keys(row: StateRow) -> list[tuple[str | None, str, str]]:
    """Return what names a piece of work in other rows, too: the number of a request or issue, the hash of a commit."""
    numbers = [(row.project, row.change.thing, name) for name in row.change.names if name.isdigit()]
    return [*numbers, (row.project, "commit", row.change.hash)] if row.change.hash else numbers


def _measure_share(row: StateRow, subject: Sequence[str], weights: Mapping[str, float]) -> float:
    total = fsum(weights.get(word, 0.0) for word in subject)
    return fsum(weights.get(word, 0.0) for word in subject if _is_form_in(word, row.terms)) / total if total else 0.0


def _is_form_in(word: str, terms: frozenset[str]) -> bool:
    """Whether a row has a word in any form: "migrate linting" for "the migration"."""
    prefix = take_prefix(word)
    if word in terms or not prefix:
        return word in terms
    return any(term.startswith(prefix) or ((root := take_prefix(term)) and word.startswith(root)) for term in terms)


def is_told_later(
    rows: Sequence[RankingRecord],
    folded: Folded,
    answer: FoundState,
    asked: StateQuestion,
    weights: Mapping[str, float],
) -> bool:
    """Whether one of the first hits tells of the same work after the row: the very first one with the verb of the question, or
    any where the row does not decide."""
    for place, (hit, _) in enumerate(folded[:LEADING]):
        row = rows[hit.index]
        terms = frozenset(row["terms"])
        is_numbered = bool(asked.numbers & terms) and row.get("project") == answer.row.project
        is_about = is_numbered or _share_of(terms, asked.subject, weights) >= LEAST_SHARE
        is_report = row["session_id"] == answer.row.session_id and (row["said_at"] or UNDATED) <= answer.row.said_at + SOON
        if hit.index == answer.row.place or not is_about or is_report or (row["said_at"] or UNDATED) <= answer.row.said_at:
            continue
        if not answer.decides or (place == 0 and not asked.stems.isdisjoint(terms)):
            return True
    return False


def _share_of(terms: frozenset[str], subject: Sequence[str], weights: Mapping[str, float]) -> float:
    total = fsum(weights.get(word, 0.0) for word in subject)
    return fsum(weights.get(word, 0.0) for word in subject if word in terms) / total if total else 0.0


def list_open_rows(states: Sequence[StateRow], thing: str) -> list[StateRow]:
    """Return the newest requests and issues that were opened, or are open, and of which no later row tells an end."""
    opened = dict[tuple[str | None, str, str], StateRow]()
    for row in sorted(states, key=lambda row: (row.said_at, row.place)):
        for key in _list_keys(row):
            if row.change.deeds & {"opened", "is open", "reopened"} and (not thing or row.change.thing == thing):
                opened[key] = row
            elif row.change.deeds & {"merged", "closed"} and row.change.is_ok:
                opened.pop(key, None)
    newest = sorted(opened.values(), key=lambda row: (row.said_at, row.place), reverse=True)
    return list({row.place: row for row in newest}.values())[:MOST_OPEN]


def add_first(folded: Folded, leads: Sequence[RankedCandidate]) -> Folded:
    """Return the hits behind these, each of which stands once."""
    first = {lead.index for lead in leads}
    beside = {hit.index: others for hit, others in folded}
    rest = [(hit, [other for other in others if other not in first]) for hit, others in folded if hit.index not in first]
    best = max((hit.score for hit, _ in folded), default=0.0)
    return [*((replace(lead, score=max(lead.score, best)), beside.get(lead.index, [])) for lead in leads), *rest]


def put_leads_first(hits: Sequence[Hit], leads: Sequence[str]) -> list[Hit]:
    """Return hits with those of these ids before all others, in this order; each place keeps its score."""
    places = {name: place for place, name in enumerate(leads)}
    ordered = sorted(hits, key=lambda hit: places.get(hit.id, len(places)))
    return [replace(hit, score=other.score) for hit, other in zip(ordered, hits, strict=True)]
