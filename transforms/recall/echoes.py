"""Finds what only asks what the question asks: an earlier turn with the same words is no evidence for an answer.

Who asks again has often got no answer yet, and of all that memory holds the earlier question is the most similar to the new one.
So an echo is no hit, and its words and vector lend nothing to the turns around it, but to the one that answers it: "7431." says
what it is about in the question before. Words that only an echo without an answer has were never said.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from transforms.recall.question import Question
from transforms.recall.ranking_record import RankingRecord

SAME_WORDS = 0.8
"""Share of the question's words that an echo has, and share of an echo's words that are the question's."""
MOSTLY_ASKS = 0.5
"""Share of questions among the sentences of a text from which it only asks."""


def mark_echoes(rows: Sequence[RankingRecord], question: Question) -> None:
    """Mark the rows that only ask what the question asks (`echo`): `answered` when another speaker's turn behind states
    something, else `open`. A fact that quotes the reply, too, is what the turn is, if that is among the rows.
    """
    asked = {*question.words}
    asking = [row for row in rows if _asks(row) and len(asked & {*row["terms"]}) >= SAME_WORDS * max(len(asked), 1)]
    if not asking:
        return
    echoes = [row for row in asking if _says_no_more(row, asked)]
    turns = {row["id"] for row in echoes if row["source"] == "turn"}
    answered = _find_answered(rows, turns)
    for row in [*echoes, *(row for row in asking if turns and row["source"] == "observation")]:
        is_answered = row["id"] in answered if row["source"] == "turn" else bool(answered)
        row["echo"] = "answered" if is_answered else "open"


def _asks(row: RankingRecord) -> bool:
    """Whether a row mostly asks, or is a fact of the offline engine that quotes a question."""
    is_quoted = row["kind"] == "question" and row["cites"] is None
    return is_quoted or (row["question_share"] or 0.0) >= MOSTLY_ASKS


def _says_no_more(row: RankingRecord, asked: set[str]) -> bool:
    more = {*row["terms"]} - asked
    has_value = any(char.isdigit() for word in more for char in word)  # "on port 8080?" names what may be the answer
    return not has_value and len(more) <= (1 - SAME_WORDS) * len({*row["terms"]})


def _find_answered(rows: Sequence[RankingRecord], echoes: set[str]) -> set[str]:
    """Return those of these turns whose next turn is another speaker's and does not ask back."""
    sessions = {row["session_id"] for row in rows if row["id"] in echoes}
    spoken = [row for row in rows if row["session_id"] in sessions and row["position"] is not None]
    spoken.sort(key=lambda row: (row["session_id"] or "", row["part"], row["position"] or 0))
    return {
        row["id"]
        for row, reply in pairwise(spoken)
        if row["id"] in echoes and _is_right_behind(row, reply) and (reply["question_share"] or 0.0) < MOSTLY_ASKS
    }


def _is_right_behind(row: RankingRecord, reply: RankingRecord) -> bool:
    is_same_day = (row["session_id"], row["part"]) == (reply["session_id"], reply["part"])
    return is_same_day and reply["position"] == (row["position"] or 0) + 1 and reply["speaker"] != row["speaker"]
