"""Ranks for questions that name a period or a project: its hits come first.

A question for nothing but a period gets its events in order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from transforms.calendars.day_names import ENGLISH_MONTH_OF, MONTH_NAMES
from transforms.language.lexicon import VAGUE_WORDS
from transforms.language.tokenizer import stem, tokenize
from transforms.patterns.late_pattern import compile_late
from transforms.recall.question import Question
from transforms.recall.question_dates import FIRST, LAST, Days, QuestionTime, find_days
from transforms.recall.question_type import YES_NO, classify_question
from transforms.recall.rank import PERFECT_SCORE, CorpusStatistics, RankedCandidate
from transforms.recall.ranking_record import RankingRecord
from transforms.tables.enums import PRIORITY_ORDER

NEAR_BEST = 0.7
"""Share of the best lexical score or cosine from which a hit of the period goes before all others. Dates in questions often
belong to the subject and not to the conversation, so weaker hits keep their rank."""
EVENT_COVERAGE = 0.5
"""Share of an event's term weight that a fact must contain: verbs change their form ("the move", "moved", "replaces")."""
EVENT_HITS = 20
WRITTEN_LIFT, PLACE_LIFT = 9.0, 3.0
"""Score of a hit for being of the project that the question names: by a name that no word is written like, or by its place alone.
Between 3 and 9 the measured questions differ by one or two."""
_MONTH_FORMS = "|".join(form for name in MONTH_NAMES for form in (name, name[:3]))
_IS_THIS_YEAR = compile_late(rf"\bthis (?:year|q[1-4]|{_MONTH_FORMS})\b", re.I)
"""A period of this year, whatever was said in it."""
_LEAP_DAY = (2, 29)
SHORT_DAYS = 3
"""Days from which a period also lists condensed texts: of a shorter one the facts themselves are listed, which these repeat."""

_ACTIVITY_WORDS = (
    "do done did work worked happen happened change changed decide decided decision decisions learn learned talk talked discuss"
    " discussed ask asked say said tell told complain complained want wanted plan planned finish finished start started try"
    " tried summary summarise summarize recap status news progress achieve achieved accomplish accomplished accomplishments"
    " activity build built project projects topic topics session sessions everything anything something else important list"
)
_ACTIVITY_STEMS = frozenset(map(stem, _ACTIVITY_WORDS.split()))
"""Verbs and nouns that ask for anything that happened."""
_KIND_ORDER = {
    "decision": 0,
    "state_change": 0,
    "completion": 1,
    "fix": 1,
    "root_cause": 1,
    "rule": 2,
    "preference": 2,
    "correction": 2,
}
_OTHER_KIND = 3
_SOURCE_ORDER = {"segment": -1, "distillate": 1, "memory": 2}
_SOURCE_ORDER_OF_KINDS = _SOURCE_ORDER | {"segment": 1}
_TURN_ORDER = 3

_QUARTERS = frozenset({"q1", "q2", "q3", "q4"})
YEAR_DIGITS = 4
_CAUSE = compile_late(r"\b(?:why|how come)\b", re.I)
_FIRST_PERSON_WORD = compile_late(r"\b(?:we|i|our|us|my)\b", re.I)


@dataclass(frozen=True, slots=True)
class QuestionPeriod:
    """The period of a question.

    `is_whole` says that the question asks for everything in it; `note` tells the reader how it was read; `remainder` is the
    question without the event that bounds the period.
    """

    days: Days | None = None
    is_whole: bool = False
    note: str = ""
    remainder: str = ""


def find_event_time(
    rows: Sequence[RankingRecord], ranked: Sequence[RankedCandidate], event: Question, corpus: CorpusStatistics
) -> datetime | None:
    """Return when an event happened: the time of the fact with most of its words and all its names; None if none has enough."""
    weights = {word: corpus.compute_inverse_frequency(word) for word in event.words if word not in VAGUE_WORDS}
    names = {*classify_question(event.text).names, *(specific[-1] for specific in event.specifics)} & weights.keys()
    best, time = EVENT_COVERAGE * sum(weights.values()), None
    for candidate in ranked[:EVENT_HITS]:
        row = rows[candidate.index]
        covered = sum(weight for word, weight in weights.items() if word in row["terms"])
        if row["said_at"] is not None and covered > best and names <= set(row["terms"]):
            best, time = covered, row["said_at"]
    return time


def asks_only_for_period(question: Question, phrase: str) -> bool:
    """Whether a question asks for anything that happened in its period; `phrase` is the wording of the period."""
    if classify_question(question.text).form == YES_NO or _CAUSE.search(question.text):
        return False
    return not has_subject(question, phrase)


def has_subject(question: Question, phrase: str = "") -> bool:
    """Whether a question asks about something: it has other words than "what did we do" and those of its period."""
    period_words = set(tokenize(phrase))
    return not all(word in _ACTIVITY_STEMS or word in VAGUE_WORDS or word in period_words for word in question.words)


def is_of_any_year(phrase: str) -> bool:
    """Whether a wording names a month or a quarter, and no year: "in November" of which year?"""
    words = [word.strip(".,?!") for word in phrase.casefold().split()]
    is_named = any(word in ENGLISH_MONTH_OF or word in _QUARTERS for word in words)
    return is_named and not any(len(word) == YEAR_DIGITS and word.isdigit() for word in words)


def list_possible_days(text: str, time: QuestionTime, today: date, years: int) -> list[Days]:
    """Return the days that a question's time may mean, the latest first: of "in November" those of so many years, each but a
    period of this year ("this November") or of a named one. A period that grows from day to day reaches to today in all of them.
    """
    if time.days is None or not is_of_any_year(time.phrase) or _IS_THIS_YEAR.search(text):
        return [time.days] if time.days else []
    coming = (today + timedelta(days=1), today + timedelta(days=2))
    is_growing = all((find_days(text, day) or time.days)[1] == day for day in coming)
    possible = [time.days]
    for year in range(today.year - 1, today.year - years, -1):
        day = today.day if (today.month, today.day) != _LEAP_DAY else today.day - 1
        first, last = find_days(text, today.replace(year=year, day=day)) or time.days
        possible.append((first, today if is_growing else last))
    return list(dict.fromkeys(possible))


def is_bounded_by_event(question: Question, time: QuestionTime) -> bool:
    """Whether the event in a question bounds its period and is not its subject.

    It does when the question asks for nothing else ("what did we change after the release"), and for an earlier state of ours
    ("which database did we use before the move").
    """
    remainder = question.text.replace(time.phrase, " ")
    is_earlier = time.relation in ("before", "until")
    return asks_only_for_period(question, time.phrase) or (is_earlier and bool(_FIRST_PERSON_WORD.search(remainder)))


def is_within_days(row: RankingRecord, days: Days, zone: ZoneInfo) -> bool:
    """Whether a row was said on these days in the owner's zone."""
    said_at = row["said_at"]
    return said_at is not None and days[0] <= said_at.astimezone(zone).date() <= days[1]


def rank_period_first(
    rows: Sequence[RankingRecord], ranked: Sequence[RankedCandidate], days: Days, zone: ZoneInfo
) -> list[RankedCandidate]:
    """Return the candidates with those of the period first that match the question nearly as well as the best of all."""
    lexical = NEAR_BEST * max((candidate.lexical for candidate in ranked), default=0.0)
    cosine = NEAR_BEST * max((candidate.cosine for candidate in ranked), default=0.0)
    first = {
        candidate.index: candidate
        for candidate in ranked
        if (0 < lexical <= candidate.lexical or 0 < cosine <= candidate.cosine)
        and is_within_days(rows[candidate.index], days, zone)
    }
    return [*first.values(), *(candidate for candidate in ranked if candidate.index not in first)]


def lift_named_projects(
    rows: Sequence[RankingRecord], ranked: Sequence[RankedCandidate], question: Question
) -> list[RankedCandidate]:
    """Return the candidates with those of the projects that a question names lifted; these rows have the reader's columns."""
    lift = (WRITTEN_LIFT if question.is_project_written else PLACE_LIFT) / PERFECT_SCORE
    lifted = [
        replace(candidate, score=candidate.score + lift)
        if rows[candidate.index].get("project") in question.projects
        else candidate
        for candidate in ranked
    ]
    return sorted(lifted, key=lambda candidate: -candidate.score)


def rank_whole_period(rows: Sequence[RankingRecord], question: Question, days: Days) -> list[RankedCandidate]:
    """Rank everything kept of a period, the most informative first.

    Segments come in the order of time, then decisions and completed work by priority; facts of a wanted kind ("what did we
    decide …") come before all, turns last.
    """
    is_short = (days[1] - days[0]).days < SHORT_DAYS
    ranked_indices = [index for index, row in enumerate(rows) if not (is_short and row["source"] == "distillate")]
    ordered = sorted(ranked_indices, key=lambda index: _make_period_key(rows[index], question))
    return [RankedCandidate(index, 1.0 / (1 + rank), 0.0, 0.0, 0.0) for rank, index in enumerate(ordered)]


def _make_period_key(row: RankingRecord, question: Question) -> tuple[int, bool, int, int, str, str]:
    is_superseded = bool(row["superseded_by"])
    if row["source"] == "observation":
        level = _KIND_ORDER.get(row["kind"] or "", _OTHER_KIND) - (_OTHER_KIND if row["kind"] in question.kinds else 0)
        priority = PRIORITY_ORDER.get(row["priority"] or "medium", PRIORITY_ORDER["medium"])
        return 0 if level < 2 else 2, is_superseded, level, priority, str(row["said_at"]), row["key"]
    order = _SOURCE_ORDER_OF_KINDS if question.kinds else _SOURCE_ORDER
    return order.get(row["source"], _TURN_ORDER), is_superseded, 0, 0, str(row["said_at"]), row["key"]


def describe_period(days: Days, event: str = "") -> str:
    """Return how the period of a question was read, for its reader."""
    first, last = days
    if first == last:
        period = str(first)
    elif first == FIRST:
        period = f"up to {last}"
    else:
        period = f"since {first}" if last.year == LAST.year else f"{first} to {last}"
    return f"time read as {period}" + (f", from “{event}”" if event else "")
