"""Puts the owner's newer words before what they replace among the hits of a question, and says since when the older is over.

Mostly a fact that was retired is known to be over. But the turn, the segment and the period that tell the former value are no
facts, and a request ("raise it to 120") retires little. Here the question has already found both. So less proof is asked for than
where a fact is retired: the newer hit says which value it replaces, or its words retire a clause of the older one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo

from transforms.answers.changed_parts import ChangedPart
from transforms.answers.exchange_context import has_foreign_words
from transforms.answers.waiting_changes import WaitingChange
from transforms.changes.changed_numbers import (
    ChangedNumber,
    LaterNumber,
    find_later_numbers,
    is_terse_setting,
    names_value,
    tells_later_number,
)
from transforms.language.relative_dates import MOST_ENDING_CHARS, find_stated_end
from transforms.language.sentences import QUESTION_MARKS, split_sentences
from transforms.language.statement import split_claim
from transforms.memory.former_values import CHANGING_KINDS, MOST_CHARS, says_replaced
from transforms.quoting.closed_cut import cut_closed
from transforms.recall.newer_values import LEAST_COVERAGE, Folded
from transforms.recall.question import Question
from transforms.recall.rank import MEMORY, PERFECT_SCORE
from transforms.recall.ranking_features import OWNER_ROLE
from transforms.recall.ranking_record import RankingRecord, is_summary
from transforms.tables.enums import REPORTING_KINDS

ProjectChange = tuple[str | None, datetime, ChangedNumber]
"""A project, the moment of the owner's turn whose work changed a number of its files, and the change."""
PERIOD = "distillate"
"""Source of a condensed period, which tells many things."""
MOST_LEAD = 8.0 / PERFECT_SCORE
"""Score by which what is replaced may lead what replaces it, and still go behind it."""
ENDING_CHARS = 60
"""Characters of the sentence that ended, of a hit that says more."""
MOST_QUESTIONS = 0.5
"""Share of questions from which a text asks whether something shall change."""


def put_replaced_last(rows: Sequence[RankingRecord], folded: Folded, question: Question) -> Folded:
    """Return the hits, which have their texts, with each one right behind the first of the owner's that replaces it.

    What is replaced is marked in its row with the moment (`until`). Nothing moves for a question about the past, and no hit moves
    before one that leads it by far: the question asks for something else there.
    """
    hits = list(folded)
    if question.is_past:
        return hits
    newer = [candidate.index for candidate, _ in hits if _is_owners(rows[candidate.index])]
    moments: dict[int, datetime] = {}
    for place in range(len(hits)):
        older = hits[place][0].index
        by = [index for index in newer if index not in moments and _is_replaced(rows[older], rows[index])]
        if not by:
            continue
        moments[older] = min(said_at for index in by if (said_at := rows[index]["said_at"]) is not None)
        rows[older]["until"] = moments[older]
        behind = [other for other in range(place + 1, len(hits)) if hits[other][0].index in by]
        if behind and hits[place][0].score - hits[behind[0]][0].score <= MOST_LEAD:
            hits = _move(hits, behind[0], place)
    return hits


def put_waiting_last(
    rows: Sequence[RankingRecord], folded: Folded, changes: Mapping[str, WaitingChange], question: Question
) -> Folded:
    """Return the hits with each line of MEMORY.md behind the first fact that its waiting change rests on, and mark the line with
    that change (`waits`). `changes` has them by the line's text.

    The owner has not decided, so a line goes behind no fact that it leads by far, and holds for a question about the past.
    """
    hits = list(folded)
    for place in range(len(hits)):
        row = rows[hits[place][0].index]
        change = changes.get(row.get("text") or "") if row["source"] == MEMORY else None
        if change is None:
            continue
        row["waits"] = change.describe()
        behind = [other for other in range(place + 1, len(hits)) if rows[hits[other][0].index]["id"] in change.evidence_ids]
        if behind and not question.is_past and hits[place][0].score - hits[behind[0]][0].score <= MOST_LEAD:
            hits = _move(hits, behind[0], place)
    return hits


def mark_changed_parts(rows: Sequence[RankingRecord], folded: Folded, parts: Mapping[str, Sequence[ChangedPart]]) -> None:
    """Mark the facts among the hits of which later facts say something (`changed`). `parts` has what, by id.

    A number that work replaced is told once: where the hit says which holds instead, no fact with it stands beside.
    """
    for candidate, _ in folded:
        row = rows[candidate.index]
        numbers = row.get("changed", "")
        of_fact = parts.get(row["id"], ()) if row["source"] == "observation" else ()
        shown = [part.describe() for part in of_fact if not (numbers and part.kind == "changed_number")]
        if shown:
            row["changed"] = "; ".join(filter(None, [*shown, numbers]))


def mark_warnings(rows: Sequence[RankingRecord], folded: Folded, warnings: Mapping[str, str]) -> None:
    """Mark the hits of which the repositories here lack something (`changed`). `warnings` has what, by id."""
    for candidate, _ in folded:
        row = rows[candidate.index]
        if warning := warnings.get(row["id"]):
            row["changed"] = "; ".join(filter(None, [f"⚠️ {warning}", row.get("changed", "")]))


def mark_ended(rows: Sequence[RankingRecord], folded: Folded, zone: tzinfo, today: date) -> None:
    """Mark the hits that say until when they hold, when that is over (`changed`): short facts, and short turns of the owner."""
    for candidate, _ in folded:
        row = rows[candidate.index]
        is_turn, text, said_at = row["source"] == "turn", row.get("text") or "", row["said_at"]
        if said_at is None or row["source"] not in ("observation", "turn") or len(text) > MOST_ENDING_CHARS:
            continue
        if is_turn and row["speaker"] != OWNER_ROLE:
            continue
        said_on = said_at.astimezone(zone).date()
        end = find_stated_end(text, said_on)
        if end is not None and end < today:
            row["changed"] = "; ".join(filter(None, [_describe_end(text, end, said_on), row.get("changed", "")]))


def _describe_end(text: str, end: date, said_on: date) -> str:
    """Return the mark of an end, with the sentence that has it where the text says more than that: the rest may hold on."""
    sentences = split_sentences(split_claim(text).claim)
    ending = [sentence for sentence in sentences if find_stated_end(sentence, said_on) == end]
    if len(ending) != 1 or len(sentences) == 1:
        return f"ended {end}"
    return f"ended {end}: “{cut_closed(ending[0], ENDING_CHARS)}”"


def put_changed_numbers_last(
    rows: Sequence[RankingRecord],
    folded: Folded,
    changes: Sequence[ProjectChange],
    replies: Mapping[int, int],
    question: Question,
    zone: tzinfo,
) -> Folded:
    """Return the hits with each one of which later work replaced a number behind the first that gives the new one, and mark it.

    `changes` are in the order of time; `replies` has the place of what was answered to a hit, which is shown with it. The answer
    marks a question and terse words of the owner; other hits are marked by what they say themselves. A question about the past
    keeps the order: there the mark alone tells.
    """
    hits = list(folded)
    for place in range(len(hits)):
        row = rows[hits[place][0].index]
        said_at, text = row["said_at"], row.get("text") or ""
        if said_at is None or row["source"] == MEMORY or row["superseded_by"] or _reports_fault(row):
            continue
        own = [(since, change) for project, since, change in changes if since > said_at and project == row.get("project")]
        reply = replies.get(hits[place][0].index)
        with_reply = "\n".join(filter(None, [text, rows[reply].get("text") if reply is not None else ""]))
        later = find_later_numbers(with_reply, own) if own else []
        marked = later if _rests_on_reply(row) else [number for number in later if names_value(text, number.removed)]
        if marked:
            row["changed"] = "; ".join(number.describe(number.since.astimezone(zone).date()) for number in marked)
        newer = [
            other
            for other in range(place + 1, len(hits))
            if any(_gives_later(rows[hits[other][0].index], number, is_near=_may_lead(hits, place, other)) for number in later)
        ]
        if newer and not question.is_past:
            hits = _move(hits, newer[0], place)
    return hits


def _rests_on_reply(row: RankingRecord) -> bool:
    """Whether a hit is a turn of the owner that asks, or says too little: what it set stands in the answer."""
    is_owners = row["source"] == "turn" and row["speaker"] == OWNER_ROLE
    text = (row.get("text") or "").rstrip()
    is_asking = (row["question_share"] or 0.0) >= MOST_QUESTIONS or text.endswith(QUESTION_MARKS)
    return is_owners and (is_asking or is_terse_setting(text))


def _reports_fault(row: RankingRecord) -> bool:
    """Whether a hit is a fact that tells what went wrong: what holds since then did not hold when it went wrong."""
    return row["source"] == "observation" and row["kind"] in REPORTING_KINDS


def _may_lead(hits: Folded, place: int, other: int) -> bool:
    """Whether a hit further back is about the question as well: the other one does not lead it by far."""
    first, second = hits[place][0], hits[other][0]
    return first.score - second.score <= MOST_LEAD and second.coverage >= LEAST_COVERAGE * first.coverage


def _gives_later(row: RankingRecord, number: LaterNumber, *, is_near: bool) -> bool:
    """Whether a hit gives the number that holds, and goes before one that has the former number.

    The words behind which work changed it need say no more than the number ("20s please"), however far the other hit leads. What
    was said since has to say what the number is of, and to be about the question as well (`is_near`).
    """
    said_at, text = row["said_at"], row.get("text") or ""
    if said_at is None or said_at < number.since or row["source"] == PERIOD:
        return False
    if said_at == number.since and row["source"] in ("turn", "observation"):
        return names_value(text, number.added)
    return is_near and tells_later_number(text, number)


def put_named_again_last(rows: Sequence[RankingRecord], folded: Folded, later: Mapping[str, str], question: Question) -> Folded:
    """Return the hits with each choice behind the owner's later words about its options (`later`, by id), where they are a hit.

    However far the choice leads: it has the words of its question, and the later statement has the name alone.
    """
    hits = list(folded)
    for place in range(len(hits)):
        newer = later.get(rows[hits[place][0].index]["id"])
        behind = [other for other in range(place + 1, len(hits)) if rows[hits[other][0].index]["id"] == newer]
        if behind and not question.is_past:
            hits = _move(hits, behind[0], place)
    return hits


def put_summaries_behind(rows: Sequence[RankingRecord], folded: Folded) -> Folded:
    """Return the hits with something that was said in front: a summary of a compaction is an agent's, and never leads."""
    said = next((place for place, (candidate, _) in enumerate(folded) if not is_summary(rows[candidate.index])), 0)
    return _move(list(folded), said, 0) if said else list(folded)


def _move(hits: Folded, start: int, end: int) -> Folded:
    """Return the hits with one of them further in front; each place keeps its score."""
    scores = [candidate.score for candidate, _ in hits]
    moved = [*hits[:end], hits[start], *hits[end:start], *hits[start + 1 :]]
    return [(replace(candidate, score=score), others) for (candidate, others), score in zip(moved, scores, strict=True)]


def _is_owners(row: RankingRecord) -> bool:
    """Whether a hit is the owner's and holds: a turn of his own words, or a fact in his."""
    if row["superseded_by"] or row["said_at"] is None or (row["question_share"] or 0.0) >= MOST_QUESTIONS:
        return False
    is_turn = (
        row["source"] == "turn" and row["position"] is not None and row["speaker"] == OWNER_ROLE and not has_foreign_words(row)
    )
    is_fact = row["source"] == "observation" and row["kind"] in CHANGING_KINDS
    return (is_turn or is_fact) and len(row.get("text") or "") <= MOST_CHARS


def _is_replaced(older: RankingRecord, newer: RankingRecord) -> bool:
    if older["said_at"] is None or newer["said_at"] is None or older["said_at"] >= newer["said_at"]:
        return False
    if older["source"] == MEMORY or older.get("project") != newer.get("project"):
        return False  # what the owner keeps has its place, and another project its own values
    return says_replaced(older.get("text") or "", newer.get("text") or "")
