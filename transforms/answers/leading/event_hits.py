"""Puts what became of a piece of work first, in a question whether it was committed, pushed, opened, merged or released; and what
is open, in a question that asks what is left to do.

The row of such an event is short, and what led to it has more of the question's words: the plan, the wish, the report. Rows of
events are told by their form, and which piece of work they are about by their title, or by the number in their address. Of two
the later one counts: what was only set out to be committed may have been committed since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import fsum

from transforms.answers.replaced_hits import MOST_LEAD
from transforms.language.lexicon import parse_stems
from transforms.language.tokenizer import tokenize
from transforms.recall.newer_values import Folded
from transforms.recall.question import Question
from transforms.recall.question_language import take_prefix
from transforms.recall.question_type import NAMED_WORK, WORK_NOUNS, YES_NO, classify_question
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Hit

EVENT_KINDS = frozenset({"completion", "status", "error"})
"""Kinds of the rows of events."""
EVENT_STARTS = ("Committed ", "Set out to commit ", "Opened ", "The commit ", "Release: ")
"""Beginnings of the rows that the offline engine writes of events (`transforms/offline/work_facts.py`)."""
EVENT_VERBS = parse_stems("commit push open merge close release publish")
"""Verbs of these rows, and those that end what they open."""
LEAST_TITLE = 0.5
"""Share of the question's words, without those for the event and for work of any kind, that the title of a row has at least."""
SAME_TITLE = 0.75
"""Share of the words of two titles that both have, from which they are of one piece of work."""
UNDATED = datetime.min.replace(tzinfo=UTC)
OPEN_COMMIT, OPEN_ISSUE, DONE_COMMIT = "Set out to commit ", "Opened issue ", "Committed "
OPEN_ROWS = "Set out to commit; no result is recorded. Opened issue."
"""Words by which rows of open work are found."""
ISSUE_WORDS, PULL_WORDS = parse_stems("issue issues ticket tickets bug bugs"), parse_stems("pull merge pr prs mr mrs request")
"""Words of a question for issues alone, and for pull requests, which are mostly merged where no session sees it."""
MOST_OPEN = 3
"""Rows of open work that go before other hits, the latest."""
MOST_EVENTS = 24
"""Best candidates of these kinds whose texts are looked up."""


def asks_for_event(question: Question) -> bool:
    """Whether a question asks if something happened to a piece of work: "is the migration merged?"."""
    return (
        not question.is_past
        and classify_question(question.text).form == YES_NO
        and not EVENT_VERBS.isdisjoint(question.words)
        and bool(_list_subject(question) or _list_numbers(question.text))
    )


def list_events(rows: Sequence[RankingRecord], ranked: Sequence[RankedCandidate], question: Question) -> list[RankedCandidate]:
    """Return the best candidates that may be rows of events, for a question that asks for one; they need the reader's columns."""
    if not asks_for_event(question):
        return []
    facts = (candidate for candidate in ranked if _may_be_event(rows[candidate.index]))
    return [candidate for candidate, _ in zip(facts, range(MOST_EVENTS), strict=False)]


def find_leading_event(
    rows: Sequence[RankingRecord],
    folded: Folded,
    events: Sequence[RankedCandidate],
    question: Question,
    weights: Mapping[str, float],
) -> RankedCandidate | None:
    """Return the latest event of the piece of work that the question names, which the title of the best of these has; None when
    the first hit leads them by far, or tells of such an event later."""
    if not folded:
        return None
    first = folded[0][0]
    subject, numbers = _list_subject(question), _list_numbers(question.text)
    near = [event for event in events if first.score - event.score <= MOST_LEAD]
    shares = {event.index: _measure_title(rows[event.index], subject, numbers, weights) for event in near}
    about = [event for event in near if shares[event.index] >= LEAST_TITLE]
    if not about:
        return None
    asked = EVENT_VERBS.intersection(question.words)
    best = max(about, key=lambda event: (shares[event.index], _has_verb(rows[event.index], asked), event.score))
    same = [event for event in about if _tells_of_same(rows[event.index], rows[best.index])]
    said_at, latest = max(((_read_time(rows[event.index]), event) for event in same), key=lambda item: (item[0], item[1].score))
    top = rows[first.index]
    is_told_later = _read_time(top) > said_at and not EVENT_VERBS.isdisjoint(top["terms"])
    return None if is_told_later else latest


def list_open_work(rows: Sequence[RankingRecord], ranked: Sequence[RankedCandidate], question: Question) -> list[RankedCandidate]:
    """Return the latest rows of work that is open, which have their texts: issues, and a commit behind which a project has none
    that was made. None for a question for pull requests."""
    if not PULL_WORDS.isdisjoint(question.words):
        return []
    starts = (OPEN_ISSUE,) if not ISSUE_WORDS.isdisjoint(question.words) else (OPEN_ISSUE, OPEN_COMMIT)
    facts = [(rows[fact.index], (rows[fact.index].get("text") or ""), fact) for fact in ranked if _may_be_event(rows[fact.index])]
    made = [(row.get("project"), _read_time(row)) for row, text, _ in facts if text.startswith(DONE_COMMIT)]
    is_open = [
        (_read_time(row), fact.score, fact)
        for row, text, fact in facts
        if text.startswith(starts)
        and not (
            text.startswith(OPEN_COMMIT) and any(where == row.get("project") and at >= _read_time(row) for where, at in made)
        )
    ]
    return [fact for *_, fact in sorted(is_open, key=lambda item: item[:2], reverse=True)[:MOST_OPEN]]


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


def _may_be_event(row: RankingRecord) -> bool:
    return row["source"] == "observation" and row["kind"] in EVENT_KINDS and not row["superseded_by"]


def _list_subject(question: Question) -> list[str]:
    return [word for word in question.words if word not in EVENT_VERBS | WORK_NOUNS and not word.isdigit()]


def _list_numbers(text: str) -> list[str]:
    """Return the numbers that name pieces of work: "PR 53", "#53"."""
    written = text.replace("#", " # ").split()
    words = [word.strip(".,;:?!()\"'") for word in written]
    return [
        word
        for before, word in zip(["", *written], words, strict=False)
        if word.isdigit() and (before == "#" or not NAMED_WORK.isdisjoint(tokenize(before)))
    ]


def _measure_title(row: RankingRecord, subject: Sequence[str], numbers: Sequence[str], weights: Mapping[str, float]) -> float:
    """Return the share of the subject that the title of an event has; 1 for one whose address ends in one of the numbers."""
    text = row.get("text") or ""
    if not text.startswith(EVENT_STARTS):
        return 0.0
    if numbers:
        address = text.rstrip(".").rpartition("/")[2] if "://" in text else ""
        return float(any(number == address or f"#{number}" in text.split() for number in numbers))
    title = _read_title(row)
    total = fsum(weights.get(word, 0.0) for word in subject)
    return fsum(weights.get(word, 0.0) for word in subject if _is_form_in(word, title)) / total if total else 0.0


def _tells_of_same(row: RankingRecord, other: RankingRecord) -> bool:
    """Whether two events have about the same title: a commit that was set out for, and made later."""
    title, others = _read_title(row), _read_title(other)
    return len(title & others) >= SAME_TITLE * len(title | others)


def _has_verb(row: RankingRecord, asked: frozenset[str]) -> bool:
    """Whether an event is of the kind that a question asks for: "Committed and pushed" for "was it pushed?"."""
    return not asked.isdisjoint(tokenize((row.get("text") or "").partition('"')[0]))


def _read_title(row: RankingRecord) -> set[str]:
    return {*tokenize((row.get("text") or "").partition('"')[2].rpartition('"')[0])}


def _read_time(row: RankingRecord) -> datetime:
    return row["said_at"] or UNDATED


def _is_form_in(word: str, title: set[str]) -> bool:
    """Whether a title has a word in any form: "migrate linting" for "the migration"."""
    prefix = take_prefix(word)
    if word in title or not prefix:
        return word in title
    return any(term.startswith(prefix) or ((root := take_prefix(term)) and word.startswith(root)) for term in title)
