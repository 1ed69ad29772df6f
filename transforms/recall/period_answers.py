"""Answers about a stretch of time: what lies in it comes first, and a question for nothing else gets what happened in order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from transforms.language.tokenizer import stem, words
from transforms.recall.answerability import LIGHT
from transforms.recall.query import Question
from transforms.recall.question_dates import Asked, Days
from transforms.recall.question_type import STATED, asked_of
from transforms.recall.rank import Corpus, Ranked

NEARLY = 0.7
"""Share of the best hit's word score or cosine from which hits of the period that was asked for go before all others. Dates in
questions are often those of the matter and not of the talk: 28 of 44 dated questions about dialogues have evidence in it."""
COVERED = 0.5
"""Share of an event's word weight that a fact must have to be it: verbs change their form ("the move", "moved", "replaces")."""
EVENT_HITS = 20
SHORT_DAYS = 3
"""A condensed day is dated to its end in UTC, so that it may seem to belong to the next: short periods do without."""

_DONE_WORDS = (
    "do done did work worked happen happened change changed decide decided decision decisions learn learned talk talked discuss"
    " discussed ask asked say said tell told complain complained want wanted plan planned finish finished start started try"
    " tried summary summarise summarize recap status news progress achieve achieved accomplish accomplished accomplishments"
    " activity build built project projects topic topics session sessions everything anything something else important list"
)
_DONE = frozenset(map(stem, _DONE_WORDS.split()))
"""Verbs and nouns that ask for whatever happened."""
_KIND = {
    "decision": 0,
    "state_change": 0,
    "completion": 1,
    "fix": 1,
    "root_cause": 1,
    "rule": 2,
    "preference": 2,
    "correction": 2,
}
_PRIORITY = {"high": 0, "medium": 1, "low": 2}

_CAUSE = re.compile(r"\b(?:why|how come)\b", re.I)
_OURS = re.compile(r"\b(?:we|i|our|us|my)\b", re.I)

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Timely:
    """The days that a question is about, whether about all that happened in them, how they were read (for its reader), and the
    question without the event that they were counted from."""

    days: Days | None = None
    is_whole: bool = False
    note: str = ""
    matter: str = ""


def event_of(rows: Sequence[Row], ranked: Sequence[Ranked], event: Question, corpus: Corpus) -> datetime | None:
    """When the event happened that a question counts from: when the fact with most of its words, and with every name in
    it, was said; None when no fact has enough of them."""
    weights = {word: corpus.weight(word) for word in event.words if word not in LIGHT}
    names = {*asked_of(event.text).names, *(specific[-1] for specific in event.specifics)} & weights.keys()
    best, at = COVERED * sum(weights.values()), None
    for one in ranked[:EVENT_HITS]:
        row = rows[one.index]
        covered = sum(weight for word, weight in weights.items() if word in row["found"])
        if row["said_at"] is not None and covered > best and names <= set(row["found"]):
            best, at = covered, row["said_at"]
    return at


def is_open(question: Question, phrase: str) -> bool:
    """Whether a question asks for nothing but what happened in its period."""
    if asked_of(question.text).form == STATED or _CAUSE.search(question.text):
        return False
    timely = set(words(phrase))
    return all(word in _DONE or word in LIGHT or word in timely for word in question.words)


def counts_from_event(question: Question, asked: Asked) -> bool:
    """Whether an event that a question names bounds its time, and is not its matter: when nothing else is asked ("what did we
    change after the release"), and for how we had it before ("which database did we use before the move")."""
    rest = question.text.replace(asked.phrase, " ")
    return is_open(question, asked.phrase) or (asked.relation in ("before", "until") and bool(_OURS.search(rest)))


def days_between(row: Row, days: Days, zone: ZoneInfo) -> bool:
    """Whether it was said in these days of the owner's zone."""
    at = row["said_at"]
    return at is not None and days[0] <= at.astimezone(zone).date() <= days[1]


def in_period_first(rows: Sequence[Row], ranked: Sequence[Ranked], days: Days, zone: ZoneInfo) -> list[Ranked]:
    """Hits of the period that are about the matter nearly as much as the best of all before all others."""
    most = {name: NEARLY * max((getattr(one, name) for one in ranked), default=0.0) for name in ("lexical", "cosine")}
    near = [one for one in ranked if any(bound > 0 and getattr(one, name) >= bound for name, bound in most.items())]
    first = {one.index: one for one in near if days_between(rows[one.index], days, zone)}
    return [*first.values(), *(one for one in ranked if one.index not in first)]


def ranked_of_period(rows: Sequence[Row], question: Question, days: Days) -> list[Ranked]:
    """What was kept of a period, most telling first: its segments in the order of time, then decisions and what got done by
    priority; facts of a kind that is asked for ("what did we decide …") before all. Turns come last."""
    is_short = (days[1] - days[0]).days < SHORT_DAYS

    def order(index: int) -> tuple[Any, ...]:
        row = rows[index]
        if row["source"] == "observation":
            level = _KIND.get(row["kind"] or "", 3) - (3 if row["kind"] in question.kinds else 0)
            place = (0 if level < 2 else 2, bool(row["superseded_by"]), level, _PRIORITY.get(row["priority"] or "medium", 1))
        else:
            place = (
                {"segment": 1 if question.kinds else -1, "distillate": 1, "memory": 2}.get(row["source"], 3),
                bool(row["superseded_by"]),
                0,
                0,
            )
        return *place, str(row["said_at"]), str(row["key"])

    kept = [index for index, row in enumerate(rows) if not (is_short and row["source"] == "distillate")]
    chosen = sorted(kept, key=order)
    return [Ranked(index, 1.0 / (1 + place), 0.0, 0.0, 0.0) for place, index in enumerate(chosen)]


def period_note(days: Days, event: str = "") -> str:
    """How the time of a question was read, for its reader."""
    first, last = days
    if first == last:
        told = str(first)
    elif first == date(1970, 1, 1):
        told = f"up to {last}"
    else:
        told = f"since {first}" if last.year == date.max.year else f"{first} to {last}"
    return f"time read as {told}" + (f", from “{event}”" if event else "")
