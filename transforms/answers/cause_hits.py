"""Puts the cause that a search for an error came to before the report and the guesses that it replaces, in a question why.

Of all that was said the report has most of the question's words: it is the question, said earlier. What the search found
has others. Which finding belongs to which report is told by its place: a cause cites where its search began and where it ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from transforms.answers.next_words import LEADING_HITS
from transforms.answers.replaced_hits import MOST_LEAD
from transforms.recall.newer_values import Folded
from transforms.recall.question import Question
from transforms.recall.question_type import classify_question
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Hit

_CAUSE = "root_cause"
SAID = ("turn", "observation", "segment")
"""Sources of what was said during a search, of facts about it and of accounts that begin with it."""
MOST_CAUSES = 12
"""Best causes of a question whose places are looked up."""


def asks_for_cause(question: Question) -> bool:
    """Whether a question asks why something happened, and not for a value of a type ("which port failed")."""
    return _CAUSE in question.kinds and classify_question(question.text).answer_pattern is None


def list_causes(rows: Sequence[RankingRecord], ranked: Sequence[RankedCandidate], question: Question) -> list[RankedCandidate]:
    """Return the best candidates that state a cause which holds, for a question why; their rows need the reader's columns."""
    if not asks_for_cause(question):
        return []
    causes = (
        candidate for candidate in ranked if _is_cause(rows[candidate.index]["kind"], rows[candidate.index]["superseded_by"])
    )
    return [candidate for candidate, _ in zip(causes, range(MOST_CAUSES), strict=False)]


def add_causes(rows: Sequence[RankingRecord], folded: Folded, causes: Sequence[RankedCandidate]) -> Folded:
    """Return the hits, each of these causes before the first of the leading hits that was said in its search, if that does not
    lead it by far."""
    hits = list(folded)
    for cause in causes:
        row = rows[cause.index]
        for place, (candidate, others) in enumerate(hits[:LEADING_HITS]):
            said = rows[candidate.index]
            is_same = cause.index == candidate.index or cause.index in others
            if is_same or candidate.score - cause.score > MOST_LEAD:
                break
            if _is_within(
                row["session_id"],
                row.get("lines") or (),
                said["session_id"],
                said.get("lines") or (),
                said["source"],
                said["kind"],
            ):
                kept = [
                    (hit, [other for other in beside if other != cause.index])
                    for hit, beside in hits
                    if hit.index != cause.index
                ]  # fmt: skip
                hits = [*kept[:place], (replace(cause, score=candidate.score), []), *kept[place:]]
                break
    return hits


def put_causes_first(hits: Sequence[Hit]) -> list[Hit]:
    """Return hits with each cause before the first one that was said in its search."""
    ordered = list(hits)
    for cause in [hit for hit in hits if _is_cause(hit.kind, hit.superseded_by)]:
        place = ordered.index(cause)
        first = next(
            (
                number
                for number, hit in enumerate(ordered[:place])
                if _is_within(cause.session_id, cause.lines, hit.session_id, hit.lines, hit.source, hit.kind)
            ),
            place,
        )
        ordered.insert(first, ordered.pop(place))
    return ordered


def _is_cause(kind: str | None, superseded_by: str | None) -> bool:
    return kind == _CAUSE and not superseded_by


def _is_within(
    session: str | None, span: Sequence[int], said_in: str | None, lines: Sequence[int], source: str, kind: str | None
) -> bool:
    """Whether something was said in the search of a cause, which spans these lines: where it began, or before what it found."""
    if session is None or session != said_in or source not in SAID or kind == _CAUSE or not span or not lines:
        return False
    return min(span) <= lines[0] < max(span)
